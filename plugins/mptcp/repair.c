// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp repair */
#include "plan.h"
#include "watch.h"

#define POLL_INTERVAL_S 0.2

struct repair_args {
	const char *netns;
	const char *role;
	const char *dev;
	double wait;
	bool force;
	bool dry_run;
};

static const struct repair_args repair_defaults = { .wait = 3 };

static const struct arg repair_options[] = {
	OPT(STR, "role", 0, struct repair_args, role, "ROLE",
	    "side of this machine: host or target (default: host if it has controllers)"),
	OPT(STR, "dev", 0, struct repair_args, dev, "IF,...",
	    "network interfaces that every connection should use"),
	OPT_FLAG("force", 'f', struct repair_args, force,
		 "also close and restore subflows that are in use"),
	OPT_FLAG("dry-run", 'n', struct repair_args, dry_run,
		 "show the changes without making them"),
	OPT(DOUBLE, "wait", 'w', struct repair_args, wait, "SECONDS",
	    "how long to wait for new subflows"),
	OPT_NETNS(struct repair_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

static size_t count_missing(nvme_mptcp_plan_t plan)
{
	const struct nvme_mptcp_gap *gap;
	size_t n = 0;

	for (size_t i = 0; (gap = nvme_mptcp_plan_gap(plan, i)); i++)
		n += gap->missing;
	return n;
}

static void show_gaps(struct command *cmd, nvme_mptcp_plan_t plan)
{
	const struct nvme_mptcp_gap *gap;

	for (size_t i = 0; (gap = nvme_mptcp_plan_gap(plan, i)); i++)
		out_text(cmd->out, "%s: %zu of %zu connections have no subflow on %s\n",
			 out_safe(cmd->out, gap->subject), gap->missing, gap->connections,
			 out_safe(cmd->out, gap->link));
}

static int cannot_plan(struct command *cmd)
{
	switch (errno) {
	case ENODEV:
		return mptcp_fail(cmd, 1);
	case ENODATA:
		return mptcp_fail(cmd, MPTCP_EXIT_NO_ANSWER);
	}
	return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
}

/*
 * Return the number of joins that the other side has not confirmed. They carry nothing until then,
 * and some are never confirmed.
 */
static size_t count_unconfirmed(nvme_mptcp_set_t set)
{
	size_t n = 0;

	nvme_mptcp_for_each_connection(set, conn) {
		nvme_mptcp_for_each_subflow(conn, sf)
			n += nvme_mptcp_subflow_is_carrying(sf) &&
			     !nvme_mptcp_subflow_is_confirmed(sf);
	}
	return n;
}

static size_t count_waiting(nvme_mptcp_snapshot_t snap, const char *const *names)
{
	size_t n = 0;

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (mptcp_is_named(ctrl, names))
			n += count_unconfirmed(nvme_mptcp_ctrl_connections(ctrl));
	}
	return n;
}

/*
 * Wait until nothing is missing, at most args->wait seconds. *@missing is what is left. Return 0 or
 * an exit status.
 */
static int wait_for_subflows(struct command *cmd, struct nvme_mptcp_repair_args *query,
			     size_t *missing)
{
	const struct repair_args *args = cmd->args;
	double waited = 0;
	int status;

	do {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

		watch_wait(POLL_INTERVAL_S);
		waited += POLL_INTERVAL_S;
		status = mptcp_retake_snapshot(cmd, args->netns, &snap);
		if (status)
			return status;
		query->snap = snap;
		if (nvme_mptcp_repair(query, &plan))
			return cannot_plan(cmd);
		*missing = count_missing(plan) + count_waiting(snap, query->ctrls);
	} while (*missing && waited < args->wait);
	return 0;
}

static void show_repair(struct command *cmd, nvme_mptcp_plan_t plan, bool is_target, size_t before,
			size_t after)
{
	const struct repair_args *args = cmd->args;
	struct out *out = cmd->out;

	show_gaps(cmd, plan);
	plan_show_steps(cmd, plan);
	plan_show_notes(cmd, plan, PLAN_NOTES_ALL);
	if (!before && nvme_mptcp_plan_unrepairable(plan))
		out_text(out, "\nnothing was repaired\n");
	else if (!before)
		out_text(out, "nothing is missing\n");
	else if (args->dry_run || !nvme_mptcp_step_next(plan, NULL))
		out_text(out, "\n%zu subflow%s missing; nothing was changed\n", before,
			 before == 1 ? " is" : "s are");
	else if (after)
		out_text(out, "\n%zu subflow%s missing, %zu still %s: %s\n", before,
			 before == 1 ? " was" : "s were", after, after == 1 ? "is" : "are",
			 is_target ? "on the host, " NVME_MPTCP_COMMAND " repair explains it"
				   : NVME_MPTCP_COMMAND " check explains it");
	else
		out_text(out, "\n%zu missing subflow%s restored\n", before, before == 1 ? "" : "s");
}

static int run_repair(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct nvme_mptcp_repair_args query = { .args_size = sizeof(query) };
	_cleanup_(plan_list_free) const char **devices = NULL;
	const struct repair_args *args = cmd->args;
	_cleanup_(free) const char **names = NULL;
	int status = plan_parse_side(cmd, args->role, &query.role), err = 0;
	size_t before, after;
	bool is_target;

	if (!status && (args->wait < 0 || args->wait > 3600))
		status = command_fail(cmd, 0, "--wait=%g: use a number of seconds from 0 to 3600",
				      args->wait);
	if (!status)
		status = plan_list_split(cmd, args->dev, &devices);
	if (!status)
		status = mptcp_take_snapshot(cmd, args->netns, &snap);
	if (!status)
		status = mptcp_require(cmd, snap);
	if (!status)
		status = mptcp_named_ctrls(cmd, snap, &names);
	if (status)
		return status;
	query.snap = snap;
	query.ctrls = names;
	query.devices = devices;
	query.force = args->force;
	if (nvme_mptcp_repair(&query, &plan))
		return cannot_plan(cmd);
	before = after = count_missing(plan);
	if (!args->dry_run && nvme_mptcp_step_next(plan, NULL)) {
		if (nvme_mptcp_plan_apply(plan))
			err = errno;
		status = err ? 0 : wait_for_subflows(cmd, &query, &after);
		if (status)
			return status;
	}
	is_target = query.role == NVME_MPTCP_ROLE_TARGET ||
		    (query.role == NVME_MPTCP_ROLE_AUTO && !nvme_mptcp_ctrl_next(snap, NULL));
	if (!out_is_json(cmd->out))
		show_repair(cmd, plan, is_target, before, after);
	else if (plan_show_json(cmd, plan))
		return 1;
	if (err)
		return plan_apply_failed(cmd, err);
	return after || nvme_mptcp_plan_unrepairable(plan) ? 1 : 0;
}

const struct command_spec mptcp_repair_command = {
	.name = "repair",
	.summary = "Restore missing subflows",
	.operands = "[DEVICE...]",
	.description =
		"The kernel does not try again when a subflow ends or cannot form: a controller that lost a link\n"
		"stays without it. repair finds connections without a subflow on a link that they should use, and\n"
		"deletes and adds the link's endpoint, which makes the kernel try again. This closes the endpoint's\n"
		"subflows: those in use only with --force, working ones only after a trial connection got a subflow\n"
		"from the same address, and never the only working subflow of a connection. If only the other side\n"
		"can repair, its command is printed. I/O continues.\n"
		"On a target, repair does the same for the connections of its hosts.\n"
		"Exit status: 0 nothing is missing any more, 1 subflows are missing, a step failed, or a controller is\n"
		"not live or has no connection, 3 unknown.",
	.options = repair_options,
	.args_size = sizeof(struct repair_args),
	.defaults = &repair_defaults,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = run_repair,
};
