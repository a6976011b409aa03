/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures of arguments grow. Whoever adds a member puts it behind all others, and not into the padding
 * that the structure ended with: callers of before may have left anything there. 0 has to mean
 * what the library did without the member.
 */
#pragma once

#include <stddef.h>

/*
 * Copies the @given bytes of a caller's structure into the library's own of @size bytes. What a shorter
 * one does not have is 0; what a longer one has beyond may be that and nothing else.
 * 0, -EINVAL below @least bytes, or -E2BIG: what the caller asks for is not known here.
 */
int versioned_copy(void *ret, size_t size, const void *args, int given, size_t least);

/* The first version of each structure had its args_size, and all that stands before. */
#define versioned_take(ret, args) \
	versioned_copy((ret), sizeof(*(ret)), (args), (args)->args_size, \
		       offsetof(__typeof__(*(ret)), args_size) + sizeof((ret)->args_size))
