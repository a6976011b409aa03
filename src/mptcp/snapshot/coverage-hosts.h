/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The links of a target that its hosts reach. A host may have fewer links than the target announces
 * addresses on, or start subflows from endpoints of its own, so that an address without a subflow
 * is missing only where the host was seen.
 */
#pragma once

#include <nvme/mptcp.h>
#include "mptcp/netlink/nl.h"

#define COVERAGE_SLOTS 64 /* links; further ones count as reached */

/* An address of a host, and the links, a bit per slot, where its connections have subflows. */
struct coverage_host {
	struct in6_addr ip;
	uint64_t slots;
	uint64_t near; /* links on which it is a neighbour */
};

struct coverage_hosts {
	struct coverage_host *host; /* sorted by address */
	size_t n, room;
	uint64_t strangers; /* links with neighbours of which no connection is known */
};

/* A neighbour of this machine. */
struct coverage_neighbour {
	struct in6_addr ip;
	int ifindex;
};

struct coverage_neighbours {
	struct coverage_neighbour *neighbour;
	size_t n;
};

/* Read the neighbours of this machine, whether they answer now or not. Return 0 or -ENOMEM. */
int coverage_read_neighbours(struct nl *nl, struct coverage_neighbours *ret);

/* Add the hosts of a connection, whose subflows are on @slots. The first call needs @most, the number of all. */
int coverage_add_host(struct coverage_hosts *all, size_t most,
		      const struct nvme_mptcp_connection *conn, uint64_t slots);

/* Sort the addresses, once all are added. */
void coverage_sort_hosts(struct coverage_hosts *all);

/* Note a neighbour on a link. */
void coverage_add_neighbour(struct coverage_hosts *all, const struct in6_addr *ip, uint64_t slot);

/* Return the links that the host of a connection reaches. */
uint64_t coverage_of_host(const struct coverage_hosts *all,
			  const struct nvme_mptcp_connection *conn);

/*
 * True if a carrying subflow over @link shares its local address with another one. A host that does
 * not follow announcements has several subflows to one address, so their links count instead.
 */
bool coverage_answers_on(const struct nvme_mptcp_connection *conn,
			 const struct nvme_mptcp_link *link);
