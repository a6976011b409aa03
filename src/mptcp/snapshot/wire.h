/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tunnels, and the interfaces that their packets leave over. */
#pragma once

#include "snapshot.h"

struct tunnel {
	int ifindex;
	int below; /* interface that it was bound to, or 0 */
	struct in6_addr far_end; /* "any" if it has none */
};

/* Tunnels whose far end is to be looked up. Free @tunnel. */
struct tunnels {
	struct tunnel *tunnel;
	size_t n;
};

/* Add a link if its kind is a tunnel. @data: IFLA_INFO_DATA, or NULL. Returns 0 or -ENOMEM. */
int link_take_tunnel(struct tunnels *all, int ifindex, const char *kind, const struct nlattr *data);

/* Set the parent of each tunnel's link. The links are sorted by index. */
void link_place_tunnels(const struct tunnels *all, struct nvme_mptcp_snapshot *snap, struct nl *nl);

/* True for a tunnel whose parent is known; the kernel's other tunnels are wires of their own. */
bool link_is_tunnel(const struct nvme_mptcp_link *link);

/* True for a bond or bridge: its carrier is that of its ports. */
bool link_joins_ports(const struct nvme_mptcp_link *link);
