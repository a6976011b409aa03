/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is below a link that carries nothing. */
#pragma once

#include "rules.h"

/* Add that spanning tree keeps a port of this bridge from forwarding. False if it does not. */
bool check_explain_blocked_port(struct check *c, struct nvme_mptcp_finding *f,
				const struct nvme_mptcp_link *bridge);

/* Set the reason to the state of a tunnel's far end. False if it has none. */
bool check_explain_far_end(struct check *c, struct nvme_mptcp_finding *f,
			   const struct nvme_mptcp_link *tunnel);

/* Explain a silent link by a bridge below that does not let its VLAN pass. False if none does so. */
bool check_explain_gate(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_link *link);

/* Report a target's endpoints on such links. */
void check_report_gates(struct check *c, enum rule_id rule);
