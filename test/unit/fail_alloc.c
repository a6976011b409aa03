/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_alloc.h"

static long left = -1;
static bool happened;

void fail_alloc_after(long n)
{
	left = n;
	if (n >= 0)
		happened = false;
}

_Bool fail_alloc_happened(void)
{
	return happened;
}

static bool fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
	happened = true;
	errno = ENOMEM;
	return true;
}

/* What the linker calls instead, and how it calls the real one. */
#define WRAP(type, name, params, args) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params \
	{ \
		return fails() ? NULL : __real_##name args; \
	} \
	_Static_assert(true, "")

WRAP(void *, malloc, (size_t size), (size));
WRAP(void *, calloc, (size_t n, size_t size), (n, size));
WRAP(void *, realloc, (void *old, size_t size), (old, size));
WRAP(char *, strdup, (const char *s), (s));
WRAP(char *, strndup, (const char *s, size_t n), (s, n));
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode));
WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode));

int __real_vasprintf(char **ret, const char *fmt, va_list args);
int __wrap_vasprintf(char **ret, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a failing asprintf() leaves behind is undefined: make it hurt. */
#define POISON ((char *)0x10)

int __wrap_vasprintf(char **ret, const char *fmt, va_list args)
{
	if (!fails())
		return __real_vasprintf(ret, fmt, args);
	*ret = POISON;
	return -1;
}

int __wrap_asprintf(char **ret, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = __wrap_vasprintf(ret, fmt, args);
	va_end(args);
	return n;
}
