// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules A: links and their addresses. doc/mptcp-rules.md */
#include <errno.h>
#include <string.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "rules.h"
#include "lower-links.h"
#include "packet-loss.h"
#include "mptcp/snapshot/wire.h"
#include "mptcp/trial/trial-state.h"

static const struct local_address *address_of(const struct check *c,
					      const struct nvme_mptcp_endpoint *ep)
{
	return snapshot_find_address(c->snap, &ep->ip);
}

/* Return the prefix length for commands: IPv4 addresses are stored as mapped ones. */
static unsigned int prefix_of(const struct local_address *address)
{
	return address_is_v4(&address->ip) ? address->prefix - 96U : address->prefix;
}

void rule_address_tentative(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct local_address *address = address_of(c, ep);
		struct nvme_mptcp_finding *f;
		bool failed;

		if (!check_is_relevant(c, ep) || !address)
			continue;
		failed = address->flags & IFA_F_DADFAILED;
		if (!failed &&
		    (!(address->flags & IFA_F_TENTATIVE) || (address->flags & IFA_F_OPTIMISTIC)))
			continue;
		f = finding_why_subject(
			c, finding_add_endpoint(c, rule, ep),
			failed ? "has an address that another machine uses, too: the kernel "
				 "refuses to use it"
			       : "has a tentative address: the kernel is still checking whether "
				 "another machine has it");
		finding_fact(c, f, "address_state", "%s", failed ? "dadfailed" : "tentative");
		if (!failed || !ep->link)
			continue;
		/* The kernel does not repeat duplicate address detection by itself. */
		finding_fix(c, f, check_side(c), "ip address delete %s/%u dev %s", ep->address,
			    prefix_of(address), LINK_WORD(ep->link->name));
		finding_fix(c, f, check_side(c), "ip address add %s/%u dev %s", ep->address,
			    prefix_of(address), LINK_WORD(ep->link->name));
	}
}

void rule_address_deprecated(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct local_address *address = address_of(c, ep);

		if (!check_is_relevant(c, ep) || !address || !(address->flags & IFA_F_DEPRECATED))
			continue;
		finding_why_subject(
			c, finding_add_endpoint(c, rule, ep),
			"has a deprecated address: it works, but is removed when its lifetime "
			"ends, unless DHCP or the router that assigned it renews it");
	}
}

void rule_address_link_local(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!check_is_relevant(c, ep) || !IN6_IS_ADDR_LINKLOCAL(&ep->ip))
			continue;
		if (!(c->role & ON_HOST)) {
			f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
						"announces a link-local address: no host can "
						"join it, as an announcement names no link");
			fix_delete(c, f, ep);
			continue;
		}
		if (ep->ifindex)
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"has a link-local address and no device: a link-local "
					"address works only with a device");
		if (ep->link)
			fix_replace(c, f, ep, ep->flags, ep->link->name);
	}
}

void rule_address_loopback(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_subflows(ep))
			continue;
		FOR_EACH(portal, c->portals, c->n_portals) {
			struct nvme_mptcp_finding *f;

			if (address_is_loopback(&portal->address.ip) ==
			    address_is_loopback(&ep->ip))
				continue;
			f = finding_why_subject(
				c, finding_add_endpoint(c, rule, ep),
				"and the target cannot reach each other: one of their addresses "
				"is a loopback address of this machine, the other is not");
			/* With a target on loopback, keep endpoints of real links. */
			if (address_is_loopback(&ep->ip))
				fix_delete(c, f, ep);
			break;
		}
	}
}

#define STATE_TEXT (LINK_TEXT + 64)

static bool is_unplugged(const struct nvme_mptcp_link *link)
{
	return !link_is_switched_off(link) && !nvme_mptcp_link_has_carrier(link);
}

/* Return what follows "the link" or "which". */
static const char *dead_state(const struct check *c, const struct nvme_mptcp_link *link,
			      char text[static STATE_TEXT])
{
	if (nvme_mptcp_link_is_up(link) && link->vrf_is_down)
		snprintf(text, STATE_TEXT, "belongs to the VRF %s, which is administratively down",
			 LINK_STRING(c->snap, link->master));
	else
		snprintf(text, STATE_TEXT, "%s",
			 link_is_switched_off(link) ? "is administratively down"
						    : "has no carrier");
	return text;
}

#define ADVICE "; check cable, switch port and the other end"

static bool has_endpoint_on(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (check_is_relevant(c, ep) && endpoint_carrier(ep) == link)
			return true;
	return false;
}

/* What would use a dead link if it worked. */
struct demand {
	size_t subflows; /* established there: the kernel gives them up late */
	bool made; /* the kernel created an endpoint for a subflow there */
	const struct in6_addr *announced; /* an announced address that the link leads to, or NULL */
	const struct nvme_mptcp_subflow
		*around; /* to an address of its network, over another link */
};

static bool is_unrouted(struct check *c, const struct in6_addr *ip)
{
	struct route_answer route;
	int err = c->ops->route(c, NULL, 0, ip, &route);

	return err == -ENETUNREACH || err == -EHOSTUNREACH;
}

/* A link loses its IPv6 addresses when switched off: unrouted addresses may be behind it. */
static const struct in6_addr *find_announced(struct check *c, const struct nvme_mptcp_link *link)
{
	const bool may_hide = link->kind != NVME_MPTCP_LINK_VIRTUAL && link_is_switched_off(link);

	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		const struct nvme_mptcp_event *ev = &c->trial->events[i];

		if (ev->type != NVME_MPTCP_EVENT_ANNOUNCED || !ev->has_remote)
			continue;
		if (link_network_has(c->snap, link->ifindex, &ev->remote.ip) ||
		    (may_hide && !address_is_v4(&ev->remote.ip) && is_unrouted(c, &ev->remote.ip)))
			return &ev->remote.ip;
	}
	return NULL;
}

static bool is_near_live_link(const struct check *c, const struct in6_addr *ip)
{
	FOR_EACH(link, c->snap->links, c->snap->n_links)
		if (link_is_alive(link) && link_network_has(c->snap, link->ifindex, ip))
			return true;
	return false;
}

/* A subflow to the link's network that leaves over another link, as by a default route; or NULL. */
static const struct nvme_mptcp_subflow *find_detour(const struct check *c,
						    const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && sf->link && !sf->is_bound &&
		    !(sf->link->flags & IFF_LOOPBACK) &&
		    link_network_has(c->snap, link->ifindex, &sf->remote.ip) &&
		    !is_near_live_link(c, &sf->remote.ip))
			return sf;
	return NULL;
}

static struct demand demand_for(struct check *c, const struct nvme_mptcp_link *link)
{
	struct demand demand = { .announced = find_announced(c, link),
				 .around = find_detour(c, link) };

	FOR_EACH_SUBFLOW(c, conn, sf)
		demand.subflows += sf->link == link && sf->state == STATE_ESTABLISHED;
	FOR_EACH_ENDPOINT(c, ep)
		demand.made |= endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) &&
			       endpoint_carrier(ep) == link && check_has_portal_family(c, &ep->ip);
	return demand;
}

static void report_dead(struct check *c, enum rule_id rule, const struct nvme_mptcp_link *link,
			const struct demand *demand)
{
	const bool off = link_is_switched_off(link);
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_link(link->name));
	char address[ADDRESS_TEXT] = "", text[STATE_TEXT];
	const char *state = dead_state(c, link, text);

	if (demand->announced)
		address_text(demand->announced, address);
	if (demand->around)
		address_text(&demand->around->remote.ip, address);
	if (demand->around)
		finding_why_subject(c, f,
				    "%s: connections reach %s, which is in its network, over %s",
				    state, address, demand->around->link->name);
	else if (demand->subflows)
		finding_why_subject(c, f, "%s: subflows that lead over it carry nothing", state);
	else if (demand->announced)
		finding_why_subject(c, f,
				    "%s: it is the only link to %s, which the target announces",
				    state, address);
	else
		finding_why_subject(c, f, "%s: connections that had a subflow over it have none",
				    state);
	if (!off && !check_explain_below(c, f, link))
		finding_why_more(c, f, ADVICE);
	finding_fact(c, f, "link", "%s", link->name);
	if (demand->subflows)
		finding_fact(c, f, "subflows", "%zu", demand->subflows);
	if (*address)
		finding_fact(c, f, demand->around ? "address" : "announced", "%s", address);
	if (demand->around)
		finding_fact(c, f, FACT_LEAVES_BY, "%s", demand->around->link->name);
	if (off)
		fix_switch_on(c, f, link);
}

bool check_has_dead_link(const struct check *c)
{
	FOR_EACH(link, c->snap->links, c->snap->n_links)
		if (link->kind != NVME_MPTCP_LINK_VIRTUAL && !link_is_alive(link) &&
		    !(link->flags & IFF_LOOPBACK))
			return true;
	return false;
}

/* Check links with and without endpoints: announcements and initial subflows need none. */
static void report_links(struct check *c, enum rule_id rule,
			 bool (*is_dead)(const struct nvme_mptcp_link *))
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);
		struct nvme_mptcp_finding *f;
		char state[STATE_TEXT];

		if (!check_is_relevant(c, ep) || !link || !is_dead(link) ||
		    check_is_out_of_use(c, link))
			continue;
		f = finding_add_endpoint(c, rule, ep);
		finding_why_subject(c, f, "is on link %s, which %s%s", link->name,
				    dead_state(c, link, state),
				    link_is_switched_off(link)
					    ? ""
					    : ": the kernel tries to connect, but nothing leaves");
		finding_fact(c, f, "link", "%s", link->name);
		if (link_is_switched_off(link))
			fix_switch_on(c, f, link);
		else if (!check_explain_below(c, f, link))
			finding_why_more(c, f, ADVICE);
	}
	FOR_EACH(link, c->snap->links, c->snap->n_links) {
		struct demand demand;

		if (!is_dead(link) || has_endpoint_on(c, link) || check_is_out_of_use(c, link))
			continue;
		demand = demand_for(c, link);
		if (demand.subflows || demand.made || demand.announced || demand.around)
			report_dead(c, rule, link, &demand);
	}
}

void rule_link_down(struct check *c, enum rule_id rule)
{
	report_links(c, rule, link_is_switched_off);
}

void rule_no_carrier(struct check *c, enum rule_id rule)
{
	report_links(c, rule, is_unplugged);
	check_report_gates(c, rule);
}

void rule_link_enslaved(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);
		const struct local_address *address = address_of(c, ep);
		const struct nvme_mptcp_link *owner;
		struct nvme_mptcp_finding *f;
		char master[LINK_TEXT];

		if (!check_is_relevant(c, ep) || !link || !link->master)
			continue;
		owner = link_by_index(c->snap, link->master);
		if (link->in_vrf)
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"is on link %s, which belongs to %s: "
					"addresses and endpoints belong on that one",
					link->name, link_text(c->snap, link->master, master));
		finding_fact(c, f, "link", "%s", link->name);
		finding_fact(c, f, "master", "%s", master);
		if (!address || !owner || !fix_gate_endpoint(c, f, ep, GATE_REDUNDANT, NULL))
			continue;
		fix_delete(c, f, ep);
		finding_fix(c, f, check_side(c), "ip address delete %s/%u dev %s", ep->address,
			    prefix_of(address), LINK_WORD(link->name));
		finding_fix(c, f, check_side(c), "ip address add %s/%u dev %s", ep->address,
			    prefix_of(address), LINK_WORD(master));
		fix_add(c, f, ep, ep->flags, master);
	}
}

bool check_is_enslaved(struct check *c, const struct nvme_mptcp_link *link)
{
	struct nvme_mptcp_finding *f;
	char master[LINK_TEXT];

	if (!link || !link->master || link->in_vrf)
		return false;
	if (check_has_found(c, RULE_A08))
		return true;
	link_text(c->snap, link->master, master);
	f = finding_why(c, finding_add(c, RULE_A08, subject_link(link->name)),
			"Link %s belongs to %s, which takes all packets that "
			"arrive there: the address of %s has to be on %s",
			link->name, master, link->name, master);
	finding_fact(c, f, "link", "%s", link->name);
	finding_fact(c, f, "master", "%s", master);
	finding_fix(c, f, check_side(c), "ip address show dev %s", LINK_WORD(link->name));
	return true;
}

bool check_report_vrf(struct check *c, enum rule_id rule, const struct nvme_mptcp_endpoint *ep)
{
	static const char setting[] = "net/ipv4/tcp_l3mdev_accept";
	const struct nvme_mptcp_link *vrf = link_vrf(c->snap, ep->link);
	struct nvme_mptcp_finding *f;

	/* It is a setting of both families. */
	if (!vrf || c->ops->setting(c, setting) != 0)
		return false;
	f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
				"is announced on %s, which belongs to the VRF %s, but this "
				"target's ports accept no connections from a VRF "
				"(net.ipv4.tcp_l3mdev_accept is 0): joins are refused. "
				"With 1, all services of this machine accept them",
				ep->link->name, vrf->name);
	finding_fact(c, f, "vrf", "%s", vrf->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w %s=1", setting);
	return true;
}

void rule_mtu_differs(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_link *least = NULL, *most = NULL;
	struct nvme_mptcp_finding *f;

	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_egress_link(ep);

		/* A tunnel's MTU is smaller than that of the link below. C14 and A10 report it. */
		if (!check_is_relevant(c, ep) || !link || link->mtu <= 0 ||
		    (link->flags & IFF_LOOPBACK) || link_is_tunnel(link))
			continue;
		if (!least || link->mtu < least->mtu)
			least = link;
		if (!most || link->mtu > most->mtu)
			most = link;
	}
	if (least && least->mtu != most->mtu) {
		f = finding_why(c, finding_add(c, rule, subject_links(least->name, most->name)),
				"Links %s and %s differ in MTU: the one with the smaller "
				"MTU needs more packets for the same data. Raise it only "
				"if its switch and the target support larger packets, too",
				least->name, most->name);
		finding_fact(c, f, least->name, "%lld", (long long)least->mtu);
		finding_fact(c, f, most->name, "%lld", (long long)most->mtu);
	}
	check_report_path_mtu(c, rule);
}

/* True if both endpoints serve connections of one family over one wire. H11 reports equal addresses. */
static bool is_rival(const struct check *c, const struct nvme_mptcp_endpoint *ep,
		     const struct nvme_mptcp_endpoint *earlier)
{
	return check_is_relevant(c, earlier) &&
	       link_shares_segment(endpoint_egress_link(ep), endpoint_egress_link(earlier)) &&
	       address_same_family(&earlier->ip, &ep->ip) && !address_equal(&earlier->ip, &ep->ip);
}

/* True if a connection has a subflow from each. Then C14 reports the link. */
static bool both_carry(const struct check *c, const struct nvme_mptcp_endpoint *x,
		       const struct nvme_mptcp_endpoint *y)
{
	for (size_t i = 0; (c->role & ON_HOST) && i < c->n_conns; i++) {
		bool by_x = false, by_y = false;

		FOR_EACH(sf, c->conns[i]->subflows, c->conns[i]->n_subflows) {
			by_x |= subflow_carries(sf) && address_equal(&sf->local.ip, &x->ip);
			by_y |= subflow_carries(sf) && address_equal(&sf->local.ip, &y->ip);
		}
		if (by_x && by_y)
			return true;
	}
	return false;
}

static void report_rivals(struct check *c, enum rule_id rule,
			  const struct nvme_mptcp_endpoint *idle,
			  const struct nvme_mptcp_endpoint *other)
{
	const struct nvme_mptcp_link *link = endpoint_egress_link(idle),
				     *with = endpoint_egress_link(other);
	struct nvme_mptcp_finding *f = finding_add_endpoint(c, rule, idle);

	if (link == with)
		finding_why_subject(c, f,
				    "is on the same link as endpoint %u: its subflows add no "
				    "bandwidth, and count against the limit",
				    other->id);
	else if (c->role & ON_HOST)
		finding_why_subject(c, f,
				    "is on link %s, which shares one wire with %s, the link of "
				    "endpoint %u: its subflows add no bandwidth, and count against "
				    "the limit",
				    link->name, with->name, other->id);
	else
		finding_why_subject(
			c, f,
			"is on link %s, which shares one wire with %s, the link of endpoint %u: "
			"hosts gain nothing from the second one, unless they have a wire to each",
			link->name, with->name, other->id);
	finding_fact(c, f, "link", "%s", link->name);
	if (link != with)
		finding_fact(c, f, "shares_wire_with", "%s", with->name);
	if (link == with || (c->role & ON_HOST))
		fix_delete(c, f, idle);
}

void rule_same_link(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!check_is_relevant(c, ep) || !endpoint_egress_link(ep))
			continue;
		for (const struct nvme_mptcp_endpoint *earlier = c->snap->endpoints; earlier < ep;
		     earlier++) {
			/* Keep the endpoint with working subflows. */
			const bool later = !check_carries(c, ep) || check_carries(c, earlier);

			if (!is_rival(c, ep, earlier) || both_carry(c, ep, earlier))
				continue;
			report_rivals(c, rule, later ? ep : earlier, later ? earlier : ep);
			break;
		}
	}
}

/* True for a specific route, or the default route of a table for its source addresses. */
static bool is_of_source_rule(const struct route_answer *route)
{
	return !route->assumed && (!route->is_default || route->table != RT_TABLE_MAIN);
}

/* True if endpoints also use such default routes to the portal. */
static bool is_endpoints_way(struct check *c, const struct in6_addr *portal)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);
		struct route_answer route = {};

		if (endpoint_starts_by_itself(ep) && endpoint_is_usable(ep) && link &&
		    address_same_family(&ep->ip, portal) &&
		    !c->ops->route(c, &ep->ip, link->ifindex, portal, &route) && route.is_default &&
		    is_of_source_rule(&route))
			return true;
	}
	return false;
}

/* True if the unused link has a specific route to the portal, or one like those of endpoints. */
static bool has_own_route(struct check *c, const struct idle *idle)
{
	const struct in6_addr *portal = c->n_portals ? &c->portals[0].address.ip : NULL;
	struct route_answer route = {};
	struct ip_addr own;

	return portal && !address_parse(idle->address, &own) &&
	       !c->ops->route(c, &own.in6, idle->link->ifindex, portal, &route) &&
	       is_of_source_rule(&route) && (!route.is_default || is_endpoints_way(c, portal));
}

void rule_link_unused(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_link *crowded = check_crowded_segment(c);
	size_t n = check_idle_links(c);

	/* If subflows of controllers share a link, C13 and C14 report where they belong. */
	if (!n || c->plan_printed || (crowded && !c->trial) ||
	    check_is_set_up(c, NVME_MPTCP_ROLE_HOST))
		return;
	FOR_EACH(idle, c->idle, n) {
		struct nvme_mptcp_finding *f;

		if (!check_plans_link(c, NVME_MPTCP_ROLE_HOST, idle->link) ||
		    check_link_is_bypassed(c, idle->link))
			continue;
		f = finding_add(c, rule, subject_link(idle->link->name));
		if (f && crowded)
			f->severity = NVME_MPTCP_WARNING;
		if (crowded)
			finding_why_subject(c, f,
					    "reaches the target from %s and has no subflow, while "
					    "several of a connection share %s: " ROUTES_CHOOSE,
					    idle->address, crowded->name);
		else
			finding_why_subject(
				c, f,
				"reaches the target from %s, and has no endpoint and no subflow: if "
				"it is meant for this traffic, give it an endpoint",
				idle->address);
		finding_fact(c, f, "address", "%s", idle->address);
		if (has_own_route(c, idle))
			finding_fact(c, f, FACT_OWN_ROUTE, "yes");
		if (crowded)
			finding_fact(c, f, FACT_CROWDED, "%s", crowded->name);
		if (!crowded || !check_say_overlap(c, f, idle->link, crowded))
			fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
	}
}
