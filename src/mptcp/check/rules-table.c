// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules H10 to H13, H18, H19 and H22: the table of endpoints, and services that change it. */
#include <string.h>

#include "config.h"
#include "rules.h"

/* True if the endpoint can start no subflow any more. */
static bool is_stale(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	return (ep->ifindex && !ep->device) ||
	       (!snapshot_find_address(c->snap, &ep->ip) && !check_link_may_be_down(c, ep));
}

/* Add links that get an endpoint once useless ones go: the plan for a full table omits them. */
static void use_room(struct check *c, struct nvme_mptcp_finding *f, size_t room)
{
	const size_t n = check_uses_own_endpoints(c) ? check_idle_links(c) : 0;

	for (size_t i = 0; i < n && i < room; i++)
		if (!check_plans_link(c, NVME_MPTCP_ROLE_HOST, c->idle[i].link))
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
				    "ip mptcp endpoint add %s dev %s subflow", c->idle[i].address,
				    LINK_WORD(c->idle[i].link->name));
}

void rule_endpoints_full(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_endpoint *stale = NULL;
	struct nvme_mptcp_finding *f;
	size_t n = 0;

	if (!endpoint_table_is_full(c->snap) || !c->snap->n_links)
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		if (!is_stale(c, ep))
			continue;
		if (!n++)
			stale = ep;
	}
	/* If there are more links than the table can hold, setup has chosen some. */
	if (!n && (!check_idle_links(c) || check_is_set_up(c, NVME_MPTCP_ROLE_HOST)))
		return;
	if (c->snap->n_endpoints < ENDPOINT_IDS && c->ops->table &&
	    c->ops->table(c) > ENDPOINT_TABLE)
		return;
	f = finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT));
	finding_why(c, f,
		    "The table of endpoints is full for kernels that hold %zu: the next endpoint "
		    "is refused with \"too many addresses or duplicate one\", and %s",
		    c->snap->n_endpoints,
		    n ? "some of its entries are useless" : "one link has no endpoint");
	finding_fact(c, f, "endpoints", "%zu", c->snap->n_endpoints);
	finding_fact(c, f, "useless", "%zu", n);
	if (stale)
		fix_delete(c, f, stale);
	else
		finding_fix(c, f, check_side(c), NVME_MPTCP_COMMAND " show-endpoints");
	use_room(c, f, n);
}

bool check_laminar_is_unsupported(const struct check *c)
{
	if (c->snap->values_not_reported & 1ULL << NVME_MPTCP_CONN_LAMINAR_MAX)
		return false;
	FOR_EACH_CONN(c, conn)
		if (conn->value[NVME_MPTCP_CONN_LAMINAR_MAX] > 0 ||
		    connection_has_userspace_manager(c->snap, conn))
			return false;
	return c->n_conns;
}

/*
 * Return why the endpoint has no effect; NULL if it may have one. @unsupported: the result of
 * check_laminar_is_unsupported().
 */
static const char *why_without_effect(const struct nvme_mptcp_endpoint *ep, bool unsupported)
{
	const int64_t active = NVME_MPTCP_ENDPOINT_SUBFLOW | NVME_MPTCP_ENDPOINT_FULLMESH;

	/* A route to an announced address may choose the endpoint's address. */
	if (ep->flags < 0 || ep->subflows > 0 || (ep->flags & active))
		return NULL;
	if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_LAMINAR))
		return unsupported
			       ? "has the flag laminar, which this kernel does not know: no "
				 "connection uses a laminar endpoint, and no subflow starts from it"
			       : NULL;
	return ep->flags & ~(int64_t)NVME_MPTCP_ENDPOINT_BACKUP
		       ? NULL
		       : "does nothing: no flag makes it start subflows or be announced (some "
			 "kernels drop flags that they do not know, such as laminar)";
}

void rule_endpoint_without_effect(struct check *c, enum rule_id rule)
{
	const bool unsupported = check_laminar_is_unsupported(c);

	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);
		const int64_t rest = ep->flags & ~(int64_t)NVME_MPTCP_ENDPOINT_LAMINAR;
		const char *why = c->n_conns ? why_without_effect(ep, unsupported) : NULL;
		struct nvme_mptcp_finding *f;

		if (!why)
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep), "%s", why);
		if (rest != ep->flags)
			finding_fact(c, f, "laminar_max", "0");
		if (check_has_local_scope(c, &ep->ip))
			fix_delete(c, f, ep);
		else
			fix_replace(c, f, ep, endpoint_flags_for_host(rest),
				    link ? link->name : NULL);
	}
}

void rule_endpoint_twice(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		for (const struct nvme_mptcp_endpoint *earlier = c->snap->endpoints; earlier < ep;
		     earlier++) {
			const struct nvme_mptcp_endpoint *idle = ep, *other = earlier;
			struct nvme_mptcp_finding *f;

			if (!address_equal(&earlier->ip, &ep->ip) ||
			    (check_is_foreign_endpoint(c, ep) &&
			     check_is_foreign_endpoint(c, earlier)))
				continue;
			/* Keep the endpoint with working subflows. */
			if (check_carries(c, ep) && !check_carries(c, earlier)) {
				idle = earlier;
				other = ep;
			}
			f = finding_why_subject(c, finding_add_endpoint(c, rule, idle),
						"has the address of endpoint %u: both "
						"count, but together they create one subflow",
						other->id);
			finding_fact(c, f, "other", "%u", other->id);
			fix_delete(c, f, idle);
			break;
		}
	}
}

/* True if the kernel created the endpoint for subflows of the trial. It keeps it. */
static bool is_of_trial(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	if (!c->trial || !c->before || !endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT))
		return false;
	for (size_t i = 0; i < c->before->n_endpoints; i++)
		if (address_equal(&c->before->endpoints[i].ip, &ep->ip))
			return false;
	return true;
}

static void left_by_trial(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f = NULL;

	FOR_EACH_ENDPOINT(c, ep) {
		if (!is_of_trial(c, ep))
			continue;
		if (f) {
			finding_why_more(c, f, ", %u (%s)", ep->id, ep->address);
			continue;
		}
		f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT)),
				"The kernel made endpoints for the subflows of this trial and "
				"keeps them (flag implicit); they start nothing, and "
				"connections that follow an announcement use them again: %u (%s)",
				ep->id, ep->address);
	}
}

void rule_endpoint_implicit(struct check *c, enum rule_id rule)
{
	left_by_trial(c, rule);
	FOR_EACH_ENDPOINT(c, ep) {
		/* While it has subflows, it is the normal result of an announcement. */
		if (!endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) || ep->subflows ||
		    is_of_trial(c, ep))
			continue;
		finding_why_subject(c, finding_add_endpoint(c, rule, ep),
				    "was made by the kernel for a subflow that started from "
				    "there and is gone; new connections do not start any from "
				    "it, and those that follow an announcement use it again");
	}
}

/* H13: newer kernels refuse to add these; some older ones accept them. */
void rule_endpoint_contradictory(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const enum endpoint_conflict conflict = endpoint_conflict(ep->flags, ep->port);
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);
		const bool mesh = conflict == ENDPOINT_CONFLICT_MESH;
		struct nvme_mptcp_finding *f;

		if (conflict == ENDPOINT_CONFLICT_NONE)
			continue;
		f = finding_why_subject(
			c, finding_add_endpoint(c, rule, ep),
			mesh ? "has the flags signal and fullmesh, which exclude each other"
			     : "has a port, which only an announced address can have");
		finding_fact(c, f, "flags", "%s", mesh ? "signal,fullmesh" : "without signal");
		fix_replace(c, f, ep,
			    c->role & ON_TARGET ? endpoint_flags_for_target(ep->flags)
						: endpoint_flags_for_host(ep->flags),
			    link ? link->name : NULL);
	}
}

/* Services run in the initial network namespace and ignore others. */
static bool is_active(struct check *c, const char *unit, const char *process)
{
	return !c->snap->netns && c->snap->n_endpoints && c->ops->is_active &&
	       c->ops->is_active(c, unit, process);
}

/* Disable mptcpd. Stopping it may delete endpoints, so it goes on until the next boot if any carries data. */
static void fix_daemon(struct check *c, struct nvme_mptcp_finding *f)
{
	bool carries = false;

	FOR_EACH_ENDPOINT(c, ep)
		carries |= check_carries(c, ep);
	if (carries)
		finding_why_more(c, f,
				 ". Stopping mptcpd may delete endpoints that carry data now, so "
				 "the command leaves it running until the next boot");
	finding_fix(c, f, check_side(c), "systemctl disable %smptcp.service",
		    carries ? "" : "--now ");
}

void rule_two_managers(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f;

	if (!is_active(c, "mptcp", "mptcpd") || !is_active(c, "NetworkManager", "NetworkManager"))
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT)),
			"Both mptcpd and NetworkManager create endpoints here, and each deletes or "
			"replaces those of the other: keep one service");
	finding_fact(c, f, "mptcp.service", "active");
	finding_fact(c, f, "NetworkManager.service", "active");
	fix_daemon(c, f);
}

void rule_made_by_manager(struct check *c, enum rule_id rule)
{
	bool daemon, manager, wrong = false;
	struct nvme_mptcp_finding *f;

	FOR_EACH_ENDPOINT(c, ep)
		wrong |= endpoint_starts_subflows(ep);
	if (!wrong || (c->role & ON_HOST))
		return;
	daemon = is_active(c, "mptcp", "mptcpd");
	manager = !daemon && is_active(c, "NetworkManager", "NetworkManager");
	if (!daemon && !manager)
		return;
	f = finding_why_subject(
		c, finding_add(c, rule, subject_service(daemon ? "mptcpd" : "NetworkManager")),
		"creates endpoints with the flag subflow, which belong on hosts: on a target "
		"they come back until %s",
		daemon ? "it is stopped or configured otherwise"
		       : "the property connection.mptcp-flags of its connections is \"signal\"");
	if (daemon)
		fix_daemon(c, f);
}
