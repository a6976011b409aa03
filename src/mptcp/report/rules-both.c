// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules for joins that fail on the target. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <linux/rtnetlink.h>

#include "peer.h"
#include "mptcp/trial/trial-state.h"

struct both {
	struct check *c; /* receives the findings */
	struct check *host, *target;
};

/* True if the target has the address that the path of the finding leads to, and listens there. */
static bool is_open_there(const struct both *p, const struct nvme_mptcp_finding *f)
{
	const struct in6_addr *ip = &f->subject.ip[1];

	for (size_t i = 0; i < p->host->n_portals; i++)
		if (snapshot_find_address(p->target->snap, ip) &&
		    snapshot_has_listener(p->target->snap, ip, p->host->portals[i].address.port))
			return true;
	return false;
}

/* True if a finding of the target by @rule is about @ip, an address that it announces. */
static bool is_wrong_there(const struct both *p, enum rule_id rule, const struct in6_addr *ip)
{
	FOR_EACH(other, p->c->findings->finding, p->c->findings->n) {
		const struct nvme_mptcp_endpoint *ep = finding_endpoint(p->target, other);

		if (other->rule == rule && other->side == NVME_MPTCP_ROLE_TARGET && ep &&
		    address_equal(&ep->ip, ip))
			return true;
	}
	return false;
}

/* True if the target reports why it does not answer there, or why its answer does not arrive. */
static bool is_absent_there(const struct both *p, const struct subject *path)
{
	static const enum rule_id rules[] = { RULE_T04, RULE_A02, RULE_A06, RULE_A07,
					      RULE_A08, RULE_R03, RULE_R08 };

	for (size_t i = 0;
	     path->kind == NVME_MPTCP_SUBJECT_PATH && i < sizeof(rules) / sizeof(*rules); i++)
		if (is_wrong_there(p, rules[i], &path->ip[1]))
			return true;
	return false;
}

/* True if a policy of IPsec on the target drops these packets. Makes it an error. */
static bool is_secured_there(const struct both *p, const struct subject *path)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n) {
		const char *peer = finding_get_fact(f, FACT_IPSEC_PEER);
		const char *length = finding_get_fact(f, FACT_IPSEC_LENGTH);
		const struct nvme_mptcp_endpoint *ep = finding_endpoint(p->target, f);
		struct ip_addr ip;
		struct prefix hosts;

		if (f->rule != RULE_F10 || f->side != NVME_MPTCP_ROLE_TARGET || !ep || !peer ||
		    !length || address_parse(peer, &ip) || !address_equal(&ep->ip, &path->ip[1]))
			continue;
		hosts = (struct prefix){ ip.in6, (uint8_t)(atoi(length) +
							   (address_is_v4(&ip.in6) ? 96 : 0)) };
		if (!prefix_has(&hosts, &path->ip[0]))
			continue;
		f->severity = NVME_MPTCP_ERROR;
		return true;
	}
	return false;
}

/* Find joins that something other than the target refuses. */
static void refused_by_another(struct both *p)
{
	const size_t n = p->c->findings->n;

	/* A report does not have the links that a relay takes no connections on. */
	FOR_EACH(port, p->target->nvmet.ports, p->target->nvmet.n_ports)
		if (port->relayed)
			return;
	for (size_t i = 0; i < n; i++) {
		struct in6_addr ip = p->c->findings->finding[i].subject.ip[1];
		struct nvme_mptcp_finding *f = &p->c->findings->finding[i];
		const bool closed = finding_get_fact(f, FACT_CLOSED);
		const char *text = ADDRESS_STRING(&ip);

		if (f->rule != RULE_T03 || f->subject.kind != NVME_MPTCP_SUBJECT_PATH ||
		    !is_open_there(p, f) || is_absent_there(p, &f->subject) ||
		    is_wrong_there(p, RULE_T03, &ip))
			continue;
		f = finding_why(
			p->c, finding_add(p->c, RULE_A13, subject_address(&ip)),
			"Joins to %s are refused, though the target has that address and listens "
			"there: %s",
			text,
			closed ? "another machine has the same address"
			       : "a firewall of the target rejects them, or another machine has "
				 "the same address");
		finding_set_side(f, NVME_MPTCP_ROLE_HOST);
		if (!closed)
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
		finding_fix(p->c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show to %s", text);
		finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
	}
}

/* True if the other side has set a link in the same network down, and so this carrier. */
static bool is_off_there(const struct both *p, const struct nvme_mptcp_finding *f)
{
	const bool on_target = f->side == NVME_MPTCP_ROLE_TARGET;
	const struct check *here = on_target ? p->target : p->host;
	const struct nvme_mptcp_snapshot *there = on_target ? p->host->snap : p->target->snap;
	const struct nvme_mptcp_link *link = finding_link(here, f);

	if (!link || link_is_off(here->snap, link))
		return false;
	FOR_EACH(own, there->addresses, there->n_addresses)
		if (link_network_has(here->snap, link->ifindex, &own->ip) &&
		    link_is_off(there, link_by_index(there, own->ifindex)))
			return true;
	return false;
}

/* True if a finding says that the target's replies to a join, or to its source, go astray. */
static bool is_answered_elsewhere(const struct both *p, const struct subject *path)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n)
		if (f->side == NVME_MPTCP_ROLE_TARGET &&
		    (f->rule == RULE_R05 || f->rule == RULE_R06) &&
		    f->severity == NVME_MPTCP_ERROR && !finding_get_fact(f, FACT_ANSWERED_FROM) &&
		    (subject_is_path(&f->subject, &path->ip[0], &path->ip[1]) ||
		     (f->subject.kind == NVME_MPTCP_SUBJECT_ADDRESS &&
		      address_equal(&f->subject.ip[0], &path->ip[0]))))
			return true;
	return false;
}

/* The target's link that a join arrives on: the source's network, else the destination's link. */
static int arrival_of(const struct both *p, const struct local_address *own,
		      const struct in6_addr *local)
{
	const int near = peer_neighbour_link(p->target, local);

	return near ? near : own->ifindex;
}

/* Find joins that the target answers over another link; behind routers only a failed one. */
static void answers_elsewhere(struct both *p)
{
	const size_t n = p->c->findings->n;

	for (size_t i = 0; i < n; i++) {
		const struct subject subject = p->c->findings->finding[i].subject;
		const struct in6_addr *local = &subject.ip[0], *remote = &subject.ip[1];
		const char *source = ADDRESS_STRING(remote), *host = ADDRESS_STRING(local);
		char link[LINK_TEXT], other[LINK_TEXT];
		const struct local_address *own;
		struct route_answer back = {};
		struct nvme_mptcp_finding *f;
		bool silent;
		int err, arrival;

		if ((p->c->findings->finding[i].rule != RULE_F01 &&
		     !finding_get_fact(&p->c->findings->finding[i], FACT_ANSWERED_FROM)) ||
		    subject.kind != NVME_MPTCP_SUBJECT_PATH)
			continue;
		own = snapshot_find_address(p->target->snap, remote);
		if (!own || check_join_is_superfluous(p->host, local) ||
		    is_answered_elsewhere(p, &subject) || is_absent_there(p, &subject))
			continue;
		arrival = arrival_of(p, own, local);
		err = p->target->ops->route(p->target, remote, 0, local, &back);
		silent = !err && back.gateway && check_hop_is_silent(p->target, &back);
		if (err ? !route_is_none(err) : back.ifindex == arrival && !silent)
			continue;
		link_text(p->target->snap, back.ifindex, link);
		link_text(p->target->snap, arrival, other);
		f = finding_add(p->c, RULE_R05, subject);
		finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
		finding_set_severity(f, NVME_MPTCP_ERROR);
		if (silent) {
			finding_why(p->c, f,
				    "The target answers joins from %s to %s through the router %s, "
				    "which does not answer it on %s: its route back has the wrong "
				    "address of a router, or that router is down",
				    host, source, ADDRESS_STRING(&back.hop), link);
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s",
				    host, source);
			continue;
		}
		if (err && check_forbidding_type(err)) {
			finding_why(
				p->c, f,
				"The target gets joins from %s to %s on %s, but its own route back "
				"to %s, or a routing rule, is of type %s and forbids the answers",
				host, source, other, host, check_forbidding_type(err));
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s",
				    host, source);
			continue;
		}
		if (err) {
			finding_why(p->c, f,
				    "The target gets joins from %s to %s "
				    "on %s and has no route back to %s: %s",
				    host, source, other, host,
				    check_is_similar_network(local, remote, 0)
					    ? "the prefix length of its address there is too long"
					    : "a route via a gateway of that link is missing");
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s",
				    host, source);
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip address show dev %s",
				    LINK_WORD(other));
			continue;
		}
		finding_why(p->c, f,
			    "The target answers joins from %s to %s over %s instead of %s, over "
			    "which they arrive, and no answer reaches the host: a routing rule for "
			    "packets from %s has to lead to a table whose routes use %s",
			    host, source, link, other, source, other);
		finding_fact(p->c, f, "link", "%s", link);
		finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s", host,
			    source);
	}
}

/* True if the target's reverse path filter prevents answers, including ARP. */
static bool is_filtered_there(const struct both *p)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n)
		if (f->rule == RULE_R06 && f->side == NVME_MPTCP_ROLE_TARGET)
			return true;
	return false;
}

/* Explain why the target itself does not answer as a next hop. */
static void explain_next_hop(struct both *p, struct nvme_mptcp_finding *f, const char *to,
			     const struct nvme_mptcp_link *link)
{
	char path[80];

	snprintf(path, sizeof(path), "net/ipv4/conf/%s/arp_ignore", link->name);
	if (address_is_v4(&f->subject.ip[1]) && p->target->ops->setting(p->target, path) >= 3) {
		f->side = NVME_MPTCP_ROLE_TARGET;
		finding_why(
			p->c, f,
			"The target has %s on %s, but answers no ARP request there (arp_ignore)",
			to, link->name);
		fix_arp(p->c, f, NVME_MPTCP_ROLE_TARGET, &link, 1);
		return;
	}
	/* The host reaches the target there, but by its hardware address alone. */
	if (finding_get_fact(f, FACT_TARGET_THERE)) {
		const int filters = peer_filters(p->target);

		if (address_is_v4(&f->subject.ip[1]))
			finding_why(p->c, f,
				    "The target has %s on %s and answers there, but no ARP request "
				    "for it is answered: %s",
				    to, link->name,
				    filters < 0 ? "ARP is filtered there or in a switch"
				    : filters & FILTER_ARP
					    ? "a firewall of the target drops ARP (a table of "
					      "the family arp, bridge or netdev)"
				    : filters & FILTER_BPF
					    ? "an eBPF program of the target or a switch drops it"
					    : "the target filters no ARP, so a switch does");
		if (!address_is_v4(&f->subject.ip[1]) || filters < 0 || (filters & FILTER_ARP))
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
		return;
	}
	if (peer_explain_wires(p->c, p->host, p->target, f, link))
		return;
	finding_why(p->c, f,
		    "The target has %s on %s, but the host gets no answer from there: a switch, a "
		    "cable or a VLAN between both is wrong%s",
		    to, link->name,
		    address_is_v4(&f->subject.ip[1])
			    ? ""
			    : ", or a firewall of either side drops neighbour discovery (ICMPv6)");
	finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip -d link show dev %s",
		    LINK_WORD(link->name));
}

/*
 * The target has the destination of a join and would answer over the arriving link. Explain the
 * failed join by the remaining guesses, or by the report of a router.
 */
static void explain_join(struct both *p, struct nvme_mptcp_finding *f)
{
	const struct in6_addr *local = &f->subject.ip[0], *remote = &f->subject.ip[1];
	const struct local_address *own = snapshot_find_address(p->target->snap, remote);
	const int arrival = own ? arrival_of(p, own, local) : 0;
	const struct nvme_mptcp_link *link = link_by_index(p->target->snap, arrival);
	const char *hop = finding_get_fact(f, FACT_NEXT_HOP);
	struct route_answer back = {};
	const char *from = ADDRESS_STRING(local), *to = ADDRESS_STRING(remote);

	if (!link || !link_is_alive(link) || is_absent_there(p, &f->subject) ||
	    p->target->ops->route(p->target, remote, 0, local, &back) || back.ifindex != arrival)
		return;
	if ((f->rule == RULE_R08 && (!hop || strcmp(hop, to) || is_filtered_there(p))) ||
	    (f->rule == RULE_F02 && !finding_get_fact(f, FACT_REJECTED_BY)))
		return;
	finding_drop_fixes(f);
	if (f->rule == RULE_R08) {
		explain_next_hop(p, f, to, link);
	} else if (f->rule != RULE_F02 && peer_neighbour_link(p->target, local) &&
		   peer_explain_wires(p->c, p->host, p->target, f, link)) {
		f->rule = RULE_R08;
		f->side = NVME_MPTCP_ROLE_HOST;
	} else if (f->rule == RULE_F02) {
		finding_why(p->c, f,
			    "The join from %s to %s is rejected by %s: the target "
			    "has that address, so the routes of this router, or "
			    "the network between it and %s of the target, are wrong",
			    from, to, finding_get_fact(f, FACT_REJECTED_BY), link->name);
	} else {
		const char *router = finding_get_fact(f, FACT_ROUTER);
		const char *passes = finding_get_fact(f, FACT_ANSWERED_FROM);
		const bool near = peer_neighbour_link(p->target, local);
		const int filters = peer_filters(p->target);

		/* Not R05: the return route exists. */
		f->rule = RULE_F01;
		f->side = NVME_MPTCP_ROLE_HOST;
		finding_why(
			p->c, f,
			"The join from %s to %s gets no reply, although the target has that "
			"address and would reply over %s%s%s: %s%s%s drops the join",
			from, to, link->name, back.gateway ? " through the router " : "",
			back.gateway ? ADDRESS_STRING(&back.hop) : "",
			near && !filters ? "a switch or a firewall between both"
			: near		 ? "a firewall of the target"
			: router	 ? "the last router that is reached, "
			: !filters
				? "a router or a firewall on the path"
				: "a router or firewall on the path, or a firewall of the target,",
			!near && router ? router : "",
			!near && router ? ", or something behind it," : "");
		if (passes)
			finding_why_more(p->c, f, ", and lets packets from %s pass", passes);
		if (filters)
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
		else
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s",
				    from, to);
	}
}

/* Explain idle subflows on a silent path whose address the target has and would answer from. */
static void explain_idle_subflows(struct both *p, struct nvme_mptcp_finding *f)
{
	const char *from = finding_get_fact(f, "local"), *to = finding_get_fact(f, FACT_REMOTE);
	const struct local_address *own;
	const struct nvme_mptcp_link *link;
	struct route_answer back = {};
	struct ip_addr local, remote;

	if (!from || !to || finding_get_fact(f, FACT_NEXT_HOP) || address_parse(from, &local) ||
	    address_parse(to, &remote))
		return;
	own = snapshot_find_address(p->target->snap, &remote.in6);
	link = own ? link_by_index(p->target->snap, arrival_of(p, own, &local.in6)) : NULL;
	if (!link || !link_is_alive(link) || !peer_neighbour_link(p->target, &local.in6) ||
	    p->target->ops->route(p->target, &remote.in6, 0, &local.in6, &back) ||
	    back.ifindex != link->ifindex)
		return;
	finding_drop_fixes(f);
	finding_why(p->c, f,
		    "Link %s has subflows from %s to %s that are established and idle, and %s "
		    "answers neither an echo request nor a new connection there, though the target "
		    "has that address and would reply over %s: a firewall of the target drops both",
		    f->object[0], from, to, to, link->name);
	finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

static bool is_undecided(const struct nvme_mptcp_finding *f)
{
	return f->subject.kind == NVME_MPTCP_SUBJECT_PATH && f->n_fixes == 1 &&
	       f->fixes[0].kind == FIX_INSPECT;
}

static bool has_found_as(const struct check *c, enum rule_id rule,
			 enum nvme_mptcp_severity severity)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == rule && f->severity == severity)
			return true;
	return false;
}

/* True if T02 prints commands after which the target announces its addresses. */
static bool fixes_announcements(const struct check *c)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		for (size_t j = 0; f->rule == RULE_T02 && j < f->n_fixes; j++)
			if (f->severity == NVME_MPTCP_ERROR && f->fixes[j].kind == FIX_ADD)
				return true;
	return false;
}

void peer_compare_joins(struct check *c, struct check *host, struct check *target)
{
	struct both both = { c, host, target };

	refused_by_another(&both);
	answers_elsewhere(&both);
	for (size_t i = 0; i < c->findings->n; i++)
		if (is_undecided(&c->findings->finding[i]))
			explain_join(&both, &c->findings->finding[i]);
		else if (c->findings->finding[i].rule == RULE_F01)
			peer_explain_filtered(c, target, &c->findings->finding[i]);
		else if (c->findings->finding[i].rule == RULE_C17 && host->snap == c->snap)
			explain_idle_subflows(&both, &c->findings->finding[i]);
}

static size_t count_found(const struct check *c, enum rule_id rule)
{
	size_t n = 0;

	for (size_t i = 0; i < c->findings->n; i++)
		n += c->findings->finding[i].rule == rule;
	return n;
}

/* True if the target reports why it does not answer at the address that the link leads to. */
static bool is_address_absent(const struct both *p, const struct nvme_mptcp_finding *f)
{
	const char *text = finding_get_fact(f, FACT_REMOTE);
	struct subject path = { .kind = NVME_MPTCP_SUBJECT_PATH };
	struct ip_addr ip;

	if (!text || address_parse(text, &ip))
		return false;
	path.ip[1] = ip.in6;
	return is_absent_there(p, &path);
}

static bool is_portal_elsewhere(const struct check *c)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == RULE_A13 && finding_get_fact(f, FACT_PORTAL))
			return true;
	return false;
}

/* True if the target reports that the port which the host connects to offers nothing. */
static bool is_disabled_there(const struct both *p)
{
	const struct nvme_mptcp_trial *trial = p->host->trial;

	FOR_EACH(f, p->c->findings->finding, p->c->findings->n)
		FOR_EACH(port, p->target->nvmet.ports, p->target->nvmet.n_ports)
			if (trial && f->rule == RULE_T14 && port->has_address && f->object[0] &&
			    !strcmp(f->object[0], port->name) &&
			    address_covers(&port->address.ip, &trial->portal.ip) &&
			    port->address.port == trial->portal.port)
				return true;
	return false;
}

/* True if the target itself reports that replies from this address leave over another link. */
static bool sends_elsewhere(const struct check *c, const struct in6_addr *ip)
{
	const char *text = ADDRESS_STRING(ip);

	FOR_EACH(f, c->findings->finding, c->findings->n) {
		const char *address = finding_get_fact(f, "address");

		if (f->rule == RULE_R05 && f->subject.kind == NVME_MPTCP_SUBJECT_LINK && address &&
		    !strcmp(address, text))
			return true;
	}
	return false;
}

bool peer_has_cause(struct check *c, struct check *host, struct check *target,
		    const struct nvme_mptcp_finding *f)
{
	const struct both both = { c, host, target };
	const struct nvme_mptcp_endpoint *ep;

	switch (f->rule) {
	case RULE_A02:
		ep = finding_endpoint(host, f);
		return ep && f->side == NVME_MPTCP_ROLE_HOST &&
		       check_has_found_address(c, RULE_A13, &ep->ip);
	case RULE_A07:
		return (check_has_found(c, RULE_A06) || count_found(c, RULE_A07) > 1) &&
		       is_off_there(&both, f);
	case RULE_C09:
		return is_portal_elsewhere(c) || is_disabled_there(&both);
	case RULE_C10:
		return is_portal_elsewhere(c);
	case RULE_F01:
		return f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
		       (is_answered_elsewhere(&both, &f->subject) ||
			is_absent_there(&both, &f->subject) ||
			is_secured_there(&both, &f->subject));
	case RULE_R01:
		return f->subject.kind == NVME_MPTCP_SUBJECT_ADDRESS &&
		       is_wrong_there(&both, RULE_T04, &f->subject.ip[0]);
	case RULE_R05:
		return f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
		       (finding_get_fact(f, FACT_ANSWERED_FROM)
				? is_answered_elsewhere(&both, &f->subject) ||
					  is_absent_there(&both, &f->subject)
				: f->severity == NVME_MPTCP_WARNING &&
					  sends_elsewhere(c, &f->subject.ip[1]));
	case RULE_F02:
		return is_undecided(f) && is_absent_there(&both, &f->subject);
	case RULE_C05:
	case RULE_C13:
		/* Both are caused by T06 and T07, for each link that joins late. */
		return has_found_as(c, RULE_T06, NVME_MPTCP_ERROR) ||
		       has_found_as(c, RULE_T07, NVME_MPTCP_ERROR);
	case RULE_C17:
		return is_address_absent(&both, f);
	case RULE_T06:
		/* The target's own finding has the numbers. */
		return finding_get_fact(f, FACT_JOINS) && count_found(c, RULE_T06) > 1;
	case RULE_T07:
		/* The target's own finding names the setting. */
		return f->subject.kind == NVME_MPTCP_SUBJECT_PORTAL && count_found(c, RULE_T07) > 1;
	case RULE_C01:
		return is_portal_elsewhere(c) || has_found_as(c, RULE_F04, NVME_MPTCP_ERROR) ||
		       has_found_as(c, RULE_T08, NVME_MPTCP_ERROR) ||
		       has_found_as(c, RULE_T09, NVME_MPTCP_ERROR) ||
		       has_found_as(c, RULE_K02, NVME_MPTCP_ERROR);
	case RULE_F04:
		return is_portal_elsewhere(c) || has_found_as(c, RULE_T09, NVME_MPTCP_ERROR);
	case RULE_F08:
		return check_has_option_loss(c, RULE_H01);
	case RULE_H01:
		/* The target has addresses to announce; they are lost, not usable, or flagged otherwise. */
		return (check_has_found(c, RULE_F08) && !finding_get_fact(f, FACT_OPTION_LOST)) ||
		       has_found_as(c, RULE_F09, NVME_MPTCP_WARNING) ||
		       check_has_found(c, RULE_A04) || check_has_found(c, RULE_K05) ||
		       has_found_as(c, RULE_T01, NVME_MPTCP_WARNING) || fixes_announcements(c);
	case RULE_R08:
		return is_filtered_there(&both) || is_absent_there(&both, &f->subject) ||
		       (f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
			is_answered_elsewhere(&both, &f->subject));
	case RULE_T03:
		return f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
		       (is_wrong_there(&both, RULE_T03, &f->subject.ip[1]) ||
			is_absent_there(&both, &f->subject) ||
			(check_has_found(c, RULE_A13) && is_open_there(&both, f)));
	default:
		return false;
	}
}
