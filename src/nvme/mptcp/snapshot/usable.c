// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which links could carry subflows. */
#include <linux/if_addr.h>
#include <net/if.h>

#include "mptcp/check/rules.h"
#include "mptcp/plan/steps.h"

#define UNIVERSE 0 /* RT_SCOPE_UNIVERSE */

const char *link_trouble(const struct nvme_mptcp_link *link)
{
	if (!nvme_mptcp_link_is_up(link))
		return "it is down";
	if (!nvme_mptcp_link_has_carrier(link))
		return "it has no carrier";
	return link->master ? "it belongs to a bond, a bridge or a VRF" : NULL;
}

bool address_is_global(const struct local_address *a, bool v4)
{
	const uint32_t unfit = IFA_F_DADFAILED | IFA_F_DEPRECATED | IFA_F_TENTATIVE;

	return address_is_v4(&a->ip) == v4 && a->scope == UNIVERSE && !(a->flags & unfit);
}

bool nvme_mptcp_link_is_usable(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link, bool v6)
{
	if ((link->flags & IFF_LOOPBACK) || link_trouble(link))
		return false;
	for (size_t i = 0; i < snap->n_addresses; i++)
		if (snap->addresses[i].ifindex == link->ifindex &&
		    address_is_global(&snap->addresses[i], !v6))
			return true;
	return false;
}
