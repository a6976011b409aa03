// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "cleanup.h"
#include "file.h"

/* As many links as the kernel follows. */
#define LINKS_MAX 40
#define TEMPORARY_SIZE sizeof(".nvme-0123456789abcdef")

/* Where a file is, or is to be. */
struct place {
	int dir;
	char name[NAME_MAX + 1];
	struct stat old; /* of what is there; st_mode 0: nothing */
	bool is_magic; /* a link of /proc to something that is open, which has no other name */
};

static void place_leave_cleanup(struct place *place)
{
	close_cleanup(&place->dir);
}

/* A directory that can be entered but not read cannot be brought to the disk either. */
static int open_dir(int from, const char *path)
{
	const int flags = O_DIRECTORY | O_CLOEXEC;
	int fd = openat(from, path, O_RDONLY | flags);

	if (fd < 0 && errno == EACCES)
		fd = openat(from, path, O_PATH | flags);
	return fd < 0 ? -errno : fd;
}

/* Takes the last component of @path for the name and goes to the directory before it. */
static int place_enter(struct place *place, char *path)
{
	char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int dir;

	if (!*path)
		return -ENOENT;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(place->name, name, strlen(name) + 1);
	*name = '\0';
	dir = open_dir(place->dir, *path ? path : ".");
	if (dir < 0)
		return dir;
	if (place->dir >= 0)
		close(place->dir);
	place->dir = dir;
	return 0;
}

/* Is what is there by somebody else, in a directory where everybody may write? */
static int place_check_owner(const struct place *place)
{
	struct stat dir;

	if (fstat(place->dir, &dir))
		return -errno;
	if ((dir.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) ||
	    place->old.st_uid == geteuid() || place->old.st_uid == dir.st_uid)
		return 0;
	return -EACCES;
}

static int place_look(struct place *place)
{
	struct statfs fs;

	if (fstatat(place->dir, place->name, &place->old, AT_SYMLINK_NOFOLLOW)) {
		place->old.st_mode = 0;
		return errno == ENOENT ? 0 : -errno;
	}
	if (fstatfs(place->dir, &fs))
		return -errno;
	place->is_magic = S_ISLNK(place->old.st_mode) && fs.f_type == PROC_SUPER_MAGIC;
	if (S_ISDIR(place->old.st_mode))
		return -EISDIR;
	return place->is_magic ? 0 : place_check_owner(place);
}

/* Follows links by hand, since each of them is judged. @place begins as { .dir = AT_FDCWD }. */
static int place_find(struct place *place, const char *path)
{
	char link[PATH_MAX];
	ssize_t length = (ssize_t)strlen(path);

	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(link, path, (size_t)length + 1);
	for (int i = 0; i < LINKS_MAX; i++) {
		int err = place_enter(place, link);

		if (!err)
			err = place_look(place);
		if (err || place->is_magic || !S_ISLNK(place->old.st_mode))
			return err;
		length = readlinkat(place->dir, place->name, link, sizeof(link));
		if (length < 0)
			return -errno;
		if (length >= PATH_MAX)
			return -ENAMETOOLONG;
		link[length] = '\0';
	}
	return -ELOOP;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

static int write_content(int fd, const char *bytes, size_t length, unsigned int flags)
{
	int err = write_all(fd, bytes, length);

	return !err && flags & FILE_END_LINE ? write_all(fd, "\n", 1) : err;
}

/* A pipe or a device. */
static int write_through(const struct place *place, const char *bytes, size_t length,
			 unsigned int flags)
{
	_cleanup_(close) int fd =
		openat(place->dir, place->name, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : write_content(fd, bytes, length, flags);
}

static int open_temporary(const struct place *place, char *name, mode_t mode)
{
	for (int i = 0; i < 16; i++) {
		uint64_t number;
		int fd;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -errno;
		snprintf(name, TEMPORARY_SIZE, ".nvme-%016" PRIx64, number);
		fd = openat(place->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    mode);
		if (fd >= 0 || errno != EEXIST)
			return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

/* Owner first: giving a file away takes bits off its mode. */
static int take_over(int fd, const struct stat *old, unsigned int flags)
{
	/* An unprivileged user may not give files away, and then it is their own anyway. */
	if (old->st_mode && fchown(fd, old->st_uid, old->st_gid) && errno != EPERM)
		return -errno;
	if (flags & (FILE_SECRET | FILE_PUBLIC))
		return fchmod(fd, flags & FILE_SECRET ? 0600 : 0644) ? -errno : 0;
	return old->st_mode && fchmod(fd, old->st_mode & 0777) ? -errno : 0;
}

/* File systems without directories that can be brought to the disk have EINVAL for it. */
static int sync_dir(int dir)
{
	return fsync(dir) && errno != EINVAL && errno != EBADF && errno != EROFS ? -errno : 0;
}

/* A file that was not there must still not be; not every file system can see to that. */
static int rename_to(const struct place *place, const char *temporary)
{
	int dir = place->dir;

	if (!place->old.st_mode) {
		if (!renameat2(dir, temporary, dir, place->name, RENAME_NOREPLACE))
			return 0;
		if (errno != EINVAL && errno != ENOSYS)
			return -errno;
	}
	return renameat(dir, temporary, dir, place->name) ? -errno : 0;
}

static int replace(const struct place *place, const char *bytes, size_t length, unsigned int flags)
{
	const mode_t mode = place->old.st_mode || flags & FILE_SECRET ? 0600 : 0666;
	char temporary[TEMPORARY_SIZE];
	_cleanup_(close) int fd = open_temporary(place, temporary, mode);
	int err = fd < 0 ? fd : take_over(fd, &place->old, flags);

	if (fd < 0)
		return err;
	if (!err)
		err = write_content(fd, bytes, length, flags);
	if (!err && fsync(fd))
		err = -errno;
	if (!err)
		err = rename_to(place, temporary);
	if (err)
		unlinkat(place->dir, temporary, 0);
	return err ? err : sync_dir(place->dir);
}

/* Renaming asks the directory only; whoever made a file read-only means it. */
static int replace_quietly(const struct place *place, const char *bytes, size_t length,
			   unsigned int flags)
{
	sigset_t all, before;
	int err;

	if (place->old.st_mode && faccessat(place->dir, place->name, W_OK, AT_EACCESS))
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = replace(place, bytes, length, flags);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int file_save(const char *path, const void *bytes, size_t length, unsigned int flags)
{
	int err;

	/* Made by somebody else in between: it is looked at again. */
	do {
		_cleanup_(place_leave) struct place place = { .dir = AT_FDCWD };

		err = place_find(&place, path);
		if (err)
			return err;
		if (place.old.st_mode && !S_ISREG(place.old.st_mode))
			return flags & FILE_REGULAR ? -EINVAL
						    : write_through(&place, bytes, length, flags);
		err = replace_quietly(&place, bytes, length, flags);
	} while (err == -EEXIST);
	return err;
}

int file_check(const char *path)
{
	_cleanup_(place_leave) struct place place = { .dir = AT_FDCWD };
	int err = place_find(&place, path);

	if (err || place.is_magic)
		return err;
	if (place.old.st_mode && faccessat(place.dir, place.name, W_OK, AT_EACCESS))
		return -errno;
	if (place.old.st_mode && !S_ISREG(place.old.st_mode))
		return 0;
	return faccessat(place.dir, ".", W_OK | X_OK, AT_EACCESS) ? -errno : 0;
}

/* What a file holds, with room for more at its end. */
struct content {
	char *bytes;
	size_t length;
};

static void content_wipe_cleanup(struct content *content)
{
	if (content->bytes)
		explicit_bzero(content->bytes, content->length);
	free(content->bytes);
}

static int read_content(int fd, struct content *content, size_t more)
{
	struct stat st;
	size_t n = 0;
	ssize_t got;

	if (fstat(fd, &st))
		return -errno;
	content->bytes = malloc((size_t)st.st_size + more);
	if (!content->bytes)
		return -ENOMEM;
	content->length = (size_t)st.st_size;
	while (n < content->length &&
	       (got = pread(fd, content->bytes + n, content->length - n, (off_t)n)) != 0) {
		if (got < 0 && errno != EINTR)
			return -errno;
		n += got < 0 ? 0 : (size_t)got;
	}
	content->length = n;
	return 0;
}

/* Nobody has replaced what @fd is; -EEXIST if somebody has. */
static int lock_place(int fd, struct place *place)
{
	struct stat held, there;

	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return -errno;
	if (fstat(fd, &held))
		return -errno;
	if (fstatat(place->dir, place->name, &there, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? -EEXIST : -errno;
	place->old = there;
	return held.st_ino == there.st_ino && held.st_dev == there.st_dev ? 0 : -EEXIST;
}

static int add_line(struct place *place, const char *line, unsigned int flags)
{
	const size_t length = strlen(line);
	_cleanup_(content_wipe) struct content content = { 0 };
	_cleanup_(close) int fd = -1;
	int err;

	if (!place->old.st_mode)
		return replace_quietly(place, line, length, flags);
	if (!S_ISREG(place->old.st_mode))
		return write_through(place, line, length, flags);
	fd = openat(place->dir, place->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EEXIST : -errno;
	err = lock_place(fd, place);
	if (!err)
		err = read_content(fd, &content, length + 1);
	if (err)
		return err;
	/* The last line of a file that somebody edited may lack its end. */
	if (content.length && content.bytes[content.length - 1] != '\n')
		content.bytes[content.length++] = '\n';
	memcpy(content.bytes + content.length, line, length);
	content.length += length;
	return replace_quietly(place, content.bytes, content.length, flags);
}

int file_add_line(const char *path, const char *line, unsigned int flags)
{
	int err;

	do {
		_cleanup_(place_leave) struct place place = { .dir = AT_FDCWD };

		err = place_find(&place, path);
		if (!err)
			err = add_line(&place, line, flags);
	} while (err == -EEXIST);
	return err;
}
