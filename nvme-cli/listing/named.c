// SPDX-License-Identifier: GPL-2.0-or-later
#include "list.h"

int list_named_add(struct named_list *list, const char *name, void *thing)
{
	if (list->n == list->allocated) {
		size_t allocated = list->allocated ? 2 * list->allocated : 64;
		struct named *items = reallocarray(list->items, allocated, sizeof(*items));

		if (!items)
			return -ENOMEM;
		list->items = items;
		list->allocated = allocated;
	}
	list->items[list->n++] = (struct named){ name, thing };
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

void list_named_sort(struct named_list *list)
{
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), by_name);
}

size_t list_named_group(const struct named_list *list, size_t first)
{
	size_t next = first + 1;

	while (next < list->n && !strcmp(list->items[next].name, list->items[first].name))
		next++;
	return next - first;
}

char *list_named_join(struct named_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	list_named_sort(list);
	for (size_t i = 0; i < list->n; i += list_named_group(list, i))
		fprintf(stream, "%s%s", i ? ", " : "", list->items[i].name);
	if (!fclose(stream))
		return text;
	free(text);
	return NULL;
}
