// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules R: routes between both sides. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules.h"

/* True if a gateway route over the endpoint's link exists only without the device. */
static bool has_way_without_device(struct check *c, const struct nvme_mptcp_endpoint *ep,
				   const struct in6_addr *dst, struct route_answer *ret)
{
	return endpoint_egress_link(ep) && !c->ops->route(c, &ep->ip, 0, dst, ret) &&
	       ret->gateway && ret->ifindex == endpoint_egress_link(ep)->ifindex;
}

/* Return the link that routes the endpoint's subflows; 0 if only the address does. */
static int exit_index(const struct nvme_mptcp_endpoint *ep)
{
	return endpoint_egress_link(ep) ? endpoint_egress_link(ep)->ifindex : 0;
}

/* True if no route leads to @dst over the link. IPv4 then takes the peer for a neighbour, IPv6 fails. */
static bool has_no_way(struct check *c, const struct nvme_mptcp_endpoint *ep,
		       const struct in6_addr *dst)
{
	struct route_answer route = {};
	int err = c->ops->route(c, &ep->ip, exit_index(ep), dst, &route);

	return err ? err == -ENETUNREACH || err == -EHOSTUNREACH : route.assumed;
}

/* Add the fix if the endpoint's device is a loopback or dummy, and routes suffice without it. */
static bool fix_without_device(struct check *c, struct nvme_mptcp_finding *f,
			       const struct nvme_mptcp_endpoint *ep, const struct in6_addr *dst)
{
	struct route_answer route;

	if (!ep->device || !link_is_loopback_like(ep->device) ||
	    c->ops->route(c, &ep->ip, 0, dst, &route) || route.ifindex == ep->ifindex)
		return false;
	finding_why_more(c, f,
			 ". Nothing leaves this machine over %s: without that device its "
			 "subflows follow the routes",
			 ep->device->name);
	fix_replace(c, f, ep, ep->flags, "");
	return true;
}

/* True if the endpoint leads to another target. Each connection tries all endpoints. */
static bool leads_to_other(struct check *c, const struct nvme_mptcp_endpoint *ep,
			   const struct in6_addr *dst)
{
	FOR_EACH(other, c->portals, c->n_portals)
		if (address_same_family(&other->address.ip, &ep->ip) &&
		    !address_equal(&other->address.ip, dst) &&
		    !has_no_way(c, ep, &other->address.ip))
			return true;
	return false;
}

/* Return why the missing route does no harm, or NULL if it does. */
static const char *why_harmless(struct check *c, const struct nvme_mptcp_endpoint *ep,
				const struct in6_addr *dst)
{
	const struct nvme_mptcp_link *link = endpoint_carrier(ep);

	if (check_is_used_for(c, ep, dst, false))
		return "Connections use that link to an address that the target announces, so "
		       "nothing is lost";
	if (check_is_announced_on(c, link))
		return "The target announces an address in the network of that link, which hosts "
		       "join without an endpoint";
	if (leads_to_other(c, ep, dst) || check_is_used_for(c, ep, dst, true))
		return "It serves connections to another target; attempts to reach this one from "
		       "it fail";
	return NULL;
}

/* True if another endpoint uses a gateway on its link. Then such a route is missing here. */
static bool has_gateway_elsewhere(struct check *c, const struct nvme_mptcp_endpoint *ep,
				  const struct in6_addr *dst, char text[static LINK_TEXT])
{
	FOR_EACH_ENDPOINT(c, other) {
		struct route_answer route = {};

		if (other == ep || !endpoint_starts_by_itself(other) ||
		    !endpoint_is_usable(other) || !address_same_family(&other->ip, dst) ||
		    c->ops->route(c, &other->ip, exit_index(other), dst, &route) || route.assumed ||
		    !route.gateway)
			continue;
		link_text(c->snap, route.ifindex, text);
		return true;
	}
	return false;
}

static void advise_route(struct check *c, struct nvme_mptcp_finding *f,
			 const struct nvme_mptcp_endpoint *ep, const struct in6_addr *dst)
{
	const struct nvme_mptcp_link *link = endpoint_carrier(ep), *vrf = link_vrf(c->snap, link);
	char other[LINK_TEXT];
	struct route_answer free = {};

	if (link->kind == NVME_MPTCP_LINK_VIRTUAL) {
		finding_why_more(c, f,
				 ". %s is a bridge or a tunnel. Services create endpoints for "
				 "these, too: nothing is lost without this one",
				 link->name);
		fix_delete(c, f, ep);
		return;
	}
	if (vrf) {
		finding_why_more(c, f, ". The routes of the VRF %s lack one via a gateway of %s",
				 vrf->name, link->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show vrf %s",
			    address_is_v4(dst) ? "" : " -6", LINK_WORD(vrf->name));
		return;
	}
	if (has_gateway_elsewhere(c, ep, dst, other)) {
		if (!c->ops->route(c, &ep->ip, 0, dst, &free) && free.ifindex != link->ifindex) {
			finding_why_more(
				c, f,
				". Packets from %s leave over %s: a routing rule for that "
				"address has to lead to a table with a route via a gateway of %s",
				ep->address, link_text(c->snap, free.ifindex, other), link->name);
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
				    address_is_v4(dst) ? "" : " -6", ADDRESS_STRING(dst),
				    ep->address);
			return;
		}
		finding_why_more(c, f, ". A route via a gateway of %s is missing, such as %s has",
				 link->name, other);
		return;
	}
	finding_why_more(
		c, f,
		". Either the target has to announce an address in the network of %s, or a route "
		"via a gateway there is missing. Otherwise the endpoint is of no use",
		link->name);
	fix_unroutable_join(c, f, &ep->ip, link);
}

/* True if a rule or route forbids packets that are bound to the endpoint's device, and no others. */
static bool is_forbidden_there(struct check *c, const struct nvme_mptcp_endpoint *ep,
			       const struct in6_addr *dst, char name[static FORBIDDING_TEXT])
{
	return check_name_forbidding(c, &ep->ip, dst, exit_index(ep), name) == name;
}

static void report_forbidden(struct check *c, enum rule_id rule,
			     const struct nvme_mptcp_endpoint *ep, const struct in6_addr *dst,
			     const char *name)
{
	struct nvme_mptcp_finding *f = finding_add_endpoint(c, rule, ep);

	finding_why_subject(c, f,
			    "has a route to %s over %s, but %s forbids packets of that device",
			    ADDRESS_STRING(dst), endpoint_carrier(ep)->name, name);
	finding_fact(c, f, "link", "%s", endpoint_carrier(ep)->name);
	finding_fact(c, f, "target", "%s", ADDRESS_STRING(dst));
	check_show_forbidding(c, f, dst, name);
}

static void report_no_route(struct check *c, enum rule_id rule,
			    const struct nvme_mptcp_endpoint *ep, const struct in6_addr *dst)
{
	const struct nvme_mptcp_link *link = endpoint_carrier(ep);
	struct nvme_mptcp_finding *f;
	struct route_answer route;
	const char *target = ADDRESS_STRING(dst), *harmless;
	char name[FORBIDDING_TEXT];

	/* The route may be missing even though the address is reached as a neighbour on that link. */
	if (check_is_carried(c, link, &ep->ip, dst) || !has_no_way(c, ep, dst))
		return;
	if (has_way_without_device(c, ep, dst, &route)) {
		if (is_forbidden_there(c, ep, dst, name))
			report_forbidden(c, rule, ep, dst, name);
		return;
	}
	f = finding_add_endpoint(c, rule, ep);
	/* IPv4 tries it, and a neighbour may answer. */
	if (f && address_is_v4(dst))
		f->severity = NVME_MPTCP_WARNING;
	finding_why_subject(c, f, "has no route to %s over %s: ", target, link->name);
	finding_why_more(c, f, "%s",
			 address_is_v4(dst) ? "the kernel treats that address as a "
					      "neighbour on the link, and gets no answer"
					    : "the kernel does not even try");
	finding_fact(c, f, "link", "%s", link->name);
	finding_fact(c, f, "target", "%s", target);
	if (f && (harmless = why_harmless(c, ep, dst))) {
		finding_why_more(c, f, ". %s", harmless);
		f->severity = NVME_MPTCP_INFO;
	} else if (!fix_without_device(c, f, ep, dst)) {
		advise_route(c, f, ep, dst);
	}
}

bool check_has_no_route(const struct check *c, const struct in6_addr *local)
{
	FOR_EACH(f, c->findings->finding, c->findings->n) {
		const struct nvme_mptcp_endpoint *ep =
			f->rule == RULE_R01 ? finding_endpoint(c, f) : NULL;

		if (ep && address_equal(&ep->ip, local))
			return true;
	}
	return false;
}

static void check_ways(struct check *c, enum rule_id rule, bool v4)
{
	FOR_EACH_ENDPOINT(c, ep) {
		/* Other endpoints lead to announced addresses, which may be on their link. */
		if (!endpoint_starts_by_itself(ep) || !endpoint_is_usable(ep) ||
		    address_is_v4(&ep->ip) != v4 || address_is_loopback(&ep->ip))
			continue;
		FOR_EACH(portal, c->portals, c->n_portals)
			if (address_is_v4(&portal->address.ip) == v4)
				report_no_route(c, rule, ep, &portal->address.ip);
	}
	check_announced_routes(c, rule, v4);
	check_misrouted_subflows(c, rule, v4);
}

void rule_no_route(struct check *c, enum rule_id rule)
{
	check_ways(c, rule, false);
	check_ways(c, rule, true);
	check_unroutable_joins(c, rule);
}

/* Return the next host of @conns, which are sorted by host address; NULL at the end. */
static const struct in6_addr *next_host(const struct check *c, size_t *i)
{
	while (*i < c->n_conns) {
		const struct in6_addr *host = &c->conns[*i]->remote.ip;

		++*i;
		if (*i == 1 || !address_equal(host, &c->conns[*i - 2]->remote.ip))
			return host;
	}
	return NULL;
}

/* R03 of a host: an endpoint that answers announcements has no route beyond its own network. */
static void report_unroutable(struct check *c, enum rule_id rule)
{
	const bool is_unknown = check_laminar_is_unsupported(c);

	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;
		size_t i;

		if (!endpoint_starts_when_announced(ep) || endpoint_starts_by_itself(ep) ||
		    !endpoint_is_usable(ep) || ep->subflows || !c->n_conns || !c->n_portals)
			continue;
		/* H22 reports endpoints without effect. */
		if (is_unknown && !endpoint_has(ep, NVME_MPTCP_ENDPOINT_FULLMESH))
			continue;
		for (i = 0; i < c->n_portals; i++)
			if (address_same_family(&c->portals[i].address.ip, &ep->ip) &&
			    !has_no_way(c, ep, &c->portals[i].address.ip))
				break;
		if (i < c->n_portals)
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"has no subflow, and %s has no route beyond its own "
					"network, such as a default route via a gateway: announced "
					"addresses in other networks cannot be reached over it",
					endpoint_carrier(ep)->name);
		finding_fact(c, f, "link", "%s", endpoint_carrier(ep)->name);
	}
}

static void report_no_return_route(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct in6_addr *host;
		size_t asked = 0, i = 0;

		if (!endpoint_announces(ep) || !endpoint_is_usable(ep))
			continue;
		while (asked < MAX_PORTALS && (host = next_host(c, &i))) {
			struct nvme_mptcp_finding *f;
			struct route_answer route;
			char text[ADDRESS_TEXT];
			int err;

			if (!address_same_family(host, &ep->ip))
				continue;
			asked++;
			err = c->ops->route(c, &ep->ip, 0, host, &route);
			if (err != -ENETUNREACH && err != -EHOSTUNREACH)
				continue;
			address_text(host, text);
			f = finding_why_subject(
				c, finding_add_endpoint(c, rule, ep),
				"is announced, but no route leads from it back to host %s: joins "
				"to it get no reply. A route via a gateway of %s is missing",
				text, ep->link->name);
			finding_fact(c, f, "host", "%s", text);
			break;
		}
	}
}

void rule_no_own_route(struct check *c, enum rule_id rule)
{
	if (c->role & ON_HOST)
		report_unroutable(c, rule);
	if (c->role & ON_TARGET)
		report_no_return_route(c, rule);
}

void rule_routing_rule_without_device(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_subflows(ep) || !ep->ifindex || !endpoint_is_usable(ep))
			continue;
		for (size_t i = 0; i < c->n_portals; i++) {
			const struct in6_addr *dst = &c->portals[i].address.ip;
			struct nvme_mptcp_finding *f;
			struct route_answer route;
			char name[FORBIDDING_TEXT];

			if (!address_same_family(dst, &ep->ip) || !has_no_way(c, ep, dst) ||
			    !has_way_without_device(c, ep, dst, &route) ||
			    is_forbidden_there(c, ep, dst, name))
				continue;
			f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
						"has a routing rule that does not apply to "
						"packets bound to its device %s, as the endpoint "
						"binds them: name the device in the rule",
						ep->device->name);
			finding_fact(c, f, "table", "%u", route.table);
			finding_fact(c, f, "link", "%s", ep->device->name);
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "%s add from %s oif %s table %u",
				    fix_rule_tool(&ep->ip), ep->address,
				    LINK_WORD(ep->device->name), route.table);
			break;
		}
	}
}

static int64_t setting_of(struct check *c, const char *link, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "net/ipv4/conf/%s/%s", link, name);
	return c->ops->setting(c, path);
}

int64_t check_link_setting(struct check *c, const struct nvme_mptcp_link *link, const char *name)
{
	int64_t all = setting_of(c, "all", name), own = setting_of(c, link->name, name);

	return own > all ? own : all;
}

/*
 * R06: packets from @peer that arrive over @link are dropped because the route to it uses another
 * link. The kernel looks up the route of a reply, with the packet's destination as its source.
 */
static bool is_filtered(struct check *c, enum rule_id rule, const struct nvme_mptcp_endpoint *ep,
			const struct nvme_mptcp_link *link, const struct in6_addr *peer)
{
	struct nvme_mptcp_finding *f;
	struct route_answer route;

	if (!address_is_v4(peer) || c->ops->route(c, &ep->ip, 0, peer, &route) ||
	    route.ifindex == link->ifindex)
		return false;
	f = finding_why(c, finding_add_endpoint(c, rule, ep),
			"Link %s drops packets from %s, because the route there leads over %s "
			"(strict reverse path filter)",
			link->name, ADDRESS_STRING(peer), LINK_STRING(c->snap, route.ifindex));
	finding_fact(c, f, "rp_filter", "1");
	finding_number(c, f, "IPReversePathFilter",
		       check_counter_total(c, "TcpExt", "IPReversePathFilter"));
	fix_rp_filter(c, f, check_side(c), link->name);
	return true;
}

void rule_reverse_path(struct check *c, enum rule_id rule)
{
	/* A target does not know which links its hosts use, so it needs dropped packets as evidence. */
	bool dropped = check_counter_growth(c, "TcpExt", "IPReversePathFilter") > 0;

	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_egress_link(ep);
		bool on_host = (c->role & ON_HOST) && endpoint_starts_subflows(ep);
		bool on_target = (c->role & ON_TARGET) && endpoint_announces(ep) && dropped;
		const struct in6_addr *host;
		bool found = false;
		size_t asked = 0, i = 0;

		if ((!on_host && !on_target) || !link || !address_is_v4(&ep->ip) ||
		    check_link_setting(c, link, "rp_filter") != 1)
			continue;
		for (size_t p = 0; on_host && !found && p < c->n_portals; p++)
			found = is_filtered(c, rule, ep, link, &c->portals[p].address.ip);
		while (on_target && !found && asked++ < MAX_PORTALS && (host = next_host(c, &i)))
			found = is_filtered(c, rule, ep, link, host);
	}
}

static bool share_prefix(const struct check *c, const struct nvme_mptcp_endpoint *x,
			 const struct nvme_mptcp_endpoint *y)
{
	return address_is_v4(&x->ip) && address_is_v4(&y->ip) && x->link && y->link &&
	       x->link != y->link && link_network_has(c->snap, x->link->ifindex, &y->ip) &&
	       link_network_has(c->snap, y->link->ifindex, &x->ip);
}

/* True if the link answers ARP for the other's address; with arp_filter, if routes lead there. */
static bool answers_for_others(struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	const struct in6_addr *far = c->n_conns	    ? &c->conns[0]->remote.ip
				     : c->n_portals ? &c->portals[0].address.ip
						    : NULL;

	if (check_link_setting(c, ep->link, "arp_ignore") > 0)
		return false;
	if (check_link_setting(c, ep->link, "arp_filter") <= 0 || !far)
		return true;
	FOR_EACH_ENDPOINT(c, other) {
		struct route_answer route;

		if (share_prefix(c, ep, other) && !c->ops->route(c, &other->ip, 0, far, &route) &&
		    route.ifindex == ep->link->ifindex)
			return true;
	}
	return false;
}

/* Return links in the endpoint's subnet that answer ARP for each other, in an array to be freed. */
static const struct nvme_mptcp_link **answering_links(struct check *c,
						      const struct nvme_mptcp_endpoint *ep,
						      size_t *n)
{
	const struct nvme_mptcp_link **links = calloc(c->snap->n_endpoints, sizeof(const void *));

	*n = 0;
	if (!links)
		c->err = -ENOMEM;
	FOR_EACH_ENDPOINT(c, other) {
		bool known = false;

		if (!links || !check_is_relevant(c, other) ||
		    (other != ep && !share_prefix(c, ep, other)))
			continue;
		for (size_t i = 0; i < *n; i++)
			known |= links[i] == other->link;
		if (!known && answers_for_others(c, other))
			links[(*n)++] = other->link;
	}
	return links;
}

/* True if replies arrive on the right link: a bound subflow from this address works. */
static bool gets_replies(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	if (check_is_initial(c, ep))
		return true;
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->is_bound && sf->link == ep->link && subflow_carries(sf) &&
		    address_equal(&sf->local.ip, &ep->ip))
			return true;
	return false;
}

void rule_one_subnet(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!check_is_relevant(c, ep))
			continue;
		for (const struct nvme_mptcp_endpoint *other = c->snap->endpoints; other < ep;
		     other++) {
			_cleanup_(free) const struct nvme_mptcp_link **links = NULL;
			struct nvme_mptcp_finding *f;
			size_t n;

			if (!check_is_relevant(c, other) || !share_prefix(c, ep, other))
				continue;
			links = answering_links(c, ep, &n);
			if (!n)
				continue;
			f = finding_why(c, finding_add_endpoint(c, rule, ep),
					"Links %s and %s are in one subnet, and this machine "
					"answers ARP for either address on both: packets ",
					ep->link->name, other->link->name);
			if ((c->role & ON_HOST) && gets_replies(c, ep) && gets_replies(c, other)) {
				finding_why_more(c, f,
						 "arrive on the right link now, but may move to "
						 "the wrong one after the other side's next ARP "
						 "request");
				finding_set_severity(f, NVME_MPTCP_INFO);
			} else {
				finding_why_more(c, f, "arrive on the wrong link");
			}
			finding_fact(c, f, "other", "%s", other->address);
			fix_arp(c, f, check_side(c), links, n);
			return;
		}
	}
}

void rule_no_neighbour(struct check *c, enum rule_id rule)
{
	check_report_arp_off(c, rule);
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_subflows(ep) || !endpoint_is_usable(ep))
			continue;
		FOR_EACH(portal, c->portals, c->n_portals) {
			const struct in6_addr *dst = &portal->address.ip;
			const struct path_ends ends = { ep->ip, portal->address, exit_index(ep) };
			struct route_answer route = {};
			struct nvme_mptcp_finding *f;
			char hop[ADDRESS_TEXT], link[LINK_TEXT];

			if (!address_same_family(dst, &ep->ip) ||
			    c->ops->route(c, &ep->ip, exit_index(ep), dst, &route) ||
			    route.assumed || IN6_IS_ADDR_UNSPECIFIED(&route.hop) ||
			    !check_hop_is_silent(c, &route) ||
			    check_report_duplicate_address(c, &ep->ip))
				continue;
			if (!route.gateway)
				check_report_path(c, &ends);
			if (check_has_path_finding(c, &ep->ip, dst))
				continue;
			if (check_report_dropped_arp(c, &ep->ip, dst, &route))
				continue;
			address_text(&route.hop, hop);
			link_text(c->snap, route.ifindex, link);
			f = finding_add_endpoint(c, rule, ep);
			if (!check_explain_unheard_hop(c, f, &route, &ep->ip) &&
			    !check_explain_silent_hop(c, f, &route, &ends))
				finding_why(c, f,
					    "The next hop %s on the path to %s does not answer on "
					    "%s: check the switch, the VLAN, and whether a machine "
					    "there has that address",
					    hop, ADDRESS_STRING(dst), link);
			finding_fact(c, f, "next_hop", "%s", hop);
			finding_fact(c, f, "link", "%s", link);
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour flush to %s dev %s",
				    hop, LINK_WORD(link));
			finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
			break;
		}
	}
}

static bool is_virtual_link(const struct check *c, int ifindex)
{
	const struct nvme_mptcp_link *link = link_by_index(c->snap, ifindex);

	return link && (link->kind == NVME_MPTCP_LINK_VIRTUAL || link->vlan_gate);
}

struct nvme_mptcp_finding *check_report_silent_hop(struct check *c, const struct path_ends *ends,
						   const struct route_answer *route)
{
	const struct in6_addr *local = &ends->local, *remote = &ends->remote.ip;
	const char *hop = ADDRESS_STRING(&route->hop);
	struct nvme_mptcp_finding *f = check_report_dropped_arp(c, local, remote, route);
	bool explained;

	if (f)
		return f;
	f = finding_add_path(c, RULE_R08, local, remote);
	finding_fact(c, f, FACT_NEXT_HOP, "%s", hop);
	if (!f || check_explain_unheard_hop(c, f, route, local))
		return f;
	explained = check_explain_silent_hop(c, f, route, ends);
	if (explained && (route->gateway || is_virtual_link(c, route->ifindex)))
		return f;
	if (!explained)
		finding_why(c, f,
			    "The next hop %s does not answer on %s: check the switch, the VLAN, "
			    "and %s%s",
			    hop, LINK_STRING(c->snap, route->ifindex),
			    route->gateway ? "whether the route has the address of the router"
					   : "whether a machine there has that address",
			    address_is_v4(remote)
				    ? ""
				    : ", and that no firewall there drops neighbour discovery "
				      "(ICMPv6)");
	if (route->gateway)
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
			    address_is_v4(remote) ? "" : " -6", ADDRESS_STRING(remote),
			    ADDRESS_STRING(local));
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
	finding_fix_is(f, FIX_INSPECT);
	return f;
}
