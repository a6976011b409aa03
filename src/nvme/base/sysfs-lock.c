/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flock() on the directory /sys/class/nvme, which every user can open and therefore hold for ever.
 * It must not block root: programs that run as root have a second lock, on a file that only root
 * can open. They require that one and wait for the lock on the directory only briefly.
 */
#include <stdatomic.h>
#include <sys/file.h>

#include "config.h"
#include "memory.h"
#include "sysfs.h"
#include "sysfs-lock.h"

#define LOCK_DIR STATEDIR "-mptcp"

/* Limits for waiting. The holder reads one attribute, which takes microseconds. */
#define WAIT_MS 1000
#define WAIT_FOR_USERS_MS 100

/* After a timeout, do not wait for the same lock again until it has been free once. */
struct wait_state {
	atomic_bool exhausted;
};

static bool take(int fd, int wait_ms, struct wait_state *state)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	int left = atomic_load(&state->exhausted) ? 0 : wait_ms;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || left-- <= 0) {
			atomic_store(&state->exhausted, true);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	atomic_store(&state->exhausted, false);
	return true;
}

/* Return a descriptor of root's lock file; -1 for other users, or if /run is read-only. */
static int open_for_root(void)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s", sysfs_root(), LOCK_DIR);

	if (n >= (int)sizeof(path) - (int)sizeof("/sysfs.lock") ||
	    (mkdir(path, 0755) && errno != EEXIST))
		return -1;
	snprintf(path + n, sizeof(path) - (size_t)n, "/sysfs.lock");
	return open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int sysfs_lock_take(struct sysfs_lock *lock)
{
	static struct wait_state with_root, with_all;
	struct sysfs_lock taken = { .root = open_for_root(), .all = -1 };
	int err = 0;

	if (taken.root >= 0 && !take(taken.root, WAIT_MS, &with_root))
		err = -EBUSY;
	if (!err)
		taken.all = sysfs_open(SYSFS_CLASS_NVME);
	if (!err && taken.all < 0)
		err = taken.all;
	if (!err && !take(taken.all, taken.root < 0 ? WAIT_MS : WAIT_FOR_USERS_MS, &with_all) &&
	    taken.root < 0)
		err = -EBUSY;
	if (err) {
		sysfs_lock_release(&taken);
		return memory_noted(err);
	}
	*lock = taken;
	return 0;
}

void sysfs_lock_release(struct sysfs_lock *lock)
{
	if (lock->all >= 0)
		close(lock->all);
	if (lock->root >= 0)
		close(lock->root);
	*lock = (struct sysfs_lock){ -1, -1 };
}
