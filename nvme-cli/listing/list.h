/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by nvme list and nvme list -v. */
#pragma once

#include "commands.h"

/*
 * An object of the tree by name; those of several hosts may have the same. Neither @name nor @thing
 * is owned.
 */
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

/* Return the number of items from @first on that have its name. The list must be sorted. */
size_t list_named_group(const struct named_list *list, size_t first);

/* Sort, and return the names, each once: "nvme0, nvme1", to be freed; NULL without memory. */
char *list_named_join(struct named_list *list);

/* Numbers of a namespace, and their text in tables. */
struct ns_facts {
	uint64_t sector, count; /* bytes of a block, number of blocks */
	uint64_t size, used; /* bytes */
	char usage[64], usage_binary[64], format[64];
	char node[64], generic[64];
};

struct ns_facts list_ns_facts(nvme_ns_t n);

/* Add a host's namespaces: each subsystem's own, then its controllers'. Return 0, or -ENOMEM. */
int list_ns_host(struct named_list *list, nvme_host_t h);

/*
 * Print the table of the namespaces for which @wanted is true, or of all if it is NULL. With
 * @by_name, they are sorted and each is listed once; otherwise they are in the order of the tree,
 * once for each host. Return the exit status.
 */
int list_some(struct command *cmd, bool (*wanted)(nvme_ns_t n), bool by_name);

int list_verbose(struct command *cmd);
