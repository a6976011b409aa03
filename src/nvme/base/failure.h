/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why something failed, as a sentence beside the errno: noted where the reason is known, and kept for
 * the thread until it fails anew. The public edge gives both out.
 */
#pragma once

#define FAILURE_TEXT 512 /* bytes of a sentence; a longer one is cut */

struct failure {
	int err; /* as errno; 0: there is no sentence */
	char text[FAILURE_TEXT];
};

/* A call begins: what is noted by an earlier one does not explain it. */
void failure_begin(void);

/* The sentence for @err, as -errno, which is returned. */
int failure_note(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* An argument that is no address (-EINVAL), or has a zone that is no interface (-ENODEV). Returns @err. */
int failure_refuse_address(const char *name, const char *address, int err);

/*
 * Ends a public function: sets errno and returns -1. Unless a sentence for this error has been noted,
 * that becomes @what with the words of errno.
 */
int failure_raise(int err, const char *what);

/* The sentence for @err, as errno, or the words of errno. */
const char *failure_text(int err);

/* What is noted, to be handed on to another thread. */
void failure_get(struct failure *ret);
void failure_put(const struct failure *failure);
