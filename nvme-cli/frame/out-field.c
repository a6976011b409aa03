// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields of the renderer: every value has a JSON form and a text form. */
#include "shared/cleanup.h"
#include "shared/text.h"
#include "out-private.h"

/* End a field. Text output shows @text according to the innermost container. */
static void field(struct out *out, const char *key, const char *text)
{
	if (!out_is_json(out))
		out_show(out, key, text);
	out_reset_modifiers(out);
}

static void put_string(struct out *out, const char *key, const char *value)
{
	if (out_wants_json(out))
		stream_string(&out->json, out_json_key(out, key), value);
}

static void put_int(struct out *out, const char *key, int64_t value)
{
	if (out_wants_json(out))
		stream_int64(&out->json, out_json_key(out, key), value);
}

static void put_uint(struct out *out, const char *key, uint64_t value)
{
	if (out_wants_json(out))
		stream_uint64(&out->json, out_json_key(out, key), value);
}

static void put_literal(struct out *out, const char *key, const char *json)
{
	if (out_wants_json(out))
		stream_literal(&out->json, out_json_key(out, key), json);
}

/* Write the shortest decimal that reads back as @value. */
static void put_double(struct out *out, const char *key, double value)
{
	char text[32];

	for (int precision = 1; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	put_literal(out, key, text);
}

/* End a field whose text is formatted here. Strings are untrusted and escaped. */
__attribute__((format(printf, 4, 0))) static void field_as(struct out *out, const char *key,
							   bool is_string, const char *fmt,
							   va_list ap)
{
	_cleanup_(free) char *text = out_is_json(out) ? NULL : text_format_list(fmt, ap);

	if (!out_is_json(out) && !text)
		out_fail(out, -ENOMEM);
	field(out, key, text && is_string ? out_safe(out, text) : text);
}

void out_str(struct out *out, const char *key, const char *value)
{
	put_string(out, key, value);
	field(out, key, value && !out_is_json(out) ? out_safe(out, value) : NULL);
}

void out_int(struct out *out, const char *key, int64_t value)
{
	char text[24];

	put_int(out, key, value);
	snprintf(text, sizeof(text), "%" PRId64, value);
	field(out, key, text);
}

void out_uint(struct out *out, const char *key, uint64_t value)
{
	out_uint_as(out, key, value, "%" PRIu64, value);
}

void out_uint_object(struct out *out, const char *key, uint64_t value)
{
	out_object(out, NULL);
	out_uint(out, key, value);
	out_end(out);
}

void out_hex(struct out *out, const char *key, uint64_t value, int digits)
{
	out_uint_as(out, key, value, "0x%0*" PRIx64, digits, value);
}

void out_uint128(struct out *out, const char *key, const void *bytes)
{
	out_uint128_with(out, key, bytes, "");
}

/* Divide byte by byte, because 32-bit machines have no 128-bit type. */
void out_format_uint128(char text[OUT_UINT128_SIZE], const void *bytes)
{
	unsigned char rest[16];
	char digits[OUT_UINT128_SIZE];
	size_t n = 0;
	bool more;

	memcpy(rest, bytes, sizeof(rest));
	do {
		unsigned int part = 0;

		more = false;
		for (int i = 15; i >= 0; i--) {
			part = part << 8 | rest[i];
			rest[i] = (unsigned char)(part / 10);
			part %= 10;
			more = more || rest[i];
		}
		digits[n++] = (char)('0' + part);
	} while (more);
	while (n)
		*text++ = digits[--n];
	*text = '\0';
}

void out_uint128_with(struct out *out, const char *key, const void *bytes, const char *more)
{
	char text[128];

	out_format_uint128(text, bytes);
	put_literal(out, key, text);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", more);
	field(out, key, text);
}

void out_bool(struct out *out, const char *key, bool value)
{
	put_literal(out, key, value ? "true" : "false");
	field(out, key, value ? "yes" : "no");
}

void out_unknown(struct out *out, const char *key)
{
	put_string(out, key, NULL);
	field(out, key, NULL);
}

void out_flags(struct out *out, const char *key, uint64_t flags, const struct out_flag *names)
{
	char number[24];

	out_array(out, key);
	for (; names->name; names++) {
		if (names->bit && (flags & names->bit) == names->bit) {
			out_str(out, NULL, names->name);
			flags &= ~names->bit;
		}
	}
	if (flags) {
		snprintf(number, sizeof(number), "0x%" PRIx64, flags);
		out_str(out, NULL, number);
	}
	out_end(out);
}

void out_json(struct out *out, const char *key, const char *document)
{
	struct json_stream whole = { .pretty = out->json.pretty };
	_cleanup_(free) char *text = NULL;

	if (!out_is_json(out))
		return;
	if (out->depth) {
		if (out_wants_json(out))
			stream_document(&out->json, out_json_key(out, key), document);
	} else {
		stream_document(&whole, NULL, document);
		text = stream_finish(&whole);
		if (text)
			out_json_text(out, text);
		else
			out_fail(out, -ENOMEM);
	}
	out_reset_modifiers(out);
}

void out_str_as(struct out *out, const char *key, const char *value, const char *fmt, ...)
{
	va_list ap;

	put_string(out, key, value);
	va_start(ap, fmt);
	field_as(out, key, true, fmt, ap);
	va_end(ap);
}

void out_uint_as(struct out *out, const char *key, uint64_t value, const char *fmt, ...)
{
	va_list ap;

	put_uint(out, key, value);
	va_start(ap, fmt);
	field_as(out, key, false, fmt, ap);
	va_end(ap);
}

void out_double_as(struct out *out, const char *key, double value, const char *fmt, ...)
{
	va_list ap;

	put_double(out, key, value);
	va_start(ap, fmt);
	field_as(out, key, false, fmt, ap);
	va_end(ap);
}

struct out *out_label(struct out *out, const char *label)
{
	out->label = label;
	return out;
}

void out_colour(struct out *out, enum out_colour colour)
{
	out->colour = colour;
}

struct out *out_json_only(struct out *out)
{
	out->json_only = true;
	return out;
}

struct out *out_text_only(struct out *out)
{
	out->text_only = true;
	return out;
}

void out_text(struct out *out, const char *fmt, ...)
{
	va_list ap;

	if (out_is_json(out))
		return;
	va_start(ap, fmt);
	vfprintf(out->stream, fmt, ap);
	va_end(ap);
	out_wrote(out);
}

void out_indent(struct out *out, int columns)
{
	out->indent += columns;
}

/* Free @string and return a copy that is valid until out_free(). */
static const char *keep(struct out *out, char *string)
{
	size_t size = string ? strlen(string) + 1 : 0;
	struct kept *kept = string ? malloc(sizeof(*kept) + size) : NULL;

	if (!kept) {
		out_fail(out, -ENOMEM);
		free(string);
		return "";
	}
	memcpy(kept->string, string, size);
	free(string);
	kept->next = out->kept;
	out->kept = kept;
	return kept->string;
}

const char *out_safe(struct out *out, const char *string)
{
	const char *p = string;

	if (!string)
		return "";
	while (*p >= 0x20 && *p <= 0x7e)
		p++;
	return *p ? keep(out, escape_text(string, strlen(string))) : string;
}

const char *out_paint(struct out *out, enum out_colour colour, const char *string)
{
	if (!out->coloured || !colour)
		return string;
	return keep(out, text_format("%s%s" ESCAPE_COLOUR_END, escape_colour(colour), string));
}

bool out_error(struct out *out, const char *message, const char *type)
{
	out_drop(out);
	if (!out_is_json(out) || out->closed)
		return false;
	out_object(out, NULL);
	out_str(out, "error", message);
	if (type)
		out_str(out, "type", type);
	out_end(out);
	out->closed = true;
	/* Without memory for a document, the caller uses stderr. */
	return !out->err;
}
