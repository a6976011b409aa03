// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * R08: a next hop that does not answer. Other machines on the link show whether it is the address
 * that is wrong or the link. Packets to their hardware addresses show which one is the target, or a
 * router that leads to it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules.h"
#include "lower-links.h"
#include "mptcp/trial/trial-state.h"

#define ROUTERS 12 /* addresses to try */
#define HARDWARE_TEXT 18

static const char *hardware_text(const struct hardware *hardware, char text[static HARDWARE_TEXT])
{
	const uint8_t *b = hardware->byte;

	snprintf(text, HARDWARE_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
	return text;
}

/* True if the target answers a SYN that is sent to this hardware address. */
static bool answers_by(struct check *c, const struct path_ends *ends, const struct hardware *to)
{
	struct probe_result answer = {};

	return c->ops->probe_via_mac && !c->ops->probe_via_mac(c, ends, to, &answer) &&
	       (answer.answered || answer.refused);
}

static int find_machines(struct check *c, int ifindex, struct hardware ret[static MACHINES])
{
	return c->no_probes || !c->ops->machines ? -EOPNOTSUPP : c->ops->machines(c, ifindex, ret);
}

struct routers {
	struct owner all[ROUTERS];
	size_t n;
};

/* Add an address of the link's IPv4 network. */
static void add_router(struct routers *routers, int ifindex, const struct local_address *own,
		       const struct in6_addr *silent, uint32_t number)
{
	const uint32_t mask = own->prefix > 96 ? 0xffffffffU << (128 - own->prefix) : 0;
	const uint32_t base = ntohl(own->ip.s6_addr32[3]) & mask;
	struct in6_addr ip = own->ip;

	number &= ~mask;
	ip.s6_addr32[3] = htonl(base | number);
	if (!number || number == ~mask || address_equal(&ip, &own->ip) ||
	    address_equal(&ip, silent) || routers->n == ROUTERS)
		return;
	for (size_t i = 0; i < routers->n; i++)
		if (address_equal(&routers->all[i].ip, &ip))
			return;
	routers->all[routers->n++] = (struct owner){ .ifindex = ifindex, .ip = ip };
}

/* Usual addresses of routers, those next to the silent one, and those that other links have. */
static void list_routers(struct check *c, const struct route_answer *route, struct routers *ret)
{
	const uint32_t silent = ntohl(route->hop.s6_addr32[3]);

	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses) {
		if (own->ifindex != route->ifindex || !address_is_v4(&own->ip) ||
		    (route->gateway && !link_address_has(own, &route->hop)))
			continue;
		FOR_EACH_SUBFLOW(c, conn, sf) {
			struct route_answer other = {};

			if (subflow_carries(sf) && address_is_v4(&sf->remote.ip) &&
			    !c->ops->route(c, &sf->local.ip, sf->ifindex, &sf->remote.ip, &other) &&
			    other.gateway && address_is_v4(&other.hop))
				add_router(ret, route->ifindex, own, &route->hop,
					   ntohl(other.hop.s6_addr32[3]));
		}
		add_router(ret, route->ifindex, own, &route->hop, 1);
		add_router(ret, route->ifindex, own, &route->hop, 0xfffffffeU);
		if (route->gateway) {
			add_router(ret, route->ifindex, own, &route->hop, silent + 1);
			add_router(ret, route->ifindex, own, &route->hop, silent - 1);
		}
		add_router(ret, route->ifindex, own, &route->hop, 2);
		add_router(ret, route->ifindex, own, &route->hop, 0xfffffffdU);
	}
	if (ret->n && c->ops->owners && !c->no_probes)
		c->ops->owners(c, ret->all, ret->n);
}

/* Find a router on the link that leads to the target, by its address or its hardware address. */
static bool find_router(struct check *c, const struct route_answer *route,
			const struct path_ends *ends, struct routers *routers,
			char text[static ADDRESS_TEXT])
{
	struct hardware machine[MACHINES];
	int n;

	list_routers(c, route, routers);
	FOR_EACH(o, routers->all, routers->n)
		for (size_t i = 0; i < o->n; i++)
			if (answers_by(c, ends, &o->by[i])) {
				address_text(&o->ip, text);
				return true;
			}
	n = find_machines(c, route->ifindex, machine);
	for (int i = 0; i < n; i++)
		if (answers_by(c, ends, &machine[i])) {
			char hardware[HARDWARE_TEXT];

			snprintf(text, ADDRESS_TEXT, "the machine %s",
				 hardware_text(&machine[i], hardware));
			return true;
		}
	return false;
}

/* Find a router on the link of these ends through which the target answers, by its usual addresses. */
static bool find_gateway(struct check *c, const struct path_ends *ends, struct in6_addr *ret)
{
	const struct route_answer route = { .ifindex = ends->ifindex, .hop = ends->remote.ip };
	struct routers routers = {};

	list_routers(c, &route, &routers);
	FOR_EACH(o, routers.all, routers.n)
		for (size_t i = 0; i < o->n; i++)
			if (answers_by(c, ends, &o->by[i])) {
				*ret = o->ip;
				return true;
			}
	return false;
}

bool check_advise_gateway(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_link *spare, const struct in6_addr *remote)
{
	const struct local_address *own = check_link_address(c, spare, remote);
	struct path_ends ends = { .remote = { .ip = *remote }, .ifindex = spare->ifindex };
	struct in6_addr gateway;

	/* An address that differs in one octet is mistyped, and one of the network needs no router. */
	if (!own || !c->n_portals || !address_is_v4(remote) ||
	    check_is_similar_network(&own->ip, remote, SIMILAR_BITS))
		return false;
	ends.local = own->ip;
	ends.remote.port = c->trial ? c->trial->portal.port : c->portals[0].address.port;
	if (!find_gateway(c, &ends, &gateway))
		return false;
	finding_why_more(
		c, f,
		". Link %s has a carrier and the address %s/%u: a route there via a gateway "
		"of %s is missing, such as %s, through which the target answers",
		spare->name, ADDRESS_STRING(&own->ip), own->prefix - 96U, spare->name,
		ADDRESS_STRING(&gateway));
	finding_fact(c, f, "link", "%s", spare->name);
	finding_fact(c, f, FACT_ROUTER, "%s", ADDRESS_STRING(&gateway));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route add %s via %s dev %s",
		    ADDRESS_STRING(remote), ADDRESS_STRING(&gateway), LINK_WORD(spare->name));
	return true;
}

static bool explain_router(struct check *c, struct nvme_mptcp_finding *f,
			   const struct route_answer *route, const struct path_ends *ends)
{
	const char *hop = ADDRESS_STRING(&route->hop), *remote = ADDRESS_STRING(&ends->remote.ip);
	const char *link = LINK_STRING(c->snap, route->ifindex);
	struct routers routers = {};
	char right[ADDRESS_TEXT];

	if (link_network_has(c->snap, route->ifindex, &ends->remote.ip)) {
		finding_why(c, f,
			    "%s is in the network of %s, but a route of this host leads there "
			    "through the router %s, and no machine answers for that address: the "
			    "route is wrong",
			    remote, link, hop);
	} else if (find_router(c, route, ends, &routers, right)) {
		finding_why(c, f,
			    "The next hop %s of the route to %s does not answer on %s, while the "
			    "target answers through %s there: the route has the wrong address of a "
			    "router",
			    hop, remote, link, right);
		finding_fact(c, f, FACT_ROUTER, "%s", right);
	} else {
		return false;
	}
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
		    address_is_v4(&ends->remote.ip) ? "" : " -6", remote,
		    ADDRESS_STRING(&ends->local));
	return true;
}

/* A route without a gateway leads to an address beyond a router: no machine on the link has it. */
static bool explain_missing_gateway(struct check *c, struct nvme_mptcp_finding *f,
				    const struct route_answer *route, const struct path_ends *ends)
{
	const char *remote = ADDRESS_STRING(&ends->remote.ip);
	struct routers routers = {};
	char right[ADDRESS_TEXT];

	if (route->assumed || link_network_has(c->snap, route->ifindex, &ends->remote.ip) ||
	    !find_router(c, route, ends, &routers, right))
		return false;
	finding_why(
		c, f,
		"The route to %s over %s has no gateway (via), and no machine on the link answers "
		"for that address. The target answers through %s there: the route needs that "
		"gateway",
		remote, LINK_STRING(c->snap, route->ifindex), right);
	finding_fact(c, f, FACT_ROUTER, "%s", right);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
		    address_is_v4(&ends->remote.ip) ? "" : " -6", remote,
		    ADDRESS_STRING(&ends->local));
	return true;
}

/* Return a working subflow of the address's family, which shows an address of the target. */
static const struct nvme_mptcp_subflow *find_working(const struct check *c,
						     const struct in6_addr *like)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && address_same_family(&sf->remote.ip, like))
			return sf;
	return NULL;
}

bool check_is_stranger(struct check *c, const struct owner *o)
{
	const struct nvme_mptcp_subflow *working = find_working(c, &o->ip);
	struct hardware machine[MACHINES];
	struct path_ends known;
	int n;

	if (!working)
		return false;
	known = (struct path_ends){ working->local.ip, working->remote, o->ifindex };
	n = answers_by(c, &known, &o->by[0]) ? 0 : find_machines(c, o->ifindex, machine);
	for (int i = 0; i < n; i++)
		if (answers_by(c, &known, &machine[i]))
			return true;
	return false;
}

static int echoes(struct check *c, const struct path_ends *ends)
{
	return c->no_probes || !c->ops->echo_on_link ? -EOPNOTSUPP : c->ops->echo_on_link(c, ends);
}

static bool answers_for(struct check *c, int ifindex, const struct in6_addr *ip,
			const struct hardware *card)
{
	struct owner asked = { .ifindex = ifindex, .ip = *ip };

	if (!address_is_v4(ip) || !c->ops->owners || c->no_probes)
		return false;
	c->ops->owners(c, &asked, 1);
	for (size_t i = 0; i < asked.n; i++)
		if (!memcmp(&asked.by[i], card, sizeof(*card)))
			return true;
	return false;
}

/* Return an address of the target for which its card on this link does answer; NULL: none known. */
static const struct in6_addr *find_other_address(struct check *c, const struct path_ends *there,
						 const struct hardware *card)
{
	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		const struct in6_addr *ip = trial_announced(c->trial, i);

		if (ip && !address_equal(ip, &there->remote.ip) &&
		    answers_for(c, there->ifindex, ip, card))
			return ip;
	}
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (!address_equal(&sf->remote.ip, &there->remote.ip) &&
		    answers_for(c, there->ifindex, &sf->remote.ip, card))
			return &sf->remote.ip;
	return NULL;
}

/* @hardware: the target's hardware address there, or NULL. */
static void explain_target(struct check *c, struct nvme_mptcp_finding *f,
			   const struct path_ends *there, const struct hardware *hardware)
{
	const bool v4 = address_is_v4(&there->remote.ip);
	const char *remote = ADDRESS_STRING(&there->remote.ip);
	const int has = hardware && answers_by(c, there, hardware) ? 1 : echoes(c, there);
	const struct in6_addr *other =
		has > 0 && hardware ? find_other_address(c, there, hardware) : NULL;
	char text[HARDWARE_TEXT];

	if (other) {
		finding_why(
			c, f,
			"The target's card on %s (hardware address %s) has %s, and another card "
			"of the target has %s: the cables or the addresses of its cards are "
			"swapped",
			LINK_STRING(c->snap, there->ifindex), hardware_text(hardware, text),
			ADDRESS_STRING(other), remote);
		finding_fact(c, f, "target_answers_for", "%s", ADDRESS_STRING(other));
		return;
	}
	finding_why(c, f, "The target is on %s", LINK_STRING(c->snap, there->ifindex));
	if (hardware)
		finding_why_more(c, f, " (hardware address %s)", hardware_text(hardware, text));
	if (has < 0)
		finding_why_more(c, f,
				 ". Whether it has the address %s is not known: sending an echo "
				 "request to all machines there failed (%s)",
				 remote, strerror(-has));
	else if (!has)
		finding_why_more(c, f, ", but does not have the address %s", remote);
	else if (v4)
		finding_why_more(c, f,
				 " and has %s, but no ARP request for it is answered: its setting "
				 "arp_ignore forbids that, or ARP is filtered there or in a switch",
				 remote);
	else
		finding_why_more(
			c, f,
			" and has %s, but no neighbour discovery for it is answered: it is "
			"filtered (ICMPv6) there or in a switch",
			remote);
	if (has > 0)
		finding_fact(c, f, FACT_TARGET_THERE, "yes");
}

/* True if echo requests are answered on the way that works, so that none is filtered as such. */
static bool passes_echo(struct check *c, const struct nvme_mptcp_subflow *working)
{
	const struct path_ends ends = { working->local.ip, working->remote, working->ifindex };

	return check_answers_echo(c, &ends);
}

static bool explain_absence(struct check *c, struct nvme_mptcp_finding *f,
			    const struct route_answer *route, const struct path_ends *ends)
{
	const struct nvme_mptcp_subflow *working = find_working(c, &ends->remote.ip);
	const char *link = LINK_STRING(c->snap, route->ifindex);
	struct hardware machine[MACHINES];
	const struct nvme_mptcp_link *by, *port;
	struct path_ends known, there;
	const int n = working ? find_machines(c, route->ifindex, machine) : -ENOENT;
	int echo;

	if (!working)
		return false;
	/*
	 * Replies to the first source arrive on its own link; a strict reverse path filter of the
	 * target lets only the second one pass.
	 */
	for (int strict = 0; strict < 2; strict++) {
		known = (struct path_ends){ strict ? ends->local : working->local.ip,
					    working->remote, route->ifindex };
		there = (struct path_ends){ known.local, ends->remote, route->ifindex };
		for (int i = 0; i < n; i++)
			if (answers_by(c, &known, &machine[i])) {
				explain_target(c, f, &there, &machine[i]);
				return true;
			}
		echo = echoes(c, &known);
		if (echo > 0) {
			explain_target(c, f, &there, NULL);
			return true;
		}
	}
	/* IPv6 may be off at the other end, which then answers nothing. */
	if (n < 0 || echo < 0 || (!n && !address_is_v4(&ends->remote.ip)) ||
	    !passes_echo(c, working))
		return false;
	finding_why(c, f, "The next hop %s does not answer on %s, and the target is not there%s",
		    ADDRESS_STRING(&route->hop), link,
		    n ? ", though other machines are" : ", nor is any other machine");
	finding_fact(c, f, "machines_there", "%d", n);
	by = link_by_index(c->snap, route->ifindex);
	if (check_explain_bond(c, f, c->snap, by, NVME_MPTCP_ROLE_HOST))
		return true;
	finding_why_more(c, f, ": a switch, a VLAN or the cabling between both is wrong");
	port = by && by->active_port ? link_by_index(c->snap, by->active_port) : NULL;
	if (!port)
		return true;
	finding_why_more(c, f,
			 ". The bond %s sends over its port %s alone: the switch of that port may "
			 "not lead to the one that the target's bond uses",
			 by->name, port->name);
	finding_fact(c, f, "active_port", "%s", port->name);
	return true;
}

/* A bridge of containers, say, has the network of the target's address. */
static bool explain_virtual(struct check *c, struct nvme_mptcp_finding *f,
			    const struct route_answer *route, const struct in6_addr *remote)
{
	const struct nvme_mptcp_link *link = link_by_index(c->snap, route->ifindex), *other;
	const char *text = ADDRESS_STRING(remote);

	if (!link || link->kind != NVME_MPTCP_LINK_VIRTUAL)
		return false;
	if (check_explain_far_end(c, f, link))
		return true;
	if (route->gateway || !link_network_has(c->snap, link->ifindex, remote))
		return false;
	finding_why(c, f,
		    "%s is in the network of %s, a virtual link such as a bridge of containers, "
		    "and no machine there has it: packets to the target leave this host over no "
		    "card. %s needs another network",
		    text, link->name, link->name);
	other = check_other_way(c, remote, link);
	if (other)
		finding_why_more(c, f, ". Without it, they leave over %s", other->name);
	finding_fact(c, f, "link", "%s", link->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s", LINK_WORD(link->name));
	return true;
}

bool check_explain_silent_hop(struct check *c, struct nvme_mptcp_finding *f,
			      const struct route_answer *route, const struct path_ends *ends)
{
	struct path_ends bound = *ends;

	bound.ifindex = route->ifindex;
	return check_explain_gate(c, f, link_by_index(c->snap, route->ifindex)) ||
	       explain_virtual(c, f, route, &ends->remote.ip) ||
	       (route->gateway ? explain_router(c, f, route, &bound)
			       : explain_missing_gateway(c, f, route, &bound) ||
					 explain_absence(c, f, route, &bound));
}

void check_explain_other_router(struct check *c, struct nvme_mptcp_finding *f,
				const struct route_answer *route, const struct path_ends *ends)
{
	struct path_ends bound = *ends;
	struct routers routers = {};
	char right[ADDRESS_TEXT];

	bound.ifindex = route->ifindex;
	if (!f || !route->gateway || !find_router(c, route, &bound, &routers, right))
		return;
	finding_why_more(c, f,
			 ". The target answers through %s on that link: the route has the wrong "
			 "address of a router",
			 right);
	finding_fact(c, f, FACT_RIGHT_ROUTER, "%s", right);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
		    address_is_v4(&ends->remote.ip) ? "" : " -6", ADDRESS_STRING(&ends->remote.ip),
		    ADDRESS_STRING(&ends->local));
}

/* True for a usual initial hop limit: the reply has crossed no router. */
static bool is_initial_hops(uint8_t hops)
{
	return hops == 64 || hops == 128 || hops == 255;
}

bool check_report_refused_nearby(struct check *c, const struct path_ends *ends,
				 const struct probe_result *way)
{
	const char *remote = ADDRESS_STRING(&ends->remote.ip);
	struct route_answer route = {};
	struct nvme_mptcp_finding *f;

	if (!way || !way->refused || way->rejected || !is_initial_hops(way->ttl) ||
	    c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, &route) ||
	    !route.gateway || IN6_IS_ADDR_UNSPECIFIED(&route.hop))
		return false;
	f = finding_add_path(c, RULE_F02, &ends->local, &ends->remote.ip);
	finding_why_subject(
		c, f,
		"is refused by the router %s, not by the target: the reply has crossed no "
		"router. NAT or a redirection there takes packets to %s",
		ADDRESS_STRING(&route.hop), remote);
	finding_fact(c, f, FACT_ROUTER, "%s", ADDRESS_STRING(&route.hop));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
		    address_is_v4(&ends->remote.ip) ? "" : " -6", remote,
		    ADDRESS_STRING(&ends->local));
	return true;
}

bool check_report_other_card(struct check *c, const struct nvme_mptcp_subflow *join)
{
	const struct nvme_mptcp_link *link = join->link;
	const char *remote = ADDRESS_STRING(&join->remote.ip);
	struct nvme_mptcp_finding *f;

	if (!link || !address_is_v4(&join->remote.ip) || !c->ops->same_broadcast_domain)
		return false;
	FOR_EACH_SUBFLOW(c, conn, sf) {
		if (!subflow_carries(sf) || !sf->link || link_shares_segment(sf->link, link) ||
		    !link_network_has(c->snap, sf->link->ifindex, &sf->remote.ip) ||
		    link_network_has(c->snap, sf->link->ifindex, &join->remote.ip) ||
		    !check_is_one_card(c, link->ifindex, &join->remote.ip, sf->link->ifindex,
				       &sf->remote.ip) ||
		    !c->ops->same_broadcast_domain(c, link->ifindex, sf->link->ifindex,
						   &join->local.ip, &join->remote.ip))
			continue;
		f = finding_add_path(c, RULE_R08, &join->local.ip, &join->remote.ip);
		finding_why(c, f,
			    "The target's card that has %s is not reached by %s: the card that has "
			    "%s answers for it, and %s and %s of this host are on one wire. A "
			    "cable or a VLAN of %s leads to the network of %s, or the target's "
			    "card is switched off",
			    remote, link->name, ADDRESS_STRING(&sf->remote.ip), link->name,
			    sf->link->name, link->name, sf->link->name);
		finding_fact(c, f, FACT_NEXT_HOP, "%s", remote);
		finding_fact(c, f, "answers_for", "%s", ADDRESS_STRING(&sf->remote.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
		finding_fix_is(f, FIX_INSPECT);
		return true;
	}
	return false;
}
