// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plans endpoints and limits that give each connection one subflow on every link, by the methods
 * that measurements left (doc/man/nvme-mptcp-setup.scd).
 */
#include "setup.h"

/* Keep the links that lead to the portal or to other addresses of the target. */
static void keep_leading(struct setup *s)
{
	for (size_t i = 0; i < s->n_links;)
		if (s->links[i].to[0] != LINK_REACH_NONE || s->links[i].routed ||
		    s->links[i].may_reach)
			i++;
		else
			setup_exclude_link(
				s, i, "%s is not in its network, and no route over it leads there",
				ADDRESS_STRING(&s->targets[0]));
}

static size_t count_leading(const struct setup *s, size_t target)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_links; i++)
		n += s->links[i].to[target] != LINK_REACH_NONE;
	return n;
}

static struct setup_link *link_of_route(struct setup *s, const struct route_answer *connect_route)
{
	for (size_t i = 0; i < s->n_links; i++)
		if (s->links[i].link->ifindex == connect_route->ifindex)
			return &s->links[i];
	return NULL;
}

/* Return how many links the routes to the targets use; 0 if two use one link, or one is unknown. */
static size_t count_routes(struct setup *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_targets; i++) {
		struct route_answer connect_route;
		struct setup_link *l;

		/* A target without a route gets no subflow. */
		if (s->p->connect_route(s->p, &s->targets[i], &connect_route))
			continue;
		l = link_of_route(s, &connect_route);
		if (!l || l->routed)
			return 0;
		l->routed = true;
		n++;
	}
	return n;
}

/* True if the kernel's routes lead to each of several targets over a different link. */
static bool routes_spread(struct setup *s)
{
	s->is_spread = count_routes(s) > 1;
	for (size_t i = 0; i < s->n_links && !s->is_spread; i++)
		s->links[i].routed = false;
	return s->is_spread;
}

static bool all_lead_to_all(const struct setup *s)
{
	for (size_t i = 0; i < s->n_targets; i++)
		if (count_leading(s, i) != s->n_links)
			return false;
	return true;
}

static enum nvme_mptcp_plan_method choose_method(struct setup *s)
{
	if (routes_spread(s)) {
		keep_leading(s);
		return NVME_MPTCP_METHOD_ANNOUNCED;
	}
	if (setup_is_routed(s)) {
		keep_leading(s);
		return NVME_MPTCP_METHOD_ROUTED;
	}
	if (s->n_targets > 1 && s->n_targets >= s->n_links && all_lead_to_all(s)) {
		if (s->p->has.laminar)
			return NVME_MPTCP_METHOD_LAMINAR;
		if (s->p->capability_err)
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "cannot determine whether this kernel supports laminar "
				  "endpoints (%s); the plan does not use them",
				  strerror(-s->p->capability_err));
	}
	if (s->n_targets && count_leading(s, 0) > 1) {
		keep_leading(s);
		return NVME_MPTCP_METHOD_SUBFLOW;
	}
	return NVME_MPTCP_METHOD_ANNOUNCED;
}

/*
 * Return the flags of a link's endpoint; 0 for none. If routes choose the links, those that no
 * route chooses get an endpoint.
 */
static int64_t flags_for(const struct setup *s, const struct setup_link *l)
{
	switch (s->plan->method) {
	case NVME_MPTCP_METHOD_SIGNAL:
		return NVME_MPTCP_ENDPOINT_SIGNAL;
	case NVME_MPTCP_METHOD_LAMINAR:
		return NVME_MPTCP_ENDPOINT_LAMINAR;
	case NVME_MPTCP_METHOD_SUBFLOW:
		return NVME_MPTCP_ENDPOINT_SUBFLOW;
	case NVME_MPTCP_METHOD_ANNOUNCED:
		return s->is_spread && !l->routed && !l->may_reach ? NVME_MPTCP_ENDPOINT_SUBFLOW
								   : 0;
	default:
		return 0;
	}
}

static void want_endpoints(struct setup *s)
{
	setup_take_source(s);
	FOR_EACH(l, s->links, s->n_links) {
		int64_t flags = l->is_transient ? 0 : flags_for(s, l);
		struct endpoint_spec *spec;

		if (!flags)
			continue;
		spec = array_add(&s->plan->wanted, &s->plan->n_wanted, sizeof(*spec));
		if (!spec) {
			s->plan->err = -ENOMEM;
			return;
		}
		spec->ip = l->address->ip;
		spec->ifindex = l->link->ifindex;
		spec->flags = flags;
		str_copy(spec->device, sizeof(spec->device), l->link->name, strlen(l->link->name));
	}
}

static void wanted_step(struct nvme_mptcp_plan *plan, enum step_action action,
			const struct endpoint_spec *old, const struct endpoint_spec *new)
{
	if (plan->role == NVME_MPTCP_ROLE_TARGET)
		plan_step(plan, action, old, new,
			  "Announces the address, so that hosts join over %s", new->device);
	else if (plan->method == NVME_MPTCP_METHOD_LAMINAR)
		plan_step(plan, action, old, new,
			  "Joins to an announced address use %s, which no other subflow uses",
			  new->device);
	else if (plan->method == NVME_MPTCP_METHOD_ROUTED)
		plan_step(plan, action, old, new,
			  "Each connection starts a subflow from this "
			  "address, and a hash picks its next hop");
	else
		plan_step(plan, action, old, new, "Each connection starts a subflow over %s",
			  new->device);
}

/* True if the target announces the address with a port, on which the kernel accepts joins. */
static bool serves_by_port(const struct setup *s, const struct in6_addr *ip)
{
	if (s->plan->role == NVME_MPTCP_ROLE_TARGET && !s->args->replace)
		FOR_EACH(ep, s->snap->endpoints, s->snap->n_endpoints)
			if (ep->port && endpoint_announces(ep) && address_equal(&ep->ip, ip))
				return true;
	return false;
}

/* Add the step, if any is needed, that makes the endpoint at this address match @wanted. */
static void settle(struct setup *s, const struct endpoint_spec *wanted)
{
	const struct nvme_mptcp_endpoint *found = setup_endpoint_at(s, &wanted->ip);
	struct nvme_mptcp_plan *plan = s->plan;
	struct endpoint_spec old, new = *wanted;

	if (!found && serves_by_port(s, &wanted->ip))
		return;
	/* The kernel replaces implicit endpoints by itself. */
	if (!found || endpoint_has(found, NVME_MPTCP_ENDPOINT_IMPLICIT)) {
		wanted_step(plan, STEP_ADD, NULL, &new);
		return;
	}
	if (found->flags == wanted->flags && found->ifindex == wanted->ifindex)
		return;
	endpoint_spec_of(s->snap, found, &old);
	if (keep_is_out_of_use(s->p->own, &old))
		return;
	new.id = old.id;
	if (!s->args->replace && !keep_owns(s->p->own, found)) {
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "endpoint %u (%s) has settings that differ from those required for %s, "
			  "and is kept: %s setup --replace changes it",
			  found->id, found->address, wanted->device, snapshot_program());
		return;
	}
	if (found->ifindex == wanted->ifindex &&
	    !((found->flags ^ wanted->flags) & ~ENDPOINT_FLAGS_LIVE)) {
		wanted_step(plan, STEP_FLAGS, &old, &new);
		return;
	}
	wanted_step(plan, STEP_REPLACE, &old, &new);
}

static bool is_wanted(const struct nvme_mptcp_plan *plan, const struct in6_addr *ip)
{
	for (size_t i = 0; i < plan->n_wanted; i++)
		if (address_equal(&plan->wanted[i].ip, ip))
			return true;
	return false;
}

static bool is_of_a_link(const struct setup *s, const struct nvme_mptcp_endpoint *ep)
{
	for (size_t i = 0; i < s->n_links && !ep->port; i++)
		if (address_equal(&s->links[i].address->ip, &ep->ip))
			return true;
	return false;
}

/* True if the endpoint gives connections of this family subflows. */
static bool adds_subflows(const struct setup *s, const struct nvme_mptcp_endpoint *ep)
{
	if (address_is_v4(&ep->ip) != s->v4)
		return false;
	return endpoint_starts_subflows(ep) ||
	       (s->plan->role == NVME_MPTCP_ROLE_TARGET && endpoint_announces(ep));
}

/* True if the endpoint is not part of the plan and would add subflows to the planned ones. */
static bool is_obstacle(const struct setup *s, const struct nvme_mptcp_endpoint *ep)
{
	/* The initial subflow uses the only link anyway. */
	if (s->plan->method == NVME_MPTCP_METHOD_SINGLE && is_of_a_link(s, ep))
		return false;
	return adds_subflows(s, ep) &&
	       ((ep->port && !serves_by_port(s, &ep->ip)) || !is_wanted(s->plan, &ep->ip));
}

static size_t clear_obstacles(struct setup *s)
{
	size_t kept = 0;

	FOR_EACH(ep, s->snap->endpoints, s->snap->n_endpoints) {
		struct endpoint_spec old;

		if (!is_obstacle(s, ep) || keep_owns(s->p->own, ep))
			continue;
		if (!s->args->replace) {
			kept++;
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "endpoint %u (%s) is not part of this plan and is kept: it may "
				  "add subflows to those planned; %s setup --replace deletes it",
				  ep->id, ep->address, snapshot_program());
			continue;
		}
		endpoint_spec_of(s->snap, ep, &old);
		plan_step(s->plan, STEP_DELETE, &old, NULL,
			  "It would add subflows to the planned ones");
	}
	return kept;
}

/* Return how many endpoints for links fit into the table in addition to those that stay. */
static size_t table_room(const struct setup *s)
{
	size_t room = s->p->has.endpoints ? s->p->has.endpoints : ENDPOINTS_GUARANTEED;

	for (size_t i = 0; i < s->snap->n_endpoints && room; i++) {
		const struct nvme_mptcp_endpoint *ep = &s->snap->endpoints[i];

		if (ep->id && !is_of_a_link(s, ep) && !(s->args->replace && adds_subflows(s, ep)))
			room--;
	}
	return room;
}

/* Keep the best links if the kernel supports fewer. */
static int fit_links(struct setup *s)
{
	const size_t room = table_room(s);
	const int64_t most = setup_max_joins(s) + 1;
	char why[96];

	if (!room)
		return failure_note(-ENOSPC, "no endpoint can be added: the kernel's table is full "
					     "of endpoints that were not planned here");
	snprintf(why, sizeof(why), "the kernel's table has space for %zu, and better links use it",
		 room);
	setup_keep_best(s, room, why);
	snprintf(why, sizeof(why),
		 "a connection has at most %lld subflows, and better links use them",
		 (long long)most);
	setup_keep_best(s, (size_t)most, why);
	return 0;
}

static void add_host_notes(struct setup *s)
{
	char command[ADDRESS_TEXT + 64] = NVME_MPTCP_COMMAND " setup --role target --apply";

	if (s->plan->method == NVME_MPTCP_METHOD_SUBFLOW ||
	    s->plan->method == NVME_MPTCP_METHOD_ROUTED || setup_is_announced(s))
		return;
	if (s->n_targets) {
		snprintf(command, sizeof(command),
			 NVME_MPTCP_COMMAND " setup --role target --traddr %s --apply",
			 ADDRESS_STRING(&s->targets[0]));
	}
	plan_note(s->plan, NVME_MPTCP_ROLE_TARGET, command,
		  "The target has to announce its addresses, one on each link");
}

static int choose_endpoints(struct setup *s)
{
	struct nvme_mptcp_plan *plan = s->plan;
	int err = 0;

	if (s->n_links == 1)
		plan->method = NVME_MPTCP_METHOD_SINGLE;
	else if (plan->role == NVME_MPTCP_ROLE_TARGET)
		plan->method =
			setup_is_routed(s) ? NVME_MPTCP_METHOD_ROUTED : NVME_MPTCP_METHOD_SIGNAL;
	else
		plan->method = choose_method(s);
	/* Links that routes choose need no endpoints, so that the table does not limit them. */
	if (plan->method != NVME_MPTCP_METHOD_SINGLE && plan->method != NVME_MPTCP_METHOD_ANNOUNCED)
		err = fit_links(s);
	if (!err && plan->method == NVME_MPTCP_METHOD_ROUTED)
		setup_plan_routed(s);
	else if (!err)
		want_endpoints(s);
	return err;
}

/* Note a path manager in user space: connections made meanwhile do not follow the plan. */
static void note_manager(struct setup *s)
{
	const char *command = snapshot_kernel_manager(s->snap);

	if (command)
		plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, command,
			  "A path manager in user space controls new connections: endpoints and "
			  "limits do not apply to them until the kernel's path manager is "
			  "selected");
}

static int make(struct setup *s)
{
	struct nvme_mptcp_plan *plan = s->plan;
	size_t extra;
	int err;

	setup_choose_family(s);
	err = setup_find_links(s);
	if (!err)
		err = choose_endpoints(s);
	if ((!err || err == -ENOSPC) && setup_is_complete(s)) {
		setup_plan_no_change(s);
		setup_note_arp(s);
		return plan->err;
	}
	if (err)
		return err;
	setup_show_links(s);
	if (plan->method == NVME_MPTCP_METHOD_SINGLE)
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "%s is the only link: the initial subflow is all that a connection can "
			  "have",
			  s->links[0].link->name);
	extra = clear_obstacles(s);
	/* Limits first: endpoints affect existing connections at once. */
	if (plan->role == NVME_MPTCP_ROLE_TARGET) {
		setup_target_limits(s);
		setup_announcement_interval(s);
		setup_inline_writes(s);
	} else if (plan->method != NVME_MPTCP_METHOD_SINGLE &&
		   (plan->method != NVME_MPTCP_METHOD_ROUTED || plan->n_wanted)) {
		setup_host_limits(s, extra);
	}
	for (size_t i = 0; i < plan->n_wanted; i++)
		settle(s, &plan->wanted[i]);
	if (plan->role == NVME_MPTCP_ROLE_HOST && plan->method != NVME_MPTCP_METHOD_SINGLE)
		add_host_notes(s);
	note_manager(s);
	setup_note_arp(s);
	if (!nvme_mptcp_is_enabled((nvme_mptcp_snapshot_t)s->snap))
		plan_note_disabled(plan);
	return plan->err;
}

static int require_parts(const struct nvme_mptcp_snapshot *snap)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_LIMITS, NVME_MPTCP_ENDPOINTS,
						      NVME_MPTCP_LINKS, NVME_MPTCP_ADDRESSES };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (snap->problem[parts[i]].err)
			return failure_note(-ENODATA, "%s",
					    nvme_mptcp_snapshot_problem((nvme_mptcp_snapshot_t)snap,
									parts[i]));
	return 0;
}

int plan_setup(struct planner *p, const struct nvme_mptcp_setup_args *args,
	       struct nvme_mptcp_plan **ret)
{
	struct setup s = { .p = p, .snap = args->snap, .args = args, .conn = p->conn };
	int err;

	if (args->role != NVME_MPTCP_ROLE_HOST && args->role != NVME_MPTCP_ROLE_TARGET)
		return failure_note(-EINVAL, "role=%d: a plan requires the role host or target",
				    (int)args->role);
	err = require_parts(args->snap);
	if (err)
		return err;
	err = setup_read_targets(&s);
	if (err)
		return err;
	s.plan = plan_new(args->snap, args->role, NVME_MPTCP_METHOD_SINGLE);
	if (!s.plan)
		return -ENOMEM;
	err = s.plan->err ? s.plan->err : make(&s);
	err = p->err ? p->err : err;
	free(s.links);
	if (!err)
		plan_drop_disruptive(s.plan, args->snap);
	return plan_finish(s.plan, err, ret);
}

static enum link_reach ask_reach(struct planner *p, const struct in6_addr *src, int ifindex,
				 const struct in6_addr *dst)
{
	enum link_reach reach;
	int err = link_reach(&p->nl, src, ifindex, &(struct socket_address){ .ip = *dst }, &reach);

	p->err = p->err ? p->err : err;
	return reach;
}

static int ask_connect_route(struct planner *p, const struct in6_addr *dst,
			     struct route_answer *ret)
{
	int err = route_ask_connect(&p->nl, &(struct socket_address){ .ip = *dst }, ret);

	if (err && !route_is_none(err) && !p->err)
		p->err = err;
	return err;
}

static int64_t ask_speed(struct planner *p, const struct nvme_mptcp_link *link)
{
	return link_ask_speed(link);
}

struct job {
	const struct nvme_mptcp_setup_args *args;
	struct plan_known *known; /* or NULL */
	const struct keep_own *own; /* or NULL */
	const struct nvme_mptcp_connection *conn; /* or NULL */
	struct nvme_mptcp_plan *plan;
};

/* Find the highest limit with a request that the kernel refuses. Only keepers may change limits. */
static int ask_limits(const struct nvme_mptcp_snapshot *snap, uint32_t *ret)
{
	const struct pm_limits limits = { snap->limit_subflows, snap->limit_add_addr_accepted };
	_cleanup_(editor_close) struct editor e;
	int err = editor_open(&e);

	return !err && !require_parts(snap) ? editor_limit_max(&e, &limits, ret) : err;
}

int plan_query_kernel(const struct nvme_mptcp_snapshot *snap, struct plan_known *known)
{
	if (known->is_known)
		return 0;
	known->capability_err = plan_ask_capability(&known->has);
	known->limit_max = known->has.limit_max;
	if (known->capability_err == -ENOMEM ||
	    (known->may_ask && !known->limit_max && ask_limits(snap, &known->limit_max) == -ENOMEM))
		return -ENOMEM;
	known->is_known = true;
	return 0;
}

static int setup(void *arg)
{
	struct job *job = arg;
	const struct nvme_mptcp_snapshot *snap = job->args->snap;
	struct plan_known asked = {}, *known = job->known ? job->known : &asked;
	struct planner p = { .snap = snap,
			     .reach = ask_reach,
			     .connect_route = ask_connect_route,
			     .speed = ask_speed,
			     .setting = snapshot_sysctl,
			     .own = job->own,
			     .conn = job->conn };
	int err = plan_query_kernel(snap, known);

	if (err)
		return err;
	p.limit_max = known->limit_max;
	p.has = known->has;
	p.capability_err = known->capability_err;
	err = nl_open(&p.nl, NETLINK_ROUTE);
	if (!err && job->args->role == NVME_MPTCP_ROLE_TARGET)
		err = target_read(snap, &p.nvmet);
	if (!err)
		err = plan_setup(&p, job->args, &job->plan);
	nl_close(&p.nl);
	target_clear(&p.nvmet);
	return err;
}

int plan_setup_cached(const struct nvme_mptcp_setup_args *args, struct plan_known *known,
		      const struct keep_own *own, const struct nvme_mptcp_connection *conn,
		      struct nvme_mptcp_plan **ret)
{
	struct job job = { .args = args, .known = known, .own = own, .conn = conn };
	int err = args->snap ? netns_run(args->snap->netns, setup, &job)
			     : failure_note(-EINVAL, "snap=NULL: a plan requires a snapshot");

	if (err)
		return err;
	plan_recover(job.plan, args->snap);
	return plan_finish(job.plan, 0, ret);
}
