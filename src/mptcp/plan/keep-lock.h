/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One keeper per network namespace. The lock is a listening socket with an abstract name. Such
 * names belong to the network namespace, independently of mount and PID namespaces, and vanish with
 * the process. Any user can take the name first, so the owner that the kernel reports decides: a
 * socket of root or of the caller's user is another keeper; a socket of any other user is ignored,
 * and the next name is taken.
 */
#pragma once

#include "base/cleanup.h"

struct keep_lock {
	int fd; /* -1: users that are not allowed to keep hold all names */
	bool is_squatted; /* a user that is not allowed to keep holds a name */
	pid_t squatter; /* process of that user; 0: unknown */
	uid_t squatter_uid; /* (uid_t)-1: unknown */
};

/* Take the lock of the thread's network namespace: 0, -EBUSY with @holder or 0, or -errno. */
int keep_lock_take(struct keep_lock *lock, pid_t *holder);
/* True if a keeper holds the lock there. Does not take it. */
bool keep_lock_is_held(void);
/* Set the thread's error message: @holder (0: unknown) keeps @netns (NULL: that of the process). */
void keep_lock_report_busy(const char *netns, pid_t holder);
/* Close the connections of processes that asked for the owner of the lock. */
void keep_lock_answer(const struct keep_lock *lock);
void keep_lock_release(struct keep_lock *lock);
