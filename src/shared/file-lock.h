/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A lock that is a file, which exists while it is held or waited for. */
#pragma once

/*
 * A descriptor of @path, mode 0600, with a lock that no other process has: -EAGAIN if another one has it
 * after @wait_ms, or other -errno. Who removes the file does so before the descriptor is closed.
 */
int file_lock(const char *path, unsigned int wait_ms);

/* As file_lock(), with @path below a directory, as for openat(2). */
int file_lock_at(int dir, const char *path, unsigned int wait_ms);

/* As file_lock(), but -ENOENT if there is no such file. */
int file_lock_existing(const char *path, unsigned int wait_ms);
