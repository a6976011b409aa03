// SPDX-License-Identifier: LGPL-2.1-or-later
/* Argument structures of callers that were built against any version. */
#include "failure.h"
#include "versioned.h"

/* Larger than any structure: an uninitialised size must not read beyond the caller's memory. */
#define MAX_BYTES 4096

int versioned_copy(void *ret, size_t size, const void *args, int given, size_t least)
{
	const unsigned char *bytes = args;
	const size_t n = given > 0 ? (size_t)given : 0;

	/* Every public function with an argument structure starts here. */
	failure_begin();
	if (n < least)
		return failure_note(-EINVAL,
				    "args_size=%d: smaller than any version of the structure",
				    given);
	if (n > MAX_BYTES)
		return failure_note(-E2BIG,
				    "args_size=%d: larger than any version of the structure",
				    given);
	for (size_t i = size; i < n; i++)
		if (bytes[i])
			return failure_note(
				-E2BIG,
				"args_size=%d: this library knows %zu bytes of the structure, and "
				"later bytes are not 0 (the program needs a later version of the "
				"library)",
				given, size);
	memset(ret, 0, size);
	memcpy(ret, args, n < size ? n : size);
	return 0;
}
