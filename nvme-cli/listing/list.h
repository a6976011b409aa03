/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by nvme list and nvme list -v. */
#pragma once

#include <stdlib.h>

#include "frame/frame.h"
#include "named.h"

/* Numbers of a namespace, and as the tables show them. */
struct ns_facts {
	uint64_t sector, count; /* bytes of a block, number of blocks */
	uint64_t size, used; /* bytes */
	char usage[64], usage_binary[64], format[64];
	char node[64], generic[64];
};

struct ns_facts list_ns_facts(nvme_ns_t n);

/* Adds all of a host in the order of the tree: a subsystem's, then those of its controllers. 0, or -ENOMEM. */
int list_ns_host(struct named_list *list, nvme_host_t h);

/*
 * The table of the namespaces that are @wanted, all of them for NULL: @by_name, each once, or in the
 * order of the tree, once for each host that has it. Returns the exit status.
 */
int list_some(struct command *cmd, bool (*wanted)(nvme_ns_t n), bool by_name);

int list_verbose(struct command *cmd);
