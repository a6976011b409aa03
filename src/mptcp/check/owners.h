/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Machines that have an address, identified by the hardware addresses that answer ARP for it. */
#pragma once

#include "ask-path.h"

struct nvme_mptcp_finding;

#define OWNERS 4 /* for each address */
#define MAX_OWNERS 64 /* queries */
#define MAX_OWNER_PATHS 32

struct owner {
	int ifindex;
	struct in6_addr ip;
	struct in6_addr from; /* sender's address in the query, "any" for none */
	const struct hardware *to; /* send the query there; NULL: to all */
	struct hardware by[OWNERS]; /* hardware addresses that answered, without this host's */
	size_t n;
	struct neighbour entry; /* the kernel's entry before the query */
	bool is_twin; /* what answers has the hardware address of this link */
	bool is_astray; /* answers reach a hardware address that is made up, but not this link's */
	bool is_told,
		is_proxied; /* queried again; the entry's machine answers for others, see owners.c */
};

/* A path that a subflow uses or tried to use. */
struct owner_path {
	struct path_ends ends;
	bool carries;
	bool is_on_link; /* ARP can find its next hop: @hop on @ifindex */
	int ifindex;
	struct in6_addr hop;
};

struct owners {
	struct owner_path owner_paths[MAX_OWNER_PATHS];
	size_t n_owner_paths;
	struct owner owner[MAX_OWNERS];
	size_t n;
};

/*
 * True if the one machine that has an address of the target does not answer as the target, while
 * another one on that link does.
 */
bool check_is_stranger(struct check *c, const struct owner *o);

/* True if packets between these ends, or the replies, go to another machine. */
bool check_is_misdelivered(struct check *c, const struct path_ends *ends);

/* Report check_is_misdelivered() as F10 or A13. */
void check_report_misdelivered(struct check *c, const struct path_ends *ends);

/* True if the kernel's entry for a next hop has a hardware address that answers for it. */
bool check_neighbour_is_correct(struct check *c, int ifindex, const struct in6_addr *hop);

/* True if a next hop answers now, or if that cannot be tested: IPv6, a link without ARP, probes off. */
bool check_hop_answers(struct check *c, int ifindex, const struct in6_addr *hop);

/* True if a machine on the link answers ARP for the address now. */
bool check_is_owned(struct check *c, int ifindex, const struct in6_addr *ip);

/* True if the next hop answers ARP requests from @local that the kernel does not send. */
bool check_hears_probes(struct check *c, const struct route_answer *route,
			const struct in6_addr *local);

/* Report addresses of working paths that another machine has as well. */
void check_report_duplicates(struct check *c);

/* True if what answers ARP broadcasts for an address gets no request that is sent to its hardware address. */
bool check_is_deaf(struct check *c, int ifindex, const struct in6_addr *ip);

/* True if the same card answers ARP for both addresses, each on its link. */
bool check_is_one_card(struct check *c, int ifindex, const struct in6_addr *ip, int other,
		       const struct in6_addr *other_ip);

/*
 * Report A13 if another machine than the target, which has @remote, answers requests for an address
 * of this host. @own: the query, from an address of another link.
 */
bool check_report_proxied(struct check *c, struct owner *own, const struct in6_addr *remote);

/* True if what answers ARP for the address on this link also answers for a known address of the target. */
bool check_is_targets_card(struct check *c, int ifindex, const struct in6_addr *ip);

/* Return the state of a neighbour, from before it was probed if it was: NUD_* or -errno. */
int check_neighbour_state(struct check *c, int ifindex, const struct in6_addr *ip);

/* Report A13 and return true if another machine has this host's address. */
bool check_report_duplicate_address(struct check *c, const struct in6_addr *local);

/* True if the next hop does not answer ARP, or answers no request from this address. */
bool check_is_unheard(struct check *c, const struct route_answer *route,
		      const struct in6_addr *local);

/*
 * Explain a next hop that answers only probes without a source address, or that does not answer
 * while the target answers there for another of its addresses. False if neither is the case.
 */
bool check_explain_unheard_hop(struct check *c, struct nvme_mptcp_finding *f,
			       const struct route_answer *route, const struct in6_addr *local);
