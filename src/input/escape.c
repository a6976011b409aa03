// SPDX-License-Identifier: LGPL-2.1-or-later
#include "escape.h"

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
