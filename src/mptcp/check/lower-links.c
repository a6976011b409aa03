// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ports of a bridge that do not forward packets. */
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
