/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mask keys and secrets in messages, including the kernel's, which quote values that it refuses. */
#pragma once

#include "shared/std.h"

/*
 * Return a copy of @text in which the @n @secrets (entries may be NULL) and longer pieces of them
 * are replaced by "***", both literally and as /dev/kmsg escapes them. The rest of every word that
 * begins like a key is replaced, too: "DHHC-1:***". To be freed; NULL without memory.
 */
char *mask_secrets(const char *text, const char *const secrets[], size_t n);
