// SPDX-License-Identifier: GPL-2.0-or-later
#include "identify.h"

void id_explained(struct out *out, const struct explained *fields, bool explain, const void *base)
{
	for (const struct explained *e = fields; e->field[0].name; e++) {
		const struct field *f = e->field;

		out_fields(out, f, NULL, base);
		if (explain && e->bits)
			out_bits_text(out, e->bits, e->id,
				      field_get_le((const char *)base + f->offset, f->size));
	}
}
