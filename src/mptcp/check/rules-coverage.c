// SPDX-License-Identifier: LGPL-2.1-or-later
/* C13, C14: missing and superfluous subflows (snapshot/coverage.c) that no other rule explains. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"
#include "tally.h"
#include "mptcp/plan/endpoint-edit.h"
#include "mptcp/snapshot/coverage.h"
#include "mptcp/snapshot/wire.h"
#include "mptcp/trial/trial-state.h"

/* Rules whose findings do not explain why a link has no subflow. */
static bool explains_nothing(enum rule_id rule)
{
	switch (rule) {
	case RULE_A09:
	case RULE_A10:
	case RULE_A11:
	case RULE_C04:
	case RULE_C06:
	case RULE_C07:
	case RULE_C12:
	case RULE_C14:
	case RULE_C17:
	case RULE_H14:
	case RULE_N03:
	case RULE_N06:
	case RULE_R09:
		return true;
	default:
		return false;
	}
}

static bool names_endpoint_of(const struct check *c, const struct nvme_mptcp_finding *f,
			      const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_endpoint *ep = finding_endpoint(c, f);

	return ep && (endpoint_carrier(ep) == link || ep->device == link || ep->link == link);
}

/* A problem of another link or its endpoints explains nothing about this link. */
static bool names_other_link(const struct check *c, const struct nvme_mptcp_finding *f,
			     const struct nvme_mptcp_link *link)
{
	/* Findings without an object apply to all links. */
	if (!link || !f->object[0])
		return false;
	switch (f->subject.kind) {
	case NVME_MPTCP_SUBJECT_LINK:
		for (size_t i = 0; i < SUBJECT_OBJECTS; i++)
			if (f->object[i] && !strcmp(f->object[i], link->name))
				return false;
		return true;
	case NVME_MPTCP_SUBJECT_ENDPOINT:
		return !names_endpoint_of(c, f, link);
	default:
		return false;
	}
}

/* True if one of the first @n findings explains the missing subflow. */
static bool is_explained(const struct check *c, size_t n, const struct nvme_mptcp_link *link)
{
	FOR_EACH(f, c->findings->finding, n)
		if (f->severity > NVME_MPTCP_INFO && !explains_nothing(f->rule) &&
		    !names_other_link(c, f, link))
			return true;
	return false;
}

static const char *reason_text(enum nvme_mptcp_reason reason)
{
	switch (reason) {
	case NVME_MPTCP_BY_ENDPOINT:
		return "it has an endpoint";
	case NVME_MPTCP_BY_CONNECTION:
		return "other connections use it";
	case NVME_MPTCP_BY_ROUTE:
		return "a route to the target leads over it";
	default:
		return "it leads to the target, like the other links";
	}
}

/* True if an endpoint starts subflows on the link; else only the target can repeat them. */
static bool starts_on(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_by_itself(ep) && endpoint_carrier(ep) == link &&
		    check_has_portal_family(c, &ep->ip))
			return true;
	return false;
}

/* True if the connection lost all its subflows, so that nothing can join it any more. */
static bool is_dead(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	(void)c;
	return !connection_count_established(conn) &&
	       conn->value[NVME_MPTCP_CONN_SUBFLOWS_TOTAL] == 0;
}

/* True if the connection followed announcements up to a limit and now ignores them. */
static bool stopped_following(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	return conn->n_subflows && !connection_has_userspace_manager(c->snap, conn) &&
	       connection_ignores_announcements(conn);
}

static bool has_conn(const struct check *c,
		     bool (*is_such)(const struct check *c, const struct nvme_mptcp_connection *))
{
	FOR_EACH_CONN(c, conn)
		if (conn->ctrl && is_such(c, conn))
			return true;
	return false;
}

/* New connections need room to replace subflows that fail later. */
static void fix_stopped_following(struct check *c, struct nvme_mptcp_finding *f)
{
	const size_t limit = (size_t)c->snap->limit_subflows;

	if (limit < LIMIT_GUARANTEED)
		fix_limits(c, f, NVME_MPTCP_ROLE_HOST, limit + 1);
	fix_reset(c, f, stopped_following);
}

/* True if a connection has a working subflow to an announced address on the link. NULL: on any link. */
static bool has_announced_subflow(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && (!link || sf->link == link) &&
		    !address_equal(&sf->remote.ip, &conn->remote.ip))
			return true;
	return false;
}

/* To announce it again, the target renews the endpoint, and subflows of other connections end. */
static void fix_announced_again(struct check *c, struct nvme_mptcp_finding *f,
				const struct nvme_mptcp_link *link)
{
	if (!has_announced_subflow(c, link))
		fix_repair(c, f, NVME_MPTCP_ROLE_TARGET);
	else
		finding_why_more(
			c, f,
			". The target would have to announce its address again, which closes the "
			"subflows of other connections there: no command is safe while they "
			"work. New connections get a subflow on each link");
}

/* True if setup would change something for this link, which has to be done first. */
static bool is_unplanned(struct check *c, const struct tally *tally)
{
	return (tally->reason == NVME_MPTCP_BY_ROUTE || tally->reason == NVME_MPTCP_BY_DEFAULT) &&
	       !check_is_set_up(c, NVME_MPTCP_ROLE_HOST);
}

/* Add an endpoint if the link has none; otherwise make the kernel try again. */
static void fix_missing(struct check *c, struct nvme_mptcp_finding *f, const struct tally *tally)
{
	if (has_conn(c, is_dead))
		fix_reset(c, f, is_dead);
	else if (is_unplanned(c, tally)) {
		fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
		/* Subflows that share a link stay there until the connection is established again. */
		if (check_crowded_segment(c))
			fix_reset_all(c, f);
	} else if (starts_on(c, tally->link))
		fix_repair(c, f, NVME_MPTCP_ROLE_HOST);
	else if (tally->reason <= NVME_MPTCP_BY_CONNECTION && has_conn(c, stopped_following))
		fix_stopped_following(c, f);
	else
		fix_announced_again(c, f, tally->link);
}

static void report_missing(struct check *c, enum rule_id rule, const struct tally *tally)
{
	struct nvme_mptcp_finding *f;

	if (tally->trouble) {
		f = finding_add(c, rule, subject_ctrls(tally->ctrl->name, tally->ctrls - 1));
		finding_why(c, f,
			    "Controller %s: %zu connection%s a subflow "
			    "that carries nothing, over an unknown link: %s",
			    tally->ctrl->name, tally->connections,
			    tally->connections == 1 ? " has" : "s have", tally->trouble);
	} else if (!tally->link) {
		f = finding_why(
			c, finding_add(c, rule, subject_ctrls(tally->ctrl->name, tally->ctrls - 1)),
			"Controller %s: %zu connection%s followed addresses that the target "
			"announced, and %s down to one subflow. The links of the others are "
			"no longer known",
			tally->ctrl->name, tally->connections, tally->connections == 1 ? "" : "s",
			tally->connections == 1 ? "is" : "are");
		fix_announced_again(c, f, NULL);
	} else {
		const struct nvme_mptcp_link *crowded =
			is_unplanned(c, tally) ? check_crowded_segment(c) : NULL;

		f = finding_add(c, rule, subject_link(tally->link->name));
		finding_why(c, f, "%zu connection%s of %s%s ha%s no subflow on link %s, ",
			    tally->connections, tally->connections == 1 ? "" : "s",
			    tally->ctrl->name, tally->ctrls > 1 ? " and others" : "",
			    tally->connections == 1 ? "s" : "ve", tally->link->name);
		if (crowded)
			finding_why_more(c, f, "and %s carries several of each: " ROUTES_CHOOSE,
					 crowded->name);
		else
			finding_why_more(c, f, "which could carry one%s: %s",
					 tally->connections == 1 ? "" : " for each",
					 reason_text(tally->reason));
		if (crowded)
			finding_fact(c, f, FACT_CROWDED, "%s", crowded->name);
		if (!crowded || !check_say_overlap(c, f, tally->link, crowded))
			fix_missing(c, f, tally);
	}
	finding_fact(c, f, "missing", "%zu", tally->connections);
	finding_fact(c, f, "controllers", "%zu", tally->ctrls);
	finding_fact(c, f, "reason", "%s", nvme_mptcp_reason_name(tally->reason));
}

void rule_link_uncovered(struct check *c, enum rule_id rule)
{
	struct tallies tallies = {};

	const size_t others = c->findings->n;

	if (check_find_tallies(c, NVME_MPTCP_MISSING, &tallies))
		c->err = -ENOMEM;
	for (size_t i = 0; i < tallies.n && !c->err; i++)
		if (!is_explained(c, others, tallies.tally[i].link) &&
		    !check_link_is_bypassed(c, tallies.tally[i].link))
			report_missing(c, rule, &tallies.tally[i]);
	free(tallies.tally);
}

/* True if fullmesh endpoints ask for several subflows on this link. NULL: on any link. */
static bool is_fullmesh_link(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_FULLMESH) &&
		    (!link || endpoint_carrier(ep) == link))
			return true;
	return false;
}

/* True if a subflow moved there because its own link is dead. It moves back once that link works. */
static bool is_detour(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf) {
		const struct nvme_mptcp_link *owner = plan_link_by_ip(c->snap, &sf->local.ip);

		if (sf->state == STATE_ESTABLISHED && sf->link == link && owner && owner != link &&
		    !link_is_alive(owner))
			return true;
	}
	return false;
}

/* True if an unbound subflow is on this link because of a route with several next hops. */
static bool is_hashed_link(struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && sf->link == link && !sf->is_bound &&
		    check_has_ways(c, &sf->remote.ip))
			return true;
	return false;
}

/*
 * True if the subflows on the wire have different families, because a target announces addresses of
 * both for all hosts. As long as no link misses a subflow, they do no harm.
 */
static bool differ_in_family(struct check *c, const struct nvme_mptcp_link *link)
{
	struct tallies tallies = {};
	bool ret = true;
	size_t n[2];

	for (size_t i = 0; i < c->n_conns && ret; i++) {
		n[0] = n[1] = 0;
		FOR_EACH(sf, c->conns[i]->subflows, c->conns[i]->n_subflows)
			if (subflow_carries(sf) && sf->link && link_shares_segment(sf->link, link))
				n[address_is_v4(&sf->local.ip)]++;
		ret = n[0] <= 1 && n[1] <= 1;
	}
	if (ret && !c->trial && check_find_tallies(c, NVME_MPTCP_MISSING, &tallies))
		c->err = -ENOMEM;
	ret &= !tallies.n && !(c->trial && c->trial->established < c->trial->expected);
	free(tallies.tally);
	return ret;
}

/* Return the last endpoint that starts subflows on the wire, not the initial one; *@n: count. */
static const struct nvme_mptcp_endpoint *endpoint_on(const struct check *c,
						     const struct nvme_mptcp_link *link, size_t *n)
{
	const struct nvme_mptcp_endpoint *last = NULL;

	*n = 0;
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_by_itself(ep) || endpoint_is_misplaced(ep) ||
		    !link_shares_segment(endpoint_carrier(ep), link) ||
		    !check_has_portal_family(c, &ep->ip) || check_is_initial(c, ep))
			continue;
		if (!last || !link_is_tunnel(endpoint_carrier(last)))
			last = ep;
		++*n;
	}
	return last;
}

/* Return another link that carries subflows on the same wire; NULL if there is none. */
static const struct nvme_mptcp_link *other_on_wire(const struct check *c,
						   const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->link && sf->link != link && subflow_carries(sf) &&
		    link_shares_segment(sf->link, link))
			return sf->link;
	return NULL;
}

/* Return the one that is a tunnel over the other's wire; NULL if none is. */
static const struct nvme_mptcp_link *find_tunnel(const struct nvme_mptcp_link *link,
						 const struct nvme_mptcp_link *other)
{
	return !other || !(link_is_tunnel(link) || link_is_tunnel(other)) ? NULL
	       : link_is_tunnel(link)					  ? link
									  : other;
}

/* True if an announced address that only a default route reaches put a second subflow there. */
static bool is_announced_wrong(struct check *c, struct nvme_mptcp_finding *f,
			       const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->link == link && subflow_carries(sf) &&
		    !address_equal(&sf->remote.ip, &conn->remote.ip) &&
		    (check_suggest_withdrawal(c, f, &sf->remote.ip) ||
		     check_announce_instead(c, f, &sf->remote.ip)))
			return true;
	return false;
}

/* True if both subflows use a gateway over one link, and another link has no route there. */
static bool needs_route(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_subflow *sf, const struct nvme_mptcp_subflow *first)
{
	const struct nvme_mptcp_link *spare = check_spare_link(c, &sf->remote.ip);
	const char *remote = ADDRESS_STRING(&sf->remote.ip);
	struct route_answer route;

	if (!spare || !check_link_address(c, spare, &sf->remote.ip) || sf->is_bound ||
	    address_equal(&sf->remote.ip, &sf->connection->remote.ip) ||
	    c->ops->route(c, &first->local.ip, first->link->ifindex, &first->remote.ip, &route) ||
	    !route.gateway ||
	    c->ops->route(c, &sf->local.ip, sf->link->ifindex, &sf->remote.ip, &route) ||
	    !route.gateway)
		return false;
	if (route.is_default) {
		finding_why_more(c, f, ". Only the default route over %s leads to %s",
				 sf->link->name, remote);
		check_advise_spare(c, f, spare, &sf->remote.ip);
		return true;
	}
	finding_why_more(c, f,
			 ". %s has an address but carries nothing: the route to %s leads over %s",
			 spare->name, remote, sf->link->name);
	finding_fact(c, f, "link", "%s", spare->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show match %s",
		    address_is_v4(&sf->remote.ip) ? "" : " -6", remote);
	return true;
}

/*
 * True if the address that the subflow starts from belongs on another card, which has none: the
 * machine at the other end answers ARP there, too.
 */
static bool is_on_wrong_card(struct check *c, struct nvme_mptcp_finding *f,
			     const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_link *spare = check_spare_link(c, &sf->remote.ip);
	const struct local_address *own = snapshot_find_address(c->snap, &sf->local.ip), *beside;

	if (!spare || !own || !link_address_has(own, &sf->remote.ip) ||
	    !check_is_owned(c, spare->ifindex, &sf->remote.ip))
		return false;
	beside = check_link_address(c, spare, &sf->remote.ip);
	if (beside) {
		/* The address of the right card is the one that the connection started with. */
		if (address_equal(&sf->remote.ip, &sf->connection->remote.ip) ||
		    link_network_has(c->snap, spare->ifindex, &sf->remote.ip) ||
		    !check_is_similar_network(&beside->ip, &sf->remote.ip, SIMILAR_BITS))
			return false;
		finding_why_more(c, f,
				 ". %s is also reached by %s, which carries nothing: its address "
				 "%s/%u and that of the target there are in different networks",
				 ADDRESS_STRING(&sf->remote.ip), spare->name,
				 ADDRESS_STRING(&beside->ip),
				 beside->prefix - (address_is_v4(&beside->ip) ? 96U : 0U));
		finding_fact(c, f, "link", "%s", spare->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(spare->name));
		return true;
	}
	finding_why_more(c, f,
			 ". %s is also reached by %s, which has a carrier but no address: %s/%u "
			 "has to be on %s instead of %s",
			 ADDRESS_STRING(&sf->remote.ip), spare->name, ADDRESS_STRING(&own->ip),
			 own->prefix - (address_is_v4(&own->ip) ? 96U : 0U), spare->name,
			 sf->link->name);
	finding_fact(c, f, "link", "%s", spare->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
		    LINK_WORD(sf->link->name));
	return true;
}

static void explain_two(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_subflow *x, const struct nvme_mptcp_subflow *y)
{
	const struct nvme_mptcp_subflow *inner = link_is_tunnel(x->link) ? x : y;

	if (link_is_tunnel(inner->link) &&
	    !address_equal(&inner->remote.ip, &inner->connection->remote.ip))
		finding_why_more(c, f,
				 ". The target announces %s, an address of the tunnel: it has to "
				 "announce only addresses of its network cards, unless other hosts "
				 "reach it only through tunnels",
				 ADDRESS_STRING(&inner->remote.ip));
	else
		finding_why_more(c, f,
				 ". The wire leads to both %s and %s: the target has to announce "
				 "only one of them, which hosts connect to, unless other hosts "
				 "have a wire to each",
				 ADDRESS_STRING(&x->remote.ip), ADDRESS_STRING(&y->remote.ip));
}

/* Explain that the wire leads to two announced addresses, or to one and the portal. */
static void explain_addresses(struct check *c, struct nvme_mptcp_finding *f,
			      const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_subflow *first = NULL;

	for (size_t i = 0; i < c->n_conns; i++, first = NULL)
		FOR_EACH(sf, c->conns[i]->subflows, c->conns[i]->n_subflows) {
			if (!subflow_carries(sf) || !link_shares_segment(sf->link, link))
				continue;
			if (!first) {
				first = sf;
				continue;
			}
			if (address_equal(&first->remote.ip, &sf->remote.ip))
				continue;
			if (needs_route(c, f, first, sf) || needs_route(c, f, sf, first) ||
			    is_on_wrong_card(c, f, sf) || is_on_wrong_card(c, f, first) ||
			    check_explain_precedence(c, f, &sf->remote.ip, link) ||
			    check_explain_precedence(c, f, &first->remote.ip, link))
				return;
			explain_two(c, f, first, sf);
			return;
		}
}

static void fix_crowd(struct check *c, struct nvme_mptcp_finding *f,
		      const struct nvme_mptcp_link *link)
{
	size_t n;
	const struct nvme_mptcp_endpoint *ep = endpoint_on(c, link, &n);

	if (!ep) {
		if (!is_announced_wrong(c, f, link) && !check_explain_misrouted(c, f, link))
			explain_addresses(c, f, link);
		return;
	}
	/* Deleting the only one may close the subflow to an announced address. */
	if (n > 1)
		fix_delete(c, f, ep);
	else if (fix_delete_announced(c, f, ep))
		fix_reset_all(c, f);
}

static void report_crowd(struct check *c, enum rule_id rule, const struct tally *crowd)
{
	bool meant = is_fullmesh_link(c, crowd->link), detour = is_detour(c, crowd->link);
	bool lossy = check_is_loss_limited(c, crowd->link), chance = is_hashed_link(c, crowd->link);
	bool families = differ_in_family(c, crowd->link),
	     even = !check_has_one_segment(c) && check_is_even(c);
	bool fine =
		meant || detour || lossy || chance || families || even || check_has_one_segment(c);
	const struct nvme_mptcp_link *other_link = other_on_wire(c, crowd->link);
	const char *other = other_link ? other_link->name : NULL;
	const struct nvme_mptcp_link *tunnel = find_tunnel(crowd->link, other_link);
	struct nvme_mptcp_finding *f =
		finding_add(c, rule, subject_links(crowd->link->name, other));

	if (f && fine)
		f->severity = NVME_MPTCP_INFO;
	if (tunnel)
		finding_why(c, f,
			    "Link %s is a tunnel over %s, whose wire carries several subflows of ",
			    tunnel->name, LINK_STRING(c->snap, tunnel->parent));
	else if (other)
		finding_why(c, f,
			    "Links %s and %s share one wire, which carries several subflows of ",
			    crowd->link->name, other);
	else
		finding_why(c, f, "Link %s carries several subflows of ", crowd->link->name);
	if (crowd->ctrl)
		finding_why_more(c, f, "%zu connection%s of %s%s", crowd->connections,
				 crowd->connections == 1 ? "" : "s", crowd->ctrl->name,
				 crowd->ctrls > 1 ? " and others" : "");
	else
		finding_why_more(c, f, "the trial's connection");
	finding_why_more(
		c, f, "%s",
		detour	   ? ": one moved here from a dead link"
		: meant	   ? ", which fullmesh endpoints request"
		: chance   ? ": the hash of a route with several next hops put them there"
		: lossy	   ? ": together they carry more, since it loses packets on a long path"
		: families ? ", one of IPv4 and one of IPv6: they add no bandwidth, and are "
			     "harmless as long as each link has one"
		: even ? ": each link has equally many, to different addresses of the target. They "
			 "add no bandwidth"
		: fine ? ": this host has no other wire to the target. They add no bandwidth"
		       : ": they add no bandwidth, and leave fewer subflows for other links");
	finding_fact(c, f, "superfluous", "%zu", crowd->connections);
	if (!fine)
		fix_crowd(c, f, crowd->link);
}

/* True if a finding names another link for one of the subflows. */
static bool is_displaced(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH(f, c->findings->finding, c->findings->n) {
		const char *crowded =
			finding_get_fact(f, f->rule == RULE_H07 ? "route_dev" : FACT_CROWDED);

		if (crowded && !strcmp(crowded, link->name))
			return true;
	}
	return false;
}

/* True if an earlier subflow carries data on the same wire. */
static bool is_second(const struct nvme_mptcp_connection *conn, const struct nvme_mptcp_subflow *sf)
{
	if (!sf->link || !subflow_carries(sf))
		return false;
	for (const struct nvme_mptcp_subflow *first = conn->subflows; first < sf; first++)
		if (subflow_carries(first) && link_shares_segment(first->link, sf->link))
			return true;
	return false;
}

static void find_trial_crowds(const struct check *c, struct tallies *crowds)
{
	const struct nvme_mptcp_connection *conn = c->trial->conn;

	for (size_t i = 0; conn && conn->fallback != 1 && i < conn->n_subflows; i++) {
		struct tally *tally = is_second(conn, &conn->subflows[i])
					      ? check_tally_of(crowds, conn->subflows[i].link)
					      : NULL;

		if (tally)
			tally->connections = 1;
	}
}

void rule_link_crowded(struct check *c, enum rule_id rule)
{
	struct tallies crowds = {};

	if (c->trial)
		find_trial_crowds(c, &crowds);
	else if (check_find_tallies(c, NVME_MPTCP_SUPERFLUOUS, &crowds))
		c->err = -ENOMEM;
	for (size_t i = 0; i < crowds.n && !c->err; i++)
		if (crowds.tally[i].link && !is_displaced(c, crowds.tally[i].link))
			report_crowd(c, rule, &crowds.tally[i]);
	free(crowds.tally);
	check_report_beside(c, RULE_A11);
}
