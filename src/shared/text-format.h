/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatted text of any length, to be freed; NULL without memory. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

static inline char *__attribute__((format(printf, 1, 0)))
text_format_list(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

static inline char *__attribute__((format(printf, 1, 2))) text_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_format_list(fmt, ap);
	va_end(ap);
	return text;
}
