/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one place where files are written, for library and programs: readers see the old file or the
 * whole new one, whatever happens in between.
 *
 * The new content is written to a file without a name (O_TMPFILE), brought to the disk, gets a name that
 * nobody can foresee, is renamed, and the directory is brought to the disk as well; signals are held back
 * meanwhile. Where there are no files without names, the new one has its name from the beginning (O_EXCL).
 * What a killed writer leaves behind is removed by the next one in the directory. The file keeps its owner
 * and mode; a new one has those that the umask leaves.
 *
 * A symbolic link is followed: it stays one, and the file that it leads to is replaced. In a
 * directory where everybody may write (mode 1777, as /tmp), links and files of others are refused
 * with EACCES, as the kernel does with fs.protected_symlinks and fs.protected_regular.
 *
 * What is no file is written to as it is: a pipe, a device, /dev/stdout.
 */
#pragma once

#include <stddef.h>

/* Mode 0600, also if the file was there with another. */
#define FILE_SECRET 1U
/* A line end comes after the content. */
#define FILE_END_LINE 2U
/*
 * Mode 0644, whatever the umask and also if the file was there with another: another user's program
 * reads it, and services run with umask 0077.
 */
#define FILE_PUBLIC 4U
/* -EINVAL if @path is there and no regular file: a pipe without a reader would be waited for. */
#define FILE_REGULAR 8U

/* Replaces the content of @path. 0 or -errno; on failure the file is as it was. */
int file_save(const char *path, const void *bytes, size_t length, unsigned int flags);

/*
 * Is @path one that file_save() would write to, as far as can be told before? Nothing is changed. It is
 * for those who do something first that they cannot take back. 0 or -errno.
 */
int file_check(const char *path);

/*
 * The right to read, change and write a file that is to be replaced by file_save(). It is a file beside it,
 * ".NAME.lock", which is there only as long as it is held, and which only the owner's user can open.
 */
struct file_hold {
	int dir, fd;
	char name[256];
};

#define FILE_HOLD_NONE \
	{ \
		.dir = -1, .fd = -1 \
	}
#define FILE_HOLD_MS 10000U /* to wait, where a command needs it */

/*
 * Takes the lock of @path, which need not exist; what is no file has none, and needs none. 0 or -errno:
 * -ETIMEDOUT if another program, or another thread, holds it after @wait_ms.
 */
int file_hold(const char *path, unsigned int wait_ms, struct file_hold *ret);
/* Gives back what is held. errno stays. */
void file_release_cleanup(struct file_hold *hold);

/*
 * Adds a line, with its end, to @path, which need not exist, under the lock of the file. 0 or
 * -errno; on failure the file is as it was.
 */
int file_add_line(const char *path, const char *line, unsigned int flags);
