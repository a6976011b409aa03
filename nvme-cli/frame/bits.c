// SPDX-License-Identifier: GPL-2.0-or-later
#include "bits.h"

#define KELVIN 273 /* 0 °C in kelvin */

static bool has_rows(const struct bits *table, unsigned int id)
{
	for (; table->label; table++)
		if (table->id == id)
			return true;
	return false;
}

static uint64_t part_of(const struct bits *row, uint64_t value)
{
	return value >> row->shift & ((UINT64_C(1) << row->width) - 1);
}

const char *bits_word(const char *const *words, uint64_t value)
{
	while (value-- && words[1])
		words++;
	return *words;
}

static void format_value(const struct bits *row, uint64_t value, char *text, size_t size)
{
	if (row->style & BITS_KELVIN)
		snprintf(text, size, "%" PRId64 " °C (%" PRIu64 " K, %" PRId64 " °F)",
			 (int64_t)value - KELVIN, value, ((int64_t)value - KELVIN) * 9 / 5 + 32);
	else if (row->style & BITS_COUNT)
		snprintf(text, size, "%" PRIu64 " (0's based)", value);
	else
		snprintf(text, size, "%#" PRIx64, value);
}

static void line(struct out *out, const struct bits *row, uint64_t value)
{
	const char *word = row->words ? bits_word(row->words, value) : "";
	char digits[80];

	format_value(row, value, digits, sizeof(digits));
	out_text(out, "%s[%u:%u]%s: %s\t%s%s%s", row->style & BITS_ONE_BLANK ? " " : "  ",
		 row->shift + row->width - 1, row->shift, row->style & BITS_CLOSE ? "" : " ",
		 digits, row->label, *row->label && *word ? " " : "", word);
	if (row->style & BITS_POWER)
		out_text(out, " (%" PRIu64 ")", UINT64_C(1) << value);
	if (row->style & BITS_PERCENT)
		out_text(out, " (Remaining %" PRIu64 "%%)", value);
	out_text(out, "\n");
}

void out_bits_text(struct out *out, const struct bits *table, unsigned int id, uint64_t value)
{
	if (!has_rows(table, id))
		return;
	for (; table->label; table++)
		if (table->id == id && (!table->only_if || value & table->only_if))
			line(out, table, part_of(table, value));
	out_text(out, "\n");
}
