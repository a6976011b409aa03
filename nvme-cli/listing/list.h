/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by nvme list and nvme list -v. */
#pragma once

#include <stdlib.h>

#include "frame/frame.h"
#include "named.h"

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
