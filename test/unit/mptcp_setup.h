/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Setup on recorded snapshots: how the machine routes, and what its kernel has. */
#pragma once

#include "mptcp_planned.h"

/* How this machine sends: each network by its own link, and all links have a gateway or none. */
static bool have_gateways;
static int all_routes_by; /* every address by this link; 0: by the link of its network */
static unsigned int default_links; /* bit i: link i has a default route */

static inline enum link_lead lead(struct planner *p, const struct in6_addr *src, int ifindex,
				  const struct in6_addr *dst)
{
	const bool is_far = address_equal(dst, link_far_away(address_is_v4(dst)));

	assert_true(address_same_family(src, dst));
	if (link_network_has(p->snap, ifindex, dst))
		return LINK_LEADS_TO_NETWORK;
	if (have_gateways && !is_far)
		return LINK_LEADS_BY_ROUTE;
	return default_links & 1U << ifindex ? LINK_LEADS_BY_DEFAULT : LINK_LEADS_NOWHERE;
}

static inline int way(struct planner *p, const struct in6_addr *dst, struct route_answer *ret)
{
	*ret = (struct route_answer){ .ifindex = all_routes_by };
	for (size_t i = 0; !ret->ifindex && i < p->snap->n_addresses; i++)
		if (!memcmp(&p->snap->addresses[i].ip, dst, 15))
			ret->ifindex = p->snap->addresses[i].ifindex;
	for (int i = 1; !ret->ifindex && i <= MOST_LINKS; i++)
		if (default_links & 1U << i)
			ret->ifindex = i;
	return ret->ifindex ? 0 : -ENETUNREACH;
}

static inline int64_t speed(struct planner *p, const struct nvme_mptcp_link *link)
{
	return link->speed;
}

/* What else a plan is made from; tests set it, and each begins with none of it. */
static const char *const *devices;
static struct target nvmet;
static uint32_t table_size, limit_max;

static inline int start_afresh(void **state)
{
	have_gateways = false;
	all_routes_by = 0;
	default_links = 0;
	devices = NULL;
	nvmet = (struct target){};
	table_size = 0;
	limit_max = 8;
	return 0;
}

static inline int try_plan(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
			   const char *const *traddrs, bool laminar, bool replace,
			   struct nvme_mptcp_plan **ret)
{
	struct planner p = {
		.snap = snap,
		.lead = lead,
		.way = way,
		.speed = speed,
		.limit_max = limit_max,
		.has = { laminar, table_size },
		.nvmet = nvmet,
	};
	const struct nvme_mptcp_setup_args args = {
		.snap = snap,
		.traddrs = traddrs,
		.devices = devices,
		.args_size = sizeof(args),
		.role = role,
		.replace = replace,
	};

	return plan_setup(&p, &args, ret);
}

static inline struct nvme_mptcp_plan *plan_as(struct nvme_mptcp_snapshot *snap,
					      enum nvme_mptcp_role role, const char *const *traddrs,
					      bool laminar, bool replace)
{
	struct nvme_mptcp_plan *plan = NULL;

	assert_int_equal(try_plan(snap, role, traddrs, laminar, replace, &plan), 0);
	return plan;
}

/* The first @n addresses of a target in @family's networks. */
static inline const char *const *targets(const char *fmt, int n)
{
	static char text[MOST_LINKS][ADDRESS_TEXT];
	static const char *list[MOST_LINKS + 1];

	for (int i = 0; i < n; i++) {
		struct in6_addr address = numbered(fmt, i + 1);

		address_text(&address, text[i]);
		list[i] = text[i];
	}
	list[n] = NULL;
	return list;
}

/* Follows a plan on a stand-in for the kernel, and sees that a second one is empty. */
static inline void settles(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_plan *plan,
			   const char *const *traddrs, bool laminar, bool replace)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t again = NULL;
	struct kernel k = kernel_of(snap);

	assert_int_equal(plan_follow(plan, &k.e), 0);
	nvme_mptcp_for_each_step(plan, step)
		assert_int_equal(nvme_mptcp_step_state(step), NVME_MPTCP_STEP_DONE);
	again = plan_as(snap, plan->role, traddrs, laminar, replace);
	assert_int_equal(again->n_steps, 0);
}
