// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public functions for setup, and the trial before it: which links a connection uses now. */
#include "base/versioned.h"
#include "setup.h"

int plan_run_trial(const struct nvme_mptcp_setup_args *args, unsigned int timeout_ms,
		   nvme_mptcp_trial_t *ret)
{
	const struct nvme_mptcp_snapshot *snap = args->snap;
	struct nvme_mptcp_trial_args query = { .netns = snap->netns,
					       .traddr = args->traddrs ? *args->traddrs : NULL,
					       .args_size = sizeof(query),
					       .timeout_ms = timeout_ms };

	FOR_EACH(ctrl, snap->ctrls, snap->n_ctrls) {
		if (!ctrl->traddr || (query.traddr && strcmp(query.traddr, ctrl->traddr) != 0))
			continue;
		query.traddr = ctrl->traddr;
		query.trsvcid = ctrl->trsvcid;
		query.host_traddr = ctrl->host_traddr;
		query.host_iface = ctrl->host_iface;
		break;
	}
	*ret = NULL;
	if (!query.traddr || args->role != NVME_MPTCP_ROLE_HOST)
		return 0;
	return nvme_mptcp_try(&query, ret) ? -errno : 0;
}

int nvme_mptcp_setup_try(const struct nvme_mptcp_setup_args *args, nvme_mptcp_trial_t *ret)
{
	struct nvme_mptcp_setup_args known;
	int err = versioned_take(&known, args);

	if (!err)
		err = known.snap ? plan_run_trial(&known, 0, ret)
				 : failure_note(-EINVAL, "snap=NULL: a trial requires a snapshot");
	return err ? failure_raise(err, "a trial connection") : 0;
}

int nvme_mptcp_setup(const struct nvme_mptcp_setup_args *args, nvme_mptcp_plan_t *ret)
{
	struct nvme_mptcp_setup_args known;
	int err = versioned_take(&known, args);

	if (!err)
		err = plan_setup_cached(&known, NULL, NULL, NULL, ret);

	/* Count -ENOMEM, since check continues without a plan. */
	return memory_noted(err) ? failure_raise(err, "a plan of endpoints") : 0;
}
