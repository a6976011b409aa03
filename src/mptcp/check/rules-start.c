// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules H01 and R09: what starts subflows, and where connections start. doc/mptcp-rules.md */
#include <errno.h>
#include <string.h>

#include "config.h"
#include "rules.h"
#include "mptcp/trial/trial-state.h"

static bool knows_endpoints(const struct check *c)
{
	int err = nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_ENDPOINTS);

	return !err || err == EAGAIN;
}

/* True if all controllers are connected elsewhere, where endpoints of here do not apply. */
static bool is_elsewhere(const struct check *c)
{
	bool live = false;

	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls)
		live |= check_covers_ctrl(c, ctrl) && ctrl_state_is_live(ctrl);
	return live && !c->n_conns && !nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS);
}

/* Return an address of another family that the target announced to the trial; NULL if there is none. */
static const struct in6_addr *announced_of_other_family(const struct check *c)
{
	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		const struct nvme_mptcp_event *ev = &c->trial->events[i];

		if (ev->type == NVME_MPTCP_EVENT_ANNOUNCED && ev->has_remote &&
		    !address_same_family(&ev->remote.ip, &c->trial->portal.ip))
			return &ev->remote.ip;
	}
	return NULL;
}

/* Probe announcements on a new connection. True if what happens to them is the reason, now set. */
static bool explain_announcements(struct check *c, struct nvme_mptcp_finding *f)
{
	const struct nvme_mptcp_connection *conn = c->n_conns ? c->conns[0] : NULL;
	enum announced what = ANNOUNCED_UNKNOWN;
	struct path_ends ends;

	if (conn && !c->no_probes && c->ops->announced) {
		ends = check_conn_ends(conn);
		what = c->ops->announced(c, &ends);
	}
	if (what == ANNOUNCED_ARRIVES) {
		finding_why(c, f,
			    "The target announces addresses, but this host's own firewall drops "
			    "the announcements (ADD_ADDR): each connection uses one link");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
	} else if (what == ANNOUNCED_LOST) {
		finding_why(c, f,
			    "A middlebox drops announcements (ADD_ADDR): each connection uses "
			    "one link. The packet in which the target announces its addresses "
			    "does not arrive on new connections");
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	} else if (what == ANNOUNCED_FOLLOWED && !c->trial) {
		finding_why(c, f,
			    "Existing connections were made before the target announced addresses: "
			    "each uses one link. New connections receive the announcements");
		fix_reset_all(c, f);
		return true;
	} else {
		if (what == ANNOUNCED_NONE)
			finding_why(c, f,
				    "This host is configured to follow announced addresses, but "
				    "the target announces none: each connection uses one link");
		return false;
	}
	finding_fact(c, f, FACT_OPTION_LOST,
		     what == ANNOUNCED_LOST ? "on the way" : "on this host");
	return true;
}

/* Report a host that follows announcements but gets none, as after a restart of the target. */
static void report_no_announcements(struct check *c, enum rule_id rule,
				    const struct nvme_mptcp_endpoint *initial)
{
	struct nvme_mptcp_finding *f =
		initial ? finding_add_endpoint(c, rule, initial)
			: finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT));
	const struct in6_addr *other = announced_of_other_family(c);
	const int64_t announced = check_announced(c);

	finding_set_severity(f, NVME_MPTCP_WARNING);
	if (other) {
		const char *text = ADDRESS_STRING(other);

		finding_why(c, f,
			    "The target announces addresses of the other address family only, such "
			    "as %s: subflows of connections over %s cannot use them",
			    text, address_is_v4(&c->trial->portal.ip) ? "IPv4" : "IPv6");
		finding_fact(c, f, "announced", "%s", text);
		fix_setup(c, f, NVME_MPTCP_ROLE_TARGET);
		return;
	}
	finding_why(
		c, f,
		"This host is configured to follow announced addresses, but no connection has "
		"received any: each connection uses one link. %s",
		announced ? "The target announced addresses on earlier connections"
			  : "If the target has addresses on other links, it has to announce them");
	if (!announced && explain_announcements(c, f))
		return;
	finding_fact(c, f, "endpoints", "%zu", c->snap->n_endpoints);
	finding_number(c, f, "AddAddr", announced);
	fix_setup(c, f, NVME_MPTCP_ROLE_TARGET);
	/* Connections made before this host accepted announcements do not get them again. */
	if (announced && !c->trial)
		fix_reset_all(c, f);
}

/* Return an endpoint that starts subflows, or NULL. *@others: one is not the initial address. */
static const struct nvme_mptcp_endpoint *only_the_initial(const struct check *c, bool *others)
{
	const struct nvme_mptcp_endpoint *initial = NULL;

	*others = false;
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_subflows(ep))
			continue;
		*others |= !check_is_initial(c, ep);
		initial = ep;
	}
	return initial;
}

void rule_nothing_starts(struct check *c, enum rule_id rule)
{
	const int64_t accepted = c->snap->limit_add_addr_accepted;
	bool others;
	const struct nvme_mptcp_endpoint *initial = only_the_initial(c, &others);
	struct nvme_mptcp_finding *f;

	if (others || check_has_extra_subflows(c) || check_all_fell_back(c))
		return;
	if (!initial && (!knows_endpoints(c) || is_elsewhere(c)))
		return;
	/* These findings explain it. Without room for joins, announcements leave no trace. */
	if (check_has_found(c, RULE_K05) || check_has_found(c, RULE_H02) ||
	    (accepted > 0 && check_has_found(c, RULE_H05)))
		return;
	if (check_is_set_up(c, NVME_MPTCP_ROLE_HOST)) {
		if (check_awaits_announcements(c))
			report_no_announcements(c, rule, initial);
		return;
	}
	/* Announcements are sufficient if the target sends them and this host accepts them. */
	if (!initial && accepted != 0 && (!c->n_conns || check_has_followed(c)))
		return;
	f = initial ? finding_add_endpoint(c, rule, initial)
		    : finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT));
	if (f && initial)
		f->severity = NVME_MPTCP_WARNING;
	if (initial)
		finding_why_subject(c, f,
				    "is the address that connections start from anyway, and "
				    "the only endpoint: no other endpoint can add a subflow");
	else
		finding_why(c, f,
			    accepted ? "No endpoint of this host starts subflows, and the target "
				       "has announced no address: each connection uses one link"
				     : "No endpoint of this host starts subflows, and announced "
				       "addresses are not accepted: each connection keeps to one "
				       "link");
	finding_fact(c, f, "endpoints", "%zu", c->snap->n_endpoints);
	finding_number(c, f, "add_addr_accepted", accepted);
	fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
}

/* Find a route to @dst over an endpoint's link, instead of a dead link. */
static const struct nvme_mptcp_endpoint *find_other_route(struct check *c,
							  const struct in6_addr *dst,
							  struct route_answer *ret)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_is_usable(ep) && address_same_family(&ep->ip, dst) &&
		    !c->ops->route(c, &ep->ip, ep->link->ifindex, dst, ret) && ret->gateway &&
		    !IN6_IS_ADDR_UNSPECIFIED(&ret->hop) && address_same_family(&ret->hop, dst))
			return ep;
	return NULL;
}

static void report_dead_route(struct check *c, enum rule_id rule, const struct portal *portal,
			      const struct nvme_mptcp_link *link)
{
	const struct in6_addr *dst = &portal->address.ip;
	const struct nvme_mptcp_endpoint *ep;
	struct nvme_mptcp_finding *f;
	struct route_answer route;
	const char *target = ADDRESS_STRING(dst);

	f = finding_why(c, finding_add(c, rule, subject_address(dst)),
			"The route to %s leads over %s, and that link is dead: no "
			"connection can be made or restored, even if other links work",
			target, link->name);
	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_fact(c, f, "link", "%s", link->name);
	ep = find_other_route(c, dst, &route);
	if (!ep)
		return;
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route add %s via %s dev %s metric 1", target,
		    ADDRESS_STRING(&route.hop), LINK_WORD(ep->link->name));
}

void rule_first_route(struct check *c, enum rule_id rule)
{
	FOR_EACH(portal, c->portals, c->n_portals) {
		const struct in6_addr *dst = &portal->address.ip;
		const struct nvme_mptcp_link *link;
		struct nvme_mptcp_finding *f;
		struct route_answer route;
		const char *target = ADDRESS_STRING(dst);

		/* If the controller is bound to a link, routes do not choose. */
		if ((portal->ctrl && portal->ctrl->host_iface) ||
		    c->ops->route(c, NULL, 0, dst, &route))
			continue;
		link = link_by_index(c->snap, route.ifindex);
		if (link && !link_is_alive(link)) {
			report_dead_route(c, rule, portal, link);
			continue;
		}
		if (!check_has_ways(c, dst))
			continue;
		f = finding_why(c, finding_add(c, rule, subject_address(dst)),
				"The route to %s has several next hops: a hash picks the "
				"link of each subflow, and several may get the same one",
				target);
		finding_fact(c, f, "route", "multipath");
		if (check_has_no_further_source(c)) {
			finding_why_more(
				c, f,
				". Routes lead back to only one address of this host, so each "
				"connection has one subflow: setup shows how many more it needs");
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
				    NVME_MPTCP_COMMAND " setup --role host --traddr %s", target);
			finding_set_severity(f, NVME_MPTCP_WARNING);
		}
	}
}
