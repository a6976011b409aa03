// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/magic.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/statfs.h>

#include "cleanup.h"
#include "file.h"

/* Maximum number of symbolic links followed, as in the kernel. */
#define LINKS_MAX 40
#define TEMPORARY ".nvme-"
#define TEMPORARY_SIZE sizeof(TEMPORARY "0123456789abcdef")
#define LOCK_SUFFIX ".lock"

/* Directory and name of a file that exists or is to be created. */
struct place {
	int dir;
	char name[NAME_MAX + 1];
	struct stat old; /* of the existing file; st_mode 0: none */
	bool is_magic; /* a link in /proc to an open file that has no other name */
};

static void place_leave_cleanup(struct place *place)
{
	close_cleanup(&place->dir);
}

/* A directory that can be entered but not read is opened with O_PATH; it cannot be synced. */
static int open_dir(int from, const char *path)
{
	const int flags = O_DIRECTORY | O_CLOEXEC;
	int fd = openat(from, path, O_RDONLY | flags);

	if (fd < 0 && errno == EACCES)
		fd = openat(from, path, O_PATH | flags);
	return fd < 0 ? -errno : fd;
}

/* Store the last component of @path as the name and open the directory before it. */
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

/* Refuse a file of another user in a world-writable sticky directory. Return 0 or -errno. */
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

static int place_stat(struct place *place)
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

/* Find the file at @path; follow links one by one to check each owner. @place: .dir = AT_FDCWD. */
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
			err = place_stat(place);
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

int file_write_all(int fd, const char *bytes, size_t length)
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
	int err = file_write_all(fd, bytes, length);

	return !err && flags & FILE_END_LINE ? file_write_all(fd, "\n", 1) : err;
}

/* Write to a pipe or a device. */
static int write_through(const struct place *place, const char *bytes, size_t length,
			 unsigned int flags)
{
	_cleanup_(close) int fd =
		openat(place->dir, place->name, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : write_content(fd, bytes, length, flags);
}

/* True for ".nvme-" and 16 hexadecimal digits. */
static bool is_temporary(const char *name)
{
	const size_t prefix = sizeof(TEMPORARY) - 1;

	return strlen(name) == TEMPORARY_SIZE - 1 && !strncmp(name, TEMPORARY, prefix) &&
	       strspn(name + prefix, "0123456789abcdef") == TEMPORARY_SIZE - 1 - prefix;
}

static void make_name(char *name, uint64_t number)
{
	snprintf(name, TEMPORARY_SIZE, TEMPORARY "%016" PRIx64, number);
}

/* A writer holds a lock on its temporary file for as long as it lives. */
static void remove_if_stale(const struct place *place, const struct stat *dir, const char *name)
{
	_cleanup_(close) int fd =
		openat(place->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	if (dir->st_mode & S_IWOTH && st.st_uid != geteuid())
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(place->dir, name, 0);
}

/* Remove temporary files of killed writers, which may contain keys. Failures do no harm. */
static void remove_stale(const struct place *place)
{
	_cleanup_(closedir) DIR *dir = NULL;
	int fd = openat(place->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	struct stat st;

	if (fd < 0)
		return;
	dir = fdopendir(fd);
	if (!dir || fstat(fd, &st)) {
		if (!dir)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (is_temporary(entry->d_name))
			remove_if_stale(place, &st, entry->d_name);
}

/* Lock the temporary file. Return false if another writer took it for stale first. */
static bool hold_temporary(int fd)
{
	struct stat st;

	/* Not every file system supports locks. */
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return false;
	return !fstat(fd, &st) && st.st_nlink;
}

static int open_named(const struct place *place, char *name, mode_t mode)
{
	for (int i = 0; i < 16; i++) {
		uint64_t number;
		int fd;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -errno;
		make_name(name, number);
		fd = openat(place->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    mode);
		if (fd < 0 && errno != EEXIST)
			return -errno;
		if (fd >= 0 && hold_temporary(fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -EEXIST;
}

/* Open an unnamed file, gone if the writer is killed, or a named one without O_TMPFILE. */
static int open_temporary(const struct place *place, char *name, mode_t mode)
{
	int fd = openat(place->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);

	*name = '\0';
	if (fd < 0)
		return open_named(place, name, mode);
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* Set owner and mode, the owner first: changing it clears bits of the mode. */
static int set_owner_and_mode(int fd, const struct stat *old, unsigned int flags)
{
	/* Unprivileged users cannot change the owner, but then the file is their own. */
	if (old->st_mode && fchown(fd, old->st_uid, old->st_gid) && errno != EPERM)
		return -errno;
	if (flags & (FILE_SECRET | FILE_PUBLIC))
		return fchmod(fd, flags & FILE_SECRET ? 0600 : 0644) ? -errno : 0;
	return old->st_mode && fchmod(fd, old->st_mode & 0777) ? -errno : 0;
}

/* File systems that cannot sync directories return EINVAL. */
static int sync_dir(int dir)
{
	return fsync(dir) && errno != EINVAL && errno != EBADF && errno != EROFS ? -errno : 0;
}

/* A file that did not exist must still not exist; not every file system can check that. */
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

/* Link an unnamed file as @name, which must not exist. */
static int link_to(int fd, int dir, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Make the new content visible. A new file is linked at once; replacing one takes a rename. */
static int publish(const struct place *place, int fd, char *temporary)
{
	uint64_t number;
	int err;

	if (!*temporary && !place->old.st_mode)
		return link_to(fd, place->dir, place->name);
	if (!*temporary) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -errno;
		make_name(temporary, number);
		err = link_to(fd, place->dir, temporary);
		if (err) {
			*temporary = '\0';
			return err;
		}
	}
	err = rename_to(place, temporary);
	if (err)
		unlinkat(place->dir, temporary, 0);
	return err;
}

static int replace(const struct place *place, const char *bytes, size_t length, unsigned int flags,
		   int (*open)(const struct place *, char *, mode_t))
{
	const mode_t mode = place->old.st_mode || flags & FILE_SECRET ? 0600 : 0666;
	char temporary[TEMPORARY_SIZE];
	_cleanup_(close) int fd = open(place, temporary, mode);
	int err = fd < 0 ? fd : set_owner_and_mode(fd, &place->old, flags);

	if (fd < 0)
		return err;
	if (!err)
		err = write_content(fd, bytes, length, flags);
	if (!err && fsync(fd))
		err = -errno;
	if (err && *temporary)
		unlinkat(place->dir, temporary, 0);
	if (!err)
		err = publish(place, fd, temporary);
	return err ? err : sync_dir(place->dir);
}

/* True if an unnamed file cannot be linked: without /proc, or with protected hard links. */
static bool cannot_link(int err)
{
	return err == -ENOENT || err == -EPERM || err == -EACCES || err == -EOPNOTSUPP;
}

/* Replace the file with signals blocked. Refuse read-only ones: rename(2) checks the directory. */
static int replace_quietly(const struct place *place, const char *bytes, size_t length,
			   unsigned int flags)
{
	sigset_t all, before;
	int err;

	if (place->old.st_mode && faccessat(place->dir, place->name, W_OK, AT_EACCESS))
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	remove_stale(place);
	err = replace(place, bytes, length, flags, open_temporary);
	if (cannot_link(err))
		err = replace(place, bytes, length, flags, open_named);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int file_save(const char *path, const void *bytes, size_t length, unsigned int flags)
{
	int err;

	/* If another process created the file in between, examine it again. */
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

/* Content of a file, in a buffer that has space for more at its end. */
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
	err = read_content(fd, &content, length + 1);
	if (err)
		return err;
	/* The last line of a file edited by hand may have no newline. */
	if (content.length && content.bytes[content.length - 1] != '\n')
		content.bytes[content.length++] = '\n';
	memcpy(content.bytes + content.length, line, length);
	content.length += length;
	return replace_quietly(place, content.bytes, content.length, flags);
}

int file_add_line(const char *path, const char *line, unsigned int flags)
{
	_cleanup_(file_release) struct file_hold hold = FILE_HOLD_NONE;
	int err = file_hold(path, FILE_HOLD_MS, &hold);

	if (err)
		return err;
	/* A writer without the lock may create the file in between. */
	do {
		_cleanup_(place_leave) struct place place = { .dir = AT_FDCWD };

		err = place_find(&place, path);
		if (!err)
			err = add_line(&place, line, flags);
	} while (err == -EEXIST);
	return err;
}

int file_hold(const char *path, unsigned int wait_ms, struct file_hold *ret)
{
	_cleanup_(place_leave) struct place place = { .dir = AT_FDCWD };
	struct file_hold hold = FILE_HOLD_NONE;
	int err = place_find(&place, path);

	if (err || (place.old.st_mode && !S_ISREG(place.old.st_mode)))
		return err;
	snprintf(hold.name, sizeof(hold.name), ".%.*s" LOCK_SUFFIX,
		 (int)(NAME_MAX - sizeof("." LOCK_SUFFIX)), place.name);
	hold.fd = file_lock_at(place.dir, hold.name, wait_ms);
	if (hold.fd < 0)
		return hold.fd == -EAGAIN ? -ETIMEDOUT : hold.fd;
	hold.dir = place.dir;
	place.dir = -1;
	*ret = hold;
	return 0;
}

/* Remove the name first: a process that opens it later gets a lock file of its own. */
void file_release_cleanup(struct file_hold *hold)
{
	const int before = errno;

	if (hold->fd >= 0) {
		unlinkat(hold->dir, hold->name, 0);
		close(hold->fd);
		close(hold->dir);
	}
	*hold = (struct file_hold)FILE_HOLD_NONE;
	errno = before;
}
