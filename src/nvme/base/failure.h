/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An error message in addition to errno: noted where the reason is known and kept for the thread
 * until its next failure. The public functions pass both on.
 */
#pragma once

#define FAILURE_TEXT 512 /* maximum size of a message; longer ones are truncated */

struct failure {
	int err; /* positive errno; 0: no message */
	char text[FAILURE_TEXT];
};

/* Begin a call: forget the message of an earlier call. */
void failure_begin(void);

/* Note a message for @err (negative). Return @err. */
int failure_note(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Note that argument @name is no address (-EINVAL), or that its zone is no interface (-ENODEV).
 * Return @err.
 */
int failure_refuse_address(const char *name, const char *address, int err);

/*
 * End a public function: set errno to -@err and return -1. If no message was noted for @err, note
 * @what and strerror().
 */
int failure_raise(int err, const char *what);

/* Return the message for @err (positive), or strerror(). */
const char *failure_text(int err);

/* Get and set the message, to pass it to another thread. */
void failure_get(struct failure *ret);
void failure_put(const struct failure *failure);
