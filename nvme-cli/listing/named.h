/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Things of the tree by their names, which those of several hosts share. */
#pragma once

#include <stdlib.h>

/* Neither @name nor @thing is owned. */
struct named {
	const char *name;
	void *thing;
};

struct named_list {
	struct named *items;
	size_t n, allocated;
};

static inline void list_named_free_cleanup(struct named_list *list)
{
	free(list->items);
}

int list_named_add(struct named_list *list, const char *name, void *thing); /* 0, or -ENOMEM */
void list_named_sort(struct named_list *list); /* nvme2 before nvme10 */

/* How many from the @first on have its name, in a sorted list. */
size_t list_named_group(const struct named_list *list, size_t first);

/* "nvme0, nvme1": the names, each once; it sorts them. To be freed; NULL without memory. */
char *list_named_join(struct named_list *list);
