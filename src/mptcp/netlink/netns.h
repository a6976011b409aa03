/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running a function inside another network namespace. */
#pragma once

#include <stdint.h>

/*
 * Calls @fn(@arg) and returns its result. @netns: a name below /run/netns, a path, or NULL for the
 * caller's namespace. For another one @fn runs on a thread of its own, because entering a namespace
 * changes a thread for good if it may not return. -errno: the namespace cannot be entered, -EINVAL
 * if it is no network namespace.
 */
int netns_run(const char *netns, int (*fn)(void *arg), void *arg);

/* The calling thread's network namespace as a number, 0 if unknown. */
uint64_t netns_id(void);

/* The same as a number that no other network namespace has until the next boot; 0 if unknown. */
uint64_t netns_cookie(void);
