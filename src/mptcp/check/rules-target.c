// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules T: the target. doc/mptcp-rules.md */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "transport.h"
#include "rules.h"

#define SOON 10 /* seconds until an announcement is repeated */

/* True if a host can use the address. A connection over IPv4 has no subflows over IPv6. */
static bool is_useful(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	FOR_EACH_CONN(c, conn)
		if (address_is_v4(&ep->ip) || !address_is_v4(&conn->remote.ip))
			return true;
	return !c->n_conns;
}

static size_t count_signals(const struct check *c, bool useful)
{
	size_t n = 0;

	FOR_EACH_ENDPOINT(c, ep)
		n += endpoint_announces(ep) && (!useful || is_useful(c, ep));
	return n;
}

/* True if setup would announce the link and no host has a subflow on it. */
static bool is_idle_link(struct check *c, const struct nvme_mptcp_link *link)
{
	return link && link_is_alive(link) && check_plans_link(c, NVME_MPTCP_ROLE_TARGET, link) &&
	       !check_is_segment_used(c, link);
}

/* Report endpoints without a flag: this one was meant to be announced as the others are. */
static void report_no_flags(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if ((ep->flags & ~(int64_t)NVME_MPTCP_ENDPOINT_BACKUP) || !count_signals(c, true) ||
		    !is_useful(c, ep) || !c->n_conns || !is_idle_link(c, endpoint_carrier(ep)))
			continue;
		f = finding_why_subject(
			c, finding_add_endpoint(c, rule, ep),
			"has neither the flag signal nor another one, so this target "
			"does not announce its address, and no host has a subflow "
			"there");
		fix_replace(c, f, ep, ep->flags | NVME_MPTCP_ENDPOINT_SIGNAL,
			    ep->link ? ep->link->name : NULL);
	}
}

void rule_nothing_announced(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f;
	int err = nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_ENDPOINTS);
	const size_t signals = count_signals(c, false);

	check_other_announced(c, rule);
	report_no_flags(c, rule);
	if (err || count_signals(c, true) || check_has_extra_subflows(c) ||
	    check_is_set_up(c, NVME_MPTCP_ROLE_TARGET))
		return;
	/* Until a port here offers MPTCP, it is unknown whether hosts start subflows by themselves. */
	if (c->nvmet.n_ports && !target_is_in_netns(&c->nvmet, c->snap))
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT)), "%s",
			signals ? "This target announces IPv6 addresses only, but its hosts are "
				  "connected over IPv4: their subflows cannot use them"
				: "This target announces no addresses: hosts know only the address "
				  "that they connect to, and their endpoints all have to reach it");
	/* Only the connected hosts know whether they could use other links. */
	if (f && c->n_conns && !signals)
		f->severity = NVME_MPTCP_INFO;
	finding_fact(c, f, "signal_endpoints", "%zu", signals);
	fix_plan(c, f, NVME_MPTCP_ROLE_TARGET);
}

void rule_subflow_on_target(struct check *c, enum rule_id rule)
{
	if (c->role & ON_HOST)
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!endpoint_starts_subflows(ep))
			continue;
		f = finding_why_subject(
			c, finding_add_endpoint(c, rule, ep),
			"has the flag subflow, which makes a target connect back to its hosts, "
			"which do not listen. A target announces addresses instead");
		/* Failed attempts do not affect the subflows that hosts started. */
		if (f && check_carries(c, ep))
			f->severity = NVME_MPTCP_INFO;
		else if (f && check_has_extra_subflows(c))
			f->severity =
				is_idle_link(c, ep->link) ? NVME_MPTCP_WARNING : NVME_MPTCP_INFO;
		finding_number(c, f, "MPJoinSynTxCreatSkErr",
			       check_counter_total(c, "MPTcpExt", "MPJoinSynTxCreatSkErr"));
		/* If its address were announced, hosts would use a management link for storage. */
		if (ep->link && !check_plans_link(c, NVME_MPTCP_ROLE_TARGET, ep->link))
			fix_delete(c, f, ep);
		else
			fix_replace(c, f, ep, endpoint_flags_for_target(ep->flags),
				    ep->link ? ep->link->name : NULL);
	}
}

static size_t count_ports_at(const struct check *c, uint16_t number)
{
	size_t n = 0;

	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports)
		n += port->subflows && port->has_address && port->address.port == number;
	return n;
}

/* True if hosts connect to @number rather than @other: more ports have it or, if equal, it is smaller. */
static bool is_main_number(const struct check *c, uint16_t number, uint16_t other)
{
	const size_t n = count_ports_at(c, number), m = count_ports_at(c, other);

	return n > m || (n == m && number < other);
}

/* True if several ports share the addresses: one at all of them would be refused beside the others. */
static bool has_several_ports(const struct check *c)
{
	size_t n = 0;

	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports)
		n += port->subflows && port->has_address;
	return n > 1;
}

/* True if only one of several ports has this number, so that hosts hardly connect to it. */
static bool is_odd_number(const struct check *c, uint16_t number)
{
	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports)
		if (port->subflows && port->has_address && port->address.port != number &&
		    is_main_number(c, port->address.port, number))
			return count_ports_at(c, number) == 1;
	return false;
}

static bool is_reported_at(const struct check *c, enum rule_id rule,
			   const struct nvme_mptcp_endpoint *ep, uint16_t number)
{
	FOR_EACH(f, c->findings->finding, c->findings->n) {
		const char *at = finding_get_fact(f, "trsvcid");

		if (f->rule == rule && f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT &&
		    f->subject.number == ep->id && at && atoi(at) == number)
			return true;
	}
	return false;
}

/* Return the nvmet port with an announced address; NULL if there is none. */
static const struct target_port *port_with_address(const struct check *c, const struct in6_addr *ip)
{
	for (size_t i = 0; i < c->nvmet.n_ports; i++)
		if (c->nvmet.ports[i].has_address &&
		    address_equal(&c->nvmet.ports[i].address.ip, ip))
			return &c->nvmet.ports[i];
	return NULL;
}

static void report_own_port(struct check *c, struct nvme_mptcp_finding *f,
			    const struct target_port *own, uint16_t number)
{
	char text[8];

	if (!own->subflows) {
		finding_why_subject(c, f,
				    "is announced, but port %s at its address has trtype %s: "
				    "joins get plain TCP",
				    own->name, own->trtype ? own->trtype : "(none)");
		fix_port(c, f, own, "addr_trtype", "mptcp");
		return;
	}
	finding_why_subject(c, f,
			    "is announced, but port %s at its address has trsvcid %u: joins to "
			    "port %u, which hosts connect to, are refused",
			    own->name, own->address.port, number);
	snprintf(text, sizeof(text), "%u", number);
	fix_port(c, f, own, "addr_trsvcid", text);
}

/* Report an address that is announced on a link from which the relay takes no connections. */
static bool report_no_relay_on(struct check *c, enum rule_id rule,
			       const struct nvme_mptcp_endpoint *ep, const struct target_port *port)
{
	const struct nvme_mptcp_relay_status *relay = c->snap->relay;
	struct nvme_mptcp_finding *f;
	char links[512] = "";

	if (!port->relayed || relayed_accepts_on(c->snap, ep->link))
		return false;
	for (size_t i = 0, n = 0; i < relay->n_links; i++)
		if (n + sizeof(*relay->links) < sizeof(links) &&
		    plan_link_by_name(c->snap, relay->links[i]))
			n += (size_t)snprintf(links + n, sizeof(links) - n, "%s,", relay->links[i]);
	f = finding_why_subject(
		c, finding_add_endpoint(c, rule, ep),
		"is announced, but the relay takes no connections on %s, which is "
		"not among its links (object \"relay\" in config.json, --dev): joins "
		"are refused",
		ep->link->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
		    NVME_MPTCP_COMMAND " setup --role target --relay --dev %s%s --apply",
		    shell_is_word(links) ? links : "", LINK_WORD(ep->link->name));
	return true;
}

void rule_no_listener(struct check *c, enum rule_id rule)
{
	const struct target_port *changed = NULL;

	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS))
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		const struct target_port *own = port_with_address(c, &ep->ip);

		if (!endpoint_announces(ep) || !ep->link || check_report_vrf(c, rule, ep) ||
		    ep->port /* the kernel listens there itself */)
			continue;
		FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports) {
			const uint16_t number = port->address.port;
			struct nvme_mptcp_finding *f;

			if (report_no_relay_on(c, rule, ep, port))
				break;
			/* T14 reports ports that do not listen. */
			if (!port->subflows || !port->has_address ||
			    !address_same_family(&port->address.ip, &ep->ip) ||
			    snapshot_has_listener(c->snap, &ep->ip, number) ||
			    !snapshot_has_listener(c->snap, &port->address.ip, number) ||
			    (!own && is_odd_number(c, number) && has_several_ports(c)) ||
			    (own && own->subflows &&
			     (own->address.port == number || is_odd_number(c, number) ||
			      !is_main_number(c, number, own->address.port))) ||
			    is_reported_at(c, rule, ep, number))
				continue;
			f = finding_add_endpoint(c, rule, ep);
			finding_fact(c, f, "port", "%s", own ? own->name : port->name);
			finding_fact(c, f, "trsvcid", "%u", number);
			if (own) {
				report_own_port(c, f, own, number);
				continue;
			}
			finding_why_subject(c, f,
					    "is announced, but nothing listens at %s port "
					    "%u: port %s is bound to %s, so joins are refused",
					    ep->address, number, port->name, port->traddr);
			finding_fact(c, f, "addr_traddr", "%s", port->traddr);
			/* If each address has its own port, the kernel refuses a port for all of them. */
			if (has_several_ports(c))
				finding_why_more(c, f, ". Add a port at %s", ep->address);
			/* Changing a port once is enough for all announced addresses. */
			else if (port != changed)
				fix_port(c, f, port, "addr_traddr",
					 address_is_v4(&ep->ip) ? "0.0.0.0" : "::");
			changed = port;
		}
	}
}

void rule_announced_and_absent(struct check *c, enum rule_id rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_ADDRESSES))
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!endpoint_announces(ep) || snapshot_find_address(c->snap, &ep->ip))
			continue;
		f = finding_add_endpoint(c, rule, ep);
		finding_why_subject(
			c, f, "is announced, but no interface has its address: joins to it fail");
		if (check_link_may_be_down(c, ep) || check_explain_ipv6_off(c, f, ep))
			continue;
		fix_delete(c, f, ep);
		/* Its link may have another address now. */
		if (!check_is_set_up(c, NVME_MPTCP_ROLE_TARGET))
			fix_plan(c, f, NVME_MPTCP_ROLE_TARGET);
	}
}

void rule_announces_the_portal(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_announces(ep) || ep->port)
			continue;
		FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports) {
			if (!port->subflows || !port->has_address ||
			    !address_equal(&port->address.ip, &ep->ip))
				continue;
			finding_why_subject(
				c, finding_add_endpoint(c, rule, ep),
				"has the address of port %s: hosts that connect to it know the "
				"address already, and the kernel does not announce it to them",
				port->name);
			break;
		}
	}
}

static bool is_announced(const struct check *c, const struct in6_addr *ip)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_announces(ep) && !ep->port && address_equal(&ep->ip, ip))
			return true;
	return false;
}

/* True if all hosts are connected to announced addresses: they join one less than are announced. */
static bool is_one_of_them_initial(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (!is_announced(c, &conn->local.ip))
			return false;
	return c->n_conns;
}

/* True if a connection has as many further subflows as the limit allows. */
static bool is_one_at_limit(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if ((int64_t)connection_count_established(conn) == 1 + c->snap->limit_subflows)
			return true;
	return false;
}

void rule_target_full(struct check *c, enum rule_id rule)
{
	int64_t limit = c->snap->limit_subflows;
	const int64_t grown = check_counter_growth(c, "MPTcpExt", "MPJoinRejected");
	int64_t rejected = check_counter_growth_or_total(c, "MPJoinRejected", is_one_at_limit(c));
	size_t signals = count_signals(c, true), least = 8;
	struct nvme_mptcp_finding *f;

	if (limit < 0 || (!rejected && (int64_t)signals <= limit + is_one_of_them_initial(c)))
		return;
	/* The address that a host connects to may be announced, but takes no subflow. */
	if (!rejected && check_plan(c, NVME_MPTCP_ROLE_TARGET) &&
	    !check_plans_limits(c, NVME_MPTCP_ROLE_TARGET))
		return;
	f = finding_why(c, finding_add(c, rule, subject_limit(LIMIT_SUBFLOWS)),
			rejected ? "This target rejects joins, because the limit includes accepted "
				   "subflows"
				 : "More addresses are announced than subflows are accepted");
	if (f && !grown && limit)
		f->severity = NVME_MPTCP_WARNING;
	finding_number(c, f, "subflows", limit);
	finding_fact(c, f, "signal_endpoints", "%zu", signals);
	finding_number(c, f, "MPJoinRejected", rejected);
	if (signals > least)
		least = signals;
	/* Hosts have more links than the target announces. */
	if (rejected && limit >= (int64_t)least)
		least = 2 * (size_t)limit;
	fix_limits(c, f, NVME_MPTCP_ROLE_TARGET, least);
}

void rule_no_join_to_initial(struct check *c, enum rule_id rule)
{
	const char *allowed = nvme_mptcp_setting(c->snap, "allow_join_initial_addr_port");
	struct nvme_mptcp_finding *f;

	if (!allowed || strcmp(allowed, "0") || count_signals(c, true))
		return;
	f = finding_add(c, rule, subject_setting("net.mptcp.allow_join_initial_addr_port"));
	finding_why(c, f,
		    "Hosts may not join to the address that they connect to, and no other "
		    "address is announced: connections use one link");
	finding_fact(c, f, "allow_join_initial_addr_port", "0");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
		    "sysctl -w net.mptcp.allow_join_initial_addr_port=1");
}

void rule_plain_port(struct check *c, enum rule_id rule)
{
	/* K06 is about a kernel that would refuse such a port. */
	if (check_has_ports(c) || check_has_found_module(c, "nvmet_tcp"))
		return;
	for (size_t i = 0; i < c->nvmet.n_ports; i++) {
		struct nvme_mptcp_finding *f;

		if (!c->nvmet.ports[i].has_address || !c->nvmet.ports[i].trtype)
			continue;
		f = finding_why(c, finding_add(c, rule, subject_port(c->nvmet.ports[i].name)),
				"No port of this target offers MPTCP: a host "
				"that requests it gets plain TCP, over one link");
		finding_fact(c, f, "addr_trtype", "%s", c->nvmet.ports[i].trtype);
		/* A kernel that refuses the type would leave the port disabled. */
		if (c->ops->offers(c, &check_nvmet_offer) == 1)
			fix_plain_port(c, f, &c->nvmet.ports[i]);
		else
			fix_relay(c, f, NVME_MPTCP_ROLE_TARGET);
	}
}

/* T10: packets that do not belong to this target, by the kernel's counters. */
void rule_misdirected(struct check *c, enum rule_id rule)
{
	static const struct {
		const char *counter, *why;
		enum nvme_mptcp_subject kind;
		enum nvme_mptcp_severity severity;
	} rows[] = {
		{ "MismatchPortSynRx",
		  "Joins arrived at a port that was not announced: a middlebox changes ports",
		  NVME_MPTCP_SUBJECT_JOIN, NVME_MPTCP_WARNING },
		{ "MPJoinNoTokenFound",
		  "Joins arrived for connections that this machine does not have. Possible "
		  "causes: several machines answer for the address, a load balancer, or another "
		  "network namespace",
		  NVME_MPTCP_SUBJECT_JOIN, NVME_MPTCP_WARNING },
		{ "MPJoinAckHMacFailure",
		  "Joins failed authentication. Possible causes: NAT, a load balancer, or an "
		  "attack",
		  NVME_MPTCP_SUBJECT_JOIN, NVME_MPTCP_WARNING },
		{ "MPCapableEndpAttempt",
		  "Hosts connect to a port that is for joins only: they use the port of an "
		  "endpoint as trsvcid",
		  NVME_MPTCP_SUBJECT_CONNECTION, NVME_MPTCP_ERROR },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t n = check_counter_growth(c, "MPTcpExt", rows[i].counter);
		struct nvme_mptcp_finding *f;

		if (!n)
			continue;
		f = finding_add(c, rule, subject_all(rows[i].kind));
		finding_set_severity(f, rows[i].severity);
		finding_why(c, f, "%s", rows[i].why);
		finding_fact(c, f, rows[i].counter, "%lld", (long long)n);
	}
}

/* True if a port listens: sockets opened before MPTCP was disabled stay open. */
static bool target_listens(const struct check *c)
{
	for (size_t i = 0; i < c->nvmet.n_ports; i++)
		if (c->nvmet.ports[i].subflows && c->nvmet.ports[i].has_address &&
		    snapshot_has_listener(c->snap, &c->nvmet.ports[i].address.ip,
					  c->nvmet.ports[i].address.port))
			return true;
	return false;
}

void rule_switched_off(struct check *c, enum rule_id rule)
{
	const char *enabled = nvme_mptcp_setting(c->snap, "enabled");
	struct nvme_mptcp_finding *f;

	/* On a host, K02 reports it. */
	if (!enabled || strcmp(enabled, "0") || c->role != ON_TARGET ||
	    !target_is_in_netns(&c->nvmet, c->snap))
		return;
	f = finding_why(c, finding_add(c, rule, subject_setting("net.mptcp.enabled")),
			"MPTCP is disabled in this network namespace: ports of that type cannot be "
			"enabled (error 92)%s",
			target_listens(c) ? "; ports that already listen continue"
					  : "; none listens here");
	if (f && target_listens(c))
		f->severity = NVME_MPTCP_WARNING;
	finding_fact(c, f, "enabled", "0");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.mptcp.enabled=1");
	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports)
		if (port->subflows && !port->n_subsystems && c->nvmet.subsystem)
			fix_offer(c, f, port, c->nvmet.subsystem);
}

/* T14 as information: a port that serves its hosts in another network namespace. */
static void listens_elsewhere(struct check *c, enum rule_id rule, const struct target_port *port)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_port(port->name));
	char name[NAME_MAX + 1];
	const bool known =
		c->ops->netns_of && c->ops->netns_of(c, &port->address, NULL, name, sizeof(name));

	finding_set_severity(f, NVME_MPTCP_INFO);
	finding_why_subject(c, f,
			    "is enabled, but listens in %s%s, not in this one: endpoints and "
			    "limits here do not apply to it",
			    known ? "network namespace " : "another network namespace",
			    known ? name : "");
	finding_fact(c, f, "addr_traddr", "%s", port->traddr);
	finding_fact(c, f, "subsystems", "%zu", port->n_subsystems);
	if (!known)
		return;
	finding_fact(c, f, "netns", "%s", name);
	finding_fix_in(c, f, NVME_MPTCP_ROLE_TARGET, name,
		       NVME_MPTCP_COMMAND " check --role target");
}

void rule_not_listening(struct check *c, enum rule_id rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS) ||
	    check_has_found(c, RULE_T09))
		return;
	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports) {
		struct nvme_mptcp_finding *f;

		if (target_port_in_other_netns(port, c->snap)) {
			listens_elsewhere(c, rule, port);
			continue;
		}
		/* A relay listens whether or not the port does. */
		if (!port->subflows || !port->has_address || port->n_subsystems ||
		    (!port->relayed &&
		     snapshot_has_listener(c->snap, &port->address.ip, port->address.port)))
			continue;
		f = finding_add(c, rule, subject_port(port->name));
		finding_why_subject(c, f,
				    "offers no subsystem, so it is not enabled and refuses hosts");
		finding_fact(c, f, "addr_traddr", "%s", port->traddr);
		finding_fact(c, f, "subsystems", "0");
		if (c->nvmet.subsystem)
			fix_offer(c, f, port, c->nvmet.subsystem);
	}
}

void rule_port_encrypted(struct check *c, enum rule_id rule)
{
	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports) {
		struct nvme_mptcp_finding *f;

		if (!port->subflows || !port->secure ||
		    nvmf_transport_has(port->trtype, NVMF_TRANSPORT_TLS))
			continue;
		f = finding_why_subject(
			c, finding_add(c, rule, subject_port(port->name)),
			"requires TLS, which no kernel supports for MPTCP yet: hosts cannot "
			"connect. Offer it over tcp, or without TLS on a trusted network");
		finding_fact(c, f, "addr_tsas", "tls");
		fix_port(c, f, port, "addr_tsas", "none");
	}
}

/* Count connections with fewer subflows than another of the same host, which are adjacent. */
static size_t count_short(const struct check *c)
{
	size_t n = 0;

	for (size_t i = 0, same; i < c->n_conns; i += same) {
		size_t most = 0;

		for (same = 0; i + same < c->n_conns; same++) {
			const struct nvme_mptcp_connection *conn = c->conns[i + same];

			if (!address_equal(&conn->remote.ip, &c->conns[i]->remote.ip))
				break;
			most = connection_count_established(conn) > most
				       ? connection_count_established(conn)
				       : most;
		}
		for (size_t j = 0; j < same; j++)
			n += connection_count_established(c->conns[i + j]) < most;
	}
	return n;
}

void rule_announced_again_late(struct check *c, enum rule_id rule)
{
	const char *setting = nvme_mptcp_setting(c->snap, "add_addr_timeout");
	int64_t sent = check_counter_total(c, "MPTcpExt", "AddAddrTx");
	int64_t echoed = counter_get(&c->snap->counters, "MPTcpExt", "EchoAdd");
	struct nvme_mptcp_finding *f;
	size_t n;
	int64_t timeout;

	if (!setting || str_parse_int(setting, 0, INT32_MAX, &timeout) || timeout <= SOON ||
	    echoed <= 0 || sent <= echoed)
		return;
	n = count_short(c);
	if (!n)
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ANNOUNCEMENT)),
			"Announcements were not confirmed, and %zu connection%s fewer subflows "
			"than others of the same host: a host drops an announcement that "
			"arrives while it handles another, and gets it again only after %lld s",
			n, n == 1 ? " has" : "s have", (long long)timeout);
	finding_number(c, f, "AddAddrTx", sent);
	finding_number(c, f, "EchoAdd", echoed);
	finding_number(c, f, "add_addr_timeout", timeout);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.mptcp.add_addr_timeout=2");
}
