// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rule A15: bonds of which a port carries nothing. doc/mptcp-rules.md */
#include <string.h>

#include "rules.h"
#include "lower-links.h"

static bool is_used(const struct check *c, const struct nvme_mptcp_link *bond)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (link_shares_segment(sf->link, bond))
			return true;
	FOR_EACH_ENDPOINT(c, ep)
		if (check_is_relevant(c, ep) && link_shares_segment(endpoint_carrier(ep), bond))
			return true;
	return false;
}

struct ports {
	size_t n_alive;
	const struct nvme_mptcp_link *active; /* the only one that the bond sends over, or NULL */
	const struct nvme_mptcp_link *other; /* alive, and another one */
	const struct nvme_mptcp_link *unplugged;
	const struct nvme_mptcp_link *apart; /* alive, and in another aggregator than the bond's */
	const struct nvme_mptcp_link *joined; /* alive, and in the bond's aggregator */
};

static struct ports ports_of(const struct nvme_mptcp_snapshot *snap,
			     const struct nvme_mptcp_link *bond)
{
	struct ports ports = {
		.active = bond->active_port ? link_by_index(snap, bond->active_port) : NULL,
	};

	FOR_EACH(port, snap->links, snap->n_links) {
		if (port->master != bond->ifindex)
			continue;
		if (!link_is_alive(port)) {
			/* One that is switched off is meant to be. */
			if (nvme_mptcp_link_is_up(port))
				ports.unplugged = port;
			continue;
		}
		ports.n_alive++;
		if (port != ports.active)
			ports.other = port;
		if (bond->aggregator && port->aggregator == bond->aggregator)
			ports.joined = port;
		else if (bond->aggregator && port->aggregator)
			ports.apart = port;
	}
	return ports;
}

/* The bond would use another port if it noticed that its own is dead. */
static bool is_blind(const struct nvme_mptcp_link *bond, const struct ports *ports)
{
	return bond->unmonitored && ports->active && !link_is_alive(ports->active);
}

static bool wastes_ports(const struct nvme_mptcp_link *bond, const struct ports *ports)
{
	return is_blind(bond, ports) || (ports->apart && ports->joined);
}

/* Add which ports carry nothing, and why. @whose: "The bond" or the like; it is on @side. */
static void say_why(struct check *c, struct nvme_mptcp_finding *f, const char *whose,
		    const struct nvme_mptcp_link *bond, const struct ports *ports,
		    enum nvme_mptcp_role side)
{
	if (is_blind(bond, ports)) {
		finding_why_more(
			c, f,
			"%s %s sends over its port %s alone, which %s, and does not look for "
			"dead ports (its miimon and arp_interval are 0)%s",
			whose, bond->name, ports->active->name,
			nvme_mptcp_link_is_up(ports->active) ? "has no carrier"
							     : "is administratively down",
			ports->other ? ": it does not change to the port that works" : "");
		finding_fact(c, f, "active_port", "%s", ports->active->name);
		finding_fix(c, f, side, "ip link set dev %s type bond miimon 100",
			    LINK_WORD(bond->name));
		return;
	}
	if (bond->no_partner)
		finding_why_more(
			c, f,
			"%s %s negotiates its ports with the other end (LACP, 802.3ad), and "
			"the other end does not take part: the bond uses %s alone, and drops what "
			"arrives at %s. Configure LACP on the switch's ports",
			whose, bond->name, ports->joined->name, ports->apart->name);
	else
		finding_why_more(c, f,
				 "%s %s negotiates its ports with the other end (LACP, 802.3ad), "
				 "and its port %s is not in the group that it uses, and carries "
				 "nothing: it leads to another switch than %s, or to a switch port "
				 "of another group",
				 whose, bond->name, ports->apart->name, ports->joined->name);
	finding_fact(c, f, "port", "%s", ports->apart->name);
	finding_fix(c, f, side, "ip -d link show master %s", LINK_WORD(bond->name));
}

static const struct nvme_mptcp_link *bond_below(const struct nvme_mptcp_snapshot *snap,
						const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *wire =
		link && link->wire ? link_by_index(snap, link->wire) : link;

	return wire && link_is_bond(wire) ? wire : NULL;
}

bool check_explain_bond(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link,
			enum nvme_mptcp_role side)
{
	const struct nvme_mptcp_link *bond = bond_below(snap, link);
	struct ports ports;

	if (!bond)
		return false;
	ports = ports_of(snap, bond);
	if (!wastes_ports(bond, &ports))
		return false;
	finding_why_more(c, f, ". ");
	say_why(c, f,
		snap == c->snap		       ? "The bond"
		: side == NVME_MPTCP_ROLE_HOST ? "The host's bond"
					       : "The target's bond",
		bond, &ports, side);
	return true;
}

const struct nvme_mptcp_link *check_spreading_bond(const struct check *c,
						   const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *bond = bond_below(c->snap, link);

	return bond && bond->spreads ? bond : NULL;
}

void rule_bond_ports(struct check *c, enum rule_id rule)
{
	FOR_EACH(bond, c->snap->links, c->snap->n_links) {
		struct nvme_mptcp_finding *f;
		struct ports ports;

		if (!link_is_bond(bond) || !link_is_alive(bond) || !is_used(c, bond))
			continue;
		ports = ports_of(c->snap, bond);
		if (wastes_ports(bond, &ports)) {
			f = finding_why(c, finding_add(c, rule, subject_link(bond->name)), "%s",
					"");
			say_why(c, f, "The bond", bond, &ports, check_side(c));
			if (is_blind(bond, &ports))
				finding_set_severity(f, NVME_MPTCP_ERROR);
		} else if (ports.unplugged && ports.n_alive) {
			f = finding_why(c, finding_add(c, rule, subject_link(bond->name)),
					"Port %s of the bond %s has no carrier: the bond is left "
					"with %zu port%s. Check cable, switch port and the other "
					"end",
					ports.unplugged->name, bond->name, ports.n_alive,
					ports.n_alive == 1 ? "" : "s");
			finding_set_severity(f, NVME_MPTCP_INFO);
			finding_fact(c, f, "port", "%s", ports.unplugged->name);
		}
	}
}
