/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growing arrays: a pointer and a count, without a stored capacity. */
#pragma once

#include "shared/std.h"

/*
 * Append a zeroed element of @size bytes to *@array and increment *@n. Return the element, or NULL
 * with both unchanged if out of memory. The array may move, which invalidates pointers into it.
 */
void *array_add(void *array, size_t *n, size_t size);

/* Append a copy of the @size bytes of @element. Return 0 or -ENOMEM. */
int array_push(void *array, size_t *n, const void *element, size_t size);

/* The element after @element in an array of @n, the first one for NULL; NULL at the end. */
#define ARRAY_NEXT(array, n, element) \
	((element) ? ((size_t)((element) - (array)) + 1 < (n) ? (element) + 1 : NULL) \
		   : ((n) ? (array) : NULL))

/* Iterate over an array that does not grow meanwhile; it may be NULL. @item points to the element. */
#define FOR_EACH(item, array, n) \
	for (__typeof__(*(array)) *item = (array); item && item < (array) + (n); item++)

/* Define a public function that returns ARRAY_NEXT() of an array of its first argument. */
#define ARRAY_GETTER(type, function, owner, array, n) \
	type function(owner of, type element) \
	{ \
		return ARRAY_NEXT(of->array, of->n, element); \
	} \
	struct array_semicolon_##function
