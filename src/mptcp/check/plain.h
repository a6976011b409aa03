/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packets of our own prove: where the MPTCP option gets lost, and which way back is missing. */
#ifndef NVME_MPTCP_CHECK_PLAIN_H
#define NVME_MPTCP_CHECK_PLAIN_H

#include "rules.h"

/* By the address of another link, which is answered, it is known that a way back is missing. */
#define FACT_CROSSED "answered_from"
/* Where the MPTCP option gets lost. */
#define FACT_LOST "option_lost"

/*
 * A sentence's end about a connection between these ends that got plain TCP: what keeps or removes the MPTCP
 * option; @otherwise: where packets of our own show neither.
 */
void check_say_plain(struct check *c, struct nvme_mptcp_finding *f, const struct way_ends *ends,
		     const char *otherwise);

/* F10 of a join whose option this host's own firewall keeps or removes; false: it does not, as far as is known. */
bool check_join_lost_here(struct check *c, const struct in6_addr *local,
			  const struct socket_address *remote, int ifindex);

/* Does a finding of this rule, or with RULE_COUNT of any, have that fact? */
bool check_knows_loss(const struct check *c, enum rule_id rule);

#endif /* NVME_MPTCP_CHECK_PLAIN_H */
