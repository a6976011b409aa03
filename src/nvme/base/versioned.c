// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structures of arguments, of whatever version the caller was built against. */
#include <errno.h>
#include <string.h>

#include "versioned.h"

/* No structure comes near it: a size that was never set is not to lead beyond the caller's memory. */
#define MOST_BYTES 4096

int versioned_copy(void *ret, size_t size, const void *args, int given, size_t least)
{
	const unsigned char *bytes = args;
	const size_t n = given > 0 ? (size_t)given : 0;

	if (n < least)
		return -EINVAL;
	if (n > MOST_BYTES)
		return -E2BIG;
	for (size_t i = size; i < n; i++)
		if (bytes[i])
			return -E2BIG;
	memset(ret, 0, size);
	memcpy(ret, args, n < size ? n : size);
	return 0;
}
