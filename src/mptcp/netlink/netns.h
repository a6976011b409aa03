/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Run a function in another network namespace. */
#pragma once

#include <stdint.h>

/*
 * Call @fn(@arg) in @netns and return its result. @netns is a name in /run/netns, a path, or NULL
 * for the caller's namespace. For another namespace, @fn runs on a separate thread, because a
 * thread that enters one may not be permitted to return. Return -errno if the namespace cannot be
 * entered, -EINVAL if it is not a network namespace.
 */
int netns_run(const char *netns, int (*fn)(void *arg), void *arg);

/* Return the inode of the calling thread's network namespace, 0 if unknown. */
uint64_t netns_id(void);

/*
 * Return a number of the namespace that is not reused until the next boot; kernels before 5.14 have
 * only netns_id(). 0 if unknown.
 */
uint64_t netns_cookie(void);
