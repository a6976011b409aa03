/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Setup while it is worked out: the links first, then what they need. */
#pragma once

#include "steps.h"

#define SETUP_TARGETS 64

/* A link that may become part of the plan. */
struct setup_link {
	const struct nvme_mptcp_link *link;
	const struct local_address *address;
	enum link_lead lead; /* the best one to any of the targets */
	enum link_lead to[SETUP_TARGETS]; /* each of them */
	bool has_default; /* a default route by it */
	bool may_lead; /* to an address that is not known */
	int64_t speed; /* Mbit/s or NVME_MPTCP_UNKNOWN, once they are compared */
	bool routed; /* the route to a target leads by it, whoever connects */
};

struct setup {
	struct planner *p;
	const struct nvme_mptcp_snapshot *snap;
	const struct nvme_mptcp_setup_args *args;
	const struct nvme_mptcp_connection *conn; /* made with everything as it is, or NULL */
	struct nvme_mptcp_plan *plan;
	/* On a host those of the target, the portal first; on a target its own that have a name. */
	struct in6_addr targets[SETUP_TARGETS];
	size_t n_targets;
	bool v4;
	bool is_spread; /* by routes to the targets */
	bool is_assumed; /* where links lead: nobody knows the other side */
	struct setup_link *links;
	size_t n_links;
};

/* Addresses of one family, from the arguments, controllers or ports. 0 or -EINVAL. */
int setup_read_targets(struct setup *s);
void setup_choose_family(struct setup *s);
/* The @i-th address that the trial heard the target announce. */
bool setup_announced(const struct setup *s, size_t i, struct in6_addr *ret);

/* The links to use, with notes on those that are left out. 0, -ENODEV, -ENOLINK or -ENOMEM. */
int setup_find_links(struct setup *s);

/* A note that link @i is left out, and why. */
void setup_leave_out(struct setup *s, size_t i, const char *why, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps the best @room links. */
void setup_keep_best(struct setup *s, size_t room, const char *why);

/* The endpoint of an address without a port, or NULL. */
const struct nvme_mptcp_endpoint *setup_endpoint_at(const struct setup *s,
						    const struct in6_addr *ip);

/* Subflows besides the initial one that a connection can have, as far as this kernel tells. */
int64_t setup_most_joins(const struct setup *s);

/* Do connections start from an address that no link to the target has? */
bool setup_is_routed(struct setup *s);
/* Endpoints for such a host, and a note if it has too few addresses. */
void setup_want_routed(struct setup *s);

/* A note where links that are used answer for the addresses of each other, as those of one subnet do. */
void setup_note_arp(struct setup *s);

/* Notes the links that are used. */
void setup_show_links(struct setup *s);

/* Does a connection made with everything as it is have one subflow on each link? */
bool setup_is_complete(const struct setup *s);
/* The endpoints that are there belong to what works, and no more of them are needed. */
void setup_keep_as_it_is(struct setup *s);

/* Steps for the limits; on a host @extra subflows that stay take room beside one for each link. */
void setup_host_limits(struct setup *s, size_t extra);
void setup_target_limits(struct setup *s);
void setup_repeat_soon(struct setup *s);
/* Ports that are not enabled yet take the data of writes with the command. */
void setup_take_writes(struct setup *s);
