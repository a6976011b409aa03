/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of numbers, one row each: a line "\tLABEL: VALUE" and a JSON field, as in nvme-cli 2.x. */
#pragma once

#include "bits.h"

enum part_kind {
	PART_DEC, /* number */
	PART_COUNT, /* number, 0's based */
	PART_HEX, /* hex without "0x", in JSON as well */
	PART_HEX_4, /* the same, at least four digits */
	PART_MASK, /* hex, in text with "0x" unless it is 0 */
	PART_BASE, /* hex without "0x"; JSON has the whole number */
	PART_HEX_0X, /* hex with "0x" unless it is 0 */
	PART_OFFSET, /* the same, but "0x0" in JSON if it is 0 */
	PART_WORDS, /* word from @text, in JSON from @json */
	PART_JSON_WORDS, /* the same, in JSON only */
	PART_TEXT_WORDS, /* the same, in text only */
	PART_NUMBER_WORDS, /* number and word; in JSON, the word has the key @more */
	PART_POWER, /* 2^n, or "No limit" if all bits are set; a string in JSON */
	PART_BYTES, /* 2^(n + @unit) bytes */
	PART_UNITS, /* number times @unit; @suffix in JSON as well */
	PART_SECONDS, /* number of units of 500 ms, printed in seconds */
	PART_CELSIUS, /* kelvin, printed in °C first; in JSON, @more is the key of kelvin */
	PART_KELVIN, /* the same in kelvin first; in JSON, @more is the key of °C */
	PART_VERSION,
	PART_COMMAND_SETS,
};

struct part {
	unsigned int id; /* of the number: offset of a register, or feature identifier */
	unsigned int shift, width;
	enum part_kind kind;
	const char *label; /* of the line; NULL: words only */
	const char *key; /* in JSON; NULL: the label without surplus blanks */
	const char *const *text; /* ends with NULL; the last word is for all greater values */
	const char *const *json; /* NULL: the text */
	const char *inner; /* JSON key if the word is in an array of one object */
	const char *more; /* a second key in JSON */
	const char *colon; /* after the label; NULL: ": " */
	const char *suffix; /* after the value in text, or NULL */
	unsigned int unit;
	unsigned int at, size; /* if @size is not 0, the number is these bytes of the data */
};

/* A number and the data that comes with it. */
struct parts_of {
	uint64_t value;
	const unsigned char *data; /* or NULL */
	size_t length;
};

/* Print the @n rows of @parts for the number @id, except those for bytes beyond the data. */
void out_parts(struct out *out, const struct part *parts, size_t n, unsigned int id,
	       const struct parts_of *of);

/* True if there is a row for @id. */
bool part_any(const struct part *parts, size_t n, unsigned int id);

/* Open an array of one object in JSON, as in nvme-cli 2.x; out_ends(out, 2) closes it. */
void out_inner(struct out *out, const char *key);
