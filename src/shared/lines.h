/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read lines of a file that may contain secrets without leaving copies in memory: stdio leaves them
 * in its buffer, and getline() in the memory that a line occupied before it grew.
 *
 *	_cleanup_(lines_wipe) struct lines lines = LINES_OF(fd);
 *	while (lines_next(&lines)) ... lines.line ...
 *	if (lines.err) ...
 */
#pragma once

#include "shared/std.h"

struct lines {
	int fd; /* owned by the caller */
	int err; /* 0, or -errno if reading failed */
	char *line; /* current line without its newline; may be modified; is wiped */
	size_t length, room, number; /* number of the current line, from 1 */
	size_t at, end; /* unread part of @buffer */
	char buffer[4096];
};

#define LINES_OF(descriptor) \
	{ \
		.fd = (descriptor) \
	}

/* Go to the next line. Return false at the end of the file and on error. */
bool lines_next(struct lines *lines);

/* Wipe and free the memory of @lines. */
void lines_wipe_cleanup(struct lines *lines);

/* Wipe the whole allocation of a malloc'ed text, also beyond NULs, and free it; may be NULL. */
void lines_free(char *text);
