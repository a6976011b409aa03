// SPDX-License-Identifier: LGPL-2.1-or-later
/* Findings print commands of setup's plan, so that those of several findings do not contradict. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mptcp/plan/endpoint-edit.h"
#include "mptcp/plan/steps.h"
#include "mptcp/trial/trial-state.h"
#include "rules.h"

/* Return an address whose family the target should announce; NULL if there is none. */
static const struct in6_addr *own_address(const struct check *c)
{
	static const struct in6_addr any4 = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (c->n_conns)
		return &c->conns[0]->local.ip;
	for (size_t i = 0; i < c->nvmet.n_ports; i++)
		if (c->nvmet.ports[i].subflows && c->nvmet.ports[i].has_address &&
		    !IN6_IS_ADDR_UNSPECIFIED(&c->nvmet.ports[i].address.ip) &&
		    !address_equal(&c->nvmet.ports[i].address.ip, &any4))
			return &c->nvmet.ports[i].address.ip;
	return NULL;
}

/* Announced addresses that others must reach if several subflows share a link: for the planner. */
static size_t list_followed(const struct check *c, char text[MAX_PORTALS][ADDRESS_TEXT], size_t n)
{
	char address[ADDRESS_TEXT];

	FOR_EACH_CONN(c, conn)
		for (size_t j = 0; j < conn->n_subflows && n < MAX_PORTALS; j++) {
			const struct nvme_mptcp_subflow *sf = &conn->subflows[j];
			size_t known = 0;

			if (!subflow_carries(sf) ||
			    !address_same_family(&sf->remote.ip, &c->portals[0].address.ip))
				continue;
			address_text(&sf->remote.ip, address);
			while (known < n && strcmp(text[known], address) != 0)
				known++;
			if (known == n)
				memcpy(text[n++], address, sizeof(address));
		}
	return n;
}

/* List addresses of the target in one family. Returns their number. */
static size_t list_targets(const struct check *c, enum nvme_mptcp_role role,
			   char text[MAX_PORTALS][ADDRESS_TEXT])
{
	const struct in6_addr *own = own_address(c);
	size_t n = 0;

	if (role == NVME_MPTCP_ROLE_TARGET && !c->n_portals && own)
		address_text(own, text[n++]);
	for (size_t i = 0; i < c->n_portals; i++)
		if (address_same_family(&c->portals[i].address.ip, &c->portals[0].address.ip))
			address_text(&c->portals[i].address.ip, text[n++]);
	if (role == NVME_MPTCP_ROLE_HOST && c->n_portals == 1 && check_crowded_segment(c))
		n = list_followed(c, text, n);
	return n;
}

static void make_plan(struct check *c, enum nvme_mptcp_role role)
{
	char text[MAX_PORTALS][ADDRESS_TEXT];
	const char *traddrs[MAX_PORTALS + 1] = {};
	size_t n = list_targets(c, role, text);

	if (!c->ops->plan || !(c->role & (1U << role)) || (!n && role == NVME_MPTCP_ROLE_HOST))
		return;
	for (size_t i = 0; i < n; i++)
		traddrs[i] = text[i];
	/* Without a link or privileges there is no plan. */
	if (c->ops->plan(c, role, n ? traddrs : NULL, &c->plan[role]))
		c->plan[role] = NULL;
}

nvme_mptcp_plan_t check_plan(struct check *c, enum nvme_mptcp_role role)
{
	if (!c->plan_known[role])
		make_plan(c, role);
	c->plan_known[role] = true;
	return c->plan[role];
}

static size_t count_initial(const struct check *c, const struct in6_addr *ip)
{
	size_t n = 0;

	FOR_EACH_CONN(c, conn)
		n += address_equal(&conn->local.ip, ip);
	return n;
}

/* True if another endpoint on the same link starts subflows. */
static bool is_served(const struct check *c, const struct nvme_mptcp_step *step)
{
	FOR_EACH_ENDPOINT(c, ep) {
		bool there = ep->link && ep->link->ifindex == step->new.ifindex;

		if (there && endpoint_starts_by_itself(ep) && !endpoint_is_misplaced(ep) &&
		    address_same_family(&ep->ip, &step->new.ip) &&
		    !address_equal(&ep->ip, &step->new.ip))
			return true;
	}
	return false;
}

/* True if it uses the link for an announced address: an endpoint would add a second subflow. */
static bool follows_on(const struct nvme_mptcp_connection *conn, int ifindex)
{
	FOR_EACH(sf, conn->subflows, conn->n_subflows)
		if (subflow_carries(sf) && sf->link && sf->link->ifindex == ifindex &&
		    !address_equal(&sf->remote.ip, &conn->remote.ip))
			return true;
	return false;
}

static bool is_followed(const struct check *c, int ifindex)
{
	for (size_t i = 0; i < c->n_conns && c->snap->limit_add_addr_accepted; i++)
		if (follows_on(c->conns[i], ifindex))
			return true;
	return false;
}

/*
 * True if the step is useful. If all connections start from an address, they need no endpoint for
 * it: a kernel that has already counted endpoints for a connection would start a second subflow
 * from it. Nor is one needed on a link where connections follow announcements or that has an
 * endpoint with another address.
 */
static bool is_needed(const struct check *c, const struct nvme_mptcp_plan *plan,
		      const struct nvme_mptcp_step *step)
{
	nvme_mptcp_connection_t conn;

	if (plan->role != NVME_MPTCP_ROLE_HOST || step->action != STEP_ADD)
		return true;
	conn = c->trial ? c->trial->conn : NULL;
	if (c->trial)
		return !conn || !follows_on(conn, step->new.ifindex);
	return !c->n_conns || (count_initial(c, &step->new.ip) < c->n_conns &&
			       !is_served(c, step) && !is_followed(c, step->new.ifindex));
}

static bool has_needed(const struct check *c, const struct nvme_mptcp_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (is_needed(c, plan, &plan->steps[i]))
			return true;
	return false;
}

bool check_is_set_up(struct check *c, enum nvme_mptcp_role role)
{
	nvme_mptcp_plan_t plan = check_plan(c, role);

	/* With one wire, the initial subflow is all that a connection can have. */
	if (!plan)
		return role == NVME_MPTCP_ROLE_HOST && check_has_one_segment(c);
	return !has_needed(c, plan);
}

/* Count the links of a plan that carry a subflow of any program. */
static size_t links_carrying(const struct check *c, const struct nvme_mptcp_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_links; i++) {
		bool carries = false;

		for (size_t j = 0; j < c->snap->n_subflows && !carries; j++) {
			const struct nvme_mptcp_subflow *sf = &c->snap->subflows[j];

			carries = subflow_carries(sf) && sf->link &&
				  sf->link->ifindex == plan->links[i].ifindex;
		}
		n += carries;
	}
	return n;
}

bool check_awaits_announcements(struct check *c)
{
	nvme_mptcp_plan_t plan = check_plan(c, NVME_MPTCP_ROLE_HOST);

	return plan && c->n_conns &&
	       (plan->method == NVME_MPTCP_METHOD_ANNOUNCED ||
		plan->method == NVME_MPTCP_METHOD_LAMINAR) &&
	       !check_has_followed(c) && links_carrying(c, plan) < plan->n_links;
}

bool check_uses_own_endpoints(struct check *c)
{
	nvme_mptcp_plan_t plan = check_plan(c, NVME_MPTCP_ROLE_HOST);

	return plan ? plan->method == NVME_MPTCP_METHOD_SUBFLOW ||
			       plan->method == NVME_MPTCP_METHOD_ROUTED ||
			       plan->method == NVME_MPTCP_METHOD_SINGLE
		    : check_idle_links(c) > 0;
}

bool check_has_no_further_source(struct check *c)
{
	nvme_mptcp_plan_t plan = check_plan(c, NVME_MPTCP_ROLE_HOST);

	return plan && plan->method == NVME_MPTCP_METHOD_ROUTED && !plan->n_wanted &&
	       !check_has_extra_subflows(c);
}

static bool has_step(const struct check *c, const struct nvme_mptcp_plan *plan,
		     enum step_action action)
{
	for (size_t i = 0; plan && i < plan->n_steps; i++)
		if (plan->steps[i].action == action && is_needed(c, plan, &plan->steps[i]))
			return true;
	return false;
}

bool check_plans_link(struct check *c, enum nvme_mptcp_role role,
		      const struct nvme_mptcp_link *link)
{
	nvme_mptcp_plan_t plan = check_plan(c, role);

	for (size_t i = 0; plan && i < plan->n_links; i++)
		if (plan->links[i].ifindex == link->ifindex)
			return true;
	return !plan;
}

bool check_plans_limits(struct check *c, enum nvme_mptcp_role role)
{
	return has_step(c, check_plan(c, role), STEP_LIMITS);
}

/* Add a setup command with options @more. False if a required address is unknown or useless. */
static bool add_setup(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role,
		      const char *more)
{
	char text[MAX_PORTALS][ADDRESS_TEXT];
	size_t n = list_targets(c, role, text);

	struct ip_addr first;

	/* A link-local address needs its link, and other links do not lead there. */
	if (n && !address_parse(text[0], &first) && IN6_IS_ADDR_LINKLOCAL(&first.in6)) {
		finding_why_more(c, f,
				 ". %s is link-local and can be reached over one link only; with "
				 "a global address of the target, other links could be used",
				 text[0]);
		return false;
	}
	if (n)
		finding_fix(c, f, role, NVME_MPTCP_COMMAND " setup --role %s --traddr %s%s --apply",
			    nvme_mptcp_role_name(role), text[0], more);
	else if (role == NVME_MPTCP_ROLE_TARGET)
		finding_fix(c, f, role, NVME_MPTCP_COMMAND " setup --role target%s --apply", more);
	else
		return false;
	return true;
}

void fix_setup(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role)
{
	if (add_setup(c, f, role, ""))
		finding_fix_is(f, FIX_SETUP);
}

void fix_relay(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role)
{
	add_setup(c, f, role, " --relay");
}

void fix_reset_all(struct check *c, struct nvme_mptcp_finding *f)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls)
		if (check_covers_ctrl(c, ctrl) && (ctrl->set.count || ctrl->n_shared))
			fix_reset_ctrl(c, f, ctrl);
}

bool check_is_announced_on(const struct check *c, const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		const struct in6_addr *ip = trial_announced(c->trial, i);

		if (ip && link_network_has(c->snap, link->ifindex, ip))
			return true;
	}
	return false;
}

void fix_unroutable_join(struct check *c, struct nvme_mptcp_finding *f,
			 const struct in6_addr *local, const struct nvme_mptcp_link *link)
{
	bool deleted = false;

	if (!is_followed(c, link->ifindex)) {
		if (!check_is_set_up(c, NVME_MPTCP_ROLE_HOST))
			fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
		if (!check_is_announced_on(c, link))
			fix_setup(c, f, NVME_MPTCP_ROLE_TARGET);
		/* Only new connections follow addresses that were announced before. */
		if (check_announced(c) && !c->trial)
			fix_reset_all(c, f);
		return;
	}
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_subflows(ep) && address_equal(&ep->ip, local))
			deleted |= fix_delete_announced(c, f, ep);
	if (deleted && !c->trial)
		fix_reset_all(c, f);
}

void fix_repair(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side)
{
	finding_fix(c, f, side, NVME_MPTCP_COMMAND " repair%s",
		    side == NVME_MPTCP_ROLE_TARGET ? " --role target" : "");
	if (side == NVME_MPTCP_ROLE_HOST)
		finding_fix_is(f, FIX_NOTICE);
}

/* True if the plan adds an endpoint that some connections start from and others need. */
static bool adds_an_initial(const struct check *c, const struct nvme_mptcp_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].action == STEP_ADD && is_needed(c, plan, &plan->steps[i]) &&
		    count_initial(c, &plan->steps[i].new.ip))
			return true;
	return false;
}

static bool raises_limit(const struct nvme_mptcp_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].action == STEP_LIMITS &&
		    plan->steps[i].new_limits.subflows > plan->steps[i].old_limits.subflows)
			return true;
	return false;
}

/*
 * Existing connections do not notice raised limits. A new endpoint makes them try all endpoints
 * again; otherwise a repair does, or a reset if announcements have to be repeated.
 */
static void notice(struct check *c, struct nvme_mptcp_finding *f, nvme_mptcp_plan_t plan)
{
	if (plan->role != NVME_MPTCP_ROLE_HOST || !c->n_conns || c->trial || !has_needed(c, plan))
		return;
	if (plan->method != NVME_MPTCP_METHOD_SUBFLOW || adds_an_initial(c, plan))
		fix_reset_all(c, f);
	else if (!has_step(c, plan, STEP_ADD) && raises_limit(plan))
		fix_repair(c, f, NVME_MPTCP_ROLE_HOST);
}

/* If the host follows announcements, the target has to send some. */
static void ask_target(struct check *c, struct nvme_mptcp_finding *f, nvme_mptcp_plan_t plan)
{
	if (plan->role == NVME_MPTCP_ROLE_HOST && !(c->role & ON_TARGET) &&
	    (plan->method == NVME_MPTCP_METHOD_ANNOUNCED ||
	     plan->method == NVME_MPTCP_METHOD_LAMINAR) &&
	    !check_announced(c))
		fix_setup(c, f, NVME_MPTCP_ROLE_TARGET);
}

void fix_plan(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role)
{
	nvme_mptcp_plan_t plan = check_plan(c, role);

	c->plan_printed |= role == NVME_MPTCP_ROLE_HOST;
	if (!plan) {
		fix_setup(c, f, role);
		return;
	}
	/* Older versions of ip(8) do not support "laminar"; setup talks to the kernel itself. */
	if (plan->method == NVME_MPTCP_METHOD_LAMINAR && has_needed(c, plan)) {
		fix_setup(c, f, role);
		finding_fix_is(f, FIX_PLAIN);
		return;
	}
	for (size_t i = 0; i < plan->n_steps; i++)
		if (is_needed(c, plan, &plan->steps[i]))
			finding_fix_verbatim(c, f, role, plan->steps[i].command);
	ask_target(c, f, plan);
	notice(c, f, plan);
}

/* True if the plan sets sufficient limits. Adds that command. */
static bool add_planned_limits(struct check *c, struct nvme_mptcp_finding *f,
			       enum nvme_mptcp_role role, size_t least)
{
	nvme_mptcp_plan_t plan = check_plan(c, role);

	for (size_t i = 0; plan && i < plan->n_steps; i++) {
		const struct nvme_mptcp_step *step = &plan->steps[i];

		if (step->action != STEP_LIMITS || step->new_limits.subflows < (int64_t)least)
			continue;
		finding_fix_verbatim(c, f, role, step->command);
		return true;
	}
	return false;
}

bool fix_limits(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role,
		size_t least)
{
	const int64_t now = c->snap->limit_subflows;
	int64_t limit = (int64_t)least, max;

	if (now >= limit || add_planned_limits(c, f, role, least))
		return true;
	if (limit > LIMIT_GUARANTEED) {
		max = c->ops->limit_max ? c->ops->limit_max(c) : 0;
		if (!max) {
			/* setup reads the limit where it runs. */
			fix_setup(c, f, role);
			return true;
		}
		if (max < limit)
			finding_number(c, f, "limit_max", max);
		limit = max < limit ? max : limit;
	}
	if (limit > now)
		finding_fix(c, f, role, "ip mptcp limits set subflows %lld", (long long)limit);
	return limit > now;
}

/* A command, in printing order over all findings. */
struct printed {
	struct nvme_mptcp_finding *f;
	size_t i;
	bool repeated;
};

static int by_command(const void *a, const void *b)
{
	const struct printed *x = a, *y = b;
	const struct fix *one = &x->f->fixes[x->i], *other = &y->f->fixes[y->i];
	int order = one->side != other->side ? (one->side > other->side ? 1 : -1)
					     : strcmp(one->command, other->command);

	if (!order)
		order = (x->f > y->f) - (x->f < y->f);
	return order ? order : (x->i > y->i) - (x->i < y->i);
}

static bool is_same(const struct printed *x, const struct printed *y)
{
	const struct fix *one = &x->f->fixes[x->i], *other = &y->f->fixes[y->i];

	return one->side == other->side && !strcmp(one->command, other->command);
}

static void drop_command(const struct printed *printed)
{
	struct fix *fix = &printed->f->fixes[printed->i];

	free(fix->command);
	fix->command = NULL;
}

static void drop_empty(struct nvme_mptcp_finding *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n_fixes; i++)
		if (f->fixes[i].command)
			f->fixes[kept++] = f->fixes[i];
	f->n_fixes = kept;
}

/* Keep the first of equal commands, or the last for FIX_NOTICE. */
static void drop_repeated(struct printed *all, size_t n)
{
	for (size_t i = 0, same; i < n; i += same) {
		bool last = all[i].f->fixes[all[i].i].kind == FIX_NOTICE;

		for (same = 1; i + same < n && is_same(&all[i], &all[i + same]); same++)
			;
		for (size_t j = 0; j < same; j++)
			all[i + j].repeated = j != (last ? same - 1 : 0);
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].repeated)
			drop_command(&all[i]);
}

int fix_remove_duplicates(struct nvme_mptcp_findings *findings)
{
	_cleanup_(free) struct printed *all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++)
		n += findings->finding[i].n_fixes;
	if (!n)
		return 0;
	all = calloc(n, sizeof(*all));
	if (!all)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < findings->n; i++)
		for (size_t j = 0; j < findings->finding[i].n_fixes; j++)
			if (findings->finding[i].fixes[j].kind != FIX_OF_PORT)
				all[n++] = (struct printed){ &findings->finding[i], j, false };
	qsort(all, n, sizeof(*all), by_command);
	drop_repeated(all, n);
	for (size_t i = 0; i < findings->n; i++)
		drop_empty(&findings->finding[i]);
	return 0;
}
