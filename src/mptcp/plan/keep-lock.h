/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One keeper in each network namespace. The lock is a listening socket with an abstract name: such
 * names belong to the network namespace, whatever the mount and PID namespaces are, and end with the
 * process. Any user can take the name first, so the kernel's record of the owner decides: a socket of
 * root is another keeper, one of any other user is ignored, and the next name is taken.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct keep_lock {
	int fd; /* -1: every name is taken by users that may not keep */
	bool is_squatted; /* a user that may not keep has one of the names: */
	pid_t squatter; /* 0: not known */
	uid_t squatter_uid; /* (uid_t)-1: not known */
};

/* In the network namespace of the calling thread. 0, -EBUSY with @holder (0: not known), or -errno. */
int keep_lock_take(struct keep_lock *lock, pid_t *holder);
/* Does a keeper have it there? Asked without taking it. */
bool keep_lock_is_held(void);
/* Notes for the thread that @holder (0: not known) keeps @netns (NULL: that of the process). */
void keep_lock_refuse(const char *netns, pid_t holder);
/* Drops the connections of those who asked who keeps. */
void keep_lock_answer(const struct keep_lock *lock);
void keep_lock_release(struct keep_lock *lock);
