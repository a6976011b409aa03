/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of our own probes: where the MPTCP option is lost, and which return path is missing. */
#pragma once

#include "rules.h"

/* Address of another link that the target answers, which proves that a return path is missing. */
#define FACT_ANSWERED_FROM "answered_from"
/* Place where the MPTCP option is lost. */
#define FACT_OPTION_LOST "option_lost"

/* True if probes prove that SYNs with the MPTCP option get no reply there, and others do. */
bool check_drops_option(struct check *c, const struct path_ends *ends);

/* Return the ends of a connection's initial subflow, without an option. */
struct path_ends check_conn_ends(const struct nvme_mptcp_connection *conn);

/*
 * Say what drops or removes the MPTCP option. @otherwise: the text if probes show neither; NULL: the
 * target does not answer with it.
 */
void check_explain_fallback(struct check *c, struct nvme_mptcp_finding *f,
			    const struct path_ends *ends, const char *otherwise);

/* Explain that the option of SYNs arrives, but a service without MPTCP answers. False if not so. */
bool check_explain_plain_service(struct check *c, struct nvme_mptcp_finding *f,
				 const struct path_ends *ends);

/* Report F10 and return true if this host's own firewall drops or changes the option of a join. */
bool check_join_filtered_locally(struct check *c, const struct in6_addr *local,
				 const struct socket_address *remote, int ifindex);

/* True if a finding of this rule, or of any rule for RULE_COUNT, has FACT_OPTION_LOST. */
bool check_has_option_loss(const struct check *c, enum rule_id rule);
