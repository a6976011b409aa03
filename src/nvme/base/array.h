/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow: a pointer and a count, without a capacity to keep. */
#pragma once

#include <stddef.h>

/*
 * Room for one more element of @size bytes, zeroed, at the end of *@array, whose count *@n is
 * raised. NULL without memory, with both as they were. The array may move: pointers into it are
 * taken once it is complete.
 */
void *array_add(void *array, size_t *n, size_t size);

/* The element after @element of an array of @n, the first one for NULL, NULL at the end. */
#define ARRAY_NEXT(array, n, element) \
	((element) ? ((size_t)((element) - (array)) + 1 < (n) ? (element) + 1 : NULL) \
		   : ((n) ? (array) : NULL))
