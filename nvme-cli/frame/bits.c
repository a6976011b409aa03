// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "bits.h"

bool bits_have(const struct bits *table, unsigned int id)
{
	for (; table->key; table++)
		if (table->id == id)
			return true;
	return false;
}

static uint64_t part_of(const struct bits *row, uint64_t value)
{
	return (value >> row->shift & ((UINT64_C(1) << row->width) - 1)) + row->add;
}

void out_bits(struct out *out, const struct bits *table, unsigned int id, uint64_t value)
{
	for (; table->key; table++) {
		if (table->id != id)
			continue;
		out_text(out, "\t%s: %" PRIu64 "\n", table->label, part_of(table, value));
		out_json_only(out);
		out_uint(out, table->key, part_of(table, value));
	}
}

void out_bits_text(struct out *out, const struct bits *table, unsigned int id, uint64_t value)
{
	for (; table->key; table++)
		if (table->id == id)
			out_text(out, "  [%u:%u] : %#" PRIx64 "\t%s\n",
				 table->shift + table->width - 1, table->shift,
				 part_of(table, value), table->label);
}
