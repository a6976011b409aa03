// SPDX-License-Identifier: GPL-2.0-or-later
#include "html.h"

void html_text(FILE *out, const char *text)
{
	size_t left = text ? strlen(text) : 0, length;

	if (!text)
		fputc('-', out);
	for (; left; text += length, left -= length) {
		length = text_printable_length(text, left);
		if (!length)
			fputs("\xef\xbf\xbd", out);
		else if (strchr("&<>\"'`=", *text))
			fprintf(out, "&#%d;", *text);
		else
			fwrite(text, 1, length, out);
		length = length ? length : 1;
	}
}
