/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of this host that leave otherwise than its routes have it: firewall marks, source NAT, hop limits. */
#pragma once

#include "rules.h"

/* True if the packets of a probe left by another link, from another source, or with few hops. */
bool check_is_diverted(struct check *c, const struct path_ends *ends,
		       const struct probe_result *way);

/* Report check_is_diverted() as F10; a warning if the path @works. */
void check_report_diverted(struct check *c, const struct path_ends *ends,
			   const struct probe_result *way, bool works);

/* True if firewall rules of this host may mark packets or change their addresses. */
bool check_may_be_diverted(struct check *c, const struct path_ends *ends);

/* Add that the hop limit of what this host sends is too small. False if it is not. */
bool check_explain_few_hops(struct check *c, struct nvme_mptcp_finding *f,
			    const struct path_ends *ends, const struct probe_result *way);

/* Return why IPv6 starts nothing from the link's address in the network of @remote; NULL: it does. */
const char *check_why_unused(const struct check *c, const struct nvme_mptcp_link *link,
			     const struct in6_addr *remote, const struct local_address **ret);

/* Report announced addresses that this host may not send to, so that no join was sent. */
void check_report_forbidden(struct check *c);

/*
 * Report subflows over the right link that start from the address of another one, because a route
 * sets it or the link's own address cannot be used. True if so.
 */
bool check_report_foreign_source(struct check *c, enum rule_id rule, const struct in6_addr *remote);
