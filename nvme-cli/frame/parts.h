/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers explained part by part, one row for each: a line "\tLABEL: VALUE" of text and a field of JSON.
 * The words are those of nvme-cli 2.x, which scripts read, odd ones among them.
 */
#pragma once

#include "bits.h"
#include "out.h"

enum part_kind {
	PART_DEC, /* number */
	PART_COUNT, /* number, 0's based */
	PART_HEX, /* digits without 0x, in JSON as well */
	PART_HEX_4, /* the same, at least four of them */
	PART_MASK, /* digits, in text with 0x before all but 0 */
	PART_BASE, /* digits, in JSON of the whole number */
	PART_HEX_0X, /* with 0x before all but 0 */
	PART_OFFSET, /* the same, in JSON before 0 as well */
	PART_WORDS, /* one of @text, in JSON of @json */
	PART_JSON_WORDS, /* the same, in JSON only */
	PART_TEXT_WORDS, /* the same, in text only */
	PART_NUMBER_WORDS, /* number and word; in JSON the word is called @more */
	PART_POWER, /* 2^n, or "No limit" if all bits are set; a string in JSON */
	PART_BYTES, /* 2^(n + @unit) bytes */
	PART_UNITS, /* times @unit, and @suffix in JSON as well */
	PART_SECONDS, /* in units of 500 ms, printed as seconds */
	PART_CELSIUS, /* of a number of kelvin; in JSON the kelvin are called @more */
	PART_KELVIN, /* the same the other way round */
	PART_VERSION,
	PART_COMMAND_SETS,
};

struct part {
	unsigned int id; /* of the number: offset of the register, feature */
	unsigned int shift, width;
	enum part_kind kind;
	const char *label; /* of the line; NULL: there are the words alone */
	const char *key; /* in JSON, where that is not the label without surplus blanks */
	const char *const *text; /* ends with NULL; a value beyond is the last of them */
	const char *const *json; /* NULL: the text */
	const char
		*inner; /* key of an object in an array, where JSON has that instead of the word */
	const char *more; /* a second key in JSON */
	const char *colon; /* behind the label, NULL: ": " */
	const char *suffix; /* of the text, or NULL */
	unsigned int unit;
	unsigned int at, size; /* the number is these bytes of the data that comes with it */
};

/* A number and the data that came with it. */
struct parts_of {
	uint64_t value;
	const unsigned char *data; /* NULL without */
	size_t length;
};

/*
 * Every row of @parts (@n of them) for the number @id. Rows of bytes that the data does not have are
 * left out.
 */
void out_parts(struct out *out, const struct part *parts, size_t n, unsigned int id,
	       const struct parts_of *of);

/* Is there a row for @id? */
bool part_any(const struct part *parts, size_t n, unsigned int id);

/* A word in JSON only. */
void out_json_word(struct out *out, const char *key, const char *word);

/* A JSON array of one object, as nvme-cli 2.x has it for what may have several answers. */
void out_inner(struct out *out, const char *key);
void out_inner_end(struct out *out);
