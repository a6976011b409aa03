/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of a file that may hold secrets: stdio would leave them in its buffer, and getline() where a
 * line was before it grew.
 *
 *	_cleanup_(lines_wipe) struct lines lines = LINES_OF(fd);
 *	while (lines_next(&lines)) ... lines.line ...
 *	if (lines.err) ...
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lines {
	int fd; /* the caller's */
	int err; /* 0, or -errno: why there are no more lines */
	char *line; /* the one at hand, without its end; it may be changed, and is wiped */
	size_t length, room, number; /* of lines, from 1 */
	size_t at, end; /* of what was read and is not used yet */
	char buffer[4096];
};

#define LINES_OF(descriptor) \
	{ \
		.fd = (descriptor) \
	}

/* Goes to the next line; false at the end, or without memory, or when nothing can be read. */
bool lines_next(struct lines *lines);

/* Wipes and frees. */
void lines_wipe_cleanup(struct lines *lines);

/* Wipes all of a malloc'ed text, whatever it has been cut into, and frees it; NULL is nothing. */
void lines_free(char *text);
