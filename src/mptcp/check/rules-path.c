// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules F01 to F03 and F09, and joins for R01: what happens to joins on the path. doc/mptcp-rules.md */
#include <errno.h>
#include <string.h>
#include <net/if.h>
#include <linux/neighbour.h>

#include "config.h"
#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define NUD_ANSWERED (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)

/* True if a target with a public address announced a private one. */
static bool is_behind_nat(const struct nvme_mptcp_subflow *sf)
{
	return address_is_private(&sf->remote.ip) &&
	       !address_is_private(&sf->connection->remote.ip);
}

/* True if the finding explains why joins between these addresses fail. */
static bool has_cause(const struct check *c, const struct nvme_mptcp_finding *f,
		      const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_endpoint *ep;

	switch (f->rule) {
	case RULE_A05:
		return true;
	case RULE_H07:
	case RULE_H08:
	case RULE_R01:
	case RULE_R06:
	case RULE_R08:
		break;
	default:
		return false;
	}
	if (f->subject.kind == NVME_MPTCP_SUBJECT_ADDRESS)
		return address_equal(&f->subject.ip[0], &sf->remote.ip);
	if (f->subject.kind == NVME_MPTCP_SUBJECT_PATH)
		return address_equal(&f->subject.ip[0], &sf->local.ip) &&
		       (f->rule != RULE_R01 || address_equal(&f->subject.ip[1], &sf->remote.ip));
	ep = finding_endpoint(c, f);
	return !ep || address_equal(&ep->ip, &sf->local.ip);
}

static bool has_known_cause(const struct check *c, const struct nvme_mptcp_subflow *sf)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (has_cause(c, &c->findings->finding[i], sf))
			return true;
	return false;
}

/* True if the subflow's local address is gone, so that no reply can arrive. Endpoint rules report it. */
static bool has_lost_address(const struct check *c, const struct nvme_mptcp_subflow *sf)
{
	return !nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_ADDRESSES) &&
	       !snapshot_find_address(c->snap, &sf->local.ip);
}

static bool is_explained(const struct check *c, const struct nvme_mptcp_subflow *sf)
{
	return (sf->link && !link_is_alive(sf->link)) || is_behind_nat(sf) ||
	       has_lost_address(c, sf) || has_known_cause(c, sf);
}

/* Add a finding about a join; NULL if a join between the same addresses has one already. */
static struct nvme_mptcp_finding *add_join_finding(struct check *c, enum rule_id rule,
						   const struct nvme_mptcp_subflow *sf)
{
	return finding_add_path(c, rule, &sf->local.ip, &sf->remote.ip);
}

/* Connections share a few paths: cache the routes of each. */
static bool is_wrong_network(struct check *c, const struct nvme_mptcp_subflow *sf)
{
	struct unrouted_path *way;

	if (!sf->link)
		return false;
	for (size_t i = 0; i < c->n_unrouted && i < MAX_UNROUTED_PATHS; i++) {
		way = &c->unrouted[i];
		if (way->link == sf->link && address_equal(&way->local, &sf->local.ip) &&
		    address_equal(&way->remote, &sf->remote.ip))
			return way->crossed;
	}
	way = &c->unrouted[c->n_unrouted++ % MAX_UNROUTED_PATHS];
	*way = (struct unrouted_path){ sf->local.ip, sf->remote.ip, sf->link,
				       check_link_is_unrouted(c, sf->link, &sf->local.ip,
							      &sf->remote.ip) };
	return way->crossed;
}

static void report_wrong_network(struct check *c, enum rule_id rule,
				 const struct nvme_mptcp_subflow *sf)
{
	struct nvme_mptcp_finding *f = add_join_finding(c, rule, sf);

	if (!f)
		return;
	finding_why_subject(
		c, f,
		"cannot work: link %s does not lead to the network of the target's address, and "
		"the join counts against the limit until it times out. If the target announces "
		"its addresses, a host joins each over its own link without endpoints",
		sf->link->name);
	finding_fact(c, f, "link", "%s", sf->link->name);
	finding_fact(c, f, "state", "SYN-SENT");
	f->severity = NVME_MPTCP_WARNING;
	if (check_is_used_by_all(c, &sf->local.ip, sf->link))
		f->severity = NVME_MPTCP_INFO;
	else
		fix_unroutable_join(c, f, &sf->local.ip, sf->link);
}

/* Find the next hop of a join. Returns the kernel's state for it: NUD_*, or -errno. */
static int ask_hop(struct check *c, const struct nvme_mptcp_subflow *sf, struct route_answer *ret)
{
	if (!sf->link || c->ops->route(c, &sf->local.ip, sf->link->ifindex, &sf->remote.ip, ret))
		return -ENOENT;
	if (IN6_IS_ADDR_UNSPECIFIED(&ret->hop))
		ret->hop = sf->remote.ip;
	return check_neighbour_state(c, ret->ifindex, &ret->hop);
}

/* True if a limit on the number of connections is the cause. It is reported once. */
static bool report_limit(struct check *c, enum rule_id rule, const struct nvme_mptcp_subflow *sf,
			 const struct probe_result *way)
{
	const struct path_ends ends = { sf->local.ip, sf->remote, sf->ifindex };
	struct nvme_mptcp_finding *f;
	struct limited limited;

	if (check_knows_limit(c))
		return true;
	if (!check_is_limited(c, &ends, sf->connection, way, &limited))
		return false;
	f = add_join_finding(c, rule, sf);
	finding_why_subject(c, f, "of %s%s%s gets no reply", check_owner_text(sf->connection),
			    sf->link ? " over " : "", sf->link ? sf->link->name : "");
	check_say_limited(c, f, &limited);
	return true;
}

/* F03, F01 or F10: plain TCP succeeds where the join does not. */
static void report_dropped_join(struct check *c, enum rule_id rule,
				const struct nvme_mptcp_subflow *sf, const struct probe_result *way)
{
	struct nvme_mptcp_finding *f;

	if (check_join_filtered_locally(c, &sf->local.ip, &sf->remote,
					sf->link ? sf->link->ifindex : 0) ||
	    report_limit(c, rule, sf, way))
		return;
	f = add_join_finding(c, RULE_F03, sf);
	finding_why_subject(
		c, f,
		"of %s%s%s gets no reply, but a plain TCP connection there does: a middlebox "
		"drops packets with the MPTCP option (TCP option 30) of joins",
		check_owner_text(sf->connection), sf->link ? " over " : "",
		sf->link ? sf->link->name : "");
	finding_fact(c, f, "state", "SYN-SENT");
	finding_fact(c, f, "plain_tcp", "connected");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

/* Add how far a join without a reply got: up to the next hop, if that answers ARP. */
static void explain_where_lost(struct check *c, struct nvme_mptcp_finding *f,
			       const struct nvme_mptcp_subflow *sf,
			       const struct route_answer *route, const struct probe_result *way)
{
	const struct path_ends ends = { sf->local.ip, sf->remote, sf->ifindex };
	char hop[ADDRESS_TEXT];

	if (way && way->hops) {
		address_text(&way->last, hop);
		finding_why_more(c, f,
				 ", nor does an echo request: the last router reached is %s "
				 "(hop %u); the join or its reply is lost there or beyond",
				 hop, way->hops);
		finding_fact(c, f, FACT_ROUTER, "%s", hop);
	} else if (!route) {
		finding_why_more(c, f, ", nor does an echo request there");
	} else if (check_is_deaf(c, route->ifindex, &route->hop)) {
		finding_why_more(
			c, f,
			", nor does an echo request. %s answers ARP broadcasts on the link, "
			"but no request to its hardware address: a switch delivers such "
			"packets to another port. Another card has the same hardware "
			"address, or the switch's table is wrong",
			ADDRESS_STRING(&route->hop));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show dev %s",
			    LINK_STRING(c->snap, route->ifindex));
		return;
	} else if (address_equal(&route->hop, &sf->remote.ip)) {
		finding_why_more(c, f,
				 ", nor does an echo request, though that address is on the link "
				 "and answers there: the target drops the packet or the reply, "
				 "probably in its own firewall");
	} else {
		address_text(&route->hop, hop);
		finding_why_more(c, f,
				 ", nor does an echo request, though the router %s answers on the "
				 "link: %s",
				 hop,
				 way && way->traced ? MUTE_ROUTER
						    : "it or its reply is lost beyond that router");
		finding_fact(c, f, FACT_ROUTER, "%s", hop);
		if (way && way->traced) {
			check_explain_other_router(c, f, route, &ends);
			if (f && finding_get_fact(f, FACT_RIGHT_ROUTER))
				return;
		}
	}
	finding_why_more(c, f, ". A report of the target (--peer) shows more");
}

/*
 * Say where a firewall drops the port: IPv4 reports errors in packets before the target's rules for
 * input apply. True if that is on the path.
 */
static bool explain_firewall(struct check *c, struct nvme_mptcp_finding *f,
			     const struct path_ends *ends, const char *hop)
{
	struct socket_address other = ends->remote;

	other.port = CLOSED_PORT;
	if (check_is_reported(c, &ends->local, &ends->remote, ends->ifindex)) {
		finding_why_more(c, f,
				 " in the target, which reports an error in a packet to that port");
		return false;
	}
	if (!address_is_v4(&ends->local) ||
	    !check_is_reported(c, &ends->local, &other, ends->ifindex)) {
		finding_why_more(c, f, ", in the router %s, in the target or between them", hop);
		return false;
	}
	finding_why_more(c, f,
			 " on the path, in the router %s or beyond: the target reports an error in "
			 "a packet to another port, but not to this one",
			 hop);
	return true;
}

void check_report_unanswered(struct check *c, enum rule_id rule,
			     const struct nvme_mptcp_subflow *sf)
{
	const struct path_ends ends = { sf->local.ip, sf->remote, sf->ifindex };
	const struct probe_result *way = check_probe_path(c, &ends);
	const char *by = sf->link ? " over " : "", *link = sf->link ? sf->link->name : "";
	struct nvme_mptcp_finding *f;
	struct route_answer route = {};
	char hop[ADDRESS_TEXT], port[CHECK_PORT_TEXT];
	bool echo = false, echo_known = false, between = false;
	int state;

	if (way && way->known && way->connected) {
		report_dropped_join(c, rule, sf, way);
		return;
	}
	/* An ICMP error usually ends a join at once, but routers limit the rate of these errors. */
	if (way && way->unreachable) {
		check_report_rejected_join(c, &sf->local.ip, &sf->remote, way);
		return;
	}
	state = ask_hop(c, sf, &route);
	if (!(way && way->sent) && state > 0 && check_hop_is_silent(c, &route)) {
		check_report_silent_hop(c, &ends, &route);
		return;
	}
	/* The kernel keeps the entry of a neighbour for a while after the neighbour is gone. */
	if (way && way->sent && !way->misaddressed && state > 0 && (state & NUD_ANSWERED) &&
	    !check_hop_answers(c, route.ifindex, &route.hop)) {
		check_report_silent_hop(c, &ends, &route);
		return;
	}
	if (state > 0 && (state & NUD_ANSWERED) && !(way && way->misaddressed)) {
		echo = check_answers_echo(c, &ends);
		echo_known = true;
		if (!echo && (check_report_filtered(c, sf) ||
			      (address_equal(&route.hop, &sf->remote.ip) &&
			       (check_report_other_card(c, sf) ||
				check_report_untold_arp(c, &ends, sf->link))) ||
			      check_report_missing_return(c, sf, &route)))
			return;
	}
	if (echo && report_limit(c, rule, sf, way))
		return;
	f = add_join_finding(c, rule, sf);
	if (!f)
		return;
	/* The kernel never verifies a permanent entry: no machine may have that hardware address. */
	if (state == NUD_PERMANENT && !check_neighbour_is_correct(c, route.ifindex, &route.hop)) {
		address_text(&route.hop, hop);
		finding_why_subject(
			c, f,
			"of %s over %s gets no reply, and the neighbour entry of the next hop %s "
			"was set by hand and is never checked: compare its hardware address. If "
			"that is correct, a firewall drops the join",
			check_owner_text(sf->connection), link, hop);
		finding_fact(c, f, "neighbour", "permanent");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show to %s dev %s", hop,
			    LINK_WORD(sf->link->name));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
		return;
	}
	if (way && way->misaddressed) {
		const char *local = ADDRESS_STRING(&sf->local.ip);

		finding_why_subject(
			c, f,
			"of %s%s%s is answered, but to a wrong hardware address: the %s has a wrong "
			"neighbour entry for %s",
			check_owner_text(sf->connection), by, link,
			route.gateway ? "router in between" : "target", local);
		finding_fact(c, f, "misaddressed", "yes");
		if (!route.gateway)
			finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip neighbour show to %s", local);
		return;
	}
	if ((state & NUD_NOARP) && state > 0 && sf->link->kind != NVME_MPTCP_LINK_VIRTUAL &&
	    !(sf->link->flags & IFF_POINTOPOINT)) {
		finding_why_subject(c, f,
				    "of %s over %s gets no reply: ARP is disabled "
				    "on this link, so its packets reach no machine",
				    check_owner_text(sf->connection), link);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip link set dev %s arp on",
			    LINK_WORD(link));
		return;
	}
	if (!echo_known)
		echo = check_answers_echo(c, &ends);
	check_port_text(c, &sf->remote, port);
	finding_why_subject(c, f, "of %s%s%s%s gets no reply%s", check_owner_text(sf->connection),
			    by, link, port,
			    echo ? ", although an echo request does: a firewall drops it" : "");
	if (echo)
		check_say_other_source(c, f, &ends);
	if (echo && way && way->hops) {
		address_text(&way->last, hop);
		between = explain_firewall(c, f, &ends, hop);
		finding_fact(c, f, FACT_ROUTER, "%s", hop);
	} else if (!echo)
		explain_where_lost(c, f, sf, state > 0 && (state & NUD_ANSWERED) ? &route : NULL,
				   way);
	finding_fact(c, f, "echo", "%s", echo ? "answered" : "no answer");
	finding_fact(c, f, "state", "SYN-SENT");
	finding_number(c, f, "timeouts", sf->value[NVME_MPTCP_TIMEOUTS]);
	if (finding_get_fact(f, FACT_RIGHT_ROUTER))
		return;
	if (echo && !between)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	else if (!echo)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    NVME_MPTCP_COMMAND " check --role target");
	/* Without a probe, this host's own firewall may be the cause. */
	if (!echo && way && way->known)
		finding_fix_is(f, FIX_INSPECT);
}

void check_unroutable_joins(struct check *c, enum rule_id rule)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_is_overdue(sf) && is_wrong_network(c, sf) &&
		    !check_has_no_route(c, &sf->local.ip) &&
		    !check_is_misplaced(c, &sf->local.ip, sf->link))
			report_wrong_network(c, rule, sf);
}

static void report_unconfirmed(struct check *c, enum rule_id rule)
{
	FOR_EACH_SUBFLOW(c, conn, sf) {
		struct nvme_mptcp_finding *f;

		/* A12 reports a link that loses packets of any kind. */
		if (!subflow_is_unconfirmed(sf) ||
		    (sf->link && check_has_found_link(c, RULE_A12, sf->link->name)))
			continue;
		f = add_join_finding(c, rule, sf);
		finding_why_subject(c, f,
				    "of %s%s%s was answered, but the target never confirms "
				    "it: the last packet of the handshake (ACK) is lost, "
				    "for example in a firewall that drops it as invalid",
				    check_owner_text(sf->connection), sf->link ? " over " : "",
				    sf->link ? sf->link->name : "");
		finding_fact(c, f, "state", "not fully established");
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	}
}

void rule_join_unanswered(struct check *c, enum rule_id rule)
{
	report_unconfirmed(c, rule);
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_is_overdue(sf) && !is_explained(c, sf) && !is_wrong_network(c, sf) &&
		    !check_has_path_finding(c, &sf->local.ip, &sf->remote.ip) &&
		    !check_is_enslaved(c, sf->link) &&
		    !check_has_found_path(c, rule, &sf->local.ip, &sf->remote.ip))
			check_report_unanswered(c, rule, sf);
}

/* Count joins that failed between both snapshots without a SYN/ACK. */
static int64_t unanswered_joins(const struct check *c)
{
	int64_t sent = check_counter_growth(c, "MPTcpExt", "MPJoinSynTx");
	int64_t answered = check_counter_growth(c, "MPTcpExt", "MPJoinSynAckRx");
	int64_t joins = c->before && sent > answered ? sent - answered : 0;

	/* Pending joins have not failed yet. */
	FOR_EACH_SUBFLOW(c, conn, sf)
		joins -= sf->state == STATE_SYN_SENT;
	return joins > 0 ? joins : 0;
}

void rule_join_refused(struct check *c, enum rule_id rule)
{
	int64_t joins = unanswered_joins(c),
		failed = check_counter_growth(c, "Tcp", "AttemptFails");
	struct nvme_mptcp_finding *f;

	/* F03 reports replies without the option. */
	if (!joins || !failed || check_counter_growth(c, "MPTcpExt", "MPRstTx") ||
	    check_has_events(c) || !check_owns_counter_growth(c))
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_JOIN)),
			"Joins were refused at once: a firewall rejects them, or "
			"nothing listens at an address that the target announces");
	finding_number(c, f, "unanswered", joins);
	finding_number(c, f, "AttemptFails", failed);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, NVME_MPTCP_COMMAND " check --role target");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

void rule_join_stripped(struct check *c, enum rule_id rule)
{
	int64_t without = check_counter_growth(c, "MPTcpExt", "MPJoinSynAckNoMPJoin");
	int64_t resets = check_counter_growth(c, "MPTcpExt", "MPRstTx");
	int64_t joins = unanswered_joins(c);
	struct nvme_mptcp_finding *f;

	/* Newer kernels count these replies, older ones only the resets that they cause. */
	if ((!without && (!joins || !resets)) || check_has_events(c) ||
	    !check_owns_counter_growth(c))
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_JOIN)),
			"Joins got replies without the MPTCP option: a middlebox on that path "
			"removes it (TCP option 30) from packets that join a connection");
	finding_number(c, f, "unanswered", joins);
	finding_number(c, f, "MPRstTx", resets);
}

static void explain_private_address(struct check *c, struct nvme_mptcp_finding *f, const char *peer)
{
	finding_why_subject(
		c, f,
		"is for an announced address that is private, but %s is not: it cannot be "
		"reached from there. Announce the address that NAT assigns to it, or none",
		peer);
	finding_fact(c, f, "public", "%s", peer);
}

/* True if a host is connected to this address: deleting the endpoint would close connections. */
static bool is_connected_to(const struct check *c, const struct in6_addr *ip)
{
	FOR_EACH_CONN(c, conn)
		if (address_equal(&conn->local.ip, ip))
			return true;
	return false;
}

void rule_behind_nat(struct check *c, enum rule_id rule)
{
	const struct in6_addr *outside = NULL;
	char peer[ADDRESS_TEXT];
	bool inside = false;

	FOR_EACH_CONN(c, conn)
		if (address_is_private(&conn->remote.ip))
			inside = true;
		else if (!outside)
			outside = &conn->remote.ip;
	if (!outside)
		return;
	address_text(outside, peer);
	for (size_t i = 0; (c->role & ON_HOST) && i < c->n_conns; i++) {
		FOR_EACH(sf, c->conns[i]->subflows, c->conns[i]->n_subflows)
			if (subflow_is_overdue(sf) && is_behind_nat(sf))
				explain_private_address(c, add_join_finding(c, rule, sf), peer);
	}
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!(c->role & ON_TARGET) || !endpoint_announces(ep) ||
		    !address_is_private(&ep->ip) || !address_same_family(&ep->ip, outside) ||
		    is_connected_to(c, &ep->ip) || check_carries(c, ep))
			continue;
		f = finding_add_endpoint(c, rule, ep);
		explain_private_address(c, f, peer);
		/* Hosts in private networks may use it. */
		if (!inside)
			fix_delete(c, f, ep);
	}
}
