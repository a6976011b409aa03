/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Make untrusted strings safe to print on a terminal. */
#pragma once

#include "shared/std.h"

/* Return @bytes with all but 0x20..0x7e replaced by \xNN, to be freed; NULL without memory. */
char *escape_text(const void *bytes, size_t length);
