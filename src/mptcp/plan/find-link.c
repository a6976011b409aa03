// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds links of a snapshot by name and by address. */
#include "find-link.h"

const struct nvme_mptcp_link *plan_link_by_name(const struct nvme_mptcp_snapshot *snap,
						const char *name)
{
	FOR_EACH(link, snap->links, snap->n_links)
		if (name && !strcmp(link->name, name))
			return link;
	return NULL;
}

const struct nvme_mptcp_link *plan_link_by_ip(const struct nvme_mptcp_snapshot *snap,
					      const struct in6_addr *ip)
{
	const struct local_address *own = snapshot_find_address(snap, ip);

	return own ? link_by_index(snap, own->ifindex) : NULL;
}
