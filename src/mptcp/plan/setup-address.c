// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses the address of each link for setup, if it has several. */
#include <linux/if_addr.h>

#include "setup.h"

/* True if an endpoint uses this address. With another device, it is from before a move. */
static bool is_chosen(const struct setup *s, const struct local_address *a)
{
	const struct nvme_mptcp_endpoint *there = setup_endpoint_at(s, &a->ip);

	return there && (!there->ifindex || there->ifindex == a->ifindex);
}

/* True if hosts are connected to this address of a target: they know it already. */
static bool is_connected_to(const struct setup *s, const struct in6_addr *ip)
{
	if (s->args->role == NVME_MPTCP_ROLE_TARGET)
		nvme_mptcp_for_each_connection(&s->snap->other, conn)
			if (conn->state == STATE_ESTABLISHED && address_equal(&conn->local.ip, ip))
				return true;
	return false;
}

/*
 * Return the merit of an address: it is a target's, in the network of a target, used by an endpoint
 * or by connections of hosts, primary.
 */
static int rate_address(const struct setup *s, const struct local_address *a)
{
	int points = a->flags & IFA_F_SECONDARY ? 0 : 1;

	if (is_connected_to(s, &a->ip))
		points += 2;
	if (is_chosen(s, a))
		points += 4;
	for (size_t i = 0; i < s->n_targets; i++)
		if (address_equal(&a->ip, &s->targets[i]))
			return points + 16;
	for (size_t i = 0; i < s->n_targets; i++)
		if (link_address_has(a, &s->targets[i]))
			return points + 8;
	return points;
}

/*
 * True if the address leads to other machines. One of 169.254.0.0/16 usually leads to the service
 * processor, and is the same on every machine: it counts if it is asked for.
 */
static bool may_lead(const struct setup *s, const struct nvme_mptcp_link *link,
		     const struct local_address *a)
{
	if (!link_address_is_global(a, s->v4))
		return false;
	if (!address_is_link_local(&a->ip) ||
	    (s->args->devices && str_in_list(s->args->devices, link->name)))
		return true;
	for (size_t i = 0; i < s->n_targets; i++)
		if (address_is_link_local(&s->targets[i]))
			return true;
	return false;
}

const struct local_address *setup_address_of(const struct setup *s,
					     const struct nvme_mptcp_link *link)
{
	const struct local_address *best = NULL;

	FOR_EACH(a, s->snap->addresses, s->snap->n_addresses) {
		if (a->ifindex != link->ifindex || !may_lead(s, link, a))
			continue;
		if (!best || rate_address(s, a) > rate_address(s, best))
			best = a;
	}
	return best;
}

/* A temporary address (RFC 8981) is soon replaced by the next: its link gets no endpoint. */
void setup_take_source(struct setup *s)
{
	struct route_answer connect_route;
	struct setup_link *l = NULL;

	if (s->plan->role != NVME_MPTCP_ROLE_HOST || !s->n_targets ||
	    s->p->connect_route(s->p, &s->targets[0], &connect_route))
		return;
	for (size_t i = 0; i < s->n_links && !l; i++)
		if (s->links[i].link->ifindex == connect_route.ifindex)
			l = &s->links[i];
	if (!l || address_equal(&l->address->ip, &connect_route.source))
		return;
	FOR_EACH(a, s->snap->addresses, s->snap->n_addresses) {
		if (a->ifindex != connect_route.ifindex ||
		    !address_equal(&a->ip, &connect_route.source))
			continue;
		if (!s->v4 && (a->flags & IFA_F_TEMPORARY))
			l->is_transient = true;
		else
			l->address = a;
	}
}
