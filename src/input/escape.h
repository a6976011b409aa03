/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings from outside made harmless for a terminal. */
#pragma once

#include <stddef.h>

/* Bytes outside 0x20..0x7e as \xNN; to be freed, NULL without memory. */
char *escape_text(const void *bytes, size_t length);
