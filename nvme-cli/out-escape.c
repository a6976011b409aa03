// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings from outside, made harmless for a terminal and valid for JSON. */
#include <stdlib.h>
#include <string.h>

#include "out-private.h"

static bool is_printable(unsigned char c)
{
	return c >= 0x20 && c <= 0x7e;
}

char *escape_text(const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *in = bytes;
	size_t size = 1;
	char *text, *p;

	for (size_t i = 0; i < length; i++)
		size += is_printable(in[i]) ? 1 : 4;
	text = p = malloc(size);
	if (!text)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (is_printable(in[i])) {
			*p++ = (char)in[i];
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = digits[in[i] >> 4];
		*p++ = digits[in[i] & 0xf];
	}
	*p = '\0';
	return text;
}

/* Length of the well-formed UTF-8 sequence at @s (RFC 3629, table 3-7 of Unicode), or 0. */
static size_t utf8_sequence(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	switch (s[0]) {
	case 0xe0:
		low = 0xa0;
		break;
	case 0xed:
		high = 0x9f;
		break;
	case 0xf0:
		low = 0x90;
		break;
	case 0xf4:
		high = 0x8f;
		break;
	}
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

char *valid_utf8(const char *string)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	const unsigned char *in = (const unsigned char *)string;
	char *text = malloc(3 * strlen(string) + 1), *p = text;

	if (!text)
		return NULL;
	while (*in) {
		size_t length = utf8_sequence(in);

		if (length) {
			memcpy(p, in, length);
			p += length;
			in += length;
		} else {
			memcpy(p, replacement, 3);
			p += 3;
			in++;
		}
	}
	*p = '\0';
	return text;
}

void print_json(FILE *stream, const char *json)
{
	const unsigned char *start = (const unsigned char *)json, *p;

	for (p = start; *p; p++) {
		bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f;

		if (*p != 0x7f && !c1)
			continue;
		fwrite(start, 1, (size_t)(p - start), stream);
		p += c1;
		fprintf(stream, "\\u00%02x", *p);
		start = p + 1;
	}
	fwrite(start, 1, (size_t)(p - start), stream);
}
