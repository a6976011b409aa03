/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base64 according to RFC 4648 section 4, with padding. */
#pragma once

#include "shared/std.h"

/* Length of the encoding of @len bytes, without the terminating NUL. */
#define BASE64_LEN(len) (((len) + 2) / 3 * 4)

/* Encode @len bytes into @dst, which holds BASE64_LEN(@len) + 1 bytes. Return the length. */
int base64_encode(const unsigned char *src, int len, char *dst);

/*
 * Decode @len characters into @dst, which holds @len / 4 * 3 bytes. Strict: full groups, padding
 * only at the end, unused bits zero, nothing outside the alphabet. Return the number of bytes, or
 * -EINVAL with @dst undefined.
 */
int base64_decode(const char *src, int len, unsigned char *dst);
