/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands here under a name of libnvme is for libraries without it: those that have it are asked. */
#pragma once

#include <stdbool.h>

#include <libnvme.h>

/* @function of the libnvme that is loaded, or NULL. Only what has had the same structures ever since. */
#define LATER(function) ((__typeof__(&(function)))older_find(#function))

/* The same of this project's libnvme, whose structures are those of the program; NULL over any other. */
#define OWN(function) ((__typeof__(&(function)))older_find_own(#function))

void *older_find(const char *name);
void *older_find_own(const char *name);

/* As the linker has it, beside what stands here; see the files for why. */
int __real_nvme_read_config(nvme_root_t r, const char *file);
const char *__real_nvme_ctrl_get_transport(nvme_ctrl_t c);

/* Remembers a configuration, for older_left_out(). Only the program has it. */
void older_note_config(const char *file) __attribute__((weak));

/*
 * Another libnvme takes the last of two members of one name without a word, in files that only json-c
 * takes for JSON as well: "tls" may be the other one. 0, -ENOMEM, or -EPROTO; older_reason has the place.
 * Only the program has it.
 */
int older_check_config(const char *file) __attribute__((weak));

/*
 * A member of a configuration that was read and describes this controller, which another libnvme leaves
 * out for its transport; NULL if there is none. *@file is the configuration.
 */
const char *older_left_out(nvme_host_t h, nvme_ctrl_t c, const char **file);

/* The application that a configuration that was read has a subsystem for; NULL: it has none. */
const char *older_application(nvme_host_t h, const char *nqn);

/* Why the last one was not connected, or not read; "": nothing is known beyond errno. */
extern char older_reason[512];

/* Are both unset, or the same address or name? */
bool older_is_same_address(const char *a, const char *b);
