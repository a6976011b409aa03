/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CRC-32 with the reflected polynomial 0xedb88320, as the kernel's crc32_le(). */
#pragma once

#include "shared/std.h"

/* Does not invert @seed or the result; IEEE 802.3 requires that of the caller. */
uint32_t crc32_le(uint32_t seed, const unsigned char *data, size_t len);
