/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Working out which wires carry which connections; what it means stands in <nvme/mptcp/coverage.h>. */
#pragma once

#include <nvme/mptcp.h>
#include "mptcp/netlink/nl.h"

struct nvme_mptcp_snapshot;

struct nvme_mptcp_coverage {
	const struct nvme_mptcp_link *link;
	enum nvme_mptcp_reason reason;
	bool v4, v6; /* families of the connections that it is for */
	size_t count[NVME_MPTCP_UNWANTED + 1];
	size_t pending, backups;
	const char *trouble; /* of subflows there that are established and carry nothing */
};

/*
 * For all sets of connections that the kernel holds, once attribution and sums are done. @nl asks for
 * routes; NULL where there is no kernel to ask, as for another machine's report. 0 or -ENOMEM.
 */
int snapshot_cover(struct nvme_mptcp_snapshot *snap, struct nl *nl);

/* Was everything read that coverage follows from? Otherwise there is none, and 0 means nothing. */
bool coverage_is_known(const struct nvme_mptcp_snapshot *snap);

/* Ought the link to carry the connections? */
bool coverage_is_wanted(const struct nvme_mptcp_coverage *coverage);

/* Is it a reason to carry them, and not one to leave the link out? */
bool coverage_reason_wants(enum nvme_mptcp_reason reason);
