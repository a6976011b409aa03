/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures of the NVMe specification, printed field by field from a table. */
#pragma once

#include "bits.h"
#include "names.h"

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
	size_t offset, size;
	enum field_kind kind;
	const struct name *names; /* for FIELD_NAME */
	const char *label; /* of the line; NULL: the name */
	const char *note; /* explanation after a number of FIELD_HEX, or of 16 bytes */
};

/* clang-format off */
#define FIELD_ROW(kind_, struct_, member, ...) \
	{ .offset = offsetof(struct_, member), .size = sizeof(((struct_ *)NULL)->member), \
	  .kind = FIELD_##kind_, __VA_ARGS__ }
#define FIELD_END { .name = NULL }
/* clang-format on */
#define FIELD_LABELLED(kind_, struct_, member, name_, label_) \
	FIELD_ROW(kind_, struct_, member, .name = name_, .label = label_)
#define FIELD_NAMED(name_, kind_, struct_, member) FIELD_ROW(kind_, struct_, member, .name = name_)
#define FIELD(kind_, struct_, member) FIELD_ROW(kind_, struct_, member, .name = #member)
#define FIELD_NOTED(kind_, struct_, member, note_) \
	FIELD_ROW(kind_, struct_, member, .name = #member, .note = note_)
#define FIELD_OF(names_, struct_, member, name_, label_) \
	FIELD_ROW(NAME, struct_, member, .names = names_, .name = name_, .label = label_)
/* A table of short rows. */
#define FIELDS(...) ((const struct field[]){ __VA_ARGS__, FIELD_END })

/* Print each row from the structure at @base; with @bits also notes and meanings, in text. */
void out_fields(struct out *out, const struct field *fields, const struct bits *bits,
		const void *base);

/* Return the value of a little-endian number of up to 8 bytes. */
uint64_t field_get_le(const void *bytes, size_t size);

/* Format @n bytes as 2 * @n digits and a NUL; with @dashes like a UUID, 4 bytes more. */
void field_format_bytes(char *text, const unsigned char *bytes, size_t n, bool dashes);
