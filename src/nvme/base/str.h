/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings: owned fields, trimming, bounded copies, strict numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cleanup.h"

/* Frees *@field and stores a copy of @value, or NULL. 0, or -ENOMEM with *@field as it was. */
int str_set(char **field, const char *value);

/* Like str_set() for secrets: the old value is wiped before it is freed. */
int str_set_secret(char **field, const char *value);

/* Wipes and frees; NULL is fine. */
void str_free_secret(char *secret);

DEFINE_CLEANUP(char *, str_free_secret);

/* Cuts white space off the end of @s and returns @s. */
char *str_trim_end(char *s);

/* NULL, "" and "none" in any case are how users and the kernel write "not given". */
bool str_is_unset(const char *s);

/* Are both NULL, or both equal strings? */
bool str_eq(const char *a, const char *b);

/* Is @s one of the strings of @list, which NULL ends? Of no list, that is NULL, it is none. */
bool str_in_list(const char *const *list, const char *s);

/* A copy of @n bytes of @s with everything outside 0x20..0x7e as \xNN; NULL without memory. */
char *str_escape_control(const char *s, size_t n);

/*
 * Copies at most @n bytes of @src, up to a NUL, into @dst of @size bytes and terminates it.
 * Returns the length of the result, which is shorter than the source if @dst is too small.
 */
size_t str_copy(char *dst, size_t size, const char *src, size_t n);

/*
 * A whole decimal, hexadecimal (0x) or octal (0) number without white space around it.
 * 0, -EINVAL if @s is no number, -ERANGE if it is outside @min..@max.
 */
int str_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret);
