/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only renderer. A command reports its result once, and it is printed as aligned text or as
 * JSON, so the two cannot differ.
 *
 * Containers nest: every out_object(), out_array(), out_listing() and out_table() is closed by one
 * out_end(); a row is closed by the next row or by the end of its table. @key names the container
 * or field in JSON and is ignored inside arrays and at the top (pass NULL there).
 *
 * The text of a field depends on the innermost container: a "label: value" line in a listing, a
 * cell in a table, nothing in an object or array (their text is written with out_text()).
 *
 * Strings are untrusted: text shows bytes outside 0x20..0x7e as \xNN, JSON is valid UTF-8. Text
 * passed to out_text() and to the number functions ending in _as is printed unchanged: strings go
 * through out_safe() first. Lack of memory is recorded, and reported once by out_finish().
 */
#pragma once

#include "shared/std.h"

enum out_format {
	OUT_TEXT = 1 << 0, /* -o normal */
	OUT_JSON = 1 << 1,
	OUT_BINARY = 1 << 2, /* the command writes the bytes itself */
	OUT_TABULAR = 1 << 3, /* text in another layout, for commands that have one */
};

enum out_colour {
	OUT_PLAIN,
	OUT_BOLD,
	OUT_DIM,
	OUT_RED,
	OUT_GREEN,
	OUT_YELLOW,
	OUT_CYAN,
};

enum out_label_style {
	OUT_PAD_COLON, /* "vid       : 0x1af4" */
	OUT_COLON_PAD, /* "trtype:  tcp" */
};

/* Name of one flag bit; a table of them ends with a NULL name. */
struct out_flag {
	uint64_t bit;
	const char *name;
};

struct out;

/* Return a renderer, or NULL without memory. @stream is borrowed; a terminal gets colours. */
struct out *out_new(enum out_format format, FILE *stream);
void out_free(struct out *out);

bool out_is_json(const struct out *out);
enum out_format out_format(const struct out *out);

/* Write to another stream from now on; colours stay as they are. Return the previous stream. */
FILE *out_redirect(struct out *out, FILE *stream);

/* Print each JSON document on one line, for streams of events. */
void out_compact(struct out *out);

/* Containers. */
void out_object(struct out *out, const char *key);
void out_array(struct out *out, const char *key);
void out_listing(struct out *out, const char *key, enum out_label_style style, int width);
void out_label_width(struct out *out, int width); /* of the following labels in this listing */

/*
 * Open an array of rows. Each column is "HEADER[:[r][WIDTH]]": r aligns right, WIDTH is the minimum
 * width. Rows are fields in column order; cells missing at the end stay empty. Text is printed by
 * out_end(), when the widths are known; a table without rows prints its header only after
 * out_table_always().
 */
#define out_table(out, key, ...) out_table_columns(out, key, (const char *[]){ __VA_ARGS__, NULL })
void out_table_columns(struct out *out, const char *key, const char *const columns[]);
void out_table_rule(struct out *out); /* dashes under the header */
void out_table_grid(struct out *out); /* the same, with bars between the columns */
void out_table_always(struct out *out); /* dashes, and a header even without rows */
void out_row(struct out *out);

/* Close the innermost container; the outermost one is printed. Return 0, an exit status. */
int out_end(struct out *out);
int out_ends(struct out *out, int n); /* closes @n containers */

/* Fields. A NULL string is null in JSON; in text it is "-" in a table and empty in a listing. */
void out_str(struct out *out, const char *key, const char *value);
void out_int(struct out *out, const char *key, int64_t value);
void out_uint(struct out *out, const char *key, uint64_t value);
void out_uint_object(struct out *out, const char *key, uint64_t value); /* an object around it */
void out_hex(struct out *out, const char *key, uint64_t value, int digits); /* JSON: number */
/* 16 bytes, little-endian. Text has @more after the number. */
void out_uint128(struct out *out, const char *key, const void *bytes);
void out_uint128_with(struct out *out, const char *key, const void *bytes, const char *more);
#define OUT_UINT128_SIZE 40
void out_format_uint128(char text[OUT_UINT128_SIZE], const void *bytes); /* decimal digits */
void out_bool(struct out *out, const char *key, bool value); /* text: yes, no */
void out_unknown(struct out *out, const char *key); /* null, "-" */
/* JSON: array of names, then "0x..." for bits without one. Text: names joined by ','. */
void out_flags(struct out *out, const char *key, uint64_t flags, const struct out_flag *names);
/* Insert a complete JSON document. Text shows nothing. */
void out_json(struct out *out, const char *key, const char *document);
/* Print a complete, formatted document. It is not parsed again, because it may be long. */
void out_json_text(struct out *out, const char *document);

/* The same with a different text. */
void out_str_as(struct out *out, const char *key, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void out_uint_as(struct out *out, const char *key, uint64_t value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void out_double_as(struct out *out, const char *key, double value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* An array in a row or listing shows its scalars there, joined by ','. */

/* Modifiers of the next field or array; some return @out, as its first argument. */
struct out *out_label(struct out *out, const char *label); /* in a listing, replaces the key */
void out_colour(struct out *out, enum out_colour colour);
struct out *out_json_only(struct out *out);
struct out *out_text_only(struct out *out);

/* Free text, not shown in JSON. */
void out_text(struct out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_indent(struct out *out, int columns); /* of listings and tables, relative */

/* Return @string with bytes outside 0x20..0x7e escaped, "" for NULL; valid as long as both. */
const char *out_safe(struct out *out, const char *string);
/* Return @string in colour if the stream supports it. Valid as long as both @string and @out. */
const char *out_paint(struct out *out, enum out_colour colour, const char *string);

/*
 * Discard everything that is not printed yet. In JSON, the first error becomes {"error":message},
 * with "type" if @type is not NULL, and nothing follows it. Return: true if the message is shown;
 * otherwise it should go to stderr.
 */
bool out_error(struct out *out, const char *message, const char *type);

/* Flush the output so far, e.g. before a message goes to stderr. */
void out_flush(struct out *out);

/* Flush the stream. Return: 0, -ENOMEM if anything was lost, or -errno of the stream. */
int out_finish(struct out *out);
