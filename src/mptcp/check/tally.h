/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links on which connections have no subflow or several, summed over all controllers. */
#pragma once

#include "rules.h"
#include "mptcp/snapshot/coverage.h"

/* Number of checked connections with no subflow, or with several, on one link. */
struct tally {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_ctrl *ctrl; /* the first controller; NULL: the trial's connection */
	enum nvme_mptcp_reason reason;
	const char *trouble; /* reason, for subflows whose link is unknown */
	size_t connections, ctrls;
};

struct tallies {
	struct tally *tally;
	size_t n;
};

/* Return the entry of a link, adding it if necessary; NULL if out of memory. */
struct tally *check_tally_of(struct tallies *tallies, const struct nvme_mptcp_link *link);

/* List links where connections are in @state; the caller frees ->tally. Returns 0 or -ENOMEM. */
int check_find_tallies(const struct check *c, enum nvme_mptcp_coverage_state state,
		       struct tallies *tallies);

/* True if each link carries as many subflows, as where the target has more links than the host. */
bool check_is_even(const struct check *c);
