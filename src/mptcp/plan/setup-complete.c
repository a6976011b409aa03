// SPDX-License-Identifier: LGPL-2.1-or-later
/* Detects whether a new connection has a subflow on each link already: nothing is planned then. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
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
