/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links that connections lack subflows on, or have several on, over all controllers. */
#ifndef NVME_MPTCP_LACKS_H
#define NVME_MPTCP_LACKS_H

#include "rules.h"
#include "mptcp/snapshot/coverage.h"

/* Connections that lack a subflow on one link, or have several there, of all that are checked. */
struct lack {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_ctrl *ctrl; /* the first one; NULL: the trial's connection */
	enum nvme_mptcp_reason reason;
	const char *trouble; /* of subflows without a link */
	size_t connections, ctrls;
};

struct lacks {
	struct lack *lack;
	size_t n;
};

/* The entry of a link, known or new; NULL without memory. */
struct lack *check_lack_of(struct lacks *lacks, const struct nvme_mptcp_link *link);

/* What live controllers have on links, as one list over all of them; @lacks->lack is to be freed. 0 or -ENOMEM. */
int check_find_lacks(const struct check *c, enum nvme_mptcp_coverage_state state,
		     struct lacks *lacks);

#endif /* NVME_MPTCP_LACKS_H */
