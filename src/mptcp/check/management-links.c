// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Endpoints and announced addresses on links that are not meant for storage: services create an
 * endpoint on each link, and targets announce each address, including that of the management link.
 * If joins fail there, the fix is to delete the endpoint, whatever stops the packets.
 */
#include <errno.h>

#include "rules.h"
#include "mptcp/plan/steps.h"
#include "mptcp/trial/trial-state.h"

/* True if each connection has a working subflow on each link that setup uses. */
static bool all_carry(const struct check *c, const struct nvme_mptcp_plan *plan)
{
	FOR_EACH_CONN(c, conn)
		for (size_t j = 0; j < plan->n_links; j++) {
			bool carries = false;

			for (size_t k = 0; k < conn->n_subflows && !carries; k++)
				carries = subflow_carries(&conn->subflows[k]) &&
					  conn->subflows[k].link &&
					  conn->subflows[k].link->ifindex == plan->links[j].ifindex;
			if (!carries)
				return false;
		}
	return c->n_conns && plan->n_links;
}

static bool is_default_routed(struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_link *link = endpoint_carrier(ep);
	struct route_answer route = {};

	for (size_t i = 0; link && i < c->n_portals; i++)
		if (address_same_family(&c->portals[i].address.ip, &ep->ip) &&
		    !c->ops->route(c, &ep->ip, link->ifindex, &c->portals[i].address.ip, &route) &&
		    (!route.is_default || route.assumed))
			return false;
	return link;
}

bool check_is_superfluous(struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	nvme_mptcp_plan_t plan;

	if (!(c->role & ON_HOST) || !endpoint_starts_by_itself(ep) || !endpoint_is_usable(ep) ||
	    !check_has_portal_family(c, &ep->ip) || check_carries(c, ep) ||
	    !is_default_routed(c, ep))
		return false;
	plan = check_plan(c, NVME_MPTCP_ROLE_HOST);
	return plan && !check_plans_link(c, NVME_MPTCP_ROLE_HOST, endpoint_carrier(ep)) &&
	       all_carry(c, plan);
}

/* Route of a join to an announced address. */
enum join_route {
	JOIN_ROUTE_NONE, /* no route, so no join is sent */
	JOIN_ROUTE_PROHIBITED, /* a route or rule forbids it */
	JOIN_ROUTE_DEFAULT, /* only a default route, over @link */
	JOIN_ROUTE_SPECIFIC,
};

static enum join_route find_join_route(struct check *c, const struct in6_addr *remote,
				       const struct nvme_mptcp_link **link)
{
	struct route_answer free = {}, bound = {};
	int err = c->ops->route(c, NULL, 0, remote, &free);

	*link = err ? NULL : link_by_index(c->snap, free.ifindex);
	if (err == -ENETUNREACH)
		return JOIN_ROUTE_NONE;
	if (err == -EHOSTUNREACH || err == -EACCES || err == -EINVAL)
		return JOIN_ROUTE_PROHIBITED;
	if (!*link || IN6_IS_ADDR_UNSPECIFIED(&free.source))
		return JOIN_ROUTE_SPECIFIC;
	/* A routing rule may forbid packets from the source address that the kernel chooses. */
	err = c->ops->route(c, &free.source, 0, remote, &bound);
	if (err == -EHOSTUNREACH || err == -EACCES || err == -EINVAL)
		return JOIN_ROUTE_PROHIBITED;
	if (c->ops->route(c, &free.source, free.ifindex, remote, &bound))
		return JOIN_ROUTE_SPECIFIC;
	return bound.is_default && bound.gateway ? JOIN_ROUTE_DEFAULT : JOIN_ROUTE_SPECIFIC;
}

/* True if connections use several links. A host with one link may leave other cards unused on purpose. */
static bool uses_several(const struct check *c)
{
	const struct nvme_mptcp_link *first = NULL;

	FOR_EACH_SUBFLOW(c, conn, sf) {
		if (!sf->link || !subflow_carries(sf))
			continue;
		if (first && first != sf->link)
			return true;
		first = sf->link;
	}
	return false;
}

/* True if a connection has another subflow that works. */
static bool has_second_subflow(const struct check *c)
{
	FOR_EACH_CONN(c, conn) {
		size_t n = 0;

		FOR_EACH(sf, conn->subflows, conn->n_subflows)
			n += subflow_carries(sf);
		if (n > 1)
			return true;
	}
	return false;
}

/* True if the target announces an address that a link other than the one in use leads to. */
static bool would_use_several(struct check *c)
{
	for (size_t i = 0; c->trial && c->trial->conn && i < c->trial->n_events; i++) {
		const struct in6_addr *remote = trial_announced(c->trial, i);
		const struct nvme_mptcp_link *by = NULL;

		if (remote && find_join_route(c, remote, &by) == JOIN_ROUTE_SPECIFIC && by &&
		    c->trial->conn->n_subflows && by != c->trial->conn->subflows->link)
			return true;
	}
	return false;
}

/*
 * True if this host uses fewer links than intended: several links are in use, or would be if it
 * followed the announcements; or it accepts announcements, the spare link has an address, and no
 * connection has a second subflow; or the kernel remembers a subflow from an address that is gone.
 */
static bool uses_too_few_links(struct check *c, const struct nvme_mptcp_link *spare,
			       const struct in6_addr *remote)
{
	if (uses_several(c) || would_use_several(c) ||
	    (c->snap->limit_add_addr_accepted > 0 && c->n_conns && !has_second_subflow(c) &&
	     check_link_address(c, spare, remote)))
		return true;
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) &&
		    address_same_family(&ep->ip, remote) &&
		    !snapshot_find_address(c->snap, &ep->ip))
			return true;
	return false;
}

static bool is_on_dead_link(const struct check *c, const struct in6_addr *remote)
{
	FOR_EACH(link, c->snap->links, c->snap->n_links)
		if (!link_is_alive(link) && link_network_has(c->snap, link->ifindex, remote))
			return true;
	return false;
}

static void report_no_network(struct check *c, enum rule_id rule, const struct in6_addr *remote,
			      enum join_route way, const struct nvme_mptcp_link *by)
{
	const struct nvme_mptcp_link *spare = check_spare_link(c, remote);
	struct nvme_mptcp_finding *f;
	const char *text = ADDRESS_STRING(remote);

	if (way == JOIN_ROUTE_DEFAULT && (!spare || !check_plan(c, NVME_MPTCP_ROLE_HOST) ||
					  check_plans_link(c, NVME_MPTCP_ROLE_HOST, by)))
		return;
	/* A06 and A07 report it. */
	if (is_on_dead_link(c, remote))
		return;
	f = finding_add(c, rule, subject_address(remote));
	if (f)
		f->severity = spare && uses_too_few_links(c, spare, remote) ? NVME_MPTCP_WARNING
									    : NVME_MPTCP_INFO;
	if (way == JOIN_ROUTE_DEFAULT)
		finding_why(c, f,
			    "The target announces %s, but only the default route "
			    "of this host, over %s, leads there: no join arrives",
			    text, by->name);
	else
		finding_why(c, f,
			    "The target announces %s, but no route of "
			    "this host leads there: no join is sent",
			    text);
	if (spare && !check_advise_gateway(c, f, spare, remote))
		check_advise_spare(c, f, spare, remote);
	finding_fact(c, f, FACT_ANNOUNCED, "%s", text);
}

static void report_forbidden_join(struct check *c, enum rule_id rule, const struct in6_addr *remote)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_address(remote));
	const char *text = ADDRESS_STRING(remote), *by;
	char name[FORBIDDING_TEXT];

	finding_set_severity(f, NVME_MPTCP_WARNING);
	by = check_name_forbidding(c, NULL, remote, 0, name);
	finding_why(c, f, "The target announces %s, but %s forbids it: no join is sent", text, by);
	finding_fact(c, f, FACT_ANNOUNCED, "%s", text);
	check_show_forbidding(c, f, remote, by);
}

bool check_has_local_scope(const struct check *c, const struct in6_addr *remote)
{
	for (size_t i = 0; i < c->n_portals; i++)
		if (address_is_loopback(&c->portals[i].address.ip) ||
		    IN6_IS_ADDR_LINKLOCAL(&c->portals[i].address.ip))
			return false;
	return address_is_loopback(remote) || IN6_IS_ADDR_LINKLOCAL(remote);
}

static void report_local_scope(struct check *c, enum rule_id rule, const struct in6_addr *remote)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_address(remote));
	const unsigned int id = check_announced_id(c, remote);
	const char *text = ADDRESS_STRING(remote);

	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_why(c, f,
		    "The target announces %s, a %s address: no host can join it. The target has "
		    "to announce an address that other machines can reach",
		    text, address_is_loopback(remote) ? "loopback" : "link-local");
	finding_fact(c, f, FACT_ANNOUNCED, "%s", text);
	if (id)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp endpoint delete id %u", id);
}

static bool has_joined(const struct check *c, const struct in6_addr *remote)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && address_equal(&sf->remote.ip, remote))
			return true;
	return false;
}

/* Announced addresses already handled: connections are announced the same few. */
struct judged_addresses {
	struct in6_addr ip[MAX_PORTALS];
	size_t n;
};

static bool was_judged(struct judged_addresses *all, const struct in6_addr *ip)
{
	for (size_t i = 0; i < all->n; i++)
		if (address_equal(&all->ip[i], ip))
			return true;
	if (all->n == MAX_PORTALS)
		return true;
	all->ip[all->n++] = *ip;
	return false;
}

/* Report an address that is joined over the default route while a link with a carrier is unused. */
static void report_default_route_subflow(struct check *c, enum rule_id rule,
					 const struct in6_addr *remote,
					 const struct nvme_mptcp_link *by)
{
	const struct nvme_mptcp_link *spare = check_spare_link(c, remote);
	const struct local_address *own = spare ? check_link_address(c, spare, remote) : NULL;
	struct nvme_mptcp_finding *f;
	const char *text = ADDRESS_STRING(remote);

	/* A link in another network has another purpose, unless both are almost equal. */
	if (!spare || !uses_several(c) ||
	    (own && !check_is_similar_network(&own->ip, remote, SIMILAR_BITS)) ||
	    !check_plan(c, NVME_MPTCP_ROLE_HOST) || check_plans_link(c, NVME_MPTCP_ROLE_HOST, by))
		return;
	f = finding_why(c, finding_add(c, rule, subject_address(remote)),
			"The subflow to %s, which the target announces, uses %s: only the default "
			"route of this host leads there",
			text, by->name);
	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_fact(c, f, FACT_LEAVES_BY, "%s", by->name);
	check_advise_spare(c, f, spare, remote);
	finding_fact(c, f, FACT_ANNOUNCED, "%s", text);
}

static void judge_announced(struct check *c, enum rule_id rule, const struct in6_addr *remote,
			    struct judged_addresses *all)
{
	const struct nvme_mptcp_link *by;
	enum join_route way;

	if (was_judged(all, remote) || check_report_foreign_source(c, rule, remote))
		return;
	if (has_joined(c, remote)) {
		if (find_join_route(c, remote, &by) == JOIN_ROUTE_DEFAULT)
			report_default_route_subflow(c, rule, remote, by);
		return;
	}
	if (check_has_local_scope(c, remote)) {
		report_local_scope(c, rule, remote);
		return;
	}
	way = find_join_route(c, remote, &by);
	/* Without a trial, F10 reports joins that were sent. */
	if (way == JOIN_ROUTE_PROHIBITED && c->trial)
		report_forbidden_join(c, rule, remote);
	else if (way == JOIN_ROUTE_NONE || way == JOIN_ROUTE_DEFAULT)
		report_no_network(c, rule, remote, way, by);
}

/* Check addresses that were announced to the trial, and those of overdue joins and unbound subflows. */
void check_announced_routes(struct check *c, enum rule_id rule, bool v4)
{
	struct judged_addresses all = {};
	const struct in6_addr *remote;

	for (size_t i = 0; c->trial && c->trial->conn && i < c->trial->n_events; i++) {
		remote = trial_announced(c->trial, i);
		if (remote && address_is_v4(remote) == v4)
			judge_announced(c, rule, remote, &all);
	}
	FOR_EACH_SUBFLOW(c, conn, sf) {
		remote = &sf->remote.ip;
		if ((subflow_is_overdue(sf) || (subflow_carries(sf) && !sf->is_bound)) &&
		    address_is_v4(remote) == v4 && !address_equal(remote, &conn->remote.ip))
			judge_announced(c, rule, remote, &all);
	}
}

bool check_join_is_superfluous(struct check *c, const struct in6_addr *local)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (address_equal(&ep->ip, local) && check_is_superfluous(c, ep))
			return true;
	return false;
}

static bool is_about_joins(enum rule_id rule)
{
	switch (rule) {
	case RULE_F01:
	case RULE_F02:
	case RULE_F03:
	case RULE_F10:
	case RULE_R01:
	case RULE_R06:
	case RULE_R08:
		return true;
	default:
		return false;
	}
}

static bool is_of_endpoint(const struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep)
{
	if (f->side != NVME_MPTCP_ROLE_HOST || !is_about_joins(f->rule))
		return false;
	return f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT
		       ? f->rule != RULE_R01 && f->subject.number == ep->id
		       : f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
				 address_equal(&f->subject.ip[0], &ep->ip);
}

bool check_suggest_withdrawal(struct check *c, struct nvme_mptcp_finding *f,
			      const struct in6_addr *remote)
{
	const struct nvme_mptcp_link *by;
	nvme_mptcp_plan_t plan;
	unsigned int id;

	if (!f || find_join_route(c, remote, &by) != JOIN_ROUTE_DEFAULT ||
	    check_spare_link(c, remote) || link_network_has(c->snap, by->ifindex, remote))
		return false;
	plan = check_plan(c, NVME_MPTCP_ROLE_HOST);
	if (!plan || !all_carry(c, plan))
		return false;
	finding_why_more(c, f,
			 ". Only the default route, over %s, leads to %s, which the "
			 "target announces. It looks like the address of a management "
			 "link: nothing is lost if the target does not announce it",
			 by->name, ADDRESS_STRING(remote));
	finding_drop_fixes(f);
	id = check_announced_id(c, remote);
	if (id)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp endpoint delete id %u", id);
	return true;
}

/* True if a portal is in a network of this host, so that routers lead elsewhere. */
static bool has_near_portal(struct check *c, const struct in6_addr *like)
{
	struct route_answer route = {};

	for (size_t i = 0; i < c->n_portals; i++)
		if (address_same_family(&c->portals[i].address.ip, like) &&
		    !c->ops->route(c, NULL, 0, &c->portals[i].address.ip, &route) && !route.gateway)
			return true;
	return false;
}

/* True if subflows show each address that connections accepted. The trial has all announcements. */
static bool knows_announced(const struct check *c)
{
	for (size_t i = 0; !c->trial && i < c->n_conns; i++) {
		const struct nvme_mptcp_connection *conn = c->conns[i];
		const int64_t accepted = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED];
		int64_t known = 0;

		FOR_EACH(sf, conn->subflows, conn->n_subflows)
			known += !address_equal(&sf->remote.ip, &conn->remote.ip);
		if (accepted < 0 || accepted > known)
			return false;
	}
	return true;
}

bool check_announce_instead(struct check *c, struct nvme_mptcp_finding *f,
			    const struct in6_addr *remote)
{
	const struct nvme_mptcp_link *spare = check_spare_link(c, remote), *by;
	const struct local_address *own = spare ? check_link_address(c, spare, remote) : NULL;
	const char *text = ADDRESS_STRING(remote), *near;
	unsigned int id;

	if (!f || !own || !has_near_portal(c, remote) ||
	    find_join_route(c, remote, &by) != JOIN_ROUTE_DEFAULT)
		return false;
	if (check_is_similar_network(&own->ip, remote, SIMILAR_BITS)) {
		finding_why_more(c, f, ". Only the default route, over %s, leads to %s", by->name,
				 text);
		check_advise_spare(c, f, spare, remote);
		return true;
	}
	if (!knows_announced(c))
		return false;
	near = ADDRESS_STRING(&own->ip);
	id = check_announced_id(c, remote);
	finding_why_more(c, f,
			 ". Only the default route, over %s, leads to %s, which the target "
			 "announces: it looks like the address of a management link. No address "
			 "in the network of %s (%s/%u) is announced, and that link carries "
			 "nothing: the target has to announce its address there instead",
			 by->name, text, spare->name, near,
			 own->prefix - (address_is_v4(&own->ip) ? 96U : 0U));
	if (id)
		finding_why_more(c, f, " of endpoint %u", id);
	finding_fact(c, f, FACT_ANNOUNCED, "%s", text);
	finding_fact(c, f, "link", "%s", spare->name);
	/* The new announcement first: other hosts may use the old one. */
	fix_setup(c, f, NVME_MPTCP_ROLE_TARGET);
	if (id)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp endpoint delete id %u", id);
	return true;
}

/* Return an address of a link that setup would announce, and that no host knows; NULL: none. */
static const struct local_address *unannounced(struct check *c, nvme_mptcp_plan_t plan,
					       const struct in6_addr *like)
{
	for (size_t i = 0; i < plan->n_links; i++) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, plan->links[i].ifindex);
		bool known = !link || !link_is_alive(link) || check_is_segment_used(c, link);

		FOR_EACH_ENDPOINT(c, ep)
			known |= endpoint_announces(ep) && address_same_family(&ep->ip, like) &&
				 link_shares_segment(endpoint_egress_link(ep), link);
		if (!known && check_link_address(c, link, like))
			return check_link_address(c, link, like);
	}
	return NULL;
}

/* True if some host is connected over this family. */
static bool serves_hosts(const struct check *c, const struct in6_addr *ip)
{
	FOR_EACH_CONN(c, conn)
		if (address_same_family(&conn->local.ip, ip))
			return true;
	return false;
}

static bool is_portal(const struct check *c, const struct in6_addr *ip)
{
	FOR_EACH_CONN(c, conn)
		if (address_equal(&conn->local.ip, ip))
			return true;
	return false;
}

/*
 * T01 of an endpoint on a link that setup leaves out, such as a management link, while it would
 * announce another one. That may be intended: only a host knows whether it has that link.
 */
void check_other_announced(struct check *c, enum rule_id rule)
{
	nvme_mptcp_plan_t plan = c->n_conns ? check_plan(c, NVME_MPTCP_ROLE_TARGET) : NULL;

	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_egress_link(ep);
		const struct local_address *other = NULL;
		struct nvme_mptcp_finding *f;
		const char *text, *name;

		if (plan && endpoint_announces(ep) && link && serves_hosts(c, &ep->ip) &&
		    !check_plans_link(c, NVME_MPTCP_ROLE_TARGET, link) && !is_portal(c, &ep->ip))
			other = unannounced(c, plan, &ep->ip);
		if (!other)
			continue;
		text = ADDRESS_STRING(&other->ip);
		name = LINK_STRING(c->snap, other->ifindex);
		f = finding_add_endpoint(c, rule, ep);
		finding_set_severity(f, NVME_MPTCP_INFO);
		finding_why_subject(
			c, f,
			"announces the address of %s, a link that setup leaves out, such as a "
			"management link or a tunnel. %s of %s is not announced, and no host has a "
			"subflow there: announce that instead, then delete endpoint %u",
			link->name, text, name, ep->id);
		finding_fact(c, f, FACT_ANNOUNCED, "%s", ep->address);
		finding_fact(c, f, FACT_INSTEAD, "%s", text);
		fix_plan(c, f, NVME_MPTCP_ROLE_TARGET);
	}
}

static bool is_about_announced(const struct check *c, const struct nvme_mptcp_finding *f)
{
	if (f->subject.kind != NVME_MPTCP_SUBJECT_PATH ||
	    (f->rule != RULE_T03 && !is_about_joins(f->rule)) || !(c->role & ON_HOST))
		return false;
	for (size_t i = 0; i < c->n_portals; i++)
		if (address_equal(&c->portals[i].address.ip, &f->subject.ip[1]))
			return false;
	return true;
}

/* Explain that a route over another link, of a VPN for example, takes what leads to the target. */
static bool explain_other_way(struct check *c, struct nvme_mptcp_finding *f)
{
	const struct nvme_mptcp_link *by, *other;

	(void)find_join_route(c, &f->subject.ip[1], &by);
	other = check_better_way(c, &f->subject.ip[1], by);
	if (!other)
		return false;
	finding_why_subject(c, f, "fails");
	check_say_precedence(c, f, &f->subject.ip[1], by, other);
	return true;
}

static void suggest_deletion(struct check *c, struct nvme_mptcp_finding *f)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!is_of_endpoint(f, ep) || !check_is_superfluous(c, ep))
			continue;
		finding_why_more(c, f,
				 ". Only a default route of %s leads to the target, as on a "
				 "management link, and the links in the target's networks carry "
				 "all connections: nothing is lost without this endpoint",
				 endpoint_carrier(ep)->name);
		finding_set_severity(f, NVME_MPTCP_WARNING);
		finding_drop_fixes(f);
		fix_delete(c, f, ep);
		return;
	}
	if (is_about_announced(c, f) && !explain_other_way(c, f))
		check_suggest_withdrawal(c, f, &f->subject.ip[1]);
}

void check_suggest_deletion(struct check *c)
{
	for (size_t i = 0; i < c->findings->n && !c->err; i++)
		suggest_deletion(c, &c->findings->finding[i]);
}
