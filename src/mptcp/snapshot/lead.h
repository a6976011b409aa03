/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One answer to the question whether a link leads to an address. */
#pragma once

#include <nvme/mptcp/coverage.h>
#include <nvme/mptcp/link.h>
#include "mptcp/netlink/nl.h"

struct nvme_mptcp_link;
struct route_answer;
struct socket_address;

/* The more, the better. */
enum link_lead {
	LINK_LEADS_NOWHERE, /* no route, or one by another link */
	LINK_LEADS_BY_DEFAULT, /* the default route of the link, which leads everywhere */
	LINK_LEADS_BY_ROUTE, /* a route to the address's network, by a gateway of the link */
	LINK_LEADS_TO_NETWORK, /* the address is in a network of the link */
};

/*
 * Does a socket that is bound to @src and to interface @ifindex, as a subflow of an endpoint with a
 * device is, get to @dst (port 0: any)? Routes, rules and tables decide, as the kernel applies them to it. 0, or
 * -errno if the kernel could not be asked; then *@ret is LINK_LEADS_NOWHERE, too.
 */
int link_lead(struct nl *nl, const struct in6_addr *src, int ifindex,
	      const struct socket_address *dst, enum link_lead *ret);

/* What an answer to that question means, whoever gave it. */
enum link_lead link_lead_of(const struct route_answer *route, int ifindex);

/* An address that only a default route leads to, wherever a machine is. */
const struct in6_addr *link_far_away(bool v4);

/*
 * The best that the links of a machine offer on the way to a target: those that lead to its networks
 * come before those that have a default route only, then network cards before veths, which are the
 * way out of a container. What is virtual counts if the target is in its network.
 */
struct link_offer {
	bool any;
	enum nvme_mptcp_link_kind kind;
	enum link_lead lead;
};

/* Looks at one more link, which leads there so. */
void link_offer_take(struct link_offer *best, const struct nvme_mptcp_link *link,
		     enum link_lead lead);

/* Ought the link to carry connections, once all links were looked at? */
enum nvme_mptcp_reason link_offer_reason(const struct link_offer *best,
					 const struct nvme_mptcp_link *link, enum link_lead lead);
