/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which machines have an address, by the hardware addresses that answer for it on a link. */
#ifndef NVME_MPTCP_OWNERS_H
#define NVME_MPTCP_OWNERS_H

#include "ask-way.h"

struct nvme_mptcp_finding;

#define OWNERS 4 /* of one address */
#define MAX_OWNERS 64 /* questions */
#define OWNER_WAYS 32

struct owner {
	int ifindex;
	struct in6_addr ip;
	struct hardware by[OWNERS]; /* that answered, none of which is this host's */
	size_t n;
	struct neighbour entry; /* the kernel's, before it was asked for */
};

/* A way that a subflow takes, or tried to take. */
struct owner_way {
	struct way_ends ends;
	bool carries;
	bool is_on_link; /* its next hop can be asked for: @hop on @ifindex */
	int ifindex;
	struct in6_addr hop;
};

struct owners {
	struct owner_way ways[OWNER_WAYS];
	size_t n_ways;
	struct owner owner[MAX_OWNERS];
	size_t n;
};

/* Is it found that packets between these ends go to another machine than the target, or come back to one? */
bool check_is_misled(struct check *c, const struct way_ends *ends);

/* Reports that by the rule whose part it is. */
void check_report_misled(struct check *c, const struct way_ends *ends);

/* Is the kernel's entry for a next hop what answers for it? */
bool check_is_entry_right(struct check *c, int ifindex, const struct in6_addr *hop);

/* Does a next hop answer now? IPv4 only: others count as if they did, as do those that no packet may ask. */
bool check_hop_answers(struct check *c, int ifindex, const struct in6_addr *hop);

/* What the kernel knew of a neighbour before it was asked for: NUD_* or -errno. */
int check_neighbour(struct check *c, int ifindex, const struct in6_addr *ip);

/* Has another machine this host's address? It is reported then. */
bool check_shares_address(struct check *c, const struct in6_addr *local);

/* A next hop that the kernel gets no answer from: says why, if it answers a probe that has no source. */
bool check_say_unheard(struct check *c, struct nvme_mptcp_finding *f,
		       const struct route_answer *route, const struct in6_addr *local);

#endif /* NVME_MPTCP_OWNERS_H */
