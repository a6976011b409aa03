// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules that need both sides; ids are of the side that needs the fix. See doc/mptcp-rules.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <linux/rtnetlink.h>

#include "mptcp/plan/steps.h"
#include "peer.h"

#define MAX_SOURCES 64

struct pairing {
	struct check *c; /* receives the findings */
	struct check *host, *target;
	int64_t starting; /* number of the host's endpoints that start subflows */
	int64_t announced; /* number of announced addresses, without portals */
	bool is_short; /* connections are missing subflows */
	bool starts; /* the host's endpoints restore missing subflows: no change on the target */
};

static bool is_portal(const struct check *host, const struct in6_addr *ip)
{
	for (size_t i = 0; i < host->n_portals; i++)
		if (address_equal(&host->portals[i].address.ip, ip))
			return true;
	return false;
}

/* Count the endpoints that can each give @conn, or any connection if NULL, a subflow. */
static int64_t count_starting(const struct check *host, const struct nvme_mptcp_connection *conn)
{
	int64_t n = 0;

	FOR_EACH_ENDPOINT(host, ep)
		n += endpoint_starts_subflows(ep) && check_has_portal_family(host, &ep->ip) &&
		     !(conn && endpoint_is_initial(ep, conn));
	return n;
}

static void count(struct pairing *p)
{
	if (!p->host->n_conns)
		p->starting = count_starting(p->host, NULL);
	FOR_EACH_ENDPOINT(p->target, ep)
		p->announced += endpoint_announces(ep) &&
				check_has_portal_family(p->host, &ep->ip) &&
				!is_portal(p->host, &ep->ip);
	for (size_t i = 0; i < p->host->n_conns; i++) {
		const struct nvme_mptcp_connection *conn = p->host->conns[i];
		const int64_t n = (int64_t)connection_count_established(conn);
		const int64_t starting = count_starting(p->host, conn);

		p->starting = starting > p->starting ? starting : p->starting;
		p->is_short |= conn->fallback != 1 && (n < 1 + starting || n < 1 + p->announced);
	}
}

static void target_limit(struct pairing *p)
{
	int64_t limit = p->target->snap->limit_subflows;
	int64_t wanted = p->starting > p->announced ? p->starting : p->announced;
	int64_t rejected = check_counter_total(p->target, "MPTcpExt", "MPJoinRejected");
	struct nvme_mptcp_finding *f;

	if (limit < 0 || wanted <= limit || peer_settles(p->c, RULE_T06))
		return;
	f = finding_why(p->c, finding_add(p->c, RULE_T06, subject_limit(LIMIT_SUBFLOWS)),
			"The host is configured for %lld subflows in addition to the initial one, "
			"but the target accepts only %lld: its limit includes accepted subflows",
			(long long)wanted, (long long)limit);
	finding_number(p->c, f, "subflows", limit);
	finding_number(p->c, f, "wanted", wanted);
	finding_number(p->c, f, "MPJoinRejected", rejected);
	fix_limits(p->target, f, NVME_MPTCP_ROLE_TARGET, wanted > 8 ? (size_t)wanted : 8);
}

static void host_limits(struct pairing *p)
{
	int64_t accepted = p->host->snap->limit_add_addr_accepted;
	int64_t limit = p->host->snap->limit_subflows;
	struct nvme_mptcp_finding *f;

	/* Announcements are not needed if the host's own endpoints reach the target. */
	if (p->starting || check_is_set_up(p->host, NVME_MPTCP_ROLE_HOST))
		return;
	if (accepted >= 0 && accepted < p->announced && !peer_settles(p->c, RULE_H06)) {
		f = finding_add(p->c, RULE_H06, subject_limit(LIMIT_ADD_ADDR_ACCEPTED));
		finding_why(p->c, f,
			    "The target announces %lld addresses, but the host accepts only %lld "
			    "of them",
			    (long long)p->announced, (long long)accepted);
		finding_number(p->c, f, "add_addr_accepted", accepted);
		finding_number(p->c, f, "announced", p->announced);
		fix_plan(p->host, f, NVME_MPTCP_ROLE_HOST);
	}
	if (limit > 0 && limit < p->announced && !check_has_found(p->c, RULE_H05) &&
	    !check_has_found(p->c, RULE_H06)) {
		f = finding_why(p->c, finding_add(p->c, RULE_H05, subject_limit(LIMIT_SUBFLOWS)),
				"The target announces %lld addresses, but a connection of the host "
				"may have only %lld subflow%s in addition to the initial one",
				(long long)p->announced, (long long)limit, limit == 1 ? "" : "s");
		finding_set_severity(f, NVME_MPTCP_WARNING);
		finding_number(p->c, f, "subflows", limit);
		fix_limits(p->host, f, NVME_MPTCP_ROLE_HOST, (size_t)p->announced);
	}
}

static bool is_strict(const struct check *side, int ifindex)
{
	const struct nvme_mptcp_link *link = link_by_index(side->snap, ifindex);

	return link && check_link_setting((struct check *)side, link, "rp_filter") == 1;
}

/* True if the link answers ARP only for addresses that routes reach over it. */
static bool ignores_arp(const struct check *side, int ifindex)
{
	const struct nvme_mptcp_link *link = link_by_index(side->snap, ifindex);

	return link && check_link_setting((struct check *)side, link, "arp_filter") == 1;
}

/* Check the target's route back to @source, an address of the host. */
static void return_route(struct pairing *p, const struct in6_addr *portal,
			 const struct in6_addr *source)
{
	char from[ADDRESS_TEXT], link[LINK_TEXT], other[LINK_TEXT];
	struct route_answer back = {}, plain = {};
	struct check *t = p->target;
	int arrival = peer_neighbour_link(t, source);
	int err = t->ops->route(t, portal, 0, source, &back);
	struct nvme_mptcp_finding *f;

	if (err && !route_is_none(err))
		return;
	/* From another VRF, hosts reach only what is announced there. */
	if (arrival &&
	    link_vrf(t->snap, link_by_index(t->snap, arrival)) != link_vrf_of(t->snap, portal))
		return;
	address_text(source, from);
	/* A06 or A07 reports it. */
	if (err && arrival && !link_is_alive(link_by_index(t->snap, arrival)))
		return;
	if (err) {
		f = finding_why(p->c, finding_add(p->c, RULE_R05, subject_address(source)),
				"The target has no route back to %s, an address of the host: its "
				"subflows get no reply",
				from);
		if (check_forbidding_type(err))
			finding_why(
				p->c, f,
				"The target's route back to %s, an address of the host, or a "
				"routing rule there, is of type %s and forbids replies: subflows "
				"from there get none",
				from, check_forbidding_type(err));
		finding_set_severity(f, NVME_MPTCP_ERROR);
		finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s", from);
		return;
	}
	/* Behind a router, the link on which packets arrive is unknown. */
	if (!arrival)
		return;
	arrival = peer_link_of(t, source, back.ifindex);
	if (back.ifindex != arrival && !check_has_found(p->c, RULE_R05)) {
		f = finding_why(p->c, finding_add(p->c, RULE_R05, subject_address(source)),
				"The target replies to %s, an address of the host, over %s instead "
				"of %s, which leads to it: two links share the bandwidth of one",
				from, link_text(t->snap, back.ifindex, link),
				link_text(t->snap, arrival, other));
		if (ignores_arp(t, arrival)) {
			finding_why_more(
				p->c, f,
				", and it answers no ARP request from there on %s (arp_filter)",
				other);
			finding_set_severity(f, NVME_MPTCP_ERROR);
		}
		finding_fact(p->c, f, "link", "%s", link);
		finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s", from);
	}
	if (!address_is_v4(source) || !is_strict(t, arrival) ||
	    t->ops->route(t, NULL, 0, source, &plain) || plain.ifindex == arrival)
		return;
	f = finding_why(
		p->c, finding_add(p->c, RULE_R06, subject_address(source)),
		"The target drops packets from %s, an address of the host, that arrive over "
		"%s, because its route there leads over %s (strict reverse path filter)",
		from, link_text(t->snap, arrival, link), link_text(t->snap, plain.ifindex, other));
	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_fact(p->c, f, "rp_filter", "1");
	finding_number(p->c, f, "IPReversePathFilter",
		       check_counter_total(t, "TcpExt", "IPReversePathFilter"));
	fix_rp_filter(p->c, f, NVME_MPTCP_ROLE_TARGET, link);
}

/* True if unused: both sides have it, or it is on an unused bridge or tunnel without a portal. */
static bool is_unused_address(const struct pairing *p, const struct nvme_mptcp_link *link,
			      const struct in6_addr *ip)
{
	if (snapshot_find_address(p->target->snap, ip))
		return true;
	for (size_t i = 0; i < p->host->n_portals; i++)
		if (link_network_has(p->host->snap, link->ifindex, &p->host->portals[i].address.ip))
			return false;
	return link->kind == NVME_MPTCP_LINK_VIRTUAL && !link->used;
}

/* True if nothing leaves the host from the endpoint (R01), so that no reply is missing. */
static bool sends_nothing_by(const struct pairing *p, const struct nvme_mptcp_endpoint *ep)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n)
		if (f->rule == RULE_R01 && f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT &&
		    f->subject.number == ep->id)
			return true;
	return false;
}

/*
 * Check the routes back to the addresses that subflows start from: those of endpoints, else those
 * that routes to announced addresses may select.
 */
static void return_routes(struct pairing *p)
{
	const struct nvme_mptcp_snapshot *snap = p->host->snap;
	const struct in6_addr *portal = p->host->n_portals ? &p->host->portals[0].address.ip : NULL;
	size_t n = 0;

	FOR_EACH_ENDPOINT(p->host, ep)
		if (endpoint_starts_subflows(ep) && endpoint_is_usable(ep) &&
		    check_has_portal_family(p->host, &ep->ip) &&
		    !check_is_superfluous(p->host, ep) && !sends_nothing_by(p, ep))
			return_route(p,
				     portal && address_same_family(portal, &ep->ip) ? portal : NULL,
				     &ep->ip);
	if (p->starting || !p->announced)
		return;
	for (size_t i = 0; i < snap->n_addresses && n < MAX_SOURCES; i++) {
		const struct local_address *address = &snap->addresses[i];
		const struct nvme_mptcp_link *link = link_by_index(snap, address->ifindex);

		/* Only addresses in a network of the target. */
		if (!link || !link_is_alive(link) || address->scope != RT_SCOPE_UNIVERSE ||
		    !check_has_portal_family(p->host, &address->ip) ||
		    !peer_neighbour_link(p->target, &address->ip) ||
		    is_unused_address(p, link, &address->ip))
			continue;
		n++;
		return_route(p, NULL, &address->ip);
	}
}

static void packet_sizes(struct pairing *p)
{
	const struct nvme_mptcp_snapshot *snap = p->host->snap;

	FOR_EACH(address, snap->addresses, snap->n_addresses) {
		const struct nvme_mptcp_link *ours = link_by_index(snap, address->ifindex);
		const struct nvme_mptcp_link *theirs =
			link_by_index(p->target->snap,
				      peer_neighbour_link(p->target, &address->ip));
		struct nvme_mptcp_finding *f;

		if (!ours || !theirs || address->scope != RT_SCOPE_UNIVERSE ||
		    (ours->flags & IFF_LOOPBACK) || ours->mtu <= 0 || theirs->mtu <= 0 ||
		    ours->mtu == theirs->mtu)
			continue;
		f = finding_add(p->c, RULE_A09, subject_network(ours->name, theirs->name));
		/* A switch with a smaller MTU than both is a case for A12. */
		finding_set_severity(f, NVME_MPTCP_INFO);
		finding_why(p->c, f,
			    "Both ends of one network have different MTUs: %lld on the host, "
			    "%lld on the target. TCP uses the smaller one (MSS)",
			    (long long)ours->mtu, (long long)theirs->mtu);
		finding_number(p->c, f, "host_mtu", ours->mtu);
		finding_number(p->c, f, "target_mtu", theirs->mtu);
		return;
	}
}

/* Counters since boot prove something only if subflows are missing now. */
static void counters(struct pairing *p)
{
	int64_t sent = check_counter_total(p->target, "MPTcpExt", "AddAddrTx");
	int64_t echoed = check_counter_total(p->target, "MPTcpExt", "EchoAdd");
	int64_t refused = check_counter_total(p->target, "MPTcpExt", "MPJoinAckHMacFailure");
	struct nvme_mptcp_finding *f;

	if (!p->is_short)
		return;
	if (sent && !echoed && !check_has_found(p->c, RULE_F08)) {
		f = finding_add(p->c, RULE_F08, subject_all(NVME_MPTCP_SUBJECT_ANNOUNCEMENT));
		finding_why(p->c, f,
			    "The target announced addresses, but no host has confirmed one: a "
			    "middlebox removes the announcements");
		finding_number(p->c, f, "AddAddrTx", sent);
		finding_fact(p->c, f, "EchoAdd", "0");
	}
	if (refused && !check_has_found(p->c, RULE_T10)) {
		f = finding_add(p->c, RULE_T10, subject_all(NVME_MPTCP_SUBJECT_JOIN));
		finding_why(p->c, f,
			    "The target has rejected joins that failed authentication. Possible "
			    "causes: NAT, a load balancer, or an attack");
		finding_number(p->c, f, "MPJoinAckHMacFailure", refused);
	}
}

/* A target that rejected joins of a connection rejects them until it ends, so add a reset. */
static void reset_after_denied_joins(struct pairing *p)
{
	for (size_t i = 0; p->is_short && i < p->c->findings->n; i++) {
		struct nvme_mptcp_finding *f = &p->c->findings->finding[i];

		if (f->rule == RULE_T07 || f->rule == RULE_T06)
			fix_reset_all(p->host, f);
	}
}

/* A host that starts subflows itself needs no announcements instead: remove that fix. */
static void drop_announce_fixes(struct pairing *p)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n) {
		size_t kept = 0;

		if (f->rule != RULE_T02 || !p->starts)
			continue;
		for (size_t j = 0; j < f->n_fixes; j++) {
			if (f->fixes[j].kind == FIX_ADD)
				free(f->fixes[j].command);
			else
				f->fixes[kept++] = f->fixes[j];
		}
		f->n_fixes = kept;
	}
}

/* Both sides are known, so replace the setup command in a fix with its steps. */
static void expand_setup_fixes(struct pairing *p, struct nvme_mptcp_finding *f)
{
	struct fix *fixes = f->fixes;
	size_t n = f->n_fixes;

	f->fixes = NULL;
	f->n_fixes = 0;
	for (size_t i = 0; i < n; i++) {
		struct check *side = fixes[i].side == NVME_MPTCP_ROLE_TARGET ? p->target : p->host;
		nvme_mptcp_plan_t plan =
			fixes[i].kind == FIX_SETUP ? check_plan(side, fixes[i].side) : NULL;

		for (size_t j = 0; plan && j < plan->n_steps; j++)
			finding_fix_verbatim(p->c, f, fixes[i].side, plan->steps[j].command);
		if (!plan) {
			finding_fix_verbatim(p->c, f, fixes[i].side, fixes[i].command);
			finding_fix_is(f, fixes[i].kind);
		}
		free(fixes[i].command);
	}
	free(fixes);
}

static void drop(struct nvme_mptcp_findings *findings, size_t i)
{
	finding_clear(&findings->finding[i]);
	memmove(&findings->finding[i], &findings->finding[i + 1],
		(findings->n - i - 1) * sizeof(*findings->finding));
	findings->n--;
}

/* True if the host's unused link is in the network of an address that is not announced (T01). */
static bool lacks_link_there(const struct pairing *p, const struct nvme_mptcp_finding *f)
{
	const char *text = finding_get_fact(f, FACT_INSTEAD);
	const struct nvme_mptcp_link *link;
	struct ip_addr ip;

	if (!text || address_parse(text, &ip))
		return false;
	link = link_by_index(p->host->snap, peer_neighbour_link(p->host, &ip.in6));
	return link && link_is_alive(link) && p->host->n_conns &&
	       !check_is_segment_used(p->host, link);
}

static bool has_crowd_of(const struct pairing *p, const char *announced)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n) {
		const char *text = f->rule == RULE_C14 ? finding_get_fact(f, FACT_ANNOUNCED) : NULL;

		if (text && !strcmp(text, announced))
			return true;
	}
	return false;
}

/* An address that is announced instead of another one, whose link this host does not use. */
static void wrong_announcements(struct pairing *p)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n)
		if (f->rule == RULE_T01 && f->severity == NVME_MPTCP_INFO && lacks_link_there(p, f))
			f->severity = NVME_MPTCP_WARNING;
}

/* True if packets that the target does not receive on this link leave the host over another one. */
static bool is_sent_elsewhere(const struct pairing *p, const struct nvme_mptcp_finding *f)
{
	const char *address = finding_get_fact(f, "address");
	struct ip_addr ip;

	if (!address || address_parse(address, &ip))
		return false;
	FOR_EACH(other, p->c->findings->finding, p->c->findings->n) {
		const char *led = finding_get_fact(other, FACT_LEAVES_BY)
					  ? finding_get_fact(other, "address")
					  : NULL;

		if (other->side != NVME_MPTCP_ROLE_HOST || other->severity == NVME_MPTCP_INFO)
			continue;
		if (led && !strcmp(led, address))
			return true;
		if (other->rule == RULE_C14 ||
		    (other->rule == RULE_R01 && finding_get_fact(other, FACT_LEAVES_BY) &&
		     address_equal(&other->subject.ip[0], &ip.in6)))
			return true;
	}
	return false;
}

/* True if the other side disproves a finding of one side, or explains it. */
static bool is_refuted(const struct pairing *p, const struct nvme_mptcp_finding *f)
{
	if (peer_has_cause(p->c, p->host, p->target, f))
		return true;
	if (f->rule == RULE_R05 && f->severity == NVME_MPTCP_WARNING)
		return is_sent_elsewhere(p, f);
	/* C14 has the same commands. */
	if (f->rule == RULE_T01 && finding_get_fact(f, FACT_INSTEAD))
		return p->starting > 0 || has_crowd_of(p, finding_get_fact(f, FACT_ANNOUNCED));
	if (f->rule == RULE_T01)
		return p->starting > 0 || p->starts;
	/* A portal may also be announced; that address needs no subflow. */
	if (f->rule == RULE_T06)
		return f->severity == NVME_MPTCP_WARNING;
	/* The host does not need announced addresses. */
	if (f->rule == RULE_H06)
		return p->starting > 0;
	/* A warning is about existing connections: new announcements do not help. */
	if (f->rule == RULE_H01 || f->rule == RULE_A11)
		return p->announced > 0 && f->severity != NVME_MPTCP_WARNING;
	/* C11 is about "this side" only, but an error is known now. */
	return f->rule == RULE_C11 && p->c->findings->finding[0].severity == NVME_MPTCP_ERROR;
}

int peer_compare(struct check *c, struct check *host, struct check *target)
{
	struct pairing p = { .c = c, .host = host, .target = target };
	struct nvme_mptcp_findings *findings = c->findings;

	count(&p);
	target_limit(&p);
	host_limits(&p);
	peer_compare_ports(c, host, target);
	return_routes(&p);
	packet_sizes(&p);
	peer_compare_announced(c, host, target);
	peer_compare_joins(c, host, target);
	counters(&p);
	p.starts = check_uses_own_endpoints(host);
	reset_after_denied_joins(&p);
	drop_announce_fixes(&p);
	wrong_announcements(&p);
	for (size_t i = 0; i < findings->n && !c->err; i++)
		expand_setup_fixes(&p, &findings->finding[i]);
	if (c->err)
		return c->err;
	finding_sort_all(findings);
	for (size_t i = findings->n; i-- > 0;)
		if (is_refuted(&p, &findings->finding[i]))
			drop(findings, i);
	return 0;
}
