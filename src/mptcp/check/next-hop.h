/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a next hop does not answer, as far as others on the link show it. */
#pragma once

#include "rules.h"

/*
 * Set the reason why the next hop of packets between these ends does not answer: the route names a
 * wrong router, the target does not have the address, or it is not on this link. False if unknown.
 */
bool check_explain_silent_hop(struct check *c, struct nvme_mptcp_finding *f,
			      const struct route_answer *route, const struct path_ends *ends);

/*
 * Add the route that an unused link needs to an address, if a router in its network leads there.
 * False if none is found.
 */
bool check_advise_gateway(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_link *spare, const struct in6_addr *remote);

/* Add that the target answers through another router on the link than the route names. */
void check_explain_other_router(struct check *c, struct nvme_mptcp_finding *f,
				const struct route_answer *route, const struct path_ends *ends);

/* Report F02 and return true if the router next to this host refuses a join, not the target. */
bool check_report_refused_nearby(struct check *c, const struct path_ends *ends,
				 const struct probe_result *way);
