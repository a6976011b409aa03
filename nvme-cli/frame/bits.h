/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers whose bits mean something: one row for each part, shown as a line under the number. JSON has
 * the number alone. Where parts are fields of JSON as well, see parts.h.
 */
#pragma once

#include "out.h"

enum bits_style {
	BITS_KELVIN = 1 << 0, /* a temperature instead of the digits */
	BITS_COUNT = 1 << 1, /* decimal, marked as 0's based */
	BITS_POWER = 1 << 2, /* "(2^value)" behind the words */
	BITS_PERCENT = 1 << 3, /* "(Remaining value%)" behind the words */
	BITS_ONE_BLANK = 1 << 4, /* before the brackets; otherwise there are two */
	BITS_CLOSE = 1 << 5, /* no blank between the brackets and the colon */
};

struct bits {
	unsigned int id; /* of the number: its offset in the structure */
	unsigned int shift, width;
	const char *label; /* "" if the words are enough; NULL ends the table */
	const char *const *words; /* by value, behind the label; see bits_word() */
	unsigned int style; /* enum bits_style */
	uint64_t only_if; /* bits of the number: left out while all of them are 0; 0: never */
};

#define BITS_MASK(high, low) (((UINT64_C(2) << ((high) - (low))) - 1) << (low))

/* The word for @value in a list that ends with NULL; its last one stands for all values beyond. */
const char *bits_word(const char *const *words, uint64_t value);
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/*
 * Lines "  [HIGH:LOW] : VALUE\tLABEL WORDS" and an empty one behind them, in text only. Nothing if there
 * are no rows for @id.
 */
void out_bits_text(struct out *out, const struct bits *table, unsigned int id, uint64_t value);
