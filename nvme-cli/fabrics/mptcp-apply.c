// SPDX-License-Identifier: GPL-2.0-or-later
/* The mptcp object of a configuration: endpoints and limits, made before anything is connected. */
#include <errno.h>
#include <string.h>

#include "fabrics.h"

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

static void show_notes(struct command *cmd, nvme_mptcp_plan_t plan)
{
	enum nvme_mptcp_role side;
	const char *text, *command;

	for (size_t i = 0; (text = nvme_mptcp_plan_note(plan, i, &side, &command)); i++)
		if (!cmd->common.quiet)
			command_warn(cmd, 0, "%s", text);
}

static void show_steps(struct command *cmd, nvme_mptcp_plan_t plan)
{
	if (cmd->common.verbose)
		nvme_mptcp_for_each_step(plan, step)
			out_text(cmd->out, "%s (%s)\n",
				 out_safe(cmd->out, nvme_mptcp_step_command(step)),
				 out_safe(cmd->out, nvme_mptcp_step_why(step)));
}

static const char *way_out(int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		return " (changing endpoints and limits needs root)";
	case ERANGE:
		return " (this kernel keeps no more endpoints; ip mptcp endpoint lists them)";
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

static int fail_step(struct command *cmd, nvme_mptcp_plan_t plan, int err)
{
	nvme_mptcp_step_t failed = find_step(plan, NVME_MPTCP_STEP_FAILED);
	nvme_mptcp_step_t stuck = find_step(plan, NVME_MPTCP_STEP_STUCK);

	const char *error = failed ? nvme_mptcp_step_error(failed) : NULL;

	if (!failed)
		return command_fail(
			cmd, 0, "Failed to set up MPTCP as configured: %s%s; nothing is connected",
			command_error_text(err), way_out(err));
	if (stuck)
		return command_fail(
			cmd, 0,
			"%s: %s: %s%s; nothing is connected, but \"%s\" was done before and could "
			"not be undone",
			nvme_mptcp_step_why(failed), nvme_mptcp_step_command(failed),
			error ? error : command_error_text(err), way_out(err),
			nvme_mptcp_step_command(stuck));
	return command_fail(cmd, 0, "%s: %s: %s%s; nothing is changed and nothing is connected",
			    nvme_mptcp_step_why(failed), nvme_mptcp_step_command(failed),
			    error ? error : command_error_text(err), way_out(err));
}

int fabrics_apply_mptcp(struct command *cmd, const nvme_host_t *hosts)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	const nvme_host_t *h = hosts;

	while (*h && !nvme_host_get_mptcp_config(*h))
		h++;
	if (!*h)
		return 0;
	if (nvme_mptcp_plan_config(hosts, &plan)) {
		const char *reason = nvme_config_error(cmd->root);

		if (reason && (errno == EPROTO || errno == ENODATA))
			return command_fail(cmd, 0, "%s; nothing is connected", reason);
		return command_fail(cmd, errno, "Failed to set up MPTCP as configured");
	}
	if (nvme_mptcp_plan_apply(plan))
		return fail_step(cmd, plan, errno);
	show_notes(cmd, plan);
	show_steps(cmd, plan);
	return 0;
}
