/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An error message in addition to errno: noted where the reason is known and kept for the thread
 * until its next failure. The public functions pass both on.
 */
#pragma once

#include "shared/std.h"

#define FAILURE_TEXT 512 /* maximum size of a message; longer ones are truncated */

struct failure {
	int err; /* positive errno; 0: no message */
	char text[FAILURE_TEXT];
};

/* Begin a call: forget the message of an earlier call. */
void failure_begin(void);

/* Note a message for @err (negative). Return @err. */
int failure_note(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Note that @name is no address (-EINVAL), or its zone no interface (-ENODEV). Return @err. */
int failure_refuse_address(const char *name, const char *address, int err);

/* Return -1 with errno set to -@err. If no message was noted for it, note @what and strerror(). */
int failure_raise(int err, const char *what);

/* End a public function without a message: return 0, or -1 with errno set to -@err. */
static inline int failure_errno(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

/* Return NULL with errno set to -@err. */
static inline void *failure_null(int err)
{
	errno = -err;
	return NULL;
}

/* Return the message for @err (positive), or strerror(). */
const char *failure_text(int err);

/* Get and set the message, to pass it to another thread. */
void failure_get(struct failure *ret);
void failure_put(const struct failure *failure);
