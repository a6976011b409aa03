// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/file.h>

#include "file.h"

/* flock(2) has no timeout, so poll. */
#define POLL_MS 20

static int take(int fd, unsigned int *wait_ms)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (*wait_ms < POLL_MS)
			return -EAGAIN;
		*wait_ms -= POLL_MS;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* The last holder may have removed the file while another process created and locked a new one. */
static bool is_removed(int fd)
{
	struct stat held;

	return !fstat(fd, &held) && !held.st_nlink;
}

static int lock(int dir, const char *path, int flags, unsigned int wait_ms)
{
	for (;;) {
		int fd = openat(dir, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags,
				0600);
		int err;

		if (fd < 0)
			return -errno;
		err = take(fd, &wait_ms);
		if (!err && !is_removed(fd))
			return fd;
		close(fd);
		if (err)
			return err;
		/* Do not retry for ever if the file is always removed. */
		if (!wait_ms--)
			return -EAGAIN;
	}
}

int file_lock(const char *path, unsigned int wait_ms)
{
	return lock(AT_FDCWD, path, O_CREAT, wait_ms);
}

int file_lock_at(int dir, const char *path, unsigned int wait_ms)
{
	return lock(dir, path, O_CREAT, wait_ms);
}

int file_lock_existing(const char *path, unsigned int wait_ms)
{
	return lock(AT_FDCWD, path, 0, wait_ms);
}
