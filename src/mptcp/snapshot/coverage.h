/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coverage: which wires carry which connections. <nvme/mptcp/coverage.h> defines the terms. */
#pragma once

#include <nvme/mptcp.h>
#include "mptcp/netlink/nl.h"

struct nvme_mptcp_snapshot;

struct nvme_mptcp_coverage {
	const struct nvme_mptcp_link *link;
	enum nvme_mptcp_reason reason;
	bool v4, v6; /* address families of the connections that the link should carry */
	size_t count[NVME_MPTCP_UNWANTED + 1];
	size_t pending, backups;
	const char *trouble; /* why established subflows there carry nothing, or NULL */
};

/*
 * Work out the coverage of all sets of connections that the kernel holds, after attribution and
 * sums. @nl queries routes; NULL if there is no kernel to ask, as for the report of another
 * machine. Return 0 or -ENOMEM.
 */
int snapshot_cover(struct nvme_mptcp_snapshot *snap, struct nl *nl);

/* True if the link should carry the connections. */
bool coverage_is_wanted(const struct nvme_mptcp_coverage *coverage);

/* True if @reason is one to carry connections, not one to leave the link out. */
bool coverage_reason_wants(enum nvme_mptcp_reason reason);
