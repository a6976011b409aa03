// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Setup for hosts that run a routing protocol: their address is on a loopback or dummy interface,
 * and routes with several next hops lead to the target. Links have addresses of transfer networks,
 * which routers need not know, so endpoints with those get no reply. Further addresses next to the
 * host's address do get one: each has a subflow, and a hash chooses its next hop.
 */
#include "setup.h"

/*
 * Return the loopback or dummy interface with the source address of connections, and store the
 * address. NULL if there is none, as where a link to the target has the address.
 */
static const struct nvme_mptcp_link *find_home(struct setup *s, struct in6_addr *source)
{
	const struct nvme_mptcp_link *link;
	struct route_answer connect_route;

	if (!s->n_targets || s->p->connect_route(s->p, &s->targets[0], &connect_route))
		return NULL;
	link = plan_link_by_ip(s->snap, &connect_route.source);
	if (!link || !link_is_loopback_like(link) || link->ifindex == connect_route.ifindex)
		return NULL;
	*source = connect_route.source;
	return link;
}

/* True if all ports' addresses are on loopback or dummy interfaces, reachable over all links. */
static bool is_served_routed(const struct setup *s)
{
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct nvme_mptcp_link *link = plan_link_by_ip(s->snap, &s->targets[i]);

		if (!link || !link_is_loopback_like(link) || address_is_loopback(&s->targets[i]))
			return false;
	}
	return s->n_targets;
}

bool setup_is_routed(struct setup *s)
{
	struct in6_addr source;
	size_t leading = 0;

	/* Links that the caller names are used with their own addresses. */
	if (s->args->devices)
		return false;
	if (s->plan->role == NVME_MPTCP_ROLE_TARGET)
		return is_served_routed(s);
	for (size_t i = 0; i < s->n_links; i++)
		leading += s->n_targets && s->links[i].to[0] != LINK_REACH_NONE;
	return leading > 1 && find_home(s, &source);
}

static void note_served(struct setup *s)
{
	plan_note(s->plan, NVME_MPTCP_ROLE_HOST, NULL,
		  "%s does not belong to one link, and routes to it lead over all links: hosts "
		  "start the subflows, and no announcement is required. Use --dev to announce the "
		  "addresses of links",
		  ADDRESS_STRING(&s->targets[0]));
}

static void note_few(struct setup *s, const struct nvme_mptcp_link *home,
		     const struct in6_addr *source)
{
	const size_t missing = s->n_links - 1 - s->plan->n_wanted;

	if (!missing)
		return;
	plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "Connections start from %s on %s, and %zu links lead to %s. Routers may not know "
		  "the addresses of links: each further subflow requires another address on %s to "
		  "which the target's network has a route. Add %zu there, announce %s to the "
		  "routers like that one, and run this again; or name links with --dev, if the "
		  "target reaches their addresses",
		  ADDRESS_STRING(source), home->name, s->n_links, ADDRESS_STRING(&s->targets[0]),
		  home->name, missing, missing == 1 ? "it" : "them");
}

void setup_plan_routed(struct setup *s)
{
	struct nvme_mptcp_plan *plan = s->plan;
	struct in6_addr source = {};
	const struct nvme_mptcp_link *home;

	if (plan->role == NVME_MPTCP_ROLE_TARGET) {
		note_served(s);
		return;
	}
	home = find_home(s, &source);
	for (size_t i = 0; home && i < s->snap->n_addresses && plan->n_wanted + 1 < s->n_links;
	     i++) {
		const struct local_address *a = &s->snap->addresses[i];
		struct endpoint_spec *spec;

		if (a->ifindex != home->ifindex || !link_address_is_global(a, s->v4) ||
		    address_equal(&a->ip, &source))
			continue;
		spec = array_add(&plan->wanted, &plan->n_wanted, sizeof(*spec));
		if (!spec) {
			plan->err = -ENOMEM;
			return;
		}
		spec->ip = a->ip;
		spec->flags = NVME_MPTCP_ENDPOINT_SUBFLOW;
	}
	if (home)
		note_few(s, home, &source);
}
