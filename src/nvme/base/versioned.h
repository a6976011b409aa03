/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Argument structures grow. Add new members at the end, and not in the structure's trailing
 * padding, which older callers may have left uninitialised. 0 must select the previous behaviour.
 */
#pragma once

#include "shared/std.h"

/*
 * Copy @given bytes of a caller's structure into @ret, the library's version of @size bytes.
 * Members beyond a shorter structure become 0; bytes beyond @size in a longer one must be 0. Return
 * 0, -EINVAL below @least bytes, or -E2BIG if the caller uses unknown members.
 */
int versioned_copy(void *ret, size_t size, const void *args, int given, size_t least);

/* The first version of each structure had all members up to args_size. */
#define versioned_take(ret, args) \
	versioned_copy((ret), sizeof(*(ret)), (args), (args)->args_size, \
		       offsetof(__typeof__(*(ret)), args_size) + sizeof((ret)->args_size))
