// SPDX-License-Identifier: GPL-2.0-or-later
#include "escape.h"

void escape_print_json(FILE *stream, const char *json)
{
	const unsigned char *start = (const unsigned char *)json, *p;

	for (p = start; *(p += strcspn((const char *)p, "\x7f\xc2")); p++) {
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

const char *escape_colour(enum out_colour colour)
{
	static const char *const sequences[] = {
		[OUT_PLAIN] = "",	 [OUT_BOLD] = "\033[1m",   [OUT_DIM] = "\033[2m",
		[OUT_RED] = "\033[31m",	 [OUT_GREEN] = "\033[32m", [OUT_YELLOW] = "\033[33m",
		[OUT_CYAN] = "\033[36m",
	};

	return sequences[colour];
}
