// SPDX-License-Identifier: LGPL-2.1-or-later
#include "array.h"

void *array_add(void *array, size_t *n, size_t size)
{
	void **base = array;
	void *element;

	/* The array grows when the count is a power of two, so the capacity need not be stored. */
	if (!(*n & (*n - 1))) {
		size_t room = *n ? 2 * *n : 1;
		void *grown = reallocarray(*base, room, size);

		if (!grown)
			return NULL;
		*base = grown;
	}
	element = (char *)*base + *n * size;
	memset(element, 0, size);
	++*n;
	return element;
}

int array_push(void *array, size_t *n, const void *element, size_t size)
{
	void *added = array_add(array, n, size);

	if (!added)
		return -ENOMEM;
	memcpy(added, element, size);
	return 0;
}
