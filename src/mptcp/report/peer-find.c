// SPDX-License-Identifier: LGPL-2.1-or-later
/* What rules that need both sides have in common. */
#include <errno.h>

#include "peer.h"

bool peer_settles(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *guess = NULL;

	FOR_EACH(f, c->findings->finding, c->findings->n) {
		if (f->rule != rule)
			continue;
		if (f->severity == NVME_MPTCP_ERROR)
			return true;
		guess = guess ? guess : f;
	}
	if (guess)
		guess->severity = NVME_MPTCP_ERROR;
	return guess;
}

int peer_link_of(const struct check *side, const struct in6_addr *ip, int prefer)
{
	const struct local_address *near = NULL;

	FOR_EACH(address, side->snap->addresses, side->snap->n_addresses)
		if (link_address_has(address, ip) && link_by_index(side->snap, address->ifindex) &&
		    (!near || address->prefix > near->prefix ||
		     (address->prefix == near->prefix && address->ifindex == prefer)))
			near = address;
	return near ? near->ifindex : 0;
}

int peer_neighbour_link(const struct check *side, const struct in6_addr *ip)
{
	return peer_link_of(side, ip, 0);
}

bool peer_is_another_target(const struct check *host, const struct check *target,
			    const struct in6_addr *portal)
{
	bool is_one_there = false;

	for (size_t i = 0; i < host->n_portals; i++)
		is_one_there |=
			snapshot_find_address(target->snap, &host->portals[i].address.ip) != NULL;
	return is_one_there && !snapshot_find_address(target->snap, portal);
}
