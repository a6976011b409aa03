/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Routing as a whole: tables and policy, read from the kernel, and looked up without it. */
#pragma once

#include "snapshot.h"

#define MAX_ROUTES 8192
#define MAX_POLICIES 1024

/* A route, or one next hop of it. */
struct route_entry {
	struct prefix dst;
	struct in6_addr gateway, source;
	bool v4, has_gateway, has_source;
	uint8_t type; /* RTN_* */
	uint8_t protocol; /* RTPROT_* */
	uint32_t table;
	int64_t metric;
	int ifindex; /* 0: none */
};

/* A rule of routing policy. */
struct policy_entry {
	struct prefix from, to;
	bool v4, has_from, has_to;
	bool other; /* selects by more than this: marks, users, ports, ... */
	uint8_t action; /* FR_ACT_* */
	uint32_t priority;
	uint32_t table;
	char iif[LINK_NAME], oif[LINK_NAME]; /* "" for any */
};

struct routes {
	struct route_entry *route;
	size_t n_routes;
	struct policy_entry *policy; /* of a family in the order in which they apply */
	size_t n_policies;
	bool too_many; /* what is beyond the limits was left out */
	struct problem problem; /* why they could not be read */
};

/* Those of the calling thread's namespace, without local and multicast ones. 0, also with a problem
 * noted, or -ENOMEM.
 */
int route_dump(struct routes *ret);
void route_clear(struct routes *routes);

/* Name of an RTN_*, "other" for one that is not distinguished. */
const char *route_type_name(unsigned int type);

/*
 * As the kernel that has these @routes would send from @src (or NULL) by @ifindex (or 0), called
 * @ifname, to @dst. 0 or -ENETUNREACH.
 */
int route_find(const struct routes *routes, const struct in6_addr *src, int ifindex,
	       const char *ifname, const struct in6_addr *dst, struct route_answer *ret);
