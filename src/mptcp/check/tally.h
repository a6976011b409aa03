/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links where connections have no subflow, or several, over all controllers. */
#ifndef NVME_MPTCP_TALLY_H
#define NVME_MPTCP_TALLY_H

#include "rules.h"
#include "mptcp/snapshot/coverage.h"

/* Connections with no subflow on one link, or with several there, of all that are checked. */
struct tally {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_ctrl *ctrl; /* the first one; NULL: the trial's connection */
	enum nvme_mptcp_reason reason;
	const char *trouble; /* of subflows without a link */
	size_t connections, ctrls;
};

struct tallies {
	struct tally *tally;
	size_t n;
};

/* The entry of a link, known or new; NULL without memory. */
struct tally *check_tally_of(struct tallies *tallies, const struct nvme_mptcp_link *link);

/* What live controllers have on links, as one list over all of them; @tallies->tally is to be freed. 0 or -ENOMEM. */
int check_find_tallies(const struct check *c, enum nvme_mptcp_coverage_state state,
		       struct tallies *tallies);

#endif /* NVME_MPTCP_TALLY_H */
