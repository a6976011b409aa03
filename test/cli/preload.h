/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the stand-in for the kernel share; nothing of it is seen outside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The C library's own function behind a name. */
void *preload_next(const char *name);
#define REAL_FUNCTION(type, name, ...) ((type(*)(__VA_ARGS__))preload_next(#name))
int preload_open(const char *path, int flags, mode_t mode);

/* $FAKE_DIR, and files below it: contents to be freed, a number, whether there is one. */
const char *preload_dir(void);
char *preload_load(const char *name, size_t *size);
long preload_load_number(const char *name, long missing);
bool preload_exists(const char *name);

/* Where allocations are made to fail, those in between are not. */
void preload_pause_failures(bool pause);

/* Appends to the file "written". */
void preload_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Return the errno after what comes with it: with EPIPE a SIGPIPE for this thread, since the
 * kernel's transports send without MSG_NOSIGNAL.
 */
int preload_raise(int err);

/* Appends @size bytes to a file below $FAKE_DIR if it is there, or with O_CREAT in @flags. */
void preload_append(const char *file, int flags, const char *line, size_t size);

struct stat64;

/* Kind and number of a device, where /sys has it. */
void preload_describe(const char *name, struct stat64 *st);

struct nvme_passthru_cmd;

/* Is it a command for the Replay Protected Memory Block of a device that has one? It is done then. */
bool preload_rpmb(const char *device, const struct nvme_passthru_cmd *cmd);

int preload_device_ioctl(const char *device, unsigned long request, void *arg);

#pragma GCC visibility pop
