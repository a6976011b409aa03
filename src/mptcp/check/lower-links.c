// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is below a link and stops its packets: a link that is off, or a bridge's port. */
#include "rules.h"
#include "lower-links.h"
#include "mptcp/snapshot/wire.h"

/* States of a bridge's port: linux/if_bridge.h does not go with netinet/in.h. */
#define PORT_LISTENING 1
#define PORT_LEARNING 2
#define PORT_BLOCKING 4

static bool explain_blocked_port(struct check *c, struct nvme_mptcp_finding *f,
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

/* Return the first port of a bond or bridge; NULL if it has none. *@off: one switched off, or NULL. */
static const struct nvme_mptcp_link *find_port(const struct check *c,
					       const struct nvme_mptcp_link *link,
					       const struct nvme_mptcp_link **off)
{
	const struct nvme_mptcp_link *first = NULL;

	FOR_EACH(port, c->snap->links, c->snap->n_links) {
		if (port->master != link->ifindex)
			continue;
		first = first ? first : port;
		if (!*off && !nvme_mptcp_link_is_up(port))
			*off = port;
	}
	return first;
}

bool check_explain_below(struct check *c, struct nvme_mptcp_finding *f,
			 const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *below =
		link->parent ? link_by_index(c->snap, link->parent) : NULL;
	const struct nvme_mptcp_link *off = below;

	if (off && (link_is_tunnel(link) || nvme_mptcp_link_is_up(off)))
		off = NULL;
	if (link_joins_ports(link) && !find_port(c, link, &off)) {
		finding_why_more(c, f, ": no link belongs to it");
		finding_fix(c, f, check_side(c), "ip link show master %s", LINK_WORD(link->name));
		return true;
	}
	if (!off && below && link_joins_ports(below) && !link_is_tunnel(link))
		return check_explain_below(c, f, below);
	if (!off)
		return link_joins_ports(link) && explain_blocked_port(c, f, link);
	finding_why_more(c, f, ": %s below it is administratively down", off->name);
	finding_fact(c, f, "below", "%s", off->name);
	finding_fix(c, f, check_side(c), "ip link set dev %s up", LINK_WORD(off->name));
	return true;
}

void fix_switch_on(struct check *c, struct nvme_mptcp_finding *f,
		   const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *below =
		link->parent ? link_by_index(c->snap, link->parent) : NULL;

	if (below && !nvme_mptcp_link_is_up(below) && !link_is_tunnel(link))
		finding_fix(c, f, check_side(c), "ip link set dev %s up", LINK_WORD(below->name));
	if (link->vrf_is_down)
		finding_fix(c, f, check_side(c), "ip link set dev %s up",
			    LINK_WORD(LINK_STRING(c->snap, link->master)));
	if (!nvme_mptcp_link_is_up(link))
		finding_fix(c, f, check_side(c), "ip link set dev %s up", LINK_WORD(link->name));
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
