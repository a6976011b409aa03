// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plans a round of keep: what setup or the configuration finds missing; once nothing is, what a
 * repair restores. Both change only what keep made, and close no working subflow.
 */
#include "configured.h"
#include "keep-plan.h"

/* Delay of the next round after one that found subflows missing but could do nothing, in ms. */
#define MISSING_RETRY_MS 15000

/* Make a plan without steps; a note gives the reason. Return 0 or -ENOMEM. */
static int __attribute__((format(printf, 2, 3)))
empty_plan(struct keep_round *r, const char *fmt, ...)
{
	enum nvme_mptcp_role role =
		r->role == NVME_MPTCP_ROLE_AUTO ? NVME_MPTCP_ROLE_HOST : r->role;
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);

	r->plan = plan_new(r->snap, role, NVME_MPTCP_METHOD_SINGLE);
	if (!r->plan)
		return -ENOMEM;
	plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL, "%s", why);
	return 0;
}

/* Set r->role. A machine that is both host and target is a host: its own controllers come first. */
static int find_role(struct keep_round *r)
{
	struct target target = {};
	int err;

	r->role = r->args->role;
	if (r->role != NVME_MPTCP_ROLE_AUTO)
		return 0;
	/* Controllers that cannot be read may exist. */
	if (r->snap->problem[NVME_MPTCP_CONTROLLERS].err)
		return -ENODATA;
	if (r->snap->n_ctrls || r->args->traddrs) {
		r->role = NVME_MPTCP_ROLE_HOST;
		return 0;
	}
	err = target_read(r->snap, &target);
	if (err)
		return err;
	/* Ports in other network namespaces do not make this one a target. */
	if (target_is_in_netns(&target, r->snap))
		r->role = NVME_MPTCP_ROLE_TARGET;
	target_clear(&target);
	return 0;
}

static bool has_targets(const struct keep_round *r)
{
	if (r->role == NVME_MPTCP_ROLE_TARGET || r->args->traddrs)
		return true;
	for (size_t i = 0; i < r->snap->n_ctrls; i++)
		if (r->snap->ctrls[i].has_portal)
			return true;
	return false;
}

/* Return the named devices that exist, NULL-terminated, from malloc(); NULL without memory. */
static const char **present_devices(const struct keep_round *r)
{
	const char *const *devices = r->args->devices;
	size_t n = 0, there = 0;
	const char **found;

	while (devices[n])
		n++;
	found = calloc(n + 1, sizeof(*found));
	for (size_t i = 0; found && i < n; i++)
		if (plan_link_by_name(r->snap, devices[i]))
			found[there++] = devices[i];
	return found;
}

/* Time for the trial before a change to connect, in ms: keep does nothing else meanwhile. */
#define TRIAL_MS 1500

/* Return the connection of the address with the fewest working subflows, or NULL. */
static const struct nvme_mptcp_connection *weakest_connection(const struct keep_round *r)
{
	const struct nvme_mptcp_connection *weakest = NULL;

	FOR_EACH(ctrl, r->snap->ctrls, r->snap->n_ctrls) {
		if (!ctrl->traddr || strcmp(ctrl->traddr, *r->args->traddrs) != 0)
			continue;
		nvme_mptcp_for_each_connection(&ctrl->set, conn)
			if (!weakest ||
			    connection_count_carrying(conn) < connection_count_carrying(weakest))
				weakest = conn;
	}
	return weakest;
}

/*
 * Plan again with evidence, since announced addresses may already give each link a subflow:
 * connections of controllers show it or, before connecting, a trial. 0 or -ENOMEM.
 */
static int set_up_with_evidence(struct keep_round *r, struct nvme_mptcp_setup_args *query)
{
	const struct nvme_mptcp_connection *conn = weakest_connection(r);
	struct nvme_mptcp_plan *plan = NULL;
	int err = conn ? 0 : plan_run_trial(query, TRIAL_MS, &query->trial);

	/* Without evidence, keep the first plan. */
	if (err != -ENOMEM && (conn || query->trial))
		err = plan_setup_cached(query, r->known, r->own, conn, &plan);
	nvme_mptcp_trial_free(query->trial);
	if (plan) {
		nvme_mptcp_plan_free(r->plan);
		r->plan = plan;
	}
	return err == -ENOMEM ? err : 0;
}

static int set_up(struct keep_round *r, const char *const *devices)
{
	struct nvme_mptcp_setup_args query = {
		.snap = r->snap,
		.traddrs = r->args->traddrs,
		.devices = devices,
		.args_size = sizeof(query),
		.role = r->role,
	};
	int err;

	if (r->role == NVME_MPTCP_ROLE_AUTO)
		return empty_plan(r, "Neither a controller nor a target port uses MPTCP yet: keep "
				     "waits for one");
	if (!has_targets(r))
		return empty_plan(r, "No address of a target is known yet: keep waits for the "
				     "first controller (--traddr names addresses)");
	if (devices && !*devices)
		return empty_plan(r, "None of the named network interfaces (--dev, or links of "
				     "the relay) exists yet: keep waits for them");
	err = plan_setup_cached(&query, r->known, r->own, NULL, &r->plan);
	if (!err && r->plan->n_steps && r->role == NVME_MPTCP_ROLE_HOST && query.traddrs)
		err = set_up_with_evidence(r, &query);
	if (err == -ENOLINK)
		return empty_plan(r, "No link is usable: none is up, with a carrier and a global "
				     "address of the target's family; keep waits for one");
	if (err == -ENOSPC)
		return empty_plan(r,
				  "No endpoint can be added: the kernel's table is full of "
				  "endpoints of other programs (%s show-endpoints lists them)",
				  snapshot_program());
	return err;
}

static int set_up_by_config(struct keep_round *r)
{
	const struct config_selection meant = { .config = r->args->config };
	struct planner p = { .snap = r->snap, .own = r->own };

	p.limit_max = r->known->limit_max;
	p.has = r->known->has;
	return plan_config(&p, &meant, &r->plan);
}

static bool is_contested(const struct keep_own *own, const struct endpoint_spec *spec)
{
	const struct keep_endpoint *kept = keep_own_find(own, &spec->ip, spec->port);

	return kept && kept->claim.contested;
}

/* True if replacing the endpoint would close subflows on a link that is alive. */
static bool is_in_use(const struct keep_round *r, const struct endpoint_spec *spec)
{
	const struct nvme_mptcp_endpoint *ep = keep_find_endpoint(r->snap, spec);
	const struct nvme_mptcp_link *link = !ep ? NULL : ep->ifindex ? ep->device : ep->link;

	/* Subflows of a device that is gone carry nothing, whichever link has the address now. */
	return link && ep->subflows != 0 && link_is_alive(link);
}

static void note_foreign(struct keep_round *r, const struct nvme_mptcp_step *step)
{
	const char *text = ADDRESS_STRING(&step->old.ip);

	if (step->action == STEP_RENEW)
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NVME_MPTCP_COMMAND " repair",
			  "Endpoint %u (%s) was not made by keep, so keep does not renew it to "
			  "restore its subflows; --adopt takes it over",
			  step->old.id, text);
	else
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "Endpoint %u (%s) was not made by keep and has settings that differ "
			  "from keep's plan: keep leaves it unchanged",
			  step->old.id, text);
}

static void note_in_use(struct keep_round *r, const struct nvme_mptcp_step *step)
{
	plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "Endpoint %u (%s) carries subflows that replacing it would close: keep leaves "
		  "it unchanged until they end",
		  step->old.id, ADDRESS_STRING(&step->old.ip));
}

/* True if it is too early for the next attempt. Updates r->again. */
static bool is_too_early(struct keep_round *r, const struct nvme_mptcp_step *step)
{
	const struct keep_endpoint *kept = keep_own_find(r->own, &step->old.ip, step->old.port);
	const struct keep_outage *out = keep_outage_find(r->own, &step->old);
	int64_t not_before = kept ? kept->not_before : 0;

	if (out && out->not_before > not_before)
		not_before = out->not_before;
	if (not_before <= r->now)
		return false;
	if (not_before < r->again)
		r->again = not_before;
	return true;
}

/* True if keep restored the endpoint: then it also restores its subflows, even if another program made it. */
static bool was_put_back(const struct keep_round *r, const struct endpoint_spec *spec)
{
	const struct keep_outage *out = keep_outage_find(r->own, spec);

	return out && out->how == KEEP_OUTAGE_OVER && out->spec.flags == spec->flags;
}

static bool is_value_contested(const struct keep_own *own, enum keep_value_name name, int64_t old,
			       int64_t new)
{
	return old != new && own->values[name].claim.contested;
}

static bool is_setting_contested(const struct keep_round *r, const struct nvme_mptcp_step *step)
{
	if (step->action == STEP_SETTING)
		return is_value_contested(r->own, KEEP_ADD_ADDR_TIMEOUT, step->old_value,
					  step->new_value);
	return is_value_contested(r->own, KEEP_SUBFLOWS, step->old_limits.subflows,
				  step->new_limits.subflows) ||
	       is_value_contested(r->own, KEEP_ADD_ADDR_ACCEPTED,
				  step->old_limits.add_addr_accepted,
				  step->new_limits.add_addr_accepted);
}

static bool may_change(struct keep_round *r, const struct nvme_mptcp_step *step)
{
	const struct nvme_mptcp_endpoint *ep = keep_find_endpoint(r->snap, &step->old);

	if (is_contested(r->own, &step->old) || keep_is_out_of_use(r->own, &step->old))
		return false;
	if (!ep || (!keep_owns(r->own, ep) &&
		    !(step->action == STEP_RENEW && was_put_back(r, &step->old)))) {
		note_foreign(r, step);
		return false;
	}
	if (step->action == STEP_RENEW)
		return !is_too_early(r, step);
	if (step->action == STEP_REPLACE && is_in_use(r, &step->old)) {
		note_in_use(r, step);
		return false;
	}
	return true;
}

static bool may_do(struct keep_round *r, const struct nvme_mptcp_step *step)
{
	switch (step->action) {
	case STEP_ADD:
		return !is_contested(r->own, &step->new) && !keep_is_out_of_use(r->own, &step->new);
	case STEP_LIMITS:
	case STEP_SETTING:
		return !is_setting_contested(r, step);
	default:
		return may_change(r, step);
	}
}

static void note_fight(struct keep_round *r, const struct keep_claim *claim, const char *what)
{
	if (!claim->contested)
		return;
	plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "%s by another program, and again soon after keep had restored it: keep leaves "
		  "it unchanged for %" PRId64 " min (NetworkManager and mptcpd manage these, too)",
		  what, keep_conflict_backoff_ms(claim->conflicts) / 60000);
	if (claim->until < r->again)
		r->again = claim->until;
}

/* Note what is contested. The end of the pause starts a round: the other program may be gone. */
static void note_fights(struct keep_round *r)
{
	char what[128];

	FOR_EACH(kept, r->own->endpoints, r->own->n_endpoints) {
		const struct nvme_mptcp_link *link = keep_link(r->snap, kept);

		snprintf(what, sizeof(what), "Endpoint %s%s%s was changed or deleted",
			 ADDRESS_STRING(&kept->spec.ip), link ? " on " : "",
			 link ? link->name : "");
		note_fight(r, &kept->claim, what);
	}
	for (int i = 0; i < KEEP_VALUES; i++) {
		snprintf(what, sizeof(what), "%s was changed", keep_value_names[i]);
		note_fight(r, &r->own->values[i].claim, what);
	}
}

void keep_plan_filter(struct keep_round *r)
{
	for (size_t i = 0; i < r->plan->n_steps;)
		if (may_do(r, &r->plan->steps[i]))
			i++;
		else
			plan_drop_step(r->plan, i);
}

static bool is_wanted(const struct nvme_mptcp_plan *plan, const struct endpoint_spec *spec)
{
	FOR_EACH(wanted, plan->wanted, plan->n_wanted)
		if (wanted->port == spec->port && address_equal(&wanted->ip, &spec->ip))
			return true;
	return false;
}

/* Return why the endpoint is no longer of use, or NULL. A link that is down may come back. */
static const char *reason_to_retire(const struct keep_round *r, const struct keep_endpoint *kept,
				    const struct nvme_mptcp_endpoint *there, bool is_sure)
{
	const struct nvme_mptcp_link *link = keep_link(r->snap, kept);

	if (!snapshot_find_address(r->snap, &there->ip))
		return !link || link_is_alive(link) ? "No network interface has its address" : NULL;
	/* A lent endpoint is needed as long as there is a controller. */
	if (is_sure && !is_wanted(r->plan, &kept->spec) && !there->subflows && link &&
	    link_is_alive(link) && !(kept->lent && r->snap->n_ctrls))
		return "It is no longer planned, and no subflow uses it";
	return NULL;
}

void keep_plan_delete_unused(struct keep_round *r, bool is_sure)
{
	struct nvme_mptcp_plan *plan = r->plan;
	const size_t before = plan->n_steps;
	struct nvme_mptcp_step *moved;

	keep_outage_expire(r->own, r->snap);
	FOR_EACH(kept, r->own->endpoints, r->own->n_endpoints) {
		const struct nvme_mptcp_endpoint *there = keep_find_endpoint(r->snap, &kept->spec);
		/* What others made is theirs to delete, even if keep adopted it. */
		const char *why = there && !kept->adopted && keep_owns(r->own, there)
					  ? reason_to_retire(r, kept, there, is_sure)
					  : NULL;
		struct endpoint_spec old;

		if (!why)
			continue;
		endpoint_spec_of(r->snap, there, &old);
		plan_step(plan, STEP_DELETE, &old, NULL, "%s", why);
	}
	/* Move the deletions to the front: the kernel's table may be full until then. */
	if (plan->err || plan->n_steps == before || !before)
		return;
	moved = calloc(plan->n_steps, sizeof(*moved));
	if (!moved) {
		plan->err = -ENOMEM;
		return;
	}
	memcpy(moved, plan->steps + before, (plan->n_steps - before) * sizeof(*moved));
	memcpy(moved + plan->n_steps - before, plan->steps, before * sizeof(*moved));
	free(plan->steps);
	plan->steps = moved;
}

/* Adopt existing endpoints that are as required, if the caller asks for it. Return 0 or -ENOMEM. */
static int adopt(struct keep_round *r)
{
	for (size_t i = 0; r->args->adopt && i < r->plan->n_wanted; i++) {
		const struct endpoint_spec *wanted = &r->plan->wanted[i];
		const struct nvme_mptcp_endpoint *there = keep_find_endpoint(r->snap, wanted);
		struct endpoint_spec spec = *wanted;
		struct keep_endpoint *kept;

		if (!there || there->flags != wanted->flags || keep_owns(r->own, there) ||
		    is_contested(r->own, wanted) ||
		    (wanted->ifindex && wanted->ifindex != there->ifindex))
			continue;
		spec.ifindex = there->ifindex;
		spec.id = there->id;
		kept = keep_own_add(r->own, &spec, true);
		if (!kept)
			return -ENOMEM;
		kept->adopted = true;
	}
	return 0;
}

/* Reset the failures of endpoints on whose link no subflow is missing. */
static void reset_backoff(struct keep_round *r, const struct nvme_mptcp_plan *repair)
{
	FOR_EACH(kept, r->own->endpoints, r->own->n_endpoints) {
		const struct nvme_mptcp_link *link = keep_link(r->snap, kept);
		bool is_missing = false;

		for (size_t j = 0; link && j < repair->n_gaps && !is_missing; j++)
			is_missing = !strcmp(repair->gaps[j].link, link->name);
		if (is_missing)
			continue;
		kept->failures = 0;
		kept->not_before = 0;
	}
}

#define MOVE(plan, from, what) \
	do { \
		free((plan)->what); \
		(plan)->what = (from)->what; \
		(plan)->n_##what = (from)->n_##what; \
		(from)->what = NULL; \
		(from)->n_##what = 0; \
	} while (0)

static int append_notes(struct nvme_mptcp_plan *plan, struct nvme_mptcp_plan *from)
{
	for (size_t i = 0; i < from->n_notes; i++) {
		struct plan_note *note = array_add(&plan->notes, &plan->n_notes, sizeof(*note));

		if (!note)
			return -ENOMEM;
		*note = from->notes[i];
		from->notes[i] = (struct plan_note){};
	}
	return 0;
}

static int add_repair(struct keep_round *r, const char *const *devices)
{
	const struct nvme_mptcp_repair_args query = {
		.snap = r->snap,
		.devices = devices,
		.args_size = sizeof(query),
		.role = r->role,
	};
	struct nvme_mptcp_plan *repair, *base = r->plan;
	int err;

	if (nvme_mptcp_repair(&query, &repair)) {
		if (errno != ENODATA)
			return -errno;
		plan_note(
			r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			"Missing subflows are not restored, because not everything can be read: %s",
			failure_text(ENODATA));
		if (r->now + MISSING_RETRY_MS < r->again)
			r->again = r->now + MISSING_RETRY_MS;
		return 0;
	}
	reset_backoff(r, repair);
	r->plan = repair;
	keep_plan_filter(r);
	repair->unattended = true;
	plan_drop_disruptive(repair, r->snap);
	r->plan = base;
	if (repair->n_gaps && !repair->n_steps && r->now + MISSING_RETRY_MS < r->again)
		r->again = r->now + MISSING_RETRY_MS;
	MOVE(base, repair, steps);
	MOVE(base, repair, gaps);
	base->n_unrepairable = repair->n_unrepairable;
	base->independent = base->n_steps;
	err = append_notes(base, repair);
	nvme_mptcp_plan_free(repair);
	return err;
}

/* Make a plan without steps if a path manager in user space is in charge. Return 0 or -ENOMEM. */
static int defer_to_user_manager(struct keep_round *r)
{
	if (!snapshot_kernel_manager(r->snap))
		return 0;
	return empty_plan(r, "A path manager in user space, such as mptcpd, controls new "
			     "connections (net.mptcp.path_manager): keep changes nothing "
			     "meanwhile");
}

/* Setup would take a lent endpoint for the host's own, and add others. Return 0 or -ENOMEM. */
static int follow_announcements(struct keep_round *r)
{
	int err = empty_plan(r, "This host follows its target's announcements: only links that "
				"were dead get endpoints, and no others are planned");

	if (!err)
		keep_plan_put_back(r);
	return err;
}

static int plan_all(struct keep_round *r, const char *const *devices)
{
	int err = r->args->config	      ? set_up_by_config(r)
		  : keep_own_has_lent(r->own) ? follow_announcements(r)
					      : set_up(r, devices);

	if (err)
		return err;
	if (r->args->config && !nvme_mptcp_is_enabled((nvme_mptcp_snapshot_t)r->snap))
		plan_note_disabled(r->plan);
	err = adopt(r);
	keep_plan_filter(r);
	keep_plan_delete_unused(r, r->args->config || (has_targets(r) && r->plan->n_links));
	note_fights(r);
	r->plan->unattended = true;
	plan_drop_disruptive(r->plan, r->snap);
	if (!err)
		err = r->plan->err;
	if (err || r->plan->n_steps)
		return err;
	return add_repair(r, devices);
}

static void note_squatter(struct keep_round *r)
{
	const struct keep_lock *lock = r->lock;
	char who[64] = "A process";

	if (!lock->is_squatted)
		return;
	if (lock->squatter_uid != (uid_t)-1)
		snprintf(who, sizeof(who), "Process %d of user %u", (int)lock->squatter,
			 (unsigned int)lock->squatter_uid);
	plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "%s has taken a socket name (@nvme-mptcp-keep-*) that instances of keep "
		  "use to detect each other: it does not run as root and is ignored%s",
		  who,
		  lock->fd < 0 ? "; since all these names are taken, a second instance would not "
				 "be detected"
			       : "");
}

int keep_plan(struct keep_round *r)
{
	_cleanup_(free) const char **devices = NULL;
	int err = find_role(r);

	r->again = KEEP_NEVER;
	r->plan = NULL;
	if (!err)
		err = defer_to_user_manager(r);
	if (err)
		return err;
	if (r->args->devices) {
		devices = present_devices(r);
		if (!devices)
			err = -ENOMEM;
	}
	if (!err && !r->plan)
		err = plan_all(r, devices);
	if (!err)
		note_squatter(r);
	if (!err)
		err = r->plan->err;
	if (err) {
		nvme_mptcp_plan_free(r->plan);
		r->plan = NULL;
	}
	return err;
}
