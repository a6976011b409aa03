/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base64 of RFC 4648 section 4, with padding. */
#pragma once

/* Bytes that base64_encode() writes for @len bytes, without the terminating NUL. */
#define BASE64_LEN(len) (((len) + 2) / 3 * 4)

/* Encodes @len bytes into @dst, which takes BASE64_LEN(@len) + 1 bytes; returns the length. */
int base64_encode(const unsigned char *src, int len, char *dst);

/*
 * Decodes @len characters into @dst, which takes @len / 4 * 3 bytes. Strict: full groups, padding
 * only at the end, no stray bits, nothing outside the alphabet.
 * Returns the number of bytes, or -EINVAL with @dst undefined.
 */
int base64_decode(const char *src, int len, unsigned char *dst);
