/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Routing tables and rules, read from the kernel or a report, and looked up without the kernel. */
#pragma once

#include "snapshot.h"

#define MAX_ROUTES 8192
#define MAX_POLICIES 1024

/* A route, or one next hop of it. */
struct route_entry {
	struct prefix dst;
	struct in6_addr gateway, source;
	bool v4, has_gateway, has_source;
	bool is_silent; /* the gateway does not answer on its link */
	uint8_t type; /* RTN_* */
	uint8_t protocol; /* RTPROT_* */
	uint32_t table;
	int64_t metric;
	int ifindex; /* 0: none */
};

/* A routing rule. */
struct policy_entry {
	struct prefix from, to;
	bool v4, has_from, has_to;
	uint32_t mark; /* of packets that it selects; 0: any */
	bool other; /* selects by more, such as marks, users or ports */
	uint8_t action; /* FR_ACT_* */
	uint32_t priority;
	uint32_t table;
	char iif[LINK_NAME], oif[LINK_NAME]; /* "" for any */
};

struct routes {
	struct route_entry *route;
	size_t n_routes;
	struct policy_entry *policy; /* in the order in which they apply, per family */
	size_t n_policies;
	bool too_many; /* entries beyond MAX_ROUTES or MAX_POLICIES were dropped */
	struct problem problem; /* why reading failed */
};

/*
 * Read routes and rules of the calling thread's namespace, without local, broadcast, anycast and
 * multicast routes. Return 0, also with a problem noted, or -ENOMEM.
 */
int route_dump(struct routes *ret);

/* Read the rules alone. */
int route_dump_policies(struct nl *nl, struct routes *ret);

void route_clear(struct routes *routes);

/* Return the name of an RTN_* type, "other" if it has none here. */
const char *route_type_name(unsigned int type);

/*
 * Look up the route from @src (NULL: any) over interface @ifindex (0: any), called @ifname, to
 * @dst, as a kernel with these @routes does. Return 0 or, as the kernel does, -ENETUNREACH,
 * -EINVAL (blackhole), -EHOSTUNREACH (unreachable) or -EACCES (prohibit).
 */
int route_find(const struct routes *routes, const struct in6_addr *src, int ifindex,
	       const char *ifname, const struct in6_addr *dst, struct route_answer *ret);

/* Look up the route in one table. As above, or -ENOENT if the table has none. */
int route_find_in(const struct routes *routes, uint32_t table, int ifindex,
		  const struct in6_addr *dst, struct route_answer *ret);

/* What forbids packets: a rule, or a route that the rule leads to. */
struct forbidding {
	const struct policy_entry *policy;
	const struct route_entry *route; /* NULL: the rule itself */
};

/*
 * Find what forbids packets that the kernel is known to refuse. Rules that select by more than
 * addresses and interfaces are taken to apply. False if nothing is found.
 */
bool route_find_forbidding(const struct routes *routes, const struct in6_addr *src, int ifindex,
			   const char *ifname, const struct in6_addr *dst, struct forbidding *ret);
