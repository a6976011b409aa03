/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a link leads to an address. */
#pragma once

#include <nvme/mptcp/coverage.h>
#include <nvme/mptcp/link.h>
#include "mptcp/netlink/nl.h"

struct nvme_mptcp_link;
struct route_answer;
struct socket_address;

/* How a link leads to an address; a greater value is better. */
enum link_reach {
	LINK_REACH_NONE, /* no route, or a route over another link */
	LINK_REACH_DEFAULT_ROUTE, /* a default route over the link */
	LINK_REACH_GATEWAY, /* a route to the address's network, through a gateway on the link */
	LINK_REACH_ON_LINK, /* the address is in a network of the link */
};

/*
 * Set *@ret to how a socket that is bound to @src and interface @ifindex reaches @dst (port 0:
 * any), as a subflow of an endpoint with a device is. The kernel applies its routing rules and
 * tables. Return 0, or -errno if the kernel cannot be asked; *@ret is then LINK_REACH_NONE.
 */
int link_reach(struct nl *nl, const struct in6_addr *src, int ifindex,
	       const struct socket_address *dst, enum link_reach *ret);

/* Return how interface @ifindex leads to the destination of a route from kernel or report. */
enum link_reach link_reach_of(const struct route_answer *route, int ifindex);

/* Return an address that only a default route leads to, on any machine. */
const struct in6_addr *link_external_address(bool v4);

/*
 * The best link that a machine has to a target. Links to the target's networks come before links
 * with only a default route, then network cards before veths, which lead out of a container.
 * Virtual links count only if the target is in their network.
 */
struct link_best {
	bool any;
	enum nvme_mptcp_link_kind kind;
	enum link_reach reach;
};

/* Update *@best with one more link and how it leads to the target. */
void link_best_update(struct link_best *best, const struct nvme_mptcp_link *link,
		      enum link_reach reach);

/* Return why the link should carry connections or not, after link_best_update() of all links. */
enum nvme_mptcp_reason link_best_reason(const struct link_best *best,
					const struct nvme_mptcp_link *link, enum link_reach reach);
