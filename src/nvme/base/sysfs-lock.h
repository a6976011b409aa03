/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Linux answers some attributes of a controller from its sockets, under a mutex that nvme-tcp of
 * Linux 6.12 and 7.3 initialises again at each reconnection: a reader that waits for it then stops
 * the kernel, or never returns. So one reader at a time, over all programs that use this library.
 */
#pragma once

struct sysfs_lock {
	int root; /* of root's programs, or -1 */
	int all; /* of all programs */
};

/* 0; -EBUSY if another program has it for too long; other -errno. Waits a second at most. */
int sysfs_lock_take(struct sysfs_lock *lock);
void sysfs_lock_release(struct sysfs_lock *lock);
