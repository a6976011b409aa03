/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One answer to the question whether a link leads to an address. */
#ifndef NVME_MPTCP_SNAPSHOT_LEAD_H
#define NVME_MPTCP_SNAPSHOT_LEAD_H

#include "mptcp/netlink/nl.h"

/* The more, the better. */
enum link_lead {
	LINK_LEADS_NOWHERE, /* no route, or one by another link */
	LINK_LEADS_BY_DEFAULT, /* the default route of the link, which leads everywhere */
	LINK_LEADS_BY_ROUTE, /* a route to the address's network, by a gateway of the link */
	LINK_LEADS_TO_NETWORK, /* the address is in a network of the link */
};

/*
 * Does a socket that is bound to @src and to interface @ifindex, as a subflow of an endpoint with a
 * device is, get to @dst? Routes, rules and tables decide, as the kernel applies them to it.
 */
enum link_lead link_lead(struct nl *nl, const struct in6_addr *src, int ifindex,
			 const struct in6_addr *dst);

#endif /* NVME_MPTCP_SNAPSHOT_LEAD_H */
