/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of a set-up while it is planned: first the links, then what they need. */
#pragma once

#include "steps.h"

#define SETUP_TARGETS 64

/* A link that may become part of the plan. */
struct setup_link {
	const struct nvme_mptcp_link *link;
	const struct local_address *address;
	enum link_reach reach; /* the best of @to */
	enum link_reach to[SETUP_TARGETS]; /* how it leads to each target */
	bool has_default; /* it has a default route */
	bool may_reach; /* it may lead to a target address that is not known yet */
	int64_t speed; /* in Mbit/s or NVME_MPTCP_UNKNOWN; set when links are compared */
	bool routed; /* unbound sockets reach a target over it */
	bool is_transient; /* connections start from a temporary address of it */
};

struct setup {
	struct planner *p;
	const struct nvme_mptcp_snapshot *snap;
	const struct nvme_mptcp_setup_args *args;
	const struct nvme_mptcp_connection *conn; /* made with the present configuration, or NULL */
	struct nvme_mptcp_plan *plan;
	/* Of a host's target, the portal first; of a target itself: given or of ports. */
	struct in6_addr targets[SETUP_TARGETS];
	size_t n_targets;
	bool v4;
	bool is_spread; /* routes to the targets use different links */
	bool is_assumed; /* where links lead is assumed: the other side is unknown */
	struct setup_link *links;
	size_t n_links;
};

/* Collect addresses of one family from the arguments, controllers or ports. Return 0 or -EINVAL. */
int setup_read_targets(struct setup *s);
void setup_choose_family(struct setup *s);
/* Get the @i-th address that the trial heard the target announce. Return false if there is none. */
bool setup_announced(const struct setup *s, size_t i, struct in6_addr *ret);

/* Find the links to use, with notes on those left out. Return 0, -ENODEV, -ENOLINK or -ENOMEM. */
int setup_find_links(struct setup *s);

/* Return the address of a link to plan with, or NULL if it has none that leads to others. */
const struct local_address *setup_address_of(const struct setup *s,
					     const struct nvme_mptcp_link *link);
/*
 * Take the address that connections of a host start from as that of their link: an endpoint of
 * another one would start a second subflow there.
 */
void setup_take_source(struct setup *s);

/* Remove link @i, with a note that gives the reason. */
void setup_exclude_link(struct setup *s, size_t i, const char *why, ...)
	__attribute__((format(printf, 3, 4)));

/* Keep the best @room links; notes give @why as the reason for the others. */
void setup_keep_best(struct setup *s, size_t room, const char *why);

/* Return the endpoint with this address and without a port, or NULL. */
const struct nvme_mptcp_endpoint *setup_endpoint_at(const struct setup *s,
						    const struct in6_addr *ip);

/* Return how many further subflows this kernel permits a connection, as far as it reports. */
int64_t setup_max_joins(const struct setup *s);

/* True if connections use addresses of this machine that no link to the other side has. */
bool setup_is_routed(struct setup *s);
/* Plan the endpoints of such a host, with a note if it has too few addresses. */
void setup_plan_routed(struct setup *s);

/* Add a note if links that are used answer ARP requests for each other's addresses. */
void setup_note_arp(struct setup *s);

void setup_show_links(struct setup *s);

/* True if a connection made with the present configuration has one subflow on each link. */
bool setup_is_complete(const struct setup *s);
/* True if the target is known to announce an address on each link that the host has to it. */
bool setup_is_announced(const struct setup *s);
/* Plan no change: existing endpoints that match the plan are part of it. */
void setup_plan_no_change(struct setup *s);

/* Add steps for the limits. @extra: a host's subflows that are not one per link. */
void setup_host_limits(struct setup *s, size_t extra);
void setup_target_limits(struct setup *s);
void setup_announcement_interval(struct setup *s);
/* Let ports that are not enabled yet accept the data of writes with the command. */
void setup_inline_writes(struct setup *s);
