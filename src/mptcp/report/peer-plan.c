// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Work out a setup of the other side from its report, whose routes replace queries to its kernel.
 * For maximum limits and table size, assume the minimum of all kernels.
 */
#include <errno.h>

#include "mptcp/plan/steps.h"
#include "peer.h"

struct peer_planner {
	struct planner p; /* must be first: peer_of() casts from it */
	const struct nvme_mptcp_peer *peer;
};

static const struct nvme_mptcp_peer *peer_of(const struct planner *p)
{
	return ((const struct peer_planner *)p)->peer;
}

static enum link_reach find_reach(struct planner *p, const struct in6_addr *src, int ifindex,
				  const struct in6_addr *dst)
{
	const struct nvme_mptcp_link *link = link_by_index(p->snap, ifindex);
	struct route_answer route;

	if (!link || route_find(&peer_of(p)->routes, src, ifindex, link->name, dst, &route))
		return LINK_REACH_NONE;
	return link_reach_of(&route, ifindex);
}

/* Return the source address that a kernel selects: the route's, else one near the next hop. */
static const struct in6_addr *choose_source(const struct nvme_mptcp_snapshot *snap,
					    const struct route_answer *route)
{
	const bool v4 = address_is_v4(&route->hop);
	const struct in6_addr *any = NULL;

	if (!IN6_IS_ADDR_UNSPECIFIED(&route->source))
		return &route->source;
	FOR_EACH(address, snap->addresses, snap->n_addresses) {
		if (address->ifindex != route->ifindex || !link_address_is_global(address, v4))
			continue;
		if (link_address_has(address, &route->hop))
			return &address->ip;
		any = any ? any : &address->ip;
	}
	return any;
}

/* Look up a route like route_ask_connect(). */
static int find_connect_route(struct planner *p, const struct in6_addr *dst,
			      struct route_answer *ret)
{
	const struct routes *routes = &peer_of(p)->routes;
	const struct in6_addr *source;
	struct in6_addr chosen;
	int err = route_find(routes, NULL, 0, NULL, dst, ret);

	source = err ? NULL : choose_source(p->snap, ret);
	if (!source || !address_same_family(source, dst))
		return err;
	chosen = *source;
	return route_find(routes, &chosen, 0, NULL, dst, ret);
}

static int64_t known_speed(struct planner *p, const struct nvme_mptcp_link *link)
{
	return link->speed;
}

/* A kernel that counts laminar endpoints supports them; its table holds those that exist. */
static struct capability known_capability(const struct check *c)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	struct capability has = {};

	for (size_t i = 0; i < snap->n_endpoints; i++)
		has.laminar |= endpoint_has(&snap->endpoints[i], NVME_MPTCP_ENDPOINT_LAMINAR);
	has.laminar = has.laminar && !check_laminar_is_unsupported(c);
	if (snap->n_endpoints > ENDPOINTS_GUARANTEED)
		has.endpoints = (uint32_t)snap->n_endpoints;
	return has;
}

int peer_plan(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
	      nvme_mptcp_plan_t *ret)
{
	struct nvme_mptcp_peer *peer = c->peer;
	const struct nvme_mptcp_setup_args args = {
		.snap = c->snap,
		.traddrs = traddrs,
		.args_size = sizeof(args),
		.role = role,
	};
	struct peer_planner planner = {
		.p = {
			.snap = c->snap,
			.reach = find_reach,
			.connect_route = find_connect_route,
			.speed = known_speed,
			.has = known_capability(c),
			.nvmet = { .ports = peer->ports, .n_ports = peer->n_ports },
		},
		.peer = peer,
	};

	/* Without routes, no link would lead anywhere. */
	return peer->has_routes ? plan_setup(&planner.p, &args, ret) : -EOPNOTSUPP;
}
