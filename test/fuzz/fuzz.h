/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every fuzz target has. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies of their own, so that reading beyond them is noticed: as it is, or up to a NUL. */
static inline void *fuzz_copy(const uint8_t *data, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	return size ? memcpy(copy, data, size) : copy;
}

static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = strndup(size ? (const char *)data : "", size);

	if (!text)
		abort();
	return text;
}
