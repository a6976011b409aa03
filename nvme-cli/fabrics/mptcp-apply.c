// SPDX-License-Identifier: GPL-2.0-or-later
/* The mptcp object of a configuration: create endpoints and limits before connecting. */
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

int fabrics_apply_mptcp(struct command *cmd, const char *hostnqn, const char *hostid)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	_cleanup_(free) char *why = NULL;
	int err = input_apply_mptcp(cmd->mptcp, hostnqn, hostid, &plan, &why);

	if (err)
		fabrics_fail(cmd, err, why);
	if (plan) {
		show_notes(cmd, plan);
		show_steps(cmd, plan);
	}
	return err ? 1 : 0;
}
