/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A memory stream that reports allocation failures: open_memstream() drops what it cannot allocate,
 * and fclose() succeeds.
 *
 *	_cleanup_(text_wipe) struct text text = { 0 };
 *	FILE *out = text_open(&text);
 *	...
 *	if (text_close(&text)) return -ENOMEM;
 *	return text_take(&text);
 *
 * The content is wiped when it is freed or moved, since it may be a secret.
 */
#pragma once

#include "shared/std.h"

/* An all-zero struct is an empty text. */
struct text {
	char *bytes; /* NUL-terminated; @length does not count the NUL */
	size_t length, room;
	bool failed;
	FILE *stream;
	char buffer[512]; /* of the stream */
};

/* Return the stream, or NULL without memory; text_close() closes it. */
FILE *text_open(struct text *text);

/* Close the stream. Return 0, or -ENOMEM if any content is missing or text_open() returned NULL. */
int text_close(struct text *text);

/* Return the bytes of a closed text, to be freed. */
char *text_take(struct text *text);

/* Close the stream, wipe and free the bytes. */
void text_wipe_cleanup(struct text *text);

/* Store a copy of @from, to be freed, in *@to; NULL for NULL. Return 0 or -ENOMEM. */
int text_copy(char **to, const char *from);

/* Return the length of the UTF-8 sequence at @s of @left bytes; 0 if ill-formed (RFC 3629). */
size_t text_utf8_length(const char *s, size_t left);

/* The same for a printable character, see text_is_printable(); 0 for others and invalid UTF-8. */
size_t text_printable_length(const char *s, size_t left);

/* True if UTF-8 without control characters, line separators, direction marks, noncharacters. */
bool text_is_printable(const char *s);

/* Formatted text of any length, to be freed; NULL without memory. */
static inline char *__attribute__((format(printf, 1, 0)))
text_format_list(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

static inline char *__attribute__((format(printf, 1, 2))) text_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_format_list(fmt, ap);
	va_end(ap);
	return text;
}
