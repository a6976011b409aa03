/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit fields, one row each: lines below the number in text, nothing in JSON. See also parts.h. */
#pragma once

#include "out.h"

enum bits_style {
	BITS_KELVIN = 1 << 0, /* print a temperature instead of the digits */
	BITS_COUNT = 1 << 1, /* print in decimal, marked as 0's based */
	BITS_POWER = 1 << 2, /* print "(2^value)" after the words */
	BITS_PERCENT = 1 << 3, /* print "(Remaining value%)" after the words */
	BITS_ONE_BLANK = 1 << 4, /* one blank before the brackets instead of two */
	BITS_CLOSE = 1 << 5, /* no blank between the brackets and the colon */
};

struct bits {
	unsigned int id; /* offset of the number in the structure */
	unsigned int shift, width;
	const char *label; /* "" if the words are enough; NULL ends the table */
	const char *const *words; /* indexed by value, after the label; see bits_word() */
	unsigned int style; /* enum bits_style */
	uint64_t only_if; /* mask: omit the row if none of these bits is set; 0: always show it */
};

#define BITS_MASK(high, low) (((UINT64_C(2) << ((high) - (low))) - 1) << (low))

/* Return the word for @value in a list ending with NULL; the last word is for greater values. */
const char *bits_word(const char *const *words, uint64_t value);
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Print lines "  [HIGH:LOW] : VALUE\tLABEL WORDS" and an empty one, in text, if @id has rows. */
void out_bits_text(struct out *out, const struct bits *table, unsigned int id, uint64_t value);
