// SPDX-License-Identifier: LGPL-2.1-or-later
/* Converts the steps of a plan to the record of what keep made, and back; puts back what others took. */
#include "keep-fast.h"
#include "keep-plan.h"

static void promise_value(struct keep_own *own, enum keep_value_name name, int64_t old, int64_t new,
			  bool is_done)
{
	struct keep_value *value = &own->values[name];

	if (old == new || new == NVME_MPTCP_UNKNOWN)
		return;
	if (!value->is_set)
		value->before = old;
	value->is_set = true;
	value->now = new;
	/* A value that was set counts as seen: later only others can change it. */
	value->claim.seen = is_done;
}

static void promise_values(struct keep_own *own, const struct nvme_mptcp_step *step, bool is_done)
{
	if (step->action == STEP_SETTING) {
		promise_value(own, KEEP_ADD_ADDR_TIMEOUT, step->old_value, step->new_value,
			      is_done);
	} else if (step->action == STEP_LIMITS) {
		promise_value(own, KEEP_SUBFLOWS, step->old_limits.subflows,
			      step->new_limits.subflows, is_done);
		promise_value(own, KEEP_ADD_ADDR_ACCEPTED, step->old_limits.add_addr_accepted,
			      step->new_limits.add_addr_accepted, is_done);
	}
}

static bool makes_endpoint(const struct nvme_mptcp_step *step)
{
	return step->action == STEP_ADD || step->action == STEP_REPLACE ||
	       step->action == STEP_FLAGS || step->action == STEP_RENEW;
}

int keep_plan_record_intent(const struct nvme_mptcp_plan *plan, struct keep_own *own)
{
	FOR_EACH(step, plan->steps, plan->n_steps) {
		struct keep_endpoint *kept;

		promise_values(own, step, false);
		/* Recovered endpoints keep their owner, and so do restored ones. */
		if (!makes_endpoint(step) || step->is_recovery ||
		    (step->action == STEP_RENEW &&
		     !keep_own_find(own, &step->new.ip, step->new.port)))
			continue;
		kept = keep_own_add(own, &step->new, false);
		if (!kept)
			return -ENOMEM;
		kept->is_changing = step->action == STEP_REPLACE || step->action == STEP_FLAGS;
		kept->was = step->old;
		/* It is no fight that the endpoint is gone during the exchange. */
		kept->claim.seen = false;
	}
	return 0;
}

static void drop(struct keep_own *own, const struct endpoint_spec *spec)
{
	struct keep_endpoint *kept = keep_own_find(own, &spec->ip, spec->port);

	if (kept)
		keep_own_drop(own, kept);
}

static void settle_repair(struct keep_own *own, const struct nvme_mptcp_step *step, int64_t now)
{
	struct keep_endpoint *kept = keep_own_find(own, &step->old.ip, step->old.port);
	struct keep_outage *out = keep_outage_find(own, &step->old);

	if (out)
		out->not_before = now + keep_retry_delay_ms(++out->failures);
	if (!kept)
		return;
	kept->failures++;
	kept->not_before = now + keep_retry_delay_ms(kept->failures);
}

/* Record values as before if they were not changed, else what the kernel accepted of them. */
static void settle_values(struct keep_own *own, const struct nvme_mptcp_step *step,
			  const struct keep_value *before)
{
	for (int i = 0; i < KEEP_VALUES; i++)
		if ((i == KEEP_ADD_ADDR_TIMEOUT) == (step->action == STEP_SETTING))
			own->values[i] = before[i];
	if (step->state == NVME_MPTCP_STEP_DONE || step->state == NVME_MPTCP_STEP_STUCK)
		promise_values(own, step, step->state == NVME_MPTCP_STEP_DONE);
}

static void see_endpoint(struct keep_own *own, const struct endpoint_spec *spec)
{
	struct keep_endpoint *kept = keep_own_find(own, &spec->ip, spec->port);

	if (!kept)
		return;
	kept->spec.id = spec->id;
	kept->is_changing = false;
	kept->claim.seen = true;
}

void keep_plan_record_result(const struct nvme_mptcp_plan *plan, struct keep_own *own,
			     const struct keep_value *before, int64_t now)
{
	FOR_EACH(step, plan->steps, plan->n_steps) {
		const bool is_done = step->state == NVME_MPTCP_STEP_DONE;

		if (is_done && makes_endpoint(step))
			see_endpoint(own, &step->new);
		switch (step->action) {
		case STEP_ADD:
			if (!is_done && !step->is_recovery && step->state != NVME_MPTCP_STEP_STUCK)
				drop(own, &step->new);
			break;
		case STEP_DELETE:
			if (is_done)
				drop(own, &step->old);
			break;
		case STEP_REPLACE:
		case STEP_FLAGS:
			if (!is_done && step->state != NVME_MPTCP_STEP_STUCK)
				keep_own_add(own, &step->old, false);
			break;
		case STEP_RENEW:
			if (step->state != NVME_MPTCP_STEP_PLANNED)
				settle_repair(own, step, now);
			break;
		default:
			settle_values(own, step, before);
		}
	}
}

static void restore_limits(struct nvme_mptcp_plan *plan, const struct keep_own *own)
{
	const struct keep_value *subflows = &own->values[KEEP_SUBFLOWS];
	const struct keep_value *accepted = &own->values[KEEP_ADD_ADDR_ACCEPTED];
	const struct pm_limits old = plan->limits;
	struct pm_limits *new = &plan->limits;

	if (subflows->is_set && old.subflows == subflows->now)
		new->subflows = subflows->before;
	if (accepted->is_set && old.add_addr_accepted == accepted->now)
		new->add_addr_accepted = accepted->before;
	if (new->subflows != old.subflows || new->add_addr_accepted != old.add_addr_accepted)
		plan_limits_step(plan, &old, new, "This was the setting before keep");
}

static void note_changed(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap,
			 const struct keep_own *own)
{
	for (int i = 0; i < KEEP_VALUES; i++) {
		const struct keep_value *value = &own->values[i];
		const int64_t there = keep_current_value(snap, i);

		if (value->is_set && there != value->now && there != value->before)
			plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "%s was changed to %lld after keep had set it: keep does not "
				  "restore it",
				  keep_value_names[i], (long long)there);
	}
}

static void restore_endpoint(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap,
			     const struct keep_own *own, const struct keep_endpoint *kept)
{
	const struct nvme_mptcp_endpoint *there = keep_find_endpoint(snap, &kept->spec);
	struct endpoint_spec old;

	if (!there || kept->adopted || kept->claim.contested)
		return;
	if (!keep_is_unmodified(there, kept) &&
	    !(keep_is_out_of_use(own, &kept->spec) && keep_owns(own, there))) {
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "Endpoint %u (%s) was changed after keep had created it: keep does not "
			  "delete it",
			  there->id, there->address);
		return;
	}
	endpoint_spec_of(snap, there, &old);
	plan_step(plan, STEP_DELETE, &old, NULL, "keep created it");
}

int keep_plan_restore(const struct nvme_mptcp_snapshot *snap, const struct keep_own *own,
		      struct nvme_mptcp_plan **ret)
{
	const struct keep_value *timeout = &own->values[KEEP_ADD_ADDR_TIMEOUT];
	struct nvme_mptcp_plan *plan =
		plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_CONFIG);

	if (!plan)
		return -ENOMEM;
	plan->takes_back = true;
	for (size_t i = 0; i < own->n_endpoints; i++)
		restore_endpoint(plan, snap, own, &own->endpoints[i]);
	keep_fast_restore(plan, snap, own);
	restore_limits(plan, own);
	if (timeout->is_set && keep_current_value(snap, KEEP_ADD_ADDR_TIMEOUT) == timeout->now)
		plan_setting_step(plan, keep_value_names[KEEP_ADD_ADDR_TIMEOUT], timeout->now,
				  timeout->before, "This was the setting before keep");
	note_changed(plan, snap, own);
	plan_drop_disruptive(plan, snap);
	return plan_finish(plan, 0, ret);
}

static int64_t own_value(const struct keep_own *own, enum keep_value_name name, int64_t now)
{
	const struct keep_value *value = &own->values[name];

	return value->is_set && now >= 0 && value->now > now ? value->now : now;
}

/* True if a lent endpoint is gone though its link works, and no announcement has replaced it. */
static bool has_lost_lent(const struct keep_round *r, const struct keep_endpoint *kept)
{
	const struct endpoint_spec implicit = { .ip = kept->spec.ip,
						.flags = NVME_MPTCP_ENDPOINT_IMPLICIT };
	const struct nvme_mptcp_endpoint *made = keep_find_endpoint(r->snap, &implicit);
	const struct nvme_mptcp_link *link = keep_link(r->snap, kept);

	return kept->lent && r->snap->n_ctrls && !r->snap->problem[NVME_MPTCP_ENDPOINTS].err &&
	       !keep_find_endpoint(r->snap, &kept->spec) &&
	       snapshot_find_address(r->snap, &kept->spec.ip) && link && link_is_alive(link) &&
	       !(made && endpoint_count_carrying(r->snap, made));
}

void keep_plan_put_back(struct keep_round *r)
{
	const struct pm_limits old = { r->snap->limit_subflows, r->snap->limit_add_addr_accepted };
	const struct pm_limits new = {
		own_value(r->own, KEEP_SUBFLOWS, old.subflows),
		own_value(r->own, KEEP_ADD_ADDR_ACCEPTED, old.add_addr_accepted),
	};

	if (new.subflows != old.subflows || new.add_addr_accepted != old.add_addr_accepted)
		plan_limits_step(r->plan, &old, &new,
				 "Another program has lowered what keep had raised");
	FOR_EACH(kept, r->own->endpoints, r->own->n_endpoints) {
		struct endpoint_spec spec = kept->spec;

		if (!has_lost_lent(r, kept))
			continue;
		spec.id = plan_free_id(r->snap, &spec);
		plan_step(r->plan, STEP_ADD, NULL, &spec,
			  "Another program has deleted the endpoint that keep had added");
	}
}
