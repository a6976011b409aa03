// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plans the repair of subflows that died or never formed. The kernel decides about an endpoint once
 * for each connection; deleting and adding the endpoint makes it decide again, on all connections.
 * That closes the working subflows of the endpoint: those in use only if the caller asks for it
 * (force), and idle ones only after a trial has shown that they can form again (renew.c). Subflows
 * that had nothing to send survive a long outage of their link.
 */
#include <net/if.h>

#include "base/versioned.h"
#include "mptcp/snapshot/coverage.h"
#include "steps.h"

/* Time without data after which a subflow is idle and can be closed and formed again, in ms. */
#define IDLE_MS 1000

/* A link that should carry every connection of its family, and its endpoint. */
struct place {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_endpoint *ep; /* NULL: none */
	size_t missing_in_all;
	size_t closed_to_announcements; /* missing, on connections that ignore announcements */
	size_t at_limit; /* missing, on connections at the limit of subflows */
};

struct repair {
	const struct nvme_mptcp_snapshot *snap;
	const struct nvme_mptcp_repair_args *args;
	struct nvme_mptcp_plan *plan;
	struct place *places;
	size_t n_places;
};

static struct place *add_place(struct repair *r, const struct nvme_mptcp_link *link)
{
	struct place *place;

	for (size_t i = 0; i < r->n_places; i++)
		if (r->places[i].link == link)
			return &r->places[i];
	place = array_add(&r->places, &r->n_places, sizeof(*place));
	if (place)
		place->link = link;
	else
		r->plan->err = -ENOMEM;
	return place;
}

static bool is_host(const struct repair *r)
{
	return r->plan->role == NVME_MPTCP_ROLE_HOST;
}

/* True if this side can renew the endpoint to get subflows. */
static bool can_renew(const struct repair *r, const struct nvme_mptcp_endpoint *ep)
{
	return is_host(r) ? endpoint_starts_by_itself(ep) : endpoint_announces(ep);
}

static bool is_established_mptcp(const struct nvme_mptcp_connection *conn)
{
	return conn->fallback != 1 && conn->state == STATE_ESTABLISHED;
}

/* Return the endpoint of a link that can be renewed, else any endpoint on it, or NULL. */
static const struct nvme_mptcp_endpoint *endpoint_of(const struct repair *r,
						     const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_endpoint *found = NULL;

	FOR_EACH(ep, r->snap->endpoints, r->snap->n_endpoints) {
		if (endpoint_carrier(ep) != link)
			continue;
		if (can_renew(r, ep))
			return ep;
		found = found ? found : ep;
	}
	return found;
}

static bool has_subflow_at(const struct nvme_mptcp_connection *conn,
			   const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; i < conn->n_subflows; i++)
		if (conn->subflows[i].link == link && subflow_carries(&conn->subflows[i]))
			return true;
	return false;
}

static bool ignores_announcements(const struct repair *r, const struct nvme_mptcp_connection *conn)
{
	return connection_ignores_announcements(conn);
}

static bool is_full(const struct repair *r, const struct nvme_mptcp_connection *conn)
{
	return connection_is_full(conn) && !connection_has_userspace_manager(r->snap, conn);
}

/* Count the connections without a working subflow on @link for which @is_such is true. */
static size_t count_such(const struct repair *r, const struct nvme_mptcp_set *set,
			 const struct nvme_mptcp_link *link,
			 bool (*is_such)(const struct repair *r,
					 const struct nvme_mptcp_connection *conn))
{
	size_t n = 0;

	nvme_mptcp_for_each_connection(set, conn) {
		n += is_established_mptcp(conn) && is_such(r, conn) && !has_subflow_at(conn, link);
	}
	return n;
}

static void add_gap(struct repair *r, const struct nvme_mptcp_set *set, const char *const *ctrls,
		    const struct nvme_mptcp_link *link, size_t missing, size_t connections)
{
	struct place *place = add_place(r, link);

	if (!place)
		return;
	plan_gap(r->plan, ctrls, link->name, missing, connections);
	place->missing_in_all += missing;
	place->closed_to_announcements += count_such(r, set, link, ignores_announcements);
	place->at_limit += count_such(r, set, link, is_full);
}

static bool is_named(const struct repair *r, const struct nvme_mptcp_link *link)
{
	return r->args->devices && str_in_list(r->args->devices, link->name);
}

/* Add the gap of a link that connections would not use by themselves, but that the caller named. */
static void count_named(struct repair *r, const struct nvme_mptcp_set *set,
			const char *const *ctrls, const struct nvme_mptcp_link *link)
{
	size_t missing = 0, connections = 0;

	nvme_mptcp_for_each_connection(set, conn) {
		bool fits = is_established_mptcp(conn) &&
			    nvme_mptcp_link_is_usable((nvme_mptcp_snapshot_t)r->snap, link,
						      !address_is_v4(&conn->remote.ip));

		connections += fits;
		missing += fits && !has_subflow_at(conn, link);
	}
	if (missing)
		add_gap(r, set, ctrls, link, missing, connections);
}

static bool is_covered(const struct nvme_mptcp_set *set, const struct nvme_mptcp_link *link)
{
	nvme_mptcp_for_each_coverage(set, coverage) {
		if (nvme_mptcp_coverage_link(coverage) == link && coverage_is_wanted(coverage))
			return true;
	}
	return false;
}

/* What subflows that follow announcements need first, and where: @otherwise on the target. */
static const char *what_is_next(const struct repair *r, const char *otherwise,
				enum nvme_mptcp_role *side, const char **command)
{
	if (is_host(r) && !r->snap->limit_add_addr_accepted) {
		*side = NVME_MPTCP_ROLE_HOST;
		*command = NVME_MPTCP_COMMAND " setup --role host --apply";
		return "this host follows no announcement: its limit add_addr_accepted is 0";
	}
	*side = NVME_MPTCP_ROLE_TARGET;
	*command = NVME_MPTCP_COMMAND " repair --role target";
	return otherwise;
}

/* Note subflows that followed announcements of which no link is known. */
static void note_unknown(struct repair *r, const char *const *ctrls, size_t n)
{
	enum nvme_mptcp_role side;
	const char *command;
	const char *next = what_is_next(r, "only the target can announce its addresses again",
					&side, &command);

	plan_gap(r->plan, ctrls, "-", n, n);
	plan_note(r->plan, side, command,
		  "%s: %zu connection%s down to one subflow, and the links of the others "
		  "are no longer known; %s",
		  ctrls ? ctrls[0] : "hosts", n, n == 1 ? " is" : "s are", next);
}

/* Note subflows of an unknown link: they may end at any time, and no endpoint belongs to them. */
static void note_unplaced(struct repair *r, const char *const *ctrls, size_t n, const char *trouble)
{
	plan_gap(r->plan, ctrls, "-", n, n);
	plan_note(r->plan, r->plan->role, NULL,
		  "%s: %zu connection%s a subflow that carries no data, over an unknown link: %s",
		  ctrls ? ctrls[0] : "hosts", n, n == 1 ? " has" : "s have", trouble);
}

/* Add the gaps of a set of connections, of @ctrls; NULL: of hosts. */
static void count_set(struct repair *r, const struct nvme_mptcp_set *set, const char *const *ctrls)
{
	nvme_mptcp_for_each_coverage(set, coverage) {
		nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);
		size_t missing = nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING);

		if (!missing || (r->args->devices && (!link || !is_named(r, link))))
			continue;
		if (link)
			add_gap(r, set, ctrls, link, missing,
				missing + nvme_mptcp_coverage_count(coverage, NVME_MPTCP_COVERED) +
					nvme_mptcp_coverage_count(coverage,
								  NVME_MPTCP_SUPERFLUOUS));
		else if (nvme_mptcp_coverage_trouble(coverage))
			note_unplaced(r, ctrls, missing, nvme_mptcp_coverage_trouble(coverage));
		else
			note_unknown(r, ctrls, missing);
	}
	for (size_t i = 0; r->args->devices && i < r->snap->n_links; i++)
		if (is_named(r, &r->snap->links[i]) && !is_covered(set, &r->snap->links[i]))
			count_named(r, set, ctrls, &r->snap->links[i]);
}

static void ask_for_the_relay(struct repair *r, const struct nvme_mptcp_ctrl *ctrl)
{
	char command[64];

	snprintf(command, sizeof(command), NVME_COMMAND " reset /dev/%.32s", ctrl->name);
	plan_note(r->plan, NVME_MPTCP_ROLE_HOST, command,
		  "Controller %s is connected straight to the target, bypassing the relay and "
		  "over one link: a reset makes it connect through the relay",
		  ctrl->name);
}

/*
 * True if the controller can be repaired; otherwise adds a note. One that is not live, or whose
 * connections are not visible here, cannot: its new connections get their subflows by themselves.
 */
static bool is_repairable(struct repair *r, const struct nvme_mptcp_ctrl *ctrl)
{
	const bool is_live = ctrl_state_is_live(ctrl);
	char command[64];

	snprintf(command, sizeof(command), NVME_MPTCP_COMMAND " check %.32s", ctrl->name);
	if (ctrl->state && (!strncmp(ctrl->state, "deleting", 8) || !strcmp(ctrl->state, "dead")))
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, command,
			  "Controller %s is %s and has no connections to repair: connect it again",
			  ctrl->name, ctrl->state);
	else if (!is_live)
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, command,
			  "Controller %s is %s and has no connections to repair: it "
			  "reconnects when the target is reachable again",
			  ctrl->name, ctrl->state ? ctrl->state : "in an unknown state");
	else if (ctrl->is_bypassed)
		ask_for_the_relay(r, ctrl);
	else if (!ctrl->set.count && !ctrl->n_shared)
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, command,
			  "Controller %s has no connections in this network namespace: use "
			  "--netns with the one in which it was connected",
			  ctrl->name);
	else
		return true;
	r->plan->n_unrepairable++;
	return false;
}

/* Note that only a reset brings MPTCP back to connections in fallback. */
static void note_fallback(struct repair *r, const struct nvme_mptcp_ctrl *ctrl)
{
	char command[64];

	if (!ctrl->set.fallback)
		return;
	snprintf(command, sizeof(command), NVME_MPTCP_COMMAND " check %.32s", ctrl->name);
	plan_note(
		r->plan, NVME_MPTCP_ROLE_HOST, command,
		"%zu of %zu connections of controller %s use plain TCP, over one link each, until "
		"the controller is reset: check shows the reason, and whether a reset would help",
		ctrl->set.fallback, ctrl->set.count, ctrl->name);
	if (ctrl->set.fallback == ctrl->set.count)
		r->plan->n_unrepairable++;
}

static bool is_asked_for(const struct repair *r, const struct nvme_mptcp_ctrl *ctrl)
{
	return !r->args->ctrls || str_in_list(r->args->ctrls, ctrl->name);
}

static const char **names_of(const struct nvme_mptcp_shared *sh)
{
	const char **names = calloc(sh->n_ctrls + 1, sizeof(*names));

	for (size_t i = 0; names && i < sh->n_ctrls; i++)
		names[i] = sh->ctrls[i]->name;
	return names;
}

static void count_ctrls(struct repair *r)
{
	const struct nvme_mptcp_snapshot *snap = r->snap;

	for (size_t i = 0; i < snap->n_ctrls; i++) {
		const char *const name[] = { snap->ctrls[i].name, NULL };

		if (!is_asked_for(r, &snap->ctrls[i]) || !is_repairable(r, &snap->ctrls[i]))
			continue;
		note_fallback(r, &snap->ctrls[i]);
		count_set(r, &snap->ctrls[i].set, name);
	}
	FOR_EACH(sh, snap->shared, snap->n_shared) {
		_cleanup_(free) const char **names = NULL;
		bool asked_for = false;

		for (size_t j = 0; j < sh->n_ctrls && !asked_for; j++)
			asked_for = is_asked_for(r, sh->ctrls[j]);
		if (!asked_for)
			continue;
		names = names_of(sh);
		if (!names) {
			r->plan->err = -ENOMEM;
			return;
		}
		count_set(r, &sh->set, names);
	}
}

static void count_all(struct repair *r)
{
	if (is_host(r))
		count_ctrls(r);
	else
		count_set(r, &r->snap->other, NULL);
	for (size_t i = 0; i < r->n_places; i++)
		r->places[i].ep = endpoint_of(r, r->places[i].link);
}

/* True if the link can carry data; otherwise adds a note, since no change of an endpoint helps. */
static bool is_fit(struct repair *r, const struct place *place)
{
	const char *trouble = link_trouble(place->link);
	char command[32 + SHELL_WORD(LINK_NAME)];

	if (!trouble && place->ep && !snapshot_find_address(r->snap, &place->ep->ip)) {
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "endpoint %u (%s) cannot be used: no interface has its address any more",
			  place->ep->id, place->ep->address);
		return false;
	}
	if (!trouble)
		return true;
	snprintf(command, sizeof(command), "ip link set dev %s up", LINK_WORD(place->link->name));
	plan_note(r->plan, r->plan->role, place->link->flags & IFF_UP ? NULL : command,
		  "%s cannot carry subflows: %s", place->link->name, trouble);
	return false;
}

static bool is_idle(const struct nvme_mptcp_subflow *sf)
{
	static const enum nvme_mptcp_subflow_value since[] = { NVME_MPTCP_LAST_DATA_SENT_MS,
							       NVME_MPTCP_LAST_DATA_RECV_MS,
							       NVME_MPTCP_LAST_ACK_RECV_MS };

	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++)
		if (sf->value[since[i]] != NVME_MPTCP_UNKNOWN && sf->value[since[i]] < IDLE_MS)
			return false;
	return sf->value[NVME_MPTCP_LAST_DATA_SENT_MS] != NVME_MPTCP_UNKNOWN;
}

/* Count the subflows in use that renewing the endpoint would close. */
static size_t count_busy(const struct repair *r, const struct nvme_mptcp_endpoint *ep)
{
	size_t n = 0;

	FOR_EACH(sf, r->snap->subflows, r->snap->n_subflows)
		n += subflow_carries(sf) && endpoint_has_subflow(ep, sf) && !is_idle(sf);
	return n;
}

/* True if the caller accepts what a renewal closes. plan_drop_disruptive() drops what ends connections. */
static bool may_close(struct repair *r, const struct place *place)
{
	const struct nvme_mptcp_endpoint *ep = place->ep;
	const size_t busy = count_busy(r, ep), living = endpoint_count_carrying(r->snap, ep);

	if (r->args->force || endpoint_is_last_for(r->snap, ep) || !(is_host(r) ? busy : living))
		return true;
	if (is_host(r))
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "%s: %zu subflows of other connections are in use on endpoint %u (%s), "
			  "and the kernel would close them; %s repair --force restores all of them "
			  "after a trial",
			  place->link->name, busy, ep->id, ep->address, snapshot_program());
	else
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "%s: %zu subflows work on endpoint %u (%s), the kernel would close them, "
			  "and only hosts can restore them; %s repair --role target --force renews "
			  "it nevertheless",
			  place->link->name, living, ep->id, ep->address, snapshot_program());
	return false;
}

static void renew(struct repair *r, const struct place *place)
{
	const struct nvme_mptcp_endpoint *ep = place->ep;
	struct endpoint_spec spec, again;
	struct nvme_mptcp_step *step;

	if (ep->subflows == NVME_MPTCP_UNKNOWN) {
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "%s: only root can see whether subflows use endpoint %u (%s)",
			  place->link->name, ep->id, ep->address);
		return;
	}
	if (!may_close(r, place))
		return;
	endpoint_spec_of(r->snap, ep, &spec);
	again = spec;
	/* With a new id, a late removal of the old id does not affect the new announcement. */
	if (endpoint_announces(ep))
		again.id = 0;
	step = plan_step(r->plan, STEP_RENEW, &spec, &again,
			 "%zu connection%s no subflow on %s: the kernel %s again",
			 place->missing_in_all, place->missing_in_all == 1 ? " has" : "s have",
			 place->link->name, is_host(r) ? "starts one" : "announces it");
	if (step)
		step->expects = place->missing_in_all - place->at_limit;
}

/* Note what subflows that follow the target's announcements need. */
static void ask_the_target(struct repair *r, const struct place *place, bool *asked)
{
	enum nvme_mptcp_role side;
	const char *command;
	const char *next = what_is_next(r, "only the target can repeat them", &side, &command);

	if (!*asked)
		plan_note(r->plan, side, command,
			  "%s: subflows there follow the target's announcements, and %s",
			  place->link->name, next);
	else
		plan_note(r->plan, side, NULL, "%s: the command above is for this link, too",
			  place->link->name);
	*asked = true;
}

/* Note that a reset is needed: only new connections count announcements from 0 again. */
static void ask_for_a_reset(struct repair *r, const struct place *place, bool *asked)
{
	char command[64] = NVME_COMMAND " reset /dev/nvmeN";

	for (size_t i = 0; !*asked && i < r->plan->n_gaps; i++) {
		const struct plan_gap *gap = &r->plan->gaps[i];

		/* With several controllers, it is unknown which one misses them. */
		if (!strcmp(gap->link, place->link->name) && gap->ctrls && !gap->ctrls[1])
			snprintf(command, sizeof(command), NVME_COMMAND " reset /dev/%.32s",
				 gap->ctrls[0]);
	}
	if (!*asked)
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, command,
			  "%s: %zu of the connections have followed as many announcements as the "
			  "limits subflows and add_addr_accepted permit, and ignore further "
			  "ones: the kernel does not decrease its count when a subflow dies",
			  place->link->name, place->closed_to_announcements);
	else
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, NULL, "%s: the same applies to this link",
			  place->link->name);
	*asked = true;
}

/* Note that the limit must be raised: the kernel would start no subflow. */
static void ask_for_higher_limit(struct repair *r, const struct place *place, bool *asked)
{
	const int64_t limit = r->snap->limit_subflows;
	char command[64];

	snprintf(command, sizeof(command), "ip mptcp limits set subflows %d", LIMIT_GUARANTEED);
	if (!*asked)
		plan_note(r->plan, r->plan->role, limit < LIMIT_GUARANTEED ? command : NULL,
			  "%s: %zu of the connections have as many subflows as the limit "
			  "permits (%lld in addition to the initial one, which is lost): no "
			  "subflow can return until the limit is raised; then run repair again",
			  place->link->name, place->at_limit, (long long)limit);
	else
		plan_note(r->plan, r->plan->role, NULL, "%s: the same applies to this link",
			  place->link->name);
	*asked = true;
}

static void repair_places(struct repair *r)
{
	bool asked_target = false, asked_reset = false, asked_limit = false;

	FOR_EACH(place, r->places, r->n_places) {
		if (!place->missing_in_all || plan_recovers(r->plan, place->link->name) ||
		    !is_fit(r, place))
			continue;
		if (is_host(r) && place->at_limit)
			ask_for_higher_limit(r, place, &asked_limit);
		if (is_host(r) && place->at_limit == place->missing_in_all)
			continue;
		if (place->ep && can_renew(r, place->ep))
			renew(r, place);
		else if (is_host(r) && place->closed_to_announcements)
			ask_for_a_reset(r, place, &asked_reset);
		else if (is_host(r))
			ask_the_target(r, place, &asked_target);
	}
}

static int require_parts(const struct nvme_mptcp_snapshot *snap)
{
	static const enum nvme_mptcp_part parts[] = {
		NVME_MPTCP_ENDPOINTS, NVME_MPTCP_CONNECTIONS, NVME_MPTCP_SUBFLOWS,
		NVME_MPTCP_LINKS,     NVME_MPTCP_OWNERS,      NVME_MPTCP_CONTROLLERS
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		int err = snap->problem[parts[i]].err;

		/* EAGAIN: it changed while it was read, which does not matter here. */
		if (err && err != EAGAIN)
			return failure_note(-ENODATA, "%s",
					    nvme_mptcp_snapshot_problem((nvme_mptcp_snapshot_t)snap,
									parts[i]));
	}
	return 0;
}

/* Add the portals of controllers, for trial connections. Return 0 or -ENOMEM. */
static int add_portals(struct repair *r)
{
	for (size_t i = 0; i < r->snap->n_ctrls; i++) {
		struct socket_address *portal;

		if (!r->snap->ctrls[i].has_portal)
			continue;
		portal = array_add(&r->plan->portals, &r->plan->n_portals, sizeof(*portal));
		if (!portal)
			return -ENOMEM;
		*portal = r->snap->ctrls[i].portal;
	}
	return 0;
}

static int plan_repair(const struct nvme_mptcp_repair_args *args, struct nvme_mptcp_plan **ret)
{
	const struct nvme_mptcp_snapshot *snap = args->snap;
	struct repair r = { .snap = snap, .args = args };
	enum nvme_mptcp_role role = args->role;
	int err;

	if (role == NVME_MPTCP_ROLE_AUTO)
		role = snap->n_ctrls ? NVME_MPTCP_ROLE_HOST : NVME_MPTCP_ROLE_TARGET;
	if (role != NVME_MPTCP_ROLE_HOST && role != NVME_MPTCP_ROLE_TARGET)
		return failure_note(-EINVAL, "role=%d: unknown side", (int)role);
	err = require_parts(snap);
	if (err)
		return err;
	r.plan = plan_new(snap, role, NVME_MPTCP_METHOD_REPAIR);
	if (!r.plan)
		return -ENOMEM;
	r.plan->independent = true;
	r.plan->forced = args->force;
	err = r.plan->err ? r.plan->err : plan_check_devices(r.snap, r.args->devices);
	if (!err) {
		plan_recover(r.plan, snap);
		count_all(&r);
		repair_places(&r);
		plan_drop_disruptive(r.plan, snap);
		err = add_portals(&r);
	}
	free(r.places);
	return plan_finish(r.plan, err, ret);
}

int nvme_mptcp_repair(const struct nvme_mptcp_repair_args *args, nvme_mptcp_plan_t *ret)
{
	struct nvme_mptcp_repair_args known;
	int err = versioned_take(&known, args);

	if (!err)
		err = known.snap ? plan_repair(&known, ret)
				 : failure_note(-EINVAL, "snap=NULL: a repair requires a snapshot");
	return err ? failure_raise(memory_noted(err), "a plan of a repair") : 0;
}
