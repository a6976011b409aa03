/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(const unsigned char *src, int len, char *dst)
{
	char *p = dst;

	for (int i = 0; i < len; i += 3) {
		int left = len - i;
		uint32_t group = (uint32_t)src[i] << 16 |
				 (left > 1 ? (uint32_t)src[i + 1] << 8 : 0) |
				 (left > 2 ? src[i + 2] : 0);

		*p++ = alphabet[group >> 18];
		*p++ = alphabet[group >> 12 & 0x3f];
		*p++ = left > 1 ? alphabet[group >> 6 & 0x3f] : '=';
		*p++ = left > 2 ? alphabet[group & 0x3f] : '=';
	}
	*p = '\0';
	return (int)(p - dst);
}

static int value_of(char c)
{
	const char *found = memchr(alphabet, c, sizeof(alphabet) - 1);

	return found ? (int)(found - alphabet) : -1;
}

int base64_decode(const char *src, int len, unsigned char *dst)
{
	int padding = 0;
	int out = 0;

	if (len < 0 || len % 4)
		return -EINVAL;
	if (len && src[len - 1] == '=')
		padding = src[len - 2] == '=' ? 2 : 1;

	for (int i = 0; i < len; i += 4) {
		int wanted = i + 4 == len ? 4 - padding : 4;
		uint32_t group = 0;

		for (int k = 0; k < wanted; k++) {
			int value = value_of(src[i + k]);

			if (value < 0)
				return -EINVAL;
			group |= (uint32_t)value << (18 - 6 * k);
		}
		/* Unused bits must be zero: otherwise two texts would encode the same key. */
		if ((wanted == 2 && group & 0xffff) || (wanted == 3 && group & 0xff))
			return -EINVAL;
		dst[out++] = group >> 16 & 0xff;
		if (wanted > 2)
			dst[out++] = group >> 8 & 0xff;
		if (wanted > 3)
			dst[out++] = group & 0xff;
	}
	return out;
}
