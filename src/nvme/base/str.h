/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings: owned fields, trimming, bounded copies, strict parsing of numbers. */
#pragma once

#include "cleanup.h"

/* Free *@field and set it to a copy of @value or NULL. Return 0, or -ENOMEM with no change. */
int str_set(char **field, const char *value);

/* Like str_set() for secrets: wipe the old value before it is freed. */
int str_set_secret(char **field, const char *value);

/* Return a formatted string, to be freed; NULL if out of memory. */
char *str_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Wipe and free @secret, which may be NULL. */
void str_free_secret(char *secret);

DEFINE_CLEANUP(char *, str_free_secret);

/* Remove trailing white space from @s and return @s. */
char *str_trim_end(char *s);

/* True for NULL, "" and "none" in any case, which users and the kernel write for "not set". */
bool str_is_unset(const char *s);

/* True if both are NULL or both are equal strings. */
bool str_eq(const char *a, const char *b);

/* True if @s is in @list, which NULL ends. @list may be NULL, which is empty. */
bool str_in_list(const char *const *list, const char *s);

/* Return the value of a hexadecimal digit, or of the two digits of a byte; -1 for other text. */
int str_hex_digit(char c);
int str_hex_byte(const char *s);

/* Copy @n bytes of @s and write those outside 0x20..0x7e as \xNN. NULL if out of memory. */
char *str_escape_control(const char *s, size_t n);

/*
 * Copy at most @n bytes of @src, up to a NUL, into @dst of @size bytes, and terminate it. Return
 * the length of the result, which is truncated if @dst is too small.
 */
size_t str_copy(char *dst, size_t size, const char *src, size_t n);

/*
 * Parse a decimal, hexadecimal (0x) or octal (0) number without surrounding white space. Return 0,
 * -EINVAL if @s is no number, -ERANGE if it is outside @min..@max.
 */
int str_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret);
