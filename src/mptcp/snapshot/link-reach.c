// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whether a link leads to an address, as subflows are routed, and which links can carry storage. */

#include "base/address.h"
#include "link-reach.h"
#include "snapshot.h"

enum link_lead link_lead_of(const struct route_answer *route, int ifindex)
{
	if (route->ifindex != ifindex || route->assumed)
		return LINK_LEADS_NOWHERE;
	if (route->is_default)
		return route->gateway ? LINK_LEADS_BY_DEFAULT : LINK_LEADS_NOWHERE;
	return route->gateway ? LINK_LEADS_BY_ROUTE : LINK_LEADS_TO_NETWORK;
}

int link_lead(struct nl *nl, const struct in6_addr *src, int ifindex,
	      const struct socket_address *dst, enum link_lead *ret)
{
	struct route_answer route;
	int err = route_ask_bound(nl, src, ifindex, dst, &route);

	*ret = err ? LINK_LEADS_NOWHERE : link_lead_of(&route, ifindex);
	return route_is_none(err) ? 0 : err;
}

const struct in6_addr *link_far_away(bool v4)
{
	/* Documentation addresses: 198.51.100.1 (RFC 5737) and 2001:db8:ffff::1 (RFC 3849). */
	static const struct in6_addr far4 = { .s6_addr = { [10] = 0xff, 0xff, 198, 51, 100, 1 } };
	static const struct in6_addr far6 = { .s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0xff,
							   0xff, [15] = 1 } };

	return v4 ? &far4 : &far6;
}

static bool is_specific(enum link_lead lead)
{
	return lead > LINK_LEADS_BY_DEFAULT;
}

static bool is_offered(const struct nvme_mptcp_link *link, enum link_lead lead)
{
	return link->kind == NVME_MPTCP_LINK_VIRTUAL ? lead == LINK_LEADS_TO_NETWORK
						     : lead != LINK_LEADS_NOWHERE;
}

void link_offer_take(struct link_offer *best, const struct nvme_mptcp_link *link,
		     enum link_lead lead)
{
	const struct link_offer offer = { true, link->kind, lead };
	bool better = !best->any;

	if (!is_offered(link, lead))
		return;
	if (!better && is_specific(lead) != is_specific(best->lead))
		better = is_specific(lead);
	else if (!better && link->kind != best->kind)
		better = link->kind < best->kind;
	else if (!better)
		better = lead > best->lead;
	if (better)
		*best = offer;
}

enum nvme_mptcp_reason link_offer_reason(const struct link_offer *best,
					 const struct nvme_mptcp_link *link, enum link_lead lead)
{
	if (lead == LINK_LEADS_NOWHERE)
		return NVME_MPTCP_ELSEWHERE;
	if (!is_offered(link, lead) || link->kind > best->kind)
		return NVME_MPTCP_NO_WAY_OUT;
	if (is_specific(lead))
		return NVME_MPTCP_BY_ROUTE;
	return is_specific(best->lead) ? NVME_MPTCP_BEHIND_DEFAULT : NVME_MPTCP_BY_DEFAULT;
}
