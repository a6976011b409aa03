/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Apply the "mptcp" object of a configuration (endpoints and limits) before connecting. */
#include "config-files.h"

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

static const char *apply_error_hint(int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		return " (changing endpoints and limits needs root)";
	case ERANGE:
		return " (the kernel's endpoint table is full; ip mptcp endpoint lists "
		       "it)";
	case EOPNOTSUPP:
		return " (this kernel has no MPTCP path manager)";
	default:
		return "";
	}
}

static nvme_mptcp_step_t find_step(nvme_mptcp_plan_t plan, enum nvme_mptcp_step_state state)
{
	nvme_mptcp_for_each_step(plan, step)
		if (nvme_mptcp_step_state(step) == state)
			return step;
	return NULL;
}

static int fail_step(nvme_mptcp_plan_t plan, int err, char **why)
{
	nvme_mptcp_step_t failed = find_step(plan, NVME_MPTCP_STEP_FAILED);
	nvme_mptcp_step_t stuck = find_step(plan, NVME_MPTCP_STEP_STUCK);

	const char *error = failed ? nvme_mptcp_step_error(failed) : NULL;

	if (!failed)
		return input_fail(
			why, err,
			"Failed to set up MPTCP as configured: %s%s; nothing is connected",
			strerror(err), apply_error_hint(err));
	if (stuck)
		return input_fail(
			why, err,
			"%s: %s: %s%s; nothing is connected, but \"%s\" was done before and could "
			"not be undone",
			nvme_mptcp_step_why(failed), nvme_mptcp_step_command(failed),
			error ? error : strerror(err), apply_error_hint(err),
			nvme_mptcp_step_command(stuck));
	return input_fail(why, err, "%s: %s: %s%s; nothing is changed and nothing is connected",
			  nvme_mptcp_step_why(failed), nvme_mptcp_step_command(failed),
			  error ? error : strerror(err), apply_error_hint(err));
}

int input_apply_mptcp(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid,
		      nvme_mptcp_plan_t *ret, char **why)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	*ret = NULL;
	if (!config || !nvme_mptcp_config_wants(config, hostnqn, hostid))
		return 0;
	if (nvme_mptcp_plan_config(config, hostnqn, hostid, &plan)) {
		int err = errno;
		const char *reason =
			err == EPROTO || err == ENODATA ? nvme_mptcp_config_error(config) : NULL;

		if (reason)
			return input_fail(why, err, "%s; nothing is connected", reason);
		return input_fail(why, err, "Failed to set up MPTCP as configured: %s",
				  strerror(err));
	}
	if (nvme_mptcp_plan_apply(plan))
		return fail_step(plan, errno, why);
	*ret = plan;
	plan = NULL;
	return 0;
}
