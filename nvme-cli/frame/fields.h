/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures of the NVMe specification, printed field by field from a table. */
#pragma once

#include <stddef.h>

#include "bits.h"
#include "names.h"
#include "out.h"

enum field_kind {
	FIELD_DEC, /* little-endian number of 1 to 8 bytes, or 16 */
	FIELD_HEX, /* the same in hex; with "0x" unless it is 0 */
	FIELD_HEX_TEXT, /* the same; a string in JSON */
	FIELD_HEX_BARE, /* hex without "0x" */
	FIELD_REVISION, /* 8 bytes as a number and as characters; a string in JSON */
	FIELD_HEX_BYTE, /* hex without "0x", at least two digits */
	FIELD_NAME, /* number with its name from .names, or "Reserved" */
	FIELD_SECONDS, /* 4 bytes; all ones: no time reported */
	FIELD_CHARS, /* text, not necessarily terminated */
	FIELD_UUID, /* 16 bytes as 8-4-4-4-12 */
	FIELD_BYTES, /* hex digits */
	FIELD_OUI, /* 3 bytes, least significant first; six hex digits, in JSON a number */
	FIELD_PERCENT, /* number, in text with a percent sign */
	FIELD_KELVIN, /* number; in text as °C, K and °F */
	FIELD_KELVIN_IF, /* the same, omitted if it is 0 */
	FIELD_DATA_UNITS, /* 16 bytes, in units of 512 000 bytes; text adds the size */
};

struct field {
	const char *name; /* of the line and of the JSON field; NULL ends a table */
	size_t offset;
	size_t size;
	enum field_kind kind;
	const struct name *names; /* for FIELD_NAME */
	const char *label; /* of the line; NULL: the name */
	const char *note; /* explanation after a number of FIELD_HEX, or of 16 bytes */
};

#define FIELD_LABELLED(kind_, struct_, member, name_, label_) \
	{ \
		.name = name_, .offset = offsetof(struct_, member), \
		.size = sizeof(((struct_ *)NULL)->member), .kind = FIELD_##kind_, .label = label_, \
	}
#define FIELD_NAMED(name_, kind_, struct_, member) \
	FIELD_LABELLED(kind_, struct_, member, name_, NULL)
#define FIELD(kind_, struct_, member) FIELD_NAMED(#member, kind_, struct_, member)
#define FIELD_NOTED(kind_, struct_, member, note_) \
	{ \
		.name = #member, .offset = offsetof(struct_, member), \
		.size = sizeof(((struct_ *)NULL)->member), .kind = FIELD_##kind_, .note = note_, \
	}
#define FIELD_OF(names_, struct_, member, name_, label_) \
	{ \
		.names = names_, .name = name_, .offset = offsetof(struct_, member), \
		.size = sizeof(((struct_ *)NULL)->member), .kind = FIELD_NAME, .label = label_, \
	}
#define FIELD_END \
	{ \
		.name = NULL \
	}

/*
 * Print a line or a JSON field for each row, from the structure at @base. With @bits, text has the
 * notes, and explains the numbers whose offset has rows in @bits.
 */
void out_fields(struct out *out, const struct field *fields, const struct bits *bits,
		const void *base);

/* Return the value of a little-endian number of up to 8 bytes. */
uint64_t field_get_le(const void *bytes, size_t size);

/*
 * Format @n bytes as 2 * @n digits; with @dashes like a UUID, which takes 4 bytes more. Terminates
 * @text.
 */
void field_format_bytes(char *text, const unsigned char *bytes, size_t n, bool dashes);
