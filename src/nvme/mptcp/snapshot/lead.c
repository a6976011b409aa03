// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whether a link leads to an address: asked of the kernel as it routes a subflow's packets. */
#include <linux/rtnetlink.h>

#include "base/address.h"
#include "lead.h"
#include "snapshot.h"

enum link_lead link_lead(struct nl *nl, const struct in6_addr *src, int ifindex,
			 const struct in6_addr *dst)
{
	struct route_answer route;

	if (route_ask_bound(nl, src, ifindex, dst, &route) || route.ifindex != ifindex ||
	    route.assumed)
		return LINK_LEADS_NOWHERE;
	if (route.is_default)
		return route.gateway ? LINK_LEADS_BY_DEFAULT : LINK_LEADS_NOWHERE;
	return route.gateway ? LINK_LEADS_BY_ROUTE : LINK_LEADS_TO_NETWORK;
}
