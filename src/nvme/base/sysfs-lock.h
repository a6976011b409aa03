/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Linux reads some attributes of a controller from its sockets, under a mutex that nvme-tcp of
 * Linux 6.12 and 7.3 initialises again at each reconnection. A reader that waits for the mutex at
 * that moment crashes the kernel or never returns. Therefore only one reader at a time, across all
 * programs that use this library.
 */
#pragma once

#include "shared/std.h"

struct sysfs_lock {
	int root; /* file that only root can open, or -1 */
	int all; /* /sys/class/nvme, which all programs lock */
};

/* Wait up to a second. Return 0; -EBUSY if another program still holds the lock; other -errno. */
int sysfs_lock_take(struct sysfs_lock *lock);
void sysfs_lock_release(struct sysfs_lock *lock);
