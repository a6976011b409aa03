// SPDX-License-Identifier: LGPL-2.1-or-later
/* Detects whether a new connection has a subflow on each link already: nothing is planned then. */
#include "setup.h"

void setup_show_links(struct setup *s)
{
	FOR_EACH(l, s->links, s->n_links) {
		struct plan_link *shown =
			array_add(&s->plan->links, &s->plan->n_links, sizeof(*shown));

		if (!shown) {
			s->plan->err = -ENOMEM;
			return;
		}
		shown->ifindex = l->link->ifindex;
		shown->ip = l->address->ip;
		str_copy(shown->name, sizeof(shown->name), l->link->name, strlen(l->link->name));
		address_text(&shown->ip, shown->address);
	}
}

/* True if a subflow on the link carries data and is no backup: those idle while others work. */
static bool is_carried_by(const struct setup *s, const struct setup_link *l)
{
	const int64_t backup = NVME_MPTCP_SUBFLOW_BKUP_REM | NVME_MPTCP_SUBFLOW_BKUP_LOC;
	const struct nvme_mptcp_connection *conn = s->conn;

	FOR_EACH(sf, conn->subflows, conn->n_subflows)
		if (sf->link && sf->link->ifindex == l->link->ifindex && subflow_carries(sf) &&
		    (sf->flags == NVME_MPTCP_UNKNOWN || !(sf->flags & backup)))
			return true;
	return false;
}

/* True if the connection has two subflows on one wire, unless fullmesh endpoints request that. */
static bool is_doubled(const struct setup *s)
{
	const struct nvme_mptcp_connection *conn = s->conn;

	for (size_t i = 0; i < s->snap->n_endpoints; i++)
		if (endpoint_has(&s->snap->endpoints[i], NVME_MPTCP_ENDPOINT_FULLMESH))
			return false;
	for (size_t i = 0; i < conn->n_subflows; i++)
		FOR_EACH(sf, conn->subflows, i)
			if (conn->subflows[i].link && subflow_carries(&conn->subflows[i]) &&
			    subflow_carries(sf) &&
			    link_shares_segment(conn->subflows[i].link, sf->link))
				return true;
	return false;
}

bool setup_is_complete(const struct setup *s)
{
	if (!s->conn || s->conn->fallback == 1 || s->args->replace ||
	    s->plan->role != NVME_MPTCP_ROLE_HOST)
		return false;
	if (s->plan->method == NVME_MPTCP_METHOD_ROUTED)
		return connection_count_carrying(s->conn) >= s->n_links;
	for (size_t i = 0; i < s->n_links; i++)
		if (!is_carried_by(s, &s->links[i]))
			return false;
	return !is_doubled(s);
}

void setup_plan_no_change(struct setup *s)
{
	struct nvme_mptcp_plan *plan = s->plan;
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_wanted; i++) {
		const struct nvme_mptcp_endpoint *found = setup_endpoint_at(s, &plan->wanted[i].ip);

		if (found && found->flags == plan->wanted[i].flags)
			plan->wanted[kept++] = plan->wanted[i];
	}
	plan->n_wanted = kept;
	if (!kept && s->n_links > 1 && plan->method != NVME_MPTCP_METHOD_ROUTED)
		plan->method = NVME_MPTCP_METHOD_ANNOUNCED;
	setup_show_links(s);
	plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "A connection made now has a subflow on each of these links: nothing is missing");
}

/* True if each connection has a subflow to an address that the target announced. */
static bool set_has_joined(const struct nvme_mptcp_set *set)
{
	nvme_mptcp_for_each_connection(set, conn) {
		bool any = false;

		FOR_EACH(sf, conn->subflows, conn->n_subflows)
			any |= subflow_carries(sf) &&
			       !address_port_equal(&sf->remote, &conn->remote);
		if (!any)
			return false;
	}
	return true;
}

/* True if the trial heard the target announce an address on each link but the portal's. */
static bool announces_every_link(const struct setup *s)
{
	if (!s->args->trial || !s->n_targets)
		return false;
	for (size_t i = 0; i < s->n_links; i++) {
		const struct local_address *own = s->links[i].address;
		bool is_known = link_address_has(own, &s->targets[0]);
		struct in6_addr ip;

		for (size_t j = 0; !is_known && setup_announced(s, j, &ip); j++)
			is_known = link_address_has(own, &ip);
		if (!is_known)
			return false;
	}
	return true;
}

/* True if all controllers have joined announced addresses, and none misses a subflow. */
static bool follows_all(const struct setup *s)
{
	bool any = false;

	FOR_EACH(ctrl, s->snap->ctrls, s->snap->n_ctrls) {
		if (ctrl->set.first && !set_has_joined(&ctrl->set))
			return false;
		any |= ctrl->set.first != NULL;
		nvme_mptcp_for_each_coverage(&ctrl->set, coverage)
			if (nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING))
				return false;
	}
	return any;
}

bool setup_is_announced(const struct setup *s)
{
	return announces_every_link(s) || follows_all(s);
}
