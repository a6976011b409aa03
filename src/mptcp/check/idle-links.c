// SPDX-License-Identifier: LGPL-2.1-or-later
/* Links of the host that could carry subflows but do not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "mptcp/trial/trial-state.h"
#include "rules.h"
#include "tally.h"

/* Mark links that carry a subflow of the controllers or will: initial subflows follow routes. */
static void mark_used(struct check *c, bool *used)
{
	const struct nvme_mptcp_link *links = c->snap->links;

	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->link)
			used[sf->link - links] = true;
	FOR_EACH_ENDPOINT(c, ep) {
		if (ep->device && check_has_portal_family(c, &ep->ip))
			used[ep->device - links] = true;
		if (ep->link && check_has_portal_family(c, &ep->ip))
			used[ep->link - links] = true;
	}
	for (size_t i = 0; i < c->n_portals; i++) {
		const struct nvme_mptcp_link *link = NULL;
		struct route_answer route;

		if (!c->ops->route(c, NULL, 0, &c->portals[i].address.ip, &route))
			link = link_by_index(c->snap, route.ifindex);
		if (link)
			used[link - links] = true;
	}
	for (size_t i = 0; i < c->snap->n_links; i++)
		used[i] |= check_is_out_of_use(c, &links[i]);
}

/* True if @address reaches the first portal of its family over its own link. */
static bool reaches_a_portal(struct check *c, const struct local_address *address)
{
	for (size_t i = 0; i < c->n_portals; i++) {
		const struct in6_addr *target = &c->portals[i].address.ip;
		struct route_answer route;

		if (!address_same_family(target, &address->ip))
			continue;
		if (address_is_loopback(target) ||
		    c->ops->route(c, &address->ip, address->ifindex, target, &route) ||
		    route.ifindex != address->ifindex)
			return false;
		return !route.assumed;
	}
	return false;
}

static bool is_candidate(const struct local_address *address, const struct nvme_mptcp_link *link)
{
	const uint32_t unfit =
		IFA_F_DEPRECATED | IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_SECONDARY;

	return link && link_is_alive(link) && !(link->flags & IFF_LOOPBACK) && !link->master &&
	       address->scope == RT_SCOPE_UNIVERSE && !(address->flags & unfit) &&
	       !address_is_loopback(&address->ip) && !IN6_IS_ADDR_LINKLOCAL(&address->ip);
}

bool check_has_one_segment(const struct check *c)
{
	const struct nvme_mptcp_link *first = NULL;

	FOR_EACH(address, c->snap->addresses, c->snap->n_addresses) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, address->ifindex);

		if (!is_candidate(address, link) || !check_has_portal_family(c, &address->ip))
			continue;
		if (first && !link_shares_segment(first, link))
			return false;
		first = link;
	}
	return first;
}

/* A subflow whose link is unknown, as with several next hops, may use any link. */
static bool has_unknown_link(const struct check *c)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (!sf->link && subflow_carries(sf))
			return true;
	return false;
}

static bool is_wire_used(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link,
			 const bool *used)
{
	for (size_t i = 0; i < snap->n_links; i++)
		if (used[i] && link_shares_segment(&snap->links[i], link))
			return true;
	return false;
}

size_t check_idle_links(struct check *c)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	_cleanup_(free) bool *used = NULL;

	if (c->idle_known || !snap->n_links || !c->n_portals || !(c->role & ON_HOST))
		return c->n_idle;
	c->idle_known = true;
	if (has_unknown_link(c))
		return 0;
	used = calloc(snap->n_links, sizeof(*used));
	if (!used) {
		c->err = -ENOMEM;
		return 0;
	}
	mark_used(c, used);
	FOR_EACH(address, snap->addresses, snap->n_addresses) {
		const struct nvme_mptcp_link *link = link_by_index(snap, address->ifindex);
		struct idle *idle;

		if (!is_candidate(address, link) || is_wire_used(snap, link, used) ||
		    !reaches_a_portal(c, address))
			continue;
		used[link - snap->links] = true;
		idle = array_add(&c->idle, &c->n_idle, sizeof(*idle));
		if (!idle) {
			c->err = -ENOMEM;
			return 0;
		}
		idle->link = link;
		address_text(&address->ip, idle->address);
	}
	return c->n_idle;
}

/* Return the address of the link with the smallest network that has @ip; NULL if none has it. */
static const struct local_address *network_with(const struct check *c,
						const struct nvme_mptcp_link *link,
						const struct in6_addr *ip)
{
	const struct local_address *best = NULL;

	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses)
		if (own->ifindex == link->ifindex && link_address_has(own, ip) &&
		    (!best || own->prefix > best->prefix))
			best = own;
	return best;
}

/* True if the connection also has a subflow there that another link's network does not lead to. */
static bool has_use_of_its_own(const struct check *c, const struct nvme_mptcp_subflow *sf,
			       const struct nvme_mptcp_link *other)
{
	const struct nvme_mptcp_connection *conn = sf->connection;

	FOR_EACH(beside, conn->subflows, conn->n_subflows)
		if (subflow_carries(beside) && link_shares_segment(beside->link, sf->link) &&
		    !link_network_has(c->snap, other->ifindex, &beside->remote.ip))
			return true;
	return false;
}

/* True if the network of an idle link is the smaller one, or an equal one of a link in use. */
static bool is_nearer(const struct check *c, const struct nvme_mptcp_subflow *sf,
		      const struct nvme_mptcp_link *link)
{
	const struct local_address *near = network_with(c, link, &sf->remote.ip);
	const struct local_address *by = network_with(c, sf->link, &sf->remote.ip);

	if (!near || !by)
		return near;
	return !check_is_segment_used(c, link) &&
	       (near->prefix > by->prefix ||
		(near->prefix == by->prefix && has_use_of_its_own(c, sf, link)));
}

/* The live link to the network of the remote address, if the subflow leaves over another. */
static const struct nvme_mptcp_link *nearer_link(const struct check *c,
						 const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_link *near = NULL;

	if (!subflow_carries(sf) || !sf->link || (sf->link->flags & IFF_LOOPBACK))
		return NULL;
	for (size_t i = 0; i < c->snap->n_links && !near; i++) {
		const struct nvme_mptcp_link *link = &c->snap->links[i];

		if (link_is_alive(link) && !link_shares_segment(link, sf->link) &&
		    is_nearer(c, sf, link))
			near = link;
	}
	return near;
}

bool check_link_is_bypassed(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (link && (!sf->is_bound || sf->connection->ifindex) &&
		    nearer_link(c, sf) == link)
			return true;
	return false;
}

bool check_explain_misrouted(struct check *c, struct nvme_mptcp_finding *f,
			     const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf) {
		const struct nvme_mptcp_link *near =
			link_shares_segment(sf->link, link) ? nearer_link(c, sf) : NULL;
		const char *remote = ADDRESS_STRING(&sf->remote.ip);
		const struct local_address *by;

		if (!near)
			continue;
		if (sf->connection->ifindex) {
			finding_why_more(
				c, f,
				". %s is in the network of %s, but the connection is bound to "
				"%s (host_iface): connect without it, or with %s",
				remote, near->name, sf->link->name, near->name);
			finding_fact(c, f, "link", "%s", near->name);
			return true;
		}
		finding_why_more(c, f,
				 ". %s is in the network of %s, but a route or a routing "
				 "rule of this host leads there over %s",
				 remote, near->name, sf->link->name);
		by = network_with(c, sf->link, &sf->remote.ip);
		if (by)
			finding_why_more(c, f, ", whose address %s/%u has it in its network, too",
					 ADDRESS_STRING(&by->ip),
					 by->prefix - (address_is_v4(&by->ip) ? 96U : 0U));
		finding_fact(c, f, "link", "%s", near->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "%s show", fix_rule_tool(&sf->remote.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route get %s ipproto tcp dport %u",
			    remote, sf->remote.port);
		return true;
	}
	return false;
}

#define PREFIX_OF(address) ((address)->prefix - (address_is_v4(&(address)->ip) ? 96U : 0U))

/* True if a subflow over the link leads to an address of the /24 network of the link's own one. */
static bool has_pair(const struct check *c, const struct nvme_mptcp_link *link,
		     const struct local_address *own)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && link_shares_segment(sf->link, link) &&
		    check_is_similar_network(&own->ip, &sf->remote.ip, 0))
			return true;
	return false;
}

bool check_say_overlap(struct check *c, struct nvme_mptcp_finding *f,
		       const struct nvme_mptcp_link *link, const struct nvme_mptcp_link *crowded)
{
	FOR_EACH_SUBFLOW(c, conn, sf) {
		const struct local_address *own = network_with(c, link, &sf->remote.ip);
		const struct local_address *by =
			sf->link ? network_with(c, sf->link, &sf->remote.ip) : NULL;

		if (!own || !by || !subflow_carries(sf) ||
		    !link_shares_segment(sf->link, crowded) ||
		    !check_is_similar_network(&own->ip, &sf->remote.ip, 0) ||
		    check_is_similar_network(&by->ip, &sf->remote.ip, 0) ||
		    !has_pair(c, sf->link, by))
			continue;
		finding_why_more(c, f,
				 ". %s is in the networks of both, %s/%u of %s and %s/%u of %s: "
				 "their prefix length is too short, and the routes do not tell "
				 "the links apart",
				 ADDRESS_STRING(&sf->remote.ip), ADDRESS_STRING(&own->ip),
				 PREFIX_OF(own), link->name, ADDRESS_STRING(&by->ip), PREFIX_OF(by),
				 sf->link->name);
		finding_fact(c, f, "in_both_networks", "%s", ADDRESS_STRING(&sf->remote.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(sf->link->name));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(link->name));
		return true;
	}
	return false;
}

/* True if an endpoint of the link starts subflows, or a subflow of any program is there. */
static bool is_in_use(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH(sf, c->snap->subflows, c->snap->n_subflows)
		if (sf->link && link_shares_segment(sf->link, link))
			return true;
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_subflows(ep) && endpoint_carrier(ep) == link)
			return true;
	return false;
}

/* True if R01 names the link as the one that is meant for another address. */
static bool is_meant_for_another(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH(f, c->findings->finding, c->findings->n) {
		const char *name = f->rule == RULE_R01 ? finding_get_fact(f, "link") : NULL;

		if (name && !strcmp(name, link->name))
			return true;
	}
	return false;
}

/* Return the only subflow to an announced address, whose network is that of the link as well. */
static const struct nvme_mptcp_subflow *followed_beside(const struct check *c,
							const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->link && subflow_carries(sf) && sf->link->kind == link->kind &&
		    !address_equal(&sf->remote.ip, &conn->remote.ip) &&
		    link_network_has(c->snap, link->ifindex, &sf->remote.ip) &&
		    link_network_has(c->snap, sf->link->ifindex, &sf->remote.ip))
			return sf;
	return NULL;
}

/*
 * True if a fullmesh endpoint of @ip changes nothing else: with one, the kernel follows no address
 * without such an endpoint any more, on connections of any program.
 */
static bool may_follow_all(const struct check *c, const struct in6_addr *remote,
			   const struct in6_addr *ip)
{
	FOR_EACH(sf, c->snap->subflows, c->snap->n_subflows)
		if (sf->connection && !address_equal(&sf->remote.ip, &sf->connection->remote.ip) &&
		    !address_equal(&sf->remote.ip, remote))
			return false;
	FOR_EACH_ENDPOINT(c, ep)
		if (address_equal(&ep->ip, ip) && !endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT))
			return false;
	return true;
}

static void fix_beside(struct check *c, struct nvme_mptcp_finding *f,
		       const struct nvme_mptcp_subflow *sf, const struct local_address *own)
{
	size_t room = 1;

	if (!may_follow_all(c, &sf->remote.ip, &sf->local.ip) ||
	    !may_follow_all(c, &sf->remote.ip, &own->ip))
		return;
	FOR_EACH_CONN(c, conn)
		room = conn->n_subflows > room ? conn->n_subflows : room;
	fix_limits(c, f, NVME_MPTCP_ROLE_HOST, room < 8 ? 8 : room);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint add %s dev %s fullmesh",
		    ADDRESS_STRING(&sf->local.ip), LINK_WORD(sf->link->name));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint add %s dev %s fullmesh",
		    ADDRESS_STRING(&own->ip),
		    LINK_WORD(link_by_index(c->snap, own->ifindex)->name));
	if (!c->trial)
		fix_reset_all(c, f);
}

void check_report_beside(struct check *c, enum rule_id rule)
{
	/* C13 and C14 explain subflows that share a link. */
	const struct nvme_mptcp_link *crowded = check_crowded_segment(c);

	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, own->ifindex);
		const struct nvme_mptcp_subflow *sf;
		struct nvme_mptcp_finding *f;

		if (!is_candidate(own, link) || link->kind == NVME_MPTCP_LINK_VIRTUAL ||
		    is_in_use(c, link) || check_is_out_of_use(c, link) ||
		    reaches_a_portal(c, own) || is_meant_for_another(c, link) ||
		    check_has_found_link(c, rule, link->name))
			continue;
		sf = followed_beside(c, link);
		if (!sf || sf->link == link || !address_same_family(&sf->remote.ip, &own->ip) ||
		    (crowded && link_shares_segment(crowded, sf->link)) ||
		    check_link_is_bypassed(c, link))
			continue;
		f = finding_add(c, rule, subject_link(link->name));
		finding_set_severity(f, NVME_MPTCP_WARNING);
		finding_why_subject(
			c, f,
			"is in the network of %s, which the target announces, and has no subflow: "
			"a host follows each announced address once, this one over %s. Endpoints "
			"with the flag fullmesh on both links follow it over both",
			ADDRESS_STRING(&sf->remote.ip), sf->link->name);
		finding_fact(c, f, FACT_ANNOUNCED, "%s", ADDRESS_STRING(&sf->remote.ip));
		finding_fact(c, f, FACT_FOLLOWED_BY, "%s", sf->link->name);
		fix_beside(c, f, sf, own);
	}
}

static void report_astray(struct check *c, enum rule_id rule, const struct nvme_mptcp_subflow *sf,
			  const struct nvme_mptcp_link *near)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_address(&sf->remote.ip));
	const char *remote = ADDRESS_STRING(&sf->remote.ip);

	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_why(c, f,
		    "%s is in the network of %s, and a route or a routing rule of this host leads "
		    "there over %s: %s carries none of this traffic",
		    remote, near->name, sf->link->name, near->name);
	finding_fact(c, f, "link", "%s", near->name);
	finding_fact(c, f, FACT_LEAVES_BY, "%s", sf->link->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route get %s ipproto tcp dport %u", remote,
		    sf->remote.port);
}

bool check_is_segment_used(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && link_shares_segment(sf->link, link))
			return true;
	return false;
}

bool check_has_found_address(const struct check *c, enum rule_id rule, const struct in6_addr *ip)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == rule && f->subject.kind == NVME_MPTCP_SUBJECT_ADDRESS &&
		    address_equal(&f->subject.ip[0], ip))
			return true;
	return false;
}

void check_misrouted_subflows(struct check *c, enum rule_id rule, bool v4)
{
	/* C14 explains subflows that share a link. */
	const struct nvme_mptcp_link *crowded = check_crowded_segment(c);

	FOR_EACH_SUBFLOW(c, conn, sf) {
		const struct nvme_mptcp_link *near;

		if (sf->is_bound || address_is_v4(&sf->remote.ip) != v4 ||
		    (crowded && link_shares_segment(crowded, sf->link)))
			continue;
		near = nearer_link(c, sf);
		if (near && !check_is_segment_used(c, near) && !check_is_out_of_use(c, near) &&
		    !check_has_found_address(c, rule, &sf->remote.ip))
			report_astray(c, rule, sf, near);
	}
}

/*
 * True if several links carry equally many subflows, each to another address in the link's network:
 * the target has more links than this host.
 */
static bool is_even(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	size_t before = 0, total = 0, n = 0;

	for (size_t i = 0; i < conn->n_subflows; i++, n = 0) {
		const struct nvme_mptcp_subflow *one = &conn->subflows[i];

		if (!one->link || !subflow_carries(one))
			continue;
		if (!link_network_has(c->snap, one->link->ifindex, &one->remote.ip))
			return false;
		FOR_EACH(sf, conn->subflows, conn->n_subflows) {
			if (!subflow_carries(sf) || !link_shares_segment(sf->link, one->link))
				continue;
			if (sf != one && address_equal(&sf->remote.ip, &one->remote.ip))
				return false;
			n++;
		}
		if (before && n != before)
			return false;
		before = n;
		total++;
	}
	return total > before;
}

bool check_is_even(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (!is_even(c, conn))
			return false;
	return !c->trial || !c->trial->conn || is_even(c, c->trial->conn);
}
