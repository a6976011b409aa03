/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys and secrets kept out of messages, whoever made those: the kernel quotes what it refuses. */
#pragma once

#include <stddef.h>

/*
 * A copy of @text in which each of the @n @secrets (entries may be NULL), as it stands and as
 * /dev/kmsg escapes it, and longer pieces of them, are "***", and so is the rest of every word that
 * begins like a key: "DHHC-1:***". To be freed; NULL without memory.
 */
char *mask_secrets(const char *text, const char *const secrets[], size_t n);
