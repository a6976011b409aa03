/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What nvme list and nvme list -v share. */
#ifndef LIST_H
#define LIST_H

#include <stdlib.h>

#include "frame/frame.h"

/* Numbers of a namespace, and as the tables show them. */
struct ns_facts {
	uint64_t sector, count; /* bytes of a block, number of blocks */
	uint64_t size, used; /* bytes */
	char usage[64], usage_binary[64], format[64];
	char node[64], generic[64];
};

struct ns_list_of {
	nvme_ns_t *ns;
	size_t n, allocated;
};

static inline void ns_list_free_cleanup(struct ns_list_of *list)
{
	free(list->ns);
}

struct ns_facts ns_facts(nvme_ns_t n);

int ns_list_add(struct ns_list_of *list, nvme_ns_t n); /* 0, or -ENOMEM */
int ns_list_host(struct ns_list_of *list, nvme_host_t h); /* all of a host; the same */
void ns_list_sort(struct ns_list_of *list); /* by name, each once */

int list_verbose(struct command *cmd);

#endif /* LIST_H */
