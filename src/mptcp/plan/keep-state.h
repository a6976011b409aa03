/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What keep made, in a file that outlives it: a second start knows its own again, also after a crash
 * between the note and the deed, since the note comes first. One file for each network namespace,
 * beside the lock of the instance that keeps it:
 *
 *	endpoint 10.1.2.2 port 0 flags 2 ifindex 4 dev eth2 made id 3
 *	value subflows 2 8
 *	out 10.1.3.2 port 0 flags 2 ifindex 5 dev eth3 deleted id 4
 *
 * The last one is out of use while its link is dead: deleted, backup, or lent, see keep-out.h. Behind it may stand
 * when it was taken out: "since 81234", in milliseconds of CLOCK_MONOTONIC.
 */
#pragma once

#include "keep-own.h"
#include "shared/text.h"

#define KEEP_STATE_MAX (64 * 1024) /* bytes of a file that are believed to be one */

/* 0, -EBADMSG if @text is no such file, -ENOMEM. Nothing else is believed than what may be written. */
int keep_state_parse(const char *text, struct keep_own *ret);

/* What is written of @own, to be wiped. 0 or -ENOMEM. */
int keep_state_print(const struct keep_own *own, struct text *ret);

/* 0, -ENOENT if there is none, or -errno as keep_state_parse(). */
int keep_state_read(const char *path, struct keep_own *ret);

/* Replaces the file as a whole; with nothing to write, it is removed. 0 or -errno. */
int keep_state_write(const char *path, const struct keep_own *own);
