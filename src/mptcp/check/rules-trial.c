// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rule C11, and findings of other rules about what a trial met on the path and why its subflows
 * failed. It runs after the rules that also look at the trial. doc/mptcp-rules.md
 */
#include <errno.h>
#include <string.h>

#include "config.h"
#include "rules.h"
#include "mptcp/plan/endpoint-edit.h"
#include "mptcp/trial/trial-state.h"

static void report_trial_fallback(struct check *c)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	int64_t plain = check_counter_growth(c, "MPTcpExt", "MPCapableFallbackSYNACK");
	struct nvme_mptcp_finding *f;
	struct path_ends ends;

	if (trial->outcome != NVME_MPTCP_TRIAL_FALLBACK || check_has_found(c, RULE_F05) ||
	    check_has_found(c, RULE_F04) || check_has_found(c, RULE_K07))
		return;
	f = finding_add(c, RULE_C01, subject_portal(trial->portal_text));
	finding_why(c, f, "The trial fell back to plain TCP, over one link: ");
	finding_number(c, f, "MPCapableFallbackSYNACK", plain);
	if (trial->conn) {
		ends = check_conn_ends(trial->conn);
		check_explain_fallback(c, f, &ends, NULL);
	}
}

/* Add a finding about the path of a subflow; NULL if this rule already has one. */
static struct nvme_mptcp_finding *add_subflow_finding(struct check *c, enum rule_id rule,
						      const struct nvme_mptcp_event *ev)
{
	return finding_add_path(c, rule, &ev->local.ip, &ev->remote.ip);
}

static const char *name_link(const struct check *c, const struct in6_addr *ip)
{
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, ip);

	return link ? link->name : "its link";
}

static void report_icmp_rejection(struct check *c, const struct nvme_mptcp_event *ev, int err,
				  const struct probe_result *way)
{
	finding_fact(c, check_report_rejected_join(c, &ev->local.ip, &ev->remote, way), "errno",
		     "%d", err);
}

/* Probe the same address over the link of the initial subflow; NULL if that is the event's link. */
static const struct probe_result *probe_initial_link(struct check *c,
						     const struct nvme_mptcp_event *ev,
						     enum probe_option option)
{
	const struct nvme_mptcp_connection *conn = c->trial->conn;
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, &conn->local.ip);
	const struct path_ends ends = { conn->local.ip, ev->remote, link ? link->ifindex : 0,
					option };

	return link && link != plan_link_by_ip(c->snap, &ev->local.ip) ? check_probe_path(c, &ends)
								       : NULL;
}

/* T03 or a firewall: a join to an announced address was refused for an unknown reason. */
static void report_refused_announcement(struct check *c, const struct nvme_mptcp_event *ev, int err,
					const struct probe_result *way)
{
	const struct probe_result *beside = way ? probe_initial_link(c, ev, OPTION_NONE) : NULL;
	const bool closed = way && way->closed, elsewhere = beside && beside->connected;
	struct nvme_mptcp_finding *f;
	char remote[ADDRESS_TEXT];

	if (elsewhere && check_report_redirected(c, &ev->local.ip, &ev->remote.ip, err, closed))
		return;
	f = add_subflow_finding(c, RULE_T03, ev);
	/* With IPv6, no second machine can take the address. */
	if (closed && elsewhere)
		finding_why_subject(
			c, f,
			"is refused, but over %s the target listens at that address: on %s "
			"another machine has that address",
			name_link(c, &c->trial->conn->local.ip), name_link(c, &ev->local.ip));
	else
		finding_why_subject(
			c, f, "is refused, though the target announces that address: %s%s",
			(beside && beside->closed) || (closed && !address_is_v4(&ev->remote.ip))
				? "nothing listens there, because the target's port is bound to "
				  "another address or port number"
			: c->snap->relay
				? "its relay skips that link, or nvmet's port has another address"
				: "its port is bound to another address, or another machine has "
				  "that address",
			closed ? "" : ", or a firewall of the target rejects it");
	finding_fact(c, f, "errno", "%d", err);
	if (closed)
		finding_fact(c, f, FACT_CLOSED, "yes");
	address_text(&ev->remote.ip, remote);
	if (closed && elsewhere)
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show to %s", remote);
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "grep . /sys/kernel/config/nvmet/ports/*/addr_tr*");
}

/* True if the target's own firewall refused the join, or if no router is in between. */
static bool is_targets_firewall(struct check *c, const struct path_ends *ends,
				const struct probe_result *way)
{
	struct route_answer route = {};

	if (way && (way->rejected || way->nearer))
		return !way->nearer;
	return !c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, &route) &&
	       !route.gateway;
}

/* True if a limit on the number of connections is the cause. It is reported once. */
static bool report_limit(struct check *c, const struct nvme_mptcp_event *ev,
			 const struct probe_result *way)
{
	struct nvme_mptcp_finding *f;
	struct limited limited;
	struct path_ends ends;

	if (check_knows_limit(c))
		return true;
	check_ends_of(ev, &ends);
	if (!check_is_limited(c, &ends, c->trial->conn, way, &limited))
		return false;
	f = add_subflow_finding(c, RULE_F02, ev);
	finding_why_subject(c, f, "is refused");
	check_say_limited(c, f, &limited);
	return true;
}

/* True if an MPTCP listener refuses joins there that the target would accept. */
static bool is_another_target(struct check *c, const struct path_ends *ends,
			      const struct probe_result *way)
{
	struct path_ends join = *ends;
	const struct probe_result *answer;

	if (!way || !way->connected)
		return false;
	join.option = OPTION_JOIN;
	answer = check_probe_path(c, &join);
	return answer && answer->refused && answer->option_refused;
}

static void report_refused_join(struct check *c, const struct nvme_mptcp_event *ev, int err)
{
	bool announced = !address_equal(&ev->remote.ip, &c->trial->portal.ip);
	const struct probe_result *way = NULL;
	struct nvme_mptcp_finding *f;
	struct path_ends ends;

	check_ends_of(ev, &ends);
	if (announced && err == ECONNREFUSED)
		way = check_probe_path(c, &ends);
	if (report_limit(c, ev, way))
		return;
	if (way && way->unreachable) {
		report_icmp_rejection(c, ev, err, way);
		return;
	}
	if (announced && check_report_refused_nearby(c, &ends, way))
		return;
	if (announced && err == ECONNREFUSED && !(way && (way->rejected || way->connected))) {
		report_refused_announcement(c, ev, err, way);
		return;
	}
	f = add_subflow_finding(c, RULE_F02, ev);
	finding_fact(c, f, "errno", "%d", err);
	if (is_another_target(c, &ends, way)) {
		finding_why_subject(c, f,
				    "is refused by a machine that speaks MPTCP but does not know "
				    "the connection: a load balancer or NAT on the path sends "
				    "packets for %s to another machine than the target",
				    ADDRESS_STRING(&ev->remote.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s from %s",
			    address_is_v4(&ev->remote.ip) ? "" : " -6",
			    ADDRESS_STRING(&ev->remote.ip), ADDRESS_STRING(&ev->local.ip));
		return;
	}
	finding_why_subject(c, f, "is refused, though %s: a firewall%s rejects it",
			    !way	     ? "the target listens there"
			    : way->connected ? "the target accepts plain TCP connections there"
					     : "a closed port would refuse it with a different "
					       "packet",
			    is_targets_firewall(c, &ends, way) ? " of the target" : " on the path");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

/* True if R08 is reported for the endpoint that the join starts from, or for its path. */
static bool has_silent_hop(const struct check *c, const struct in6_addr *local)
{
	FOR_EACH(f, c->findings->finding, c->findings->n) {
		const struct nvme_mptcp_endpoint *ep = finding_endpoint(c, f);

		if (f->rule == RULE_R08 && (f->subject.kind == NVME_MPTCP_SUBJECT_PATH || ep) &&
		    address_equal(ep ? &ep->ip : &f->subject.ip[0], local))
			return true;
	}
	return false;
}

static void report_silent_hop(struct check *c, const struct nvme_mptcp_event *ev, int err,
			      const struct route_answer *route)
{
	struct path_ends ends;

	check_ends_of(ev, &ends);
	if (!has_silent_hop(c, &ev->local.ip) && !check_has_no_route(c, &ev->local.ip))
		finding_fact(c, check_report_silent_hop(c, &ends, route), "errno", "%d", err);
}

/* Report a target in another network than the link's: the kernel took it for a neighbour. */
static void report_other_network(struct check *c, const struct nvme_mptcp_event *ev, int err,
				 const struct nvme_mptcp_link *link)
{
	struct nvme_mptcp_finding *f;

	if (check_has_no_route(c, &ev->local.ip))
		return;
	f = add_subflow_finding(c, RULE_R01, ev);
	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_why_subject(c, f,
			    "cannot work: over %s, no machine answers for the "
			    "target's address, which is in another network",
			    link->name);
	finding_fact(c, f, "errno", "%d", err);
	fix_unroutable_join(c, f, &ev->local.ip, link);
}

static bool is_found_dead(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if ((f->rule == RULE_A06 || f->rule == RULE_A07) && finding_link(c, f) == link)
			return true;
	return false;
}

static void report_dead_link(struct check *c, const struct nvme_mptcp_link *link)
{
	if (is_found_dead(c, link))
		return;
	finding_why(c, finding_add(c, RULE_A07, subject_link(link->name)),
		    "Link %s has no carrier: check cable, switch port and the other end",
		    link->name);
}

/* EHOSTUNREACH has many causes; probes find the right one. */
static void explain_unreachable(struct check *c, const struct nvme_mptcp_event *ev, int err)
{
	const struct local_address *owner = snapshot_find_address(c->snap, &ev->local.ip);
	const struct probe_result *way = NULL;
	const struct nvme_mptcp_link *link;
	struct route_answer route = {};
	struct path_ends ends;
	int failed;

	check_ends_of(ev, &ends);
	if (!ends.ifindex && owner)
		ends.ifindex = owner->ifindex;
	link = link_by_index(c->snap, ends.ifindex);
	if (link && !link_is_alive(link)) {
		report_dead_link(c, link);
		return;
	}
	failed = c->ops->route(c, &ends.local, ends.ifindex, &ends.remote.ip, &route);
	if (!failed) {
		check_ends_of(ev, &ends);
		way = check_probe_path(c, &ends);
	}
	if (way && way->unreachable)
		report_icmp_rejection(c, ev, err, way);
	else if (way && way->connected && report_limit(c, ev, way))
		return;
	else if (check_is_enslaved(c, link) || check_is_misplaced(c, &ev->local.ip, link))
		return; /* A08 or H08 has reported it */
	else if (check_link_is_unrouted(c, link, &ev->local.ip, &ev->remote.ip))
		report_other_network(c, ev, err, link);
	/* The kernel has forgotten its entry, or has one since an answer to a request of ours. */
	else if (!failed &&
		 (check_hop_is_silent(c, &route) || check_is_unheard(c, &route, &ends.local)))
		report_silent_hop(c, ev, err, &route);
	else
		report_icmp_rejection(c, ev, err, way);
}

/* With few retries (net.ipv4.tcp_syn_retries), a join without a reply ends during the trial. */
static void report_timed_out(struct check *c, const struct nvme_mptcp_event *ev)
{
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, &ev->local.ip);
	struct path_ends ends;
	struct nvme_mptcp_subflow sf = {
		.local = ev->local,
		.remote = ev->remote,
		.link = link,
		.connection = (struct nvme_mptcp_connection *)c->trial->conn,
	};

	check_ends_of(ev, &ends);
	sf.ifindex = ends.ifindex ? ends.ifindex : link ? link->ifindex : 0;
	if (!link || link_is_alive(link))
		check_report_unanswered(c, RULE_F01, &sf);
	else
		report_dead_link(c, link);
}

/* True if the address also answers without MPTCP over the initial link, which passes the option. */
static bool is_plain_there(struct check *c, const struct nvme_mptcp_event *ev)
{
	const struct probe_result *beside = address_equal(&ev->remote.ip, &c->trial->portal.ip)
						    ? NULL
						    : probe_initial_link(c, ev, OPTION_CAPABLE);

	return beside && beside->answered && !beside->option_answered;
}

/* This side closed the subflow without an error: the SYN/ACK had no MPTCP option. */
static void report_stripped_join(struct check *c, const struct nvme_mptcp_event *ev)
{
	struct nvme_mptcp_finding *f;
	struct path_ends ends;

	check_ends_of(ev, &ends);
	if (check_has_found(c, RULE_C08) ||
	    check_join_filtered_locally(c, &ends.local, &ends.remote, ends.ifindex))
		return;
	if (is_plain_there(c, ev)) {
		f = add_subflow_finding(c, RULE_T03, ev);
		finding_why_subject(
			c, f,
			"gets a reply without MPTCP, and so does a connection to that address over "
			"%s: a port for plain TCP (trtype tcp) listens there",
			name_link(c, &c->trial->conn->local.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "grep . /sys/kernel/config/nvmet/ports/*/addr_trtype");
		return;
	}
	f = add_subflow_finding(c, RULE_F03, ev);
	if (!check_explain_plain_service(c, f, &ends))
		finding_why(c, f,
			    "The join by %s got a reply without the MPTCP option: something on "
			    "that way removes it (TCP option 30) from packets that join a "
			    "connection",
			    name_link(c, &ev->local.ip));
	finding_fact(c, f, "link", "%s", name_link(c, &ev->local.ip));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

/* True if the host established the subflow before it was closed: the target had no room and reset it. */
static bool was_established(const struct nvme_mptcp_trial *trial, const struct nvme_mptcp_event *ev)
{
	for (const struct nvme_mptcp_event *other = trial->events; other < ev; other++)
		if (other->type == NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED &&
		    !strcmp(other->local_text, ev->local_text) &&
		    !strcmp(other->remote_text, ev->remote_text))
			return true;
	return false;
}

static void report_reset_joins(struct check *c, size_t n)
{
	struct nvme_mptcp_finding *f;

	if (check_has_found(c, RULE_T06))
		return;
	f = finding_why(c, finding_add(c, RULE_T06, subject_limit(LIMIT_SUBFLOWS)),
			"The target established joins and then reset them: its limit of subflows, "
			"which includes accepted ones, is too low");
	finding_fact(c, f, FACT_JOINS, "%zu", n);
	finding_number(c, f, "EstabResets", check_counter_growth(c, "Tcp", "EstabResets"));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp limits set subflows 8");
}

/* Path manager events show why each subflow ended. */
static const struct nvme_mptcp_event *next_closed(const struct nvme_mptcp_trial *trial,
						  const struct nvme_mptcp_event *ev)
{
	size_t i = ev ? (size_t)(ev - trial->events) + 1 : 0;

	for (; i < trial->n_events; i++) {
		ev = &trial->events[i];
		if (ev->type == NVME_MPTCP_EVENT_SUBFLOW_CLOSED && ev->has_local && ev->has_remote)
			return ev;
	}
	return NULL;
}

#define FOR_EACH_CLOSED(trial, ev) \
	for (const struct nvme_mptcp_event *ev = next_closed(trial, NULL); ev; \
	     ev = next_closed(trial, ev))

static bool misses_subflows(const struct nvme_mptcp_trial *trial)
{
	return trial && trial->conn && trial->conn->fallback != 1 &&
	       trial->established < trial->expected;
}

static void explain_closed_subflows(struct check *c)
{
	if (!misses_subflows(c->trial))
		return;
	FOR_EACH_CLOSED(c->trial, ev) {
		int err = (int)ev->value[NVME_MPTCP_EVENT_ERROR];

		/* R01: this host is in no network of the announced address. */
		if (was_established(c->trial, ev) ||
		    check_has_found_address(c, RULE_R01, &ev->remote.ip) ||
		    check_has_found_address(c, RULE_A13, &ev->remote.ip) ||
		    check_has_path_finding(c, &ev->local.ip, &ev->remote.ip))
			continue;
		if (err == ECONNREFUSED || err == EACCES || err == EPERM)
			report_refused_join(c, ev, err);
		else if (err == EHOSTUNREACH || err == ENETUNREACH)
			explain_unreachable(c, ev, err);
		else if (err == ETIMEDOUT)
			report_timed_out(c, ev);
		else if (err <= 0 && ev->value[NVME_MPTCP_EVENT_RESET_REASON] <= 0)
			report_stripped_join(c, ev);
	}
}

/* The kernel had no route for joins, and no rule about links and routes explains it. */
static void report_unrouted_joins(struct check *c)
{
	int64_t failed = check_counter_growth(c, "MPTcpExt", "MPJoinSynTxConnectErr");
	struct nvme_mptcp_finding *f;

	if (!misses_subflows(c->trial) || !failed || address_is_v4(&c->trial->portal.ip) ||
	    check_has_found(c, RULE_R01) || check_has_found(c, RULE_A06))
		return;
	f = finding_why(c, finding_add(c, RULE_R01, subject_all(NVME_MPTCP_SUBJECT_JOIN)),
			"Joins were not sent (%lld): the kernel has "
			"no route to the target over their links",
			(long long)failed);
	finding_number(c, f, "MPJoinSynTxConnectErr", failed);
}

/* Without events, use the namespace's counters, which include other connections. */
static void find_reset_joins(struct check *c)
{
	int64_t resets = check_counter_growth(c, "Tcp", "EstabResets");
	size_t n = 0;

	if (!misses_subflows(c->trial) || !resets)
		return;
	FOR_EACH_CLOSED(c->trial, ev)
		n += was_established(c->trial, ev);
	if (!c->trial->has_events && check_counter_growth(c, "MPTcpExt", "MPJoinSynAckRx") &&
	    check_owns_counter_growth(c))
		n = (size_t)resets;
	if (n)
		report_reset_joins(c, n);
}

/* True if the target forbids joins to the initial address, by a flag in its first reply. */
static bool forbids_joins(const struct check *c)
{
	const struct nvme_mptcp_trial *trial = c->trial;

	for (size_t i = 0; i < trial->n_events; i++)
		if (trial->events[i].value[NVME_MPTCP_EVENT_NO_JOIN_ID0] == 1)
			return true;
	/* Without events: an endpoint was used, but nothing was sent from it. */
	return !trial->has_events && trial->conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] > 0 &&
	       trial->conn->n_subflows == 1 &&
	       !check_counter_growth(c, "MPTcpExt", "MPJoinSynTx") &&
	       !check_counter_growth(c, "MPTcpExt", "MPJoinSynTxBindErr") &&
	       !check_counter_growth(c, "MPTcpExt", "MPJoinSynTxConnectErr") &&
	       !check_counter_growth(c, "MPTcpExt", "MPJoinSynTxCreatSkErr") &&
	       !check_has_found(c, RULE_H04) && !check_has_found(c, RULE_H17) &&
	       !check_has_found(c, RULE_H05);
}

static void report_initial_forbidden(struct check *c)
{
	struct nvme_mptcp_finding *f;

	if (!misses_subflows(c->trial) || c->trial->announced > 0 || !forbids_joins(c))
		return;
	f = finding_why(c, finding_add(c, RULE_T07, subject_portal(c->trial->portal_text)),
			"The target forbids joins to the address that was connected to, and "
			"announces no other: connections use one link");
	finding_number(c, f, "announced", c->trial->announced);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
		    "sysctl -w net.mptcp.allow_join_initial_addr_port=1");
}

/* Count announced addresses in networks that this host is not in. R01 reports them. */
static int64_t count_apart(const struct check *c)
{
	int64_t n = 0;

	FOR_EACH(f, c->findings->finding, c->findings->n)
		n += f->rule == RULE_R01 && f->subject.kind == NVME_MPTCP_SUBJECT_ADDRESS;
	return n;
}

/* H05: the host accepts the announcements, but not enough subflows. */
static void report_few_subflows(struct check *c, int64_t most)
{
	const int64_t subflows = c->snap->limit_subflows;
	struct nvme_mptcp_finding *f;

	if (subflows < 0 || subflows >= most || check_has_found(c, RULE_H05))
		return;
	f = finding_why(c, finding_add(c, RULE_H05, subject_limit(LIMIT_SUBFLOWS)),
			"The target announces %lld addresses that can be "
			"reached from here, but a connection of this host may "
			"have only %lld subflow%s in addition to the initial one",
			(long long)most, (long long)subflows, subflows == 1 ? "" : "s");
	finding_number(c, f, "subflows", subflows);
	finding_number(c, f, "announced", c->trial->announced);
	fix_limits(c, f, NVME_MPTCP_ROLE_HOST, (size_t)most);
}

/* H06: the target announces more addresses than a connection of this host follows. */
static void report_few_accepted(struct check *c)
{
	const int64_t accepted = c->snap->limit_add_addr_accepted;
	const int64_t most =
		c->trial->announced > LIMIT_GUARANTEED ? LIMIT_GUARANTEED : c->trial->announced;
	const int64_t subflows = c->snap->limit_subflows > most ? c->snap->limit_subflows : most;
	struct nvme_mptcp_finding *f;

	if (!misses_subflows(c->trial) || accepted <= 0)
		return;
	if (accepted >= most) {
		report_few_subflows(c, most - count_apart(c));
		return;
	}
	f = finding_add(c, RULE_H06, subject_limit(LIMIT_ADD_ADDR_ACCEPTED));
	finding_why(c, f,
		    "The target announces %lld addresses, but this host accepts only %lld of them",
		    (long long)c->trial->announced, (long long)accepted);
	finding_number(c, f, "add_addr_accepted", accepted);
	finding_number(c, f, "announced", c->trial->announced);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
		    "ip mptcp limits set subflows %lld add_addr_accepted %lld", (long long)subflows,
		    (long long)most);
}

/* True if this host is set up to follow no announcements and the trial has all other subflows. */
static bool has_what_is_set_up(struct check *c)
{
	return !c->snap->limit_add_addr_accepted && c->trial->established > c->trial->starting &&
	       check_is_set_up(c, NVME_MPTCP_ROLE_HOST);
}

/* Unused links with their own route to the target are meant for it, so raise the severity of A11. */
static void raise_unused_links(struct check *c)
{
	if (c->trial->outcome != NVME_MPTCP_TRIAL_MPTCP || check_has_found(c, RULE_H01) ||
	    check_has_found(c, RULE_H05) || check_has_found(c, RULE_H06) ||
	    check_has_found(c, RULE_K05) || check_has_found(c, RULE_T06))
		return;
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == RULE_A11 && finding_get_fact(f, FACT_OWN_ROUTE))
			f->severity = NVME_MPTCP_WARNING;
}

/* Refine findings with the trial's results. Report C11 if nothing explains missing subflows. */
void rule_trial_incomplete(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	struct nvme_mptcp_finding *f;
	char words[CHECK_PORTAL_TEXT];

	if (!trial)
		return;
	report_trial_fallback(c);
	explain_closed_subflows(c);
	report_unrouted_joins(c);
	find_reset_joins(c);
	report_initial_forbidden(c);
	report_few_accepted(c);
	raise_unused_links(c);
	if (!misses_subflows(trial) || has_what_is_set_up(c) ||
	    trial->established + count_apart(c) >= trial->expected)
		return;
	for (size_t i = 0; i < c->findings->n; i++)
		if (c->findings->finding[i].severity > NVME_MPTCP_INFO)
			return;
	f = finding_why(c, finding_add(c, rule, subject_portal(trial->portal_text)),
			"The trial got %lld of %lld subflows, and "
			"nothing on this side explains the missing ones",
			(long long)trial->established, (long long)trial->expected);
	finding_number(c, f, "announced", trial->announced);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, NVME_MPTCP_COMMAND " report -O target.json");
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
		    NVME_MPTCP_COMMAND " check --traddr %s --trsvcid %u --peer target.json",
		    check_portal_text(c, "%", words), trial->portal.port);
}
