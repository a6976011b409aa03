/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What keep made, in a file that remains when keep ends: the next start recognizes it, even after a
 * crash, since the file is written before the change is made. There is one file per network
 * namespace:
 *
 *	endpoint 10.1.2.2 port 0 flags 2 ifindex 4 dev eth2 made id 3
 *	value subflows 2 8
 *	out 10.1.3.2 port 0 flags 2 ifindex 5 dev eth3 deleted id 4
 *
 * "out" is an endpoint that is out of use while its link is dead or slow: deleted, backup, slow or
 * lent; or left, which was restored when keep ended, see keep-outage.h. The time it was taken out may
 * follow: "since 81234", in milliseconds of CLOCK_MONOTONIC.
 */
#pragma once

#include "keep-own.h"

#define KEEP_STATE_MAX (64 * 1024) /* maximum size of a state file, in bytes */

/* Parse a state file. Return 0, -EBADMSG for what keep does not write, or -ENOMEM. */
int keep_state_parse(const char *text, struct keep_own *ret);

/* Print @own in the format of the file; the caller wipes @ret. Return 0 or -ENOMEM. */
int keep_state_print(const struct keep_own *own, struct text *ret);

/* Read a state file. Return 0, -ENOENT if there is none, or -errno as keep_state_parse(). */
int keep_state_read(const char *path, struct keep_own *ret);

/* Replace the whole file; remove it if there is nothing to write. Return 0 or -errno. */
int keep_state_write(const char *path, const struct keep_own *own);
