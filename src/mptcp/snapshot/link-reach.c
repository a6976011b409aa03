// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whether a link leads to an address, as subflows are routed, and which links can carry storage. */
#include "link-reach.h"
#include "snapshot.h"

enum link_reach link_reach_of(const struct route_answer *route, int ifindex)
{
	if (route->ifindex != ifindex || route->assumed)
		return LINK_REACH_NONE;
	if (route->is_default)
		return route->gateway ? LINK_REACH_DEFAULT_ROUTE : LINK_REACH_NONE;
	return route->gateway ? LINK_REACH_GATEWAY : LINK_REACH_ON_LINK;
}

int link_reach(struct nl *nl, const struct in6_addr *src, int ifindex,
	       const struct socket_address *dst, enum link_reach *ret)
{
	struct route_answer route;
	int err = route_ask_bound(nl, src, ifindex, dst, &route);

	*ret = err ? LINK_REACH_NONE : link_reach_of(&route, ifindex);
	return route_is_none(err) ? 0 : err;
}

const struct in6_addr *link_external_address(bool v4)
{
	/* Documentation addresses: 198.51.100.1 (RFC 5737) and 2001:db8:ffff::1 (RFC 3849). */
	static const struct in6_addr far4 = { .s6_addr = { [10] = 0xff, 0xff, 198, 51, 100, 1 } };
	static const struct in6_addr far6 = { .s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0xff,
							   0xff, [15] = 1 } };

	return v4 ? &far4 : &far6;
}

static bool is_specific(enum link_reach reach)
{
	return reach > LINK_REACH_DEFAULT_ROUTE;
}

static bool is_offered(const struct nvme_mptcp_link *link, enum link_reach reach)
{
	return link->kind == NVME_MPTCP_LINK_VIRTUAL ? reach == LINK_REACH_ON_LINK
						     : reach != LINK_REACH_NONE;
}

void link_best_update(struct link_best *best, const struct nvme_mptcp_link *link,
		      enum link_reach reach)
{
	const struct link_best offer = { true, link->kind, reach };
	bool better = !best->any;

	if (!is_offered(link, reach))
		return;
	if (!better && is_specific(reach) != is_specific(best->reach))
		better = is_specific(reach);
	else if (!better && link->kind != best->kind)
		better = link->kind < best->kind;
	else if (!better)
		better = reach > best->reach;
	if (better)
		*best = offer;
}

enum nvme_mptcp_reason link_best_reason(const struct link_best *best,
					const struct nvme_mptcp_link *link, enum link_reach reach)
{
	if (reach == LINK_REACH_NONE)
		return NVME_MPTCP_ELSEWHERE;
	if (!is_offered(link, reach) || link->kind > best->kind)
		return NVME_MPTCP_NO_WAY_OUT;
	if (is_specific(reach))
		return NVME_MPTCP_BY_ROUTE;
	return is_specific(best->reach) ? NVME_MPTCP_BEHIND_DEFAULT : NVME_MPTCP_BY_DEFAULT;
}
