/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crc32.h"

uint32_t crc32_le(uint32_t seed, const unsigned char *data, size_t len)
{
	/* No lookup table: keys are tens of bytes long, so it would not pay off. */
	for (size_t i = 0; i < len; i++) {
		seed ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			seed = seed >> 1 ^ (seed & 1 ? 0xedb88320 : 0);
	}
	return seed;
}
