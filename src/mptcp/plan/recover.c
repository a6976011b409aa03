// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds endpoints that a process deleted to add them again, if it ended in between. */
#include "steps.h"

struct recovery {
	struct nvme_mptcp_plan *plan;
	const struct nvme_mptcp_snapshot *snap;
};

static bool is_planned(const struct nvme_mptcp_plan *plan, const struct endpoint_spec *spec)
{
	FOR_EACH(step, plan->steps, plan->n_steps)
		if (step->action == STEP_ADD &&
		    step->new.port == spec->port &&address_equal(&step->new.ip, &spec->ip))
			return true;
	return false;
}

uint8_t plan_free_id(const struct nvme_mptcp_snapshot *snap, const struct endpoint_spec *spec)
{
	FOR_EACH(ep, snap->endpoints, snap->n_endpoints)
		if (ep->id == spec->id || (endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) &&
					   address_equal(&ep->ip, &spec->ip)))
			return 0;
	return spec->id;
}

bool plan_find_device(const struct nvme_mptcp_snapshot *snap, struct endpoint_spec *spec)
{
	const struct nvme_mptcp_link *link = plan_link_by_name(snap, spec->device);

	if (!spec->ifindex || !link)
		return !spec->ifindex;
	spec->ifindex = link->ifindex;
	return true;
}

static void recover(const struct recovery *r, const struct keep_endpoint *lost)
{
	struct endpoint_spec spec = lost->spec;
	struct nvme_mptcp_step *step;

	if (keep_find_endpoint(r->snap, &spec) || is_planned(r->plan, &spec) ||
	    !plan_find_device(r->snap, &spec))
		return;
	spec.id = plan_free_id(r->snap, &spec);
	step = plan_step(r->plan, STEP_ADD, NULL, &spec,
			 "A process deleted it in order to add it again, and ended before it did");
	if (step)
		step->is_recovery = true;
}

static int recover_all(void *arg)
{
	const struct recovery *r = arg;
	struct plan_intent in = {};
	int err = plan_intent_open(&in, false);

	for (size_t i = 0; !err && i < in.lost.n_endpoints; i++)
		recover(r, &in.lost.endpoints[i]);
	plan_intent_close(&in);
	return err;
}

void plan_recover(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap)
{
	struct recovery r = { plan, snap };

	/* Without privileges the record cannot be read, but no endpoint can be added either. */
	if (netns_run(plan->netns, recover_all, &r) == -ENOMEM)
		plan->err = -ENOMEM;
}

bool plan_recovers(const struct nvme_mptcp_plan *plan, const char *link)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].is_recovery && !strcmp(plan->steps[i].new.device, link))
			return true;
	return false;
}
