/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stream into memory that admits when there was none: open_memstream() drops what it cannot
 * allocate, and fclose() succeeds.
 *
 *	_cleanup_(text_wipe) struct text text = { 0 };
 *	FILE *out = text_open(&text);
 *	...
 *	if (text_close(&text)) return -ENOMEM;
 *	return text_take(&text);
 *
 * What was written is wiped when it is freed or moves, since it may be a secret.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zero is an empty one. */
struct text {
	char *bytes; /* ends with a NUL that @length does not count */
	size_t length, room;
	bool failed;
	FILE *stream;
	char buffer[512]; /* of the stream */
};

/* The stream, or NULL without memory; text_close() ends it. */
FILE *text_open(struct text *text);

/* 0, or -ENOMEM if anything is missing; NULL that text_open() returned is missing, too. */
int text_close(struct text *text);

/* The bytes of a closed text, to be freed. */
char *text_take(struct text *text);

/* Closes, wipes and frees. */
void text_wipe_cleanup(struct text *text);

/* A copy of @from, to be freed; NULL for NULL. 0, or -ENOMEM. */
int text_copy(char **to, const char *from);

/*
 * Length of the well-formed UTF-8 sequence at @s, of which @left bytes are there; 0 if it is none:
 * RFC 3629, as in table 3-7 of the Unicode standard.
 */
size_t text_utf8_length(const char *s, size_t left);

/*
 * The same for a character that can be seen, as text_is_printable() has it; 0 for any other and for
 * what is no UTF-8.
 */
size_t text_printable_length(const char *s, size_t left);

/*
 * Is this string UTF-8 of which everything can be seen? Neither control characters (U+0000 to U+001F,
 * U+007F to U+009F) nor separators of lines, changes of direction and noncharacters.
 */
bool text_is_printable(const char *s);
