// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What setup would do on the other side, worked out from its report: its routes answer instead of its
 * kernel. What a report does not hold, the greatest limits and how many endpoints there is room for, is
 * what every kernel has.
 */
#include <errno.h>

#include "mptcp/plan/steps.h"
#include "peer.h"

struct peer_planner {
	struct planner p; /* first: callbacks get it */
	const struct nvme_mptcp_peer *peer;
};

static const struct nvme_mptcp_peer *peer_of(const struct planner *p)
{
	return ((const struct peer_planner *)p)->peer;
}

static enum link_lead find_lead(struct planner *p, const struct in6_addr *src, int ifindex,
				const struct in6_addr *dst)
{
	const struct nvme_mptcp_link *link = link_by_index(p->snap, ifindex);
	struct route_answer route;

	if (!link || route_find(&peer_of(p)->routes, src, ifindex, link->name, dst, &route))
		return LINK_LEADS_NOWHERE;
	return link_lead_of(&route, ifindex);
}

/* The address that a kernel sends from if the route names none: one in the network of the next hop. */
static const struct in6_addr *choose_source(const struct nvme_mptcp_snapshot *snap,
					    const struct route_answer *route)
{
	const bool v4 = address_is_v4(&route->hop);
	const struct in6_addr *any = NULL;

	if (!IN6_IS_ADDR_UNSPECIFIED(&route->source))
		return &route->source;
	for (size_t i = 0; i < snap->n_addresses; i++) {
		const struct local_address *address = &snap->addresses[i];

		if (address->ifindex != route->ifindex || !link_address_is_global(address, v4))
			continue;
		if (link_address_has(address, &route->hop))
			return &address->ip;
		any = any ? any : &address->ip;
	}
	return any;
}

/* As route_ask_connect() asks the kernel. */
static int find_way(struct planner *p, const struct in6_addr *dst, struct route_answer *ret)
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

/* Whoever has such endpoints has a kernel for them if it counts them, and room for as many as there are. */
static struct capability known_capability(const struct check *c)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	struct capability has = {};

	for (size_t i = 0; i < snap->n_endpoints; i++)
		has.laminar |= endpoint_has(&snap->endpoints[i], NVME_MPTCP_ENDPOINT_LAMINAR);
	has.laminar = has.laminar && !check_lacks_laminar(c);
	if (snap->n_endpoints > ENDPOINTS_ALWAYS)
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
			.lead = find_lead,
			.way = find_way,
			.speed = known_speed,
			.has = known_capability(c),
			.nvmet = { .ports = peer->ports, .n_ports = peer->n_ports },
		},
		.peer = peer,
	};

	/* Without them all links would lead nowhere. */
	return peer->has_routes ? plan_setup(&planner.p, &args, ret) : -EOPNOTSUPP;
}
