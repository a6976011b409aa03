// SPDX-License-Identifier: LGPL-2.1-or-later
/* What keeps packets of both sides' links apart: VLANs that differ, or ports of bonds. */
#include "peer.h"
#include "mptcp/check/lower-links.h"

bool peer_explain_wires(struct check *c, struct check *host, struct check *target,
			struct nvme_mptcp_finding *f, const struct nvme_mptcp_link *there)
{
	const struct nvme_mptcp_link *here = plan_link_by_ip(host->snap, &f->subject.ip[0]);
	const char *to = ADDRESS_STRING(&f->subject.ip[1]);
	const struct nvme_mptcp_link *port, *other;

	if (!here || (f->rule != RULE_R08 && here->vlan == there->vlan))
		return false;
	finding_why(c, f, "The target has %s on %s, but the host gets no answer from there", to,
		    there->name);
	if (check_explain_bond(c, f, host->snap, here, NVME_MPTCP_ROLE_HOST) ||
	    check_explain_bond(c, f, target->snap, there, NVME_MPTCP_ROLE_TARGET))
		return true;
	port = here->active_port ? link_by_index(host->snap, here->active_port) : NULL;
	other = there->active_port ? link_by_index(target->snap, there->active_port) : NULL;
	if (here->vlan && there->vlan && here->vlan != there->vlan)
		finding_why(c, f,
			    "The target has %s on %s, in VLAN %d, but the host's link %s is in "
			    "VLAN %d: both have to be in the same one",
			    to, there->name, there->vlan, here->name, here->vlan);
	else if (here->vlan != there->vlan)
		finding_why(c, f,
			    "%s of the %s adds the tag of VLAN %d, and %s of the %s, which has "
			    "%s, adds none: without a switch port between both that removes and "
			    "adds the tag, neither receives the other",
			    here->vlan ? here->name : there->name, here->vlan ? "host" : "target",
			    here->vlan ? here->vlan : there->vlan,
			    here->vlan ? there->name : here->name, here->vlan ? "target" : "host",
			    here->vlan ? to : ADDRESS_STRING(&f->subject.ip[0]));
	else if (port && other)
		finding_why_more(c, f,
				 ". The host's bond %s sends over its port %s, and the target's "
				 "over its port %s: nothing between those two ports passes their "
				 "packets",
				 here->name, port->name, other->name);
	else
		return false;
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -d link show dev %s", LINK_WORD(here->name));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -d link show dev %s", LINK_WORD(there->name));
	return true;
}
