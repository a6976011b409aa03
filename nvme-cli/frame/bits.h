/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers whose bits mean something: one row for each part, shown by out_bits(). */
#ifndef BITS_H
#define BITS_H

#include "out.h"

struct bits {
	unsigned int id; /* of the feature or register; a NULL key ends the table */
	unsigned int shift, width;
	const char *key; /* in JSON */
	const char *label; /* in text */
	unsigned int add; /* 1 for 0's based values */
};

bool bits_have(const struct bits *table, unsigned int id);

/* A JSON field and a line "\tLABEL: VALUE" for each part of @value. */
void out_bits(struct out *out, const struct bits *table, unsigned int id, uint64_t value);

/* Lines "  [HIGH:LOW] : VALUE\tLABEL", in text only. */
void out_bits_text(struct out *out, const struct bits *table, unsigned int id, uint64_t value);

#endif /* BITS_H */
