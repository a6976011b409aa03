/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <strings.h>

#include "shared/text.h"
#include "str.h"

int str_set(char **field, const char *value)
{
	char *copy;

	if (text_copy(&copy, value))
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

char *str_format(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : text;
}

void str_free_secret(char *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, strlen(secret));
	free(secret);
}

int str_set_secret(char **field, const char *value)
{
	char *copy;

	if (text_copy(&copy, value))
		return -ENOMEM;
	str_free_secret(*field);
	*field = copy;
	return 0;
}

char *str_trim_end(char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}

bool str_is_unset(const char *s)
{
	return !s || !*s || !strcasecmp(s, "none");
}

bool str_eq(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool str_in_list(const char *const *list, const char *s)
{
	for (; list && *list; list++)
		if (!strcmp(*list, s))
			return true;
	return false;
}

int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int str_hex_byte(const char *s)
{
	int high = str_hex_digit(s[0]), low = high < 0 ? -1 : str_hex_digit(s[1]);

	return low < 0 ? -1 : high << 4 | low;
}

char *str_escape_control(const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	char *copy, *p;

	if (n > (SIZE_MAX - 1) / 4)
		return NULL;
	copy = p = malloc(n * 4 + 1);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c <= 0x7e) {
			*p++ = (char)c;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = hex[c >> 4];
		*p++ = hex[c & 0xf];
	}
	*p = '\0';
	return copy;
}

size_t str_copy(char *dst, size_t size, const char *src, size_t n)
{
	size_t len = strnlen(src, n);

	if (!size)
		return 0;
	if (len >= size)
		len = size - 1;
	memcpy(dst, src, len);
	dst[len] = '\0';
	return len;
}

int str_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret)
{
	char *end;
	int64_t value;

	if (!s || !(isdigit((unsigned char)*s) || ((*s == '-' || *s == '+') && s[1])))
		return -EINVAL;
	if (!isdigit((unsigned char)*s) && !isdigit((unsigned char)s[1]))
		return -EINVAL;
	errno = 0;
	value = strtoll(s, &end, 0);
	if (*end)
		return -EINVAL;
	if (errno || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}
