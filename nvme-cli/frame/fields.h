/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures of the NVMe specification, shown field by field as a table says. */
#ifndef FIELDS_H
#define FIELDS_H

#include <stddef.h>

#include "bits.h"
#include "out.h"

enum field_kind {
	FIELD_DEC, /* little-endian number of 1 to 8 bytes, or 16 */
	FIELD_HEX, /* the same; 0x before what is not 0 */
	FIELD_CHARS, /* text that need not be terminated */
	FIELD_UUID, /* 16 bytes as 8-4-4-4-12 */
	FIELD_BYTES, /* hexadecimal digits */
	FIELD_OUI, /* 3 bytes, least significant first; six digits, JSON: number */
};

struct field {
	const char *name; /* of the line and of the JSON field; NULL ends a table */
	size_t offset;
	size_t size;
	enum field_kind kind;
};

#define FIELD_NAMED(label, kind_, struct_, member) \
	{ \
		label, offsetof(struct_, member), sizeof(((struct_ *)NULL)->member), FIELD_##kind_ \
	}
#define FIELD(kind_, struct_, member) FIELD_NAMED(#member, kind_, struct_, member)
#define FIELD_END \
	{ \
		NULL, 0, 0, FIELD_DEC \
	}

/*
 * One line or JSON field for each, out of the structure at @base. Numbers whose offset has bits in
 * @bits (or NULL) are explained in text.
 */
void out_fields(struct out *out, const struct field *fields, const struct bits *bits,
		const void *base);

/* Little-endian number of up to 8 bytes. */
uint64_t field_get_le(const void *bytes, size_t size);

/* @n bytes as 2 * @n digits, with @dashes (and 4 bytes more) as those of a UUID. Terminates @text. */
void field_format_bytes(char *text, const unsigned char *bytes, size_t n, bool dashes);

#endif /* FIELDS_H */
