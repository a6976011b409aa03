/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is below a link that carries nothing. */
#pragma once

#include "rules.h"

/* Explain a link without carrier by what is below it. False if that is not known. */
bool check_explain_below(struct check *c, struct nvme_mptcp_finding *f,
			 const struct nvme_mptcp_link *link);

/* Add commands that switch a link on, which the kernel refuses while the one below is off. */
void fix_switch_on(struct check *c, struct nvme_mptcp_finding *f,
		   const struct nvme_mptcp_link *link);

/*
 * Add to the reason that the bond below a link leaves ports unused. False if that is not so.
 * @snap, @side: of the machine that has the link.
 */
bool check_explain_bond(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link,
			enum nvme_mptcp_role side);

/* Return the bond below that sends over all its ports without negotiating that; NULL: none. */
const struct nvme_mptcp_link *check_spreading_bond(const struct check *c,
						   const struct nvme_mptcp_link *link);

/* Set the reason to the state of a tunnel's far end. False if it has none. */
bool check_explain_far_end(struct check *c, struct nvme_mptcp_finding *f,
			   const struct nvme_mptcp_link *tunnel);

/* Explain a silent link by a bridge below that does not let its VLAN pass. False if none does so. */
bool check_explain_gate(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_link *link);

/* Report a target's endpoints on such links. */
void check_report_gates(struct check *c, enum rule_id rule);
