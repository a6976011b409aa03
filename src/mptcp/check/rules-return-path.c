// SPDX-License-Identifier: LGPL-2.1-or-later
/* R05, and F01 next to it: links over which nothing returns from a target to hosts. doc/mptcp-rules.md */
#include <errno.h>
#include <stdlib.h>
#include <net/if.h>

#include "rules.h"

/* Each link gets the routing table OWN_TABLES plus its index: administrators number theirs from 1. */
#define OWN_TABLES 10000
#define TAG_MS 1200 /* more than between two requests of a kernel for a neighbour */

/* Use of a link whose addresses hosts reach. */
struct way_back {
	const struct nvme_mptcp_subflow
		*elsewhere; /* arrives on this link and leaves over another */
	bool leaves;
};

/*
 * True if the subflow arrives over the link that it leaves over: its host is in that link's
 * network, but not in the one of @link, which has the address.
 */
static bool is_straight(const struct check *c, const struct nvme_mptcp_subflow *sf,
			const struct nvme_mptcp_link *link)
{
	return link_network_has(c->snap, sf->link->ifindex, &sf->remote.ip) &&
	       !link_network_has(c->snap, link->ifindex, &sf->remote.ip);
}

/*
 * Add a routing table for the link's address with the route to its network. For destinations that
 * it does not have, the kernel continues with the next table.
 */
static void fix_way_back(struct check *c, struct nvme_mptcp_finding *f,
			 const struct nvme_mptcp_link *link, const struct local_address *own)
{
	const unsigned int family = address_is_v4(&own->ip) ? 96 : 0;
	const int table = OWN_TABLES + link->ifindex;
	struct in6_addr network = own->ip;
	const char *local = ADDRESS_STRING(&own->ip);

	for (unsigned int bit = own->prefix; bit < 128; bit++)
		network.s6_addr[bit / 8] &= (uint8_t) ~(0x80U >> bit % 8);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip route add %s/%u dev %s src %s table %d",
		    ADDRESS_STRING(&network), own->prefix - family, LINK_WORD(link->name), local,
		    table);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "%s add from %s table %d",
		    fix_rule_tool(&own->ip), local, table);
}

void rule_routes_asymmetric(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	_cleanup_(free) struct way_back *ways = NULL;

	if (!snap->n_links || !c->n_conns)
		return;
	ways = calloc(snap->n_links, sizeof(*ways));
	if (!ways) {
		c->err = -ENOMEM;
		return;
	}
	FOR_EACH_SUBFLOW(c, conn, sf) {
		const struct nvme_mptcp_link *link = plan_link_by_ip(snap, &sf->local.ip);

		if (!link || !sf->link || sf->state != STATE_ESTABLISHED)
			continue;
		ways[sf->link - snap->links].leaves = true;
		if (sf->link != link && !is_straight(c, sf, link))
			ways[link - snap->links].elsewhere = sf;
	}
	for (size_t i = 0; i < snap->n_links; i++) {
		const struct nvme_mptcp_subflow *sf = ways[i].elsewhere;
		char local[ADDRESS_TEXT], remote[ADDRESS_TEXT];
		const struct local_address *own;
		struct nvme_mptcp_finding *f;

		if (!sf || ways[i].leaves || (snap->links[i].flags & IFF_LOOPBACK))
			continue;
		own = snapshot_find_address(snap, &sf->local.ip);
		address_text(&sf->local.ip, local);
		address_text(&sf->remote.ip, remote);
		f = finding_why_subject(c, finding_add(c, rule, subject_link(snap->links[i].name)),
					"receives packets of hosts to %s, but sends nothing: "
					"replies to %s leave over %s. Packets from %s need a "
					"routing table of their own, whose routes use this link",
					local, remote, sf->link->name, local);
		finding_fact(c, f, "address", "%s", local);
		finding_fact(c, f, "leaves_by", "%s", sf->link->name);
		if (own && link_address_has(own, &sf->remote.ip))
			fix_way_back(c, f, &snap->links[i], own);
	}
}

/*
 * Probe a working path if no echo reply arrives on its link, or if this host's firewall may divert
 * packets. The routes of a bound subflow know no other link.
 */
static const struct probe_result *probe_working(struct check *c, const struct size_probe *path)
{
	const struct path_ends ends = { path->ends.local, path->ends.remote, 0 };
	const struct probe_result *way;

	if (path->bound ||
	    ((path->small || path->large || path->told) && !check_may_be_diverted(c, &ends)))
		return NULL;
	way = check_probe_path(c, &ends);
	return way && way->connected ? way : NULL;
}

/* Return the link where replies to a new connection arrive if it is another one, else 0. */
static int find_return(const struct check *c, const struct size_probe *path,
		       const struct probe_result *way)
{
	return way && way->reply_link != path->ends.ifindex &&
			       !link_network_has(c->snap, way->reply_link, &path->ends.local)
		       ? way->reply_link
		       : 0;
}

/* Report links whose replies arrive on each other. */
static bool report_swapped(struct check *c, const int *returns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			const int one = c->paths[j].ends.ifindex, other = c->paths[i].ends.ifindex;
			const char *first = LINK_STRING(c->snap, one);
			const char *second = LINK_STRING(c->snap, other);
			struct nvme_mptcp_finding *f;

			if (!returns[i] || returns[i] != one || returns[j] != other)
				continue;
			f = finding_why(c, finding_add(c, RULE_R05, subject_links(first, second)),
					"Packets sent over %s are answered over %s, and packets "
					"sent over %s over %s: the cables of both links are "
					"swapped, or the addresses of both on one side",
					first, second, second, first);
			finding_set_side(f, NVME_MPTCP_ROLE_HOST);
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -br address show");
			finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
			return true;
		}
	return false;
}

/* Report a link over which no reply arrives, because of the target's routes. */
static void report_other_return(struct check *c, const struct size_probe *path, int by)
{
	const struct in6_addr *local = &path->ends.local, *remote = &path->ends.remote.ip;
	const struct nvme_mptcp_link *link = link_by_index(c->snap, path->ends.ifindex);
	const struct nvme_mptcp_link *other = link_by_index(c->snap, by);
	struct nvme_mptcp_finding *f;

	/* Where ARP decides, R07 and F10 report it, and C14 a link without its address. */
	if (!link || !other || plan_link_by_ip(c->snap, local) != link ||
	    !check_link_address(c, other, local) || link_shares_segment(link, other) ||
	    (c->ops->same_broadcast_domain &&
	     c->ops->same_broadcast_domain(c, link->ifindex, by, local, remote)))
		return;
	f = finding_add_path(c, RULE_R05, local, remote);
	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_why(
		c, f,
		"Packets from %s to %s leave over %s, but the replies arrive over %s: a route of "
		"the target to %s, or a routing rule for packets from %s, leads there",
		ADDRESS_STRING(local), ADDRESS_STRING(remote), link->name, other->name,
		ADDRESS_STRING(local), ADDRESS_STRING(remote));
	finding_fact(c, f, "leaves_by", "%s", link->name);
	finding_fact(c, f, "arrives_by", "%s", other->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s", ADDRESS_STRING(local),
		    ADDRESS_STRING(remote));
}

void check_report_returns(struct check *c, size_t n)
{
	const struct probe_result *ways[SIZES];
	int returns[SIZES];

	for (size_t i = 0; i < n; i++) {
		ways[i] = probe_working(c, &c->paths[i]);
		returns[i] = find_return(c, &c->paths[i], ways[i]);
	}
	if (report_swapped(c, returns, n))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct path_ends ends = { c->paths[i].ends.local, c->paths[i].ends.remote,
						0 };

		if (check_is_diverted(c, &ends, ways[i]))
			check_report_diverted(c, &ends, ways[i], true);
		else if (returns[i])
			report_other_return(c, &c->paths[i], returns[i]);
	}
}

bool check_is_reported(struct check *c, const struct in6_addr *local,
		       const struct socket_address *remote, int ifindex)
{
	const struct path_ends ends = { *local, *remote, ifindex, OPTION_REPORT };
	const struct probe_result *way = check_probe_path(c, &ends);

	return way && way->quoted;
}

bool check_report_filtered(struct check *c, const struct nvme_mptcp_subflow *sf)
{
	const char *remote = ADDRESS_STRING(&sf->remote.ip), *local = ADDRESS_STRING(&sf->local.ip);
	const char *by = sf->link ? sf->link->name : "";
	struct nvme_mptcp_finding *f;

	if (!check_is_reported(c, &sf->local.ip, &sf->remote, sf->ifindex))
		return false;
	f = finding_add_path(c, RULE_F01, &sf->local.ip, &sf->remote.ip);
	finding_why_subject(c, f,
			    "of %s%s%s gets no reply, nor does an echo request, but %s reports an "
			    "error in a packet from %s: packets arrive there, and the way back "
			    "works. The target's own firewall drops the join",
			    check_owner_text(sf->connection), *by ? " over " : "", by, remote,
			    local);
	finding_fact(c, f, "echo", "no answer");
	finding_fact(c, f, "error_reported", "yes");
	finding_fact(c, f, "state", "SYN-SENT");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	return true;
}

/*
 * True if the target answers packets from the join's source that leave over another link: its route
 * back is right.
 */
static bool has_way_back(struct check *c, const struct nvme_mptcp_subflow *sf,
			 const struct nvme_mptcp_subflow *initial)
{
	const struct path_ends ends = { sf->local.ip, initial->remote,
					initial->link ? initial->link->ifindex : 0 };
	const struct probe_result *way = ends.ifindex ? check_probe_path(c, &ends) : NULL;

	return way && way->sent && (way->answered || way->refused);
}

/* F01: packets from the join's source are lost on its link alone. */
static void report_dropped_source(struct check *c, const struct nvme_mptcp_subflow *sf,
				  const struct nvme_mptcp_subflow *initial)
{
	const char *local = ADDRESS_STRING(&sf->local.ip);
	struct nvme_mptcp_finding *f = finding_add_path(c, RULE_F01, &sf->local.ip, &sf->remote.ip);

	finding_why_subject(
		c, f,
		"of %s over %s gets no reply. The target answers packets that leave over "
		"%s from %s, and packets from %s that leave over %s: a firewall or a "
		"switch drops packets from %s on the way over %s",
		check_owner_text(sf->connection), sf->link->name, sf->link->name,
		ADDRESS_STRING(&initial->local.ip), local, initial->link->name, local,
		sf->link->name);
	finding_fact(c, f, "state", "SYN-SENT");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

/*
 * Return the VLAN that the target's packets for this end have the tag of, and the link does not
 * take; 0: none. The target asks for this end's hardware address once a second.
 */
static uint16_t find_tag(struct check *c, const struct path_ends *ends)
{
	const struct probe_result *tried = check_probe_path(c, ends);
	struct probe_result again = {};

	if (tried && tried->sent && !tried->tag && !tried->answered && c->ops->attempt &&
	    !c->ops->attempt(c, ends, TAG_MS, &again))
		tried = &again;
	return tried ? tried->tag : 0;
}

/* The target is in a VLAN, and this host's link is not. */
static void say_tag(struct check *c, struct nvme_mptcp_finding *f, const struct path_ends *ends,
		    uint16_t tag)
{
	const char *link = LINK_STRING(c->snap, ends->ifindex);

	finding_why_more(c, f,
			 "Its packets for %s arrive on %s with the tag of VLAN %u, and %s takes "
			 "packets without a tag: both have to be in the same VLAN, or the switch "
			 "has to add and remove the tag",
			 ADDRESS_STRING(&ends->local), link, tag, link);
	finding_fact(c, f, "vlan", "%u", tag);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -d link show type vlan");
	finding_fix_is(f, FIX_INSPECT);
}

void check_explain_return(struct check *c, struct nvme_mptcp_finding *f,
			  const struct path_ends *ends, const struct in6_addr *other, bool near)
{
	const char *local = ADDRESS_STRING(&ends->local),
		   *remote = ADDRESS_STRING(&ends->remote.ip);
	const struct path_ends known = { *other, ends->remote, ends->ifindex };
	const struct probe_result *way = check_probe_path(c, &known);
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, other);
	const struct nvme_mptcp_link *owner = plan_link_by_ip(c->snap, &ends->local);
	const struct local_address *own = NULL;
	uint16_t tag = 0;
	const char *why;

	finding_fact(c, f, FACT_ANSWERED_FROM, "%s", ADDRESS_STRING(other));
	if (way && way->ttl && way->ttl < FEW_HOPS && !near) {
		finding_why_more(c, f,
				 "The target sends with a small hop limit (TTL), which is %u in "
				 "this answer: it is used up in a router on the way back to %s",
				 way->ttl, local);
		finding_fact(c, f, "hop_limit", "%u", way->ttl);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    address_is_v4(other) ? "sysctl net.ipv4.ip_default_ttl"
						 : "sysctl net.ipv6.conf.all.hop_limit");
		return;
	}
	if (near && owner && (why = check_why_unused(c, owner, &ends->remote.ip, &own)) &&
	    !address_equal(&own->ip, &ends->local)) {
		finding_why_more(
			c, f,
			"Nothing starts from %s, the address of %s in that network: %s. The "
			"kernel takes %s instead, and the target has no way back there",
			ADDRESS_STRING(&own->ip), owner->name, why, local);
		finding_set_side(f, NVME_MPTCP_ROLE_HOST);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -6 address show dev %s",
			    LINK_WORD(owner->name));
		return;
	}
	if (!near && check_other_source(c, ends)) {
		finding_why_more(c, f, "Only what comes from %s, or returns there, is lost", local);
		check_say_other_source(c, f, ends);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip%s route get %s from %s",
			    address_is_v4(other) ? "" : " -6", local, remote);
		finding_fix_is(f, FIX_INSPECT);
		return;
	}
	if (!near)
		finding_why_more(c, f,
				 "Only what comes from %s, or returns there, is lost. The route of "
				 "the target decides: if it does not lead over the link of %s, "
				 "correct it; if it does, a router or a firewall drops the packets",
				 local, remote);
	else if (!link_network_has(c->snap, ends->ifindex, &ends->local))
		finding_why_more(c, f,
				 "Its route back to %s is wrong: it does not lead there over that "
				 "link, or is of a type that forbids replies",
				 local);
	else if ((tag = find_tag(c, ends)))
		say_tag(c, f, ends, tag);
	else if (link && way && way->reply_link == link->ifindex)
		finding_why_more(c, f,
				 "Its route back to %s is wrong: it is missing (the prefix length "
				 "of its address %s is too long), it forbids replies (type "
				 "blackhole or unreachable), or it leads to another VLAN",
				 local, remote);
	else
		finding_why_more(c, f,
				 "Its route back to %s is wrong: a routing rule for packets from "
				 "%s leads elsewhere",
				 local, remote);
	if (tag)
		return;
	/* Packets with IP options may be dropped on the way, so that nothing is proved. */
	if (near && !check_is_reported(c, other, &ends->remote, ends->ifindex))
		finding_why_more(c, f,
				 ". If its route to %s is correct, a firewall drops packets from "
				 "there",
				 local);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip%s route get %s from %s",
		    address_is_v4(other) ? "" : " -6", local, remote);
	finding_fix_is(f, FIX_INSPECT);
}

/*
 * Probe from the initial source address over the join's link. If the target answers over another
 * link, the forward path works and only the return path to the join's address is missing.
 */
bool check_report_missing_return(struct check *c, const struct nvme_mptcp_subflow *sf,
				 const struct route_answer *route)
{
	const struct nvme_mptcp_subflow *initial = sf->connection->subflows;
	const bool same = sf->link && link_shares_segment(initial->link, sf->link);
	const struct path_ends ends = { initial->local.ip, sf->remote,
					sf->link ? sf->link->ifindex : 0 };
	const struct path_ends join = { sf->local.ip, sf->remote, ends.ifindex };
	const struct probe_result *way;
	struct nvme_mptcp_finding *f;
	struct owner asked;
	bool near;

	/* From another network, the answer needs a route of its own. */
	if (!sf->link || !address_same_family(&initial->local.ip, &sf->remote.ip) ||
	    (same && (address_equal(&initial->local.ip, &sf->local.ip) ||
		      link_network_has(c->snap, sf->link->ifindex, &sf->local.ip))))
		return false;
	way = check_probe_path(c, &ends);
	if (!way || !way->sent || (!way->answered && !way->refused) ||
	    (!same && way->reply_link == sf->ifindex))
		return false;
	if (!same && has_way_back(c, sf, initial)) {
		report_dropped_source(c, sf, initial);
		return true;
	}
	near = !route->gateway && link_network_has(c->snap, sf->link->ifindex, &sf->remote.ip);
	asked = (struct owner){ .ifindex = ends.ifindex, .ip = sf->local.ip, .from = ends.local };
	if (near && !same && check_report_proxied(c, &asked, &sf->remote.ip))
		return true;
	f = finding_add_path(c, RULE_R05, &sf->local.ip, &sf->remote.ip);
	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_set_severity(f, NVME_MPTCP_ERROR);
	finding_why_subject(c, f,
			    "of %s over %s gets no reply, although the target answers packets "
			    "that leave over that link from %s. ",
			    check_owner_text(sf->connection), sf->link->name,
			    ADDRESS_STRING(&initial->local.ip));
	check_explain_return(c, f, &join, &initial->local.ip, near);
	return true;
}
