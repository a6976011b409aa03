/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Working out which wires carry which connections; what it means stands in <nvme/mptcp/coverage.h>. */
#ifndef NVME_MPTCP_SNAPSHOT_COVERAGE_H
#define NVME_MPTCP_SNAPSHOT_COVERAGE_H

#include "mptcp/netlink/nl.h"

struct nvme_mptcp_coverage;
struct nvme_mptcp_snapshot;

/*
 * For all sets of connections that the kernel holds, once attribution and sums are done. @nl asks for
 * routes; NULL where there is no kernel to ask, as for another machine's report. 0 or -ENOMEM.
 */
int snapshot_cover(struct nvme_mptcp_snapshot *snap, struct nl *nl);

/* Ought the link to carry the connections? */
bool coverage_is_wanted(const struct nvme_mptcp_coverage *coverage);

#endif /* NVME_MPTCP_SNAPSHOT_COVERAGE_H */
