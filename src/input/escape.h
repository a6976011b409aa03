/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings from outside made harmless for a terminal. */
#ifndef INPUT_ESCAPE_H
#define INPUT_ESCAPE_H

#include <stddef.h>

/* Bytes outside 0x20..0x7e as \xNN; to be freed, NULL without memory. */
char *escape_text(const void *bytes, size_t length);

#endif /* INPUT_ESCAPE_H */
