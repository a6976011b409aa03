/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fail.h"
#include "shared/text.h"

int input_fail(char **why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*why = text_format_list(fmt, ap);
	va_end(ap);
	return -err;
}
