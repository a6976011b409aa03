/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lock files, which exist only while they are held or waited for. */
#pragma once

/*
 * Open @path, with mode 0600 if it is created, and lock it. Return a descriptor; -EAGAIN if another
 * process holds the lock for longer than @wait_ms; or another -errno. To remove the file, do so
 * before closing the descriptor.
 */
int file_lock(const char *path, unsigned int wait_ms);

/* Like file_lock(), with @path relative to a directory as for openat(2). */
int file_lock_at(int dir, const char *path, unsigned int wait_ms);

/* Like file_lock(), but return -ENOENT if the file does not exist. */
int file_lock_existing(const char *path, unsigned int wait_ms);
