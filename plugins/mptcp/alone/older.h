/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replacements for functions that older versions of libnvme do not have. If the loaded libnvme has
 * the function, the replacement calls it.
 */
#pragma once

#include <stdbool.h>

#include <libnvme.h>

/*
 * @function of the loaded libnvme, or NULL. Use it only for functions whose structures have never
 * changed.
 */
#define LATER(function) ((__typeof__(&(function)))older_find(#function))

/*
 * Likewise, but NULL unless libnvme is this project's, whose structures equal those of the program.
 */
#define OWN(function) ((__typeof__(&(function)))older_find_own(#function))

void *older_find(const char *name);
void *older_find_own(const char *name);

/* Functions of libnvme that the linker replaces (--wrap); the source files explain why. */
int __real_nvme_read_config(nvme_root_t r, const char *file);
const char *__real_nvme_ctrl_get_transport(nvme_ctrl_t c);

/* Remember a configuration for older_left_out(). Defined in the program only. */
void older_note_config(const char *file) __attribute__((weak));

/*
 * Check the syntax of a configuration. Another libnvme accepts duplicate members and files that are
 * JSON only for json-c, so that it might silently ignore the first of two "tls" members. Return 0,
 * -ENOMEM, or -EPROTO with the position in older_reason. Defined in the program only.
 */
int older_check_config(const char *file) __attribute__((weak));

/*
 * Return a member of a configuration that describes this controller, but is ignored by another
 * libnvme for its transport; NULL if there is none. *@file is the configuration.
 */
const char *older_left_out(nvme_host_t h, nvme_ctrl_t c, const char **file);

/* Return the application that the configurations have for a subsystem, or NULL. */
const char *older_application(nvme_host_t h, const char *nqn);

/* Why the last controller or configuration failed; "" if only errno is known. */
extern char older_reason[512];

/* True if both are unset, or the same address or name. */
bool older_is_same_address(const char *a, const char *b);
