// SPDX-License-Identifier: LGPL-2.1-or-later
/* What of a bridge does not forward packets: ports, or all of it for a VLAN. */
#include "rules.h"
#include "lower-links.h"

/* States of a bridge's port: linux/if_bridge.h does not go with netinet/in.h. */
#define PORT_LISTENING 1
#define PORT_LEARNING 2
#define PORT_BLOCKING 4

bool check_explain_blocked_port(struct check *c, struct nvme_mptcp_finding *f,
				const struct nvme_mptcp_link *bridge)
{
	FOR_EACH(port, c->snap->links, c->snap->n_links) {
		if (port->master != bridge->ifindex || !link_is_alive(port) ||
		    (port->port_state != PORT_LISTENING && port->port_state != PORT_LEARNING &&
		     port->port_state != PORT_BLOCKING))
			continue;
		finding_why_more(
			c, f,
			": its port %s has one, but the spanning tree protocol (STP) of %s "
			"does not let it forward packets (state %s)%s",
			port->name, bridge->name,
			port->port_state == PORT_LISTENING  ? "listening"
			: port->port_state == PORT_LEARNING ? "learning"
							    : "blocking",
			port->port_state == PORT_BLOCKING
				? ", since another port leads to the same network"
				: ". It waits for the forward delay after a link comes up");
		finding_fact(c, f, "port", "%s", port->name);
		finding_fix(c, f, check_side(c), "bridge -d link show dev %s",
			    LINK_WORD(port->name));
		return true;
	}
	return false;
}

/* True if no other port of the bridge is of the same kind: the others belong to guests. */
static bool is_only_uplink(const struct check *c, const struct nvme_mptcp_link *uplink)
{
	FOR_EACH(port, c->snap->links, c->snap->n_links)
		if (port != uplink && port->master == uplink->master && port->kind <= uplink->kind)
			return false;
	return true;
}

bool check_explain_gate(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *gate =
		link && link->vlan_gate ? link_by_index(c->snap, link->vlan_gate) : NULL;
	const bool is_bridge = gate && gate->ifindex == link->parent;
	const char *bridge = gate ? LINK_STRING(c->snap, link->parent) : "";

	if (!gate)
		return false;
	if (is_bridge)
		finding_why(c, f,
			    "Link %s is in VLAN %d, which the bridge %s below it does not pass to "
			    "or from this machine: nothing sent over %s arrives",
			    link->name, link->vlan, bridge, link->name);
	else
		finding_why(c, f,
			    "Link %s is in VLAN %d, which no port of the bridge %s below it "
			    "passes: nothing sent over %s arrives",
			    link->name, link->vlan, bridge, link->name);
	finding_fact(c, f, "vlan_gate", "%s", gate->name);
	/* The port of a guest would give it the storage network. */
	if (is_bridge || is_only_uplink(c, gate))
		finding_fix(c, f, check_side(c), "bridge vlan add dev %s vid %d%s",
			    LINK_WORD(gate->name), link->vlan, is_bridge ? " self" : "");
	else
		finding_fix(c, f, check_side(c), "bridge vlan show");
	return true;
}

void check_report_gates(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);

		/* On a host, R08 reports the paths. */
		if ((c->role & ON_TARGET) && check_is_relevant(c, ep) && link &&
		    link_is_alive(link) && link->vlan_gate)
			check_explain_gate(c, finding_add_endpoint(c, rule, ep), link);
	}
}
