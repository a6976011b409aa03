// SPDX-License-Identifier: LGPL-2.1-or-later
/* What of the target stops a join: its firewall, traffic control, or a rule of its routing. */
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "peer.h"
#include "mptcp/netlink/nl.h"

int peer_filters(struct check *target)
{
	return target->ops->filters ? target->ops->filters(target) : -EOPNOTSUPP;
}

static bool forbids(uint8_t action)
{
	return action == FR_ACT_BLACKHOLE || action == FR_ACT_UNREACHABLE ||
	       action == FR_ACT_PROHIBIT;
}

/* True if the table has a route of such a type to this address. */
static bool has_forbidding_route(const struct routes *routes, uint32_t table,
				 const struct in6_addr *to)
{
	FOR_EACH(route, routes->route, routes->n_routes)
		if (route->table == table && route->v4 == address_is_v4(to) &&
		    (route->type == RTN_BLACKHOLE || route->type == RTN_UNREACHABLE ||
		     route->type == RTN_PROHIBIT) &&
		    prefix_has(&route->dst, to))
			return true;
	return false;
}

/*
 * Return the priority of a rule of the target's routing that forbids some packets between these
 * addresses, such as those of a port; 0 if there is none.
 */
static uint32_t forbidding_rule(struct check *c, const struct check *target,
				const struct in6_addr *from, const struct in6_addr *to)
{
	struct routes own = {};
	struct nl nl = {};
	const struct routes *routes = &own;
	uint32_t found = 0;
	int err = 0;

	if (target != c)
		routes = &target->peer->routes;
	else
		err = nl_open(&nl, NETLINK_ROUTE) ?: route_dump_policies(&nl, &own);
	if (err == -ENOMEM)
		c->err = err;
	FOR_EACH(policy, routes->policy, routes->n_policies)
		if (policy->v4 == address_is_v4(to) && policy->other && !found &&
		    (forbids(policy->action) ||
		     (policy->action == FR_ACT_TO_TBL &&
		      has_forbidding_route(routes, policy->table, to))) &&
		    (!policy->has_from || prefix_has(&policy->from, from)) &&
		    (!policy->has_to || prefix_has(&policy->to, to)))
			found = policy->priority;
	route_clear(&own);
	nl_close(&nl);
	return found;
}

void peer_explain_filtered(struct check *c, struct check *target, struct nvme_mptcp_finding *f)
{
	const struct in6_addr *local = &f->subject.ip[0], *remote = &f->subject.ip[1];
	const struct local_address *own = snapshot_find_address(target->snap, remote);
	const char *echo = finding_get_fact(f, "echo");
	const char *from = ADDRESS_STRING(local), *to = ADDRESS_STRING(remote), *link;
	uint32_t rule;
	int filters;

	if (f->subject.kind != NVME_MPTCP_SUBJECT_PATH || !echo || strcmp(echo, "answered") || !own)
		return;
	rule = forbidding_rule(c, target, remote, local);
	if (rule) {
		finding_drop_fixes(f);
		f->rule = RULE_R05;
		f->side = NVME_MPTCP_ROLE_TARGET;
		finding_why(c, f,
			    "The join from %s to %s gets no reply, although an echo request does: "
			    "the target's routing rule of priority %u forbids some of its packets "
			    "to %s, selected by a port, a protocol or a mark",
			    from, to, rule, from);
		finding_fact(c, f, "priority", "%u", rule);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "%s show", fix_rule_tool(local));
		return;
	}
	filters = peer_filters(target);
	if (finding_get_fact(f, FACT_ROUTER) || !peer_neighbour_link(target, local))
		return;
	link = LINK_STRING(target->snap, own->ifindex);
	if (!filters) {
		finding_drop_fixes(f);
		finding_why_more(c, f,
				 " between both, in a switch: the target, which has %s on %s, in "
				 "the same network, filters nothing itself",
				 to, link);
		return;
	}
	if (filters != FILTER_TC && filters != FILTER_BPF) {
		finding_why_more(c, f,
				 " in the target itself, which has %s on %s, in the same network",
				 to, link);
		return;
	}
	finding_drop_fixes(f);
	finding_why(c, f,
		    "The join from %s to %s gets no reply, although an echo request does. The "
		    "target has that address on %s, in the same network, and no rules of a "
		    "firewall: %s drops it",
		    from, to, link,
		    filters == FILTER_TC ? "a filter of its traffic control (tc)"
					 : "an eBPF program of a link (XDP or tcx)");
	if (filters == FILTER_BPF) {
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "bpftool net show");
		return;
	}
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "tc filter show dev %s ingress", LINK_WORD(link));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "tc filter show dev %s egress", LINK_WORD(link));
}
