// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes.h"
#include "fields.h"

#define KELVIN 273 /* 0 °C in kelvin */
#define DATA_UNIT 512000.0L /* bytes */

uint64_t field_get_le(const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	uint64_t value = 0;

	while (size--)
		value = value << 8 | p[size];
	return value;
}

void field_format_bytes(char *text, const unsigned char *bytes, size_t n, bool dashes)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		if (dashes && (i == 4 || i == 6 || i == 8 || i == 10))
			*text++ = '-';
		*text++ = digit[bytes[i] >> 4];
		*text++ = digit[bytes[i] & 0xf];
	}
	*text = '\0';
}

static void out_chars(struct out *out, const char *name, const char *chars, size_t size)
{
	char text[1024];
	size_t n = strnlen(chars, size < sizeof(text) ? size : sizeof(text) - 1);

	memcpy(text, chars, n);
	text[n] = '\0';
	out_str(out, name, text);
}

static void out_kelvin(struct out *out, const char *name, uint64_t kelvin)
{
	const long celsius = (long)kelvin - KELVIN;

	out_uint_as(out, name, kelvin, "%ld °C (%" PRIu64 " K, %ld °F)", celsius, kelvin,
		    celsius * 9 / 5 + 32);
}

/* Print a number of data units and its size, e.g. "1234 (631.81 MB)". */
static void out_data_units(struct out *out, const char *name, const unsigned char *bytes)
{
	static const char *const units[] = { "B",  "kB", "MB", "GB", "TB", "PB",
					     "EB", "ZB", "YB", "RB", "QB" };
	unsigned int unit = 0;
	long double size = 0;
	char text[40];

	for (int i = 15; i >= 0; i--)
		size = size * 256 + bytes[i];
	size *= DATA_UNIT;
	while (size >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		size /= 1000;
		unit++;
	}
	snprintf(text, sizeof(text), " (%.2Lf %s)", size, units[unit]);
	out_uint128_with(out, name, bytes, text);
}

static void out_hex_field(struct out *out, const struct field *f, uint64_t value, bool explain)
{
	bool noted = f->note && explain;

	out_uint_as(out, f->name, value, "%#" PRIx64 "%s%s", value, noted ? "\t" : "",
		    noted ? f->note : "");
}

static void out_large_note(struct out *out, const struct field *f, const unsigned char *at)
{
	char text[OUT_UINT128_SIZE];

	out_format_uint128(text, at);
	out_text(out, "[127:0] : %s\n\t%s\n\n", text, f->note);
}

static void out_revision(struct out *out, const char *name, const void *at, uint64_t value)
{
	char text[48], characters[9];

	bytes_format_text(characters, at, 8);
	snprintf(text, sizeof(text), "%" PRIu64 " (%s)", value, characters);
	out_str(out, name, text);
}

static void out_field(struct out *out, const struct field *f, const unsigned char *at,
		      uint64_t value, bool explain)
{
	char text[64] = "";

	out_label(out, f->label);
	switch (f->kind) {
	case FIELD_DEC:
		if (f->size == 16)
			out_uint128(out, f->name, at);
		else
			out_uint(out, f->name, value);
		break;
	case FIELD_HEX:
		out_hex_field(out, f, value, explain);
		break;
	case FIELD_HEX_TEXT:
		snprintf(text, sizeof(text), "%#" PRIx64, value);
		out_str(out, f->name, text);
		break;
	case FIELD_HEX_BARE:
		out_uint_as(out, f->name, value, "%" PRIx64, value);
		break;
	case FIELD_REVISION:
		out_revision(out, f->name, at, value);
		break;
	case FIELD_HEX_BYTE:
		out_uint_as(out, f->name, value, "%02" PRIx64, value);
		break;
	case FIELD_NAME:
		out_uint_as(out, f->name, value, "%" PRIu64 " (%s)", value,
			    name_or(f->names, (unsigned int)value, "Reserved"));
		break;
	case FIELD_SECONDS:
		out_uint_as(out, f->name, value, "%" PRIu64 "%s", value,
			    value == UINT32_MAX ? " (No time period reported)" : "");
		break;
	case FIELD_CHARS:
		out_chars(out, f->name, (const char *)at, f->size);
		break;
	case FIELD_UUID:
	case FIELD_BYTES:
		field_format_bytes(text, at, f->size <= 24 ? f->size : 24, f->kind == FIELD_UUID);
		out_str(out, f->name, text);
		break;
	case FIELD_OUI:
		out_uint_as(out, f->name, value, "%06" PRIx64, value);
		break;
	case FIELD_PERCENT:
		out_uint_as(out, f->name, value, "%" PRIu64 "%%", value);
		break;
	case FIELD_KELVIN:
	case FIELD_KELVIN_IF:
		out_kelvin(out, f->name, value);
		break;
	case FIELD_DATA_UNITS:
		out_data_units(out, f->name, at);
		break;
	}
}

void out_fields(struct out *out, const struct field *fields, const struct bits *bits,
		const void *base)
{
	for (const struct field *f = fields; f->name; f++) {
		const unsigned char *at = (const unsigned char *)base + f->offset;
		uint64_t value = f->size <= 8 ? field_get_le(at, f->size) : 0;

		if (f->kind == FIELD_KELVIN_IF && !value)
			continue;
		out_field(out, f, at, value, bits);
		if (bits && f->note && f->size == 16)
			out_large_note(out, f, at);
		if (bits)
			out_bits_text(out, bits, (unsigned int)f->offset, value);
	}
}
