/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All files of the libraries and programs are written here: readers always see either the old file
 * or the whole new one.
 *
 * The new content is written to an unnamed file (O_TMPFILE) and synced; the file gets an
 * unpredictable name, is renamed over the old one, and the directory is synced. Signals are blocked
 * meanwhile. On file systems without unnamed files the new file has its name from the beginning
 * (O_EXCL), and the next writer in the directory removes what a killed writer left. The file keeps
 * its owner and mode; the umask applies to a new one.
 *
 * A symbolic link is followed: the link stays and its target is replaced. In a world-writable
 * sticky directory (mode 1777, such as /tmp), links and files of other users are refused with
 * EACCES, as the kernel does with fs.protected_symlinks and fs.protected_regular.
 *
 * Pipes, devices and /dev/stdout are written to directly.
 */
#pragma once

#include "shared/std.h"

/* Mode 0600, also if the file exists with another mode. */
#define FILE_SECRET 1U
/* Append a newline to the content. */
#define FILE_END_LINE 2U
/* Mode 0644 despite umask and old mode: other users read it, and services run with umask 0077. */
#define FILE_PUBLIC 4U
/* Fail with -EINVAL if @path is no regular file: opening a pipe without a reader blocks. */
#define FILE_REGULAR 8U

/* Replace the content of @path. Return 0 or -errno; on failure the file is unchanged. */
int file_save(const char *path, const void *bytes, size_t length, unsigned int flags);

/* Check in advance whether file_save() can write to @path, changing nothing. Return 0 or -errno. */
int file_check(const char *path);

/*
 * The lock of a file that is read, changed and replaced by file_save(). The lock file ".NAME.lock"
 * is in the same directory, exists only while the lock is held, and can be opened only by the user
 * that owns it.
 */
struct file_hold {
	int dir, fd;
	char name[256];
};

#define FILE_HOLD_NONE \
	{ \
		.dir = -1, .fd = -1 \
	}
#define FILE_HOLD_MS 10000U /* default time for commands to wait, in ms */

/* Take the lock of @path, a new or regular file. Return 0 or -errno; -ETIMEDOUT after @wait_ms. */
int file_hold(const char *path, unsigned int wait_ms, struct file_hold *ret);
/* Release the lock; preserves errno. */
void file_release_cleanup(struct file_hold *hold);

/* Write all of @bytes, also after a signal. Return 0 or -errno. */
int file_write_all(int fd, const char *bytes, size_t length);

/* Append @line, with its newline, under the lock. Return 0 or -errno, the file then unchanged. */
int file_add_line(const char *path, const char *line, unsigned int flags);

/* Lock files, which exist only while they are held or waited for. */

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
