// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp setup */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mptcp.h"
#include "plan.h"
#include "shared/file.h"

struct setup_args {
	const char *netns;
	const char *role;
	const char *traddr;
	const char *dev;
	const char *save;
	bool apply;
	bool replace;
};

static const struct arg setup_options[] = {
	OPT(STR, "role", 0, struct setup_args, role, "ROLE",
	    "side of this machine: host or target"),
	OPT(STR, "traddr", 'a', struct setup_args, traddr, "ADDR,...",
	    "addresses of the target, the one to connect to first"),
	OPT(STR, "dev", 0, struct setup_args, dev, "IF,...",
	    "network interfaces to use, whatever they are (default: those for storage)"),
	OPT_FLAG("apply", 0, struct setup_args, apply, "do it; without this it is only shown"),
	OPT_FLAG("replace", 0, struct setup_args, replace,
		 "change or delete what others made and what stands in the way"),
	OPT(STR, "save", 0, struct setup_args, save, "FILE",
	    "write the \"mptcp\" object of config.json to FILE"),
	OPT_NETNS(struct setup_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

static const char *const method_texts[] = {
	[NVME_MPTCP_METHOD_ANNOUNCED] =
		"the target announces its addresses, and routes choose the links",
	[NVME_MPTCP_METHOD_LAMINAR] =
		"the target announces its addresses, and endpoints choose the links",
	[NVME_MPTCP_METHOD_SUBFLOW] = "the host starts a subflow on each link",
	[NVME_MPTCP_METHOD_SIGNAL] = "this target announces an address on each link",
	[NVME_MPTCP_METHOD_SINGLE] = "there is only one link",
};

static void show_setup(struct command *cmd, nvme_mptcp_plan_t plan, bool applied)
{
	const char *address, *name;
	struct out *out = cmd->out;
	bool complete = true;

	out_text(out, "method %s\n", method_texts[nvme_mptcp_plan_method(plan)]);
	for (size_t i = 0; (name = nvme_mptcp_plan_link(plan, i, &address)); i++)
		out_text(out, "%-6s %s %s\n", i ? "" : "links", out_safe(out, name), address);
	/* What is left out and what others lose stands before the steps. */
	plan_show_notes(cmd, plan, PLAN_NOTES_HERE);
	plan_show_steps(cmd, plan);
	plan_show_notes(cmd, plan, PLAN_NOTES_THERE);
	nvme_mptcp_for_each_step(plan, step)
		complete &= nvme_mptcp_step_state(step) == NVME_MPTCP_STEP_DONE;
	if (!nvme_mptcp_step_next(plan, NULL))
		out_text(out, "\nnothing to do\n");
	else if (!applied)
		out_text(out, "\nnothing was changed; --apply does these steps\n");
	else if (complete)
		out_text(out, "\nall steps are done; connections made from now on follow them\n");
}

/* Where the trial connects to: to the first address of the target, or as a controller does. */
static struct nvme_mptcp_trial_args portal_of(const struct setup_args *args,
					      nvme_mptcp_snapshot_t snap,
					      const char *const *traddrs)
{
	struct nvme_mptcp_trial_args query = { .netns = args->netns, .args_size = sizeof(query) };

	query.traddr = traddrs ? traddrs[0] : NULL;
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		const char *traddr = nvme_mptcp_ctrl_traddr(ctrl);

		if (!traddr || (query.traddr && strcmp(query.traddr, traddr) != 0))
			continue;
		query.traddr = traddr;
		query.trsvcid = nvme_mptcp_ctrl_trsvcid(ctrl);
		query.host_traddr = nvme_mptcp_ctrl_host_traddr(ctrl);
		query.host_iface = nvme_mptcp_ctrl_host_iface(ctrl);
		break;
	}
	return query;
}

/*
 * What check would find out: which links a connection uses with everything as it is. Without an answer
 * the plan is made from routes and endpoints alone.
 */
static int make_trial(struct command *cmd, nvme_mptcp_snapshot_t snap, const char *const *traddrs,
		      nvme_mptcp_trial_t *ret)
{
	const struct nvme_mptcp_trial_args query = portal_of(cmd->args, snap, traddrs);
	const char *reason = NULL;

	/* What is wrong with an address, planning says. */
	if (!query.traddr || (nvme_mptcp_try(&query, ret) && errno == EINVAL))
		return 0;
	if (!*ret && errno == ENOMEM)
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	if (!*ret)
		reason = strerror(errno);
	else if (nvme_mptcp_trial_outcome(*ret) != NVME_MPTCP_TRIAL_MPTCP)
		reason = nvme_mptcp_trial_reason(*ret);
	if (*ret && !out_is_json(cmd->out))
		trial_show(cmd, *ret);
	if (reason && (!*ret || out_is_json(cmd->out)))
		fprintf(stderr, "no trial connection to %s: %s\n", query.traddr, reason);
	if (reason && !out_is_json(cmd->out))
		out_text(cmd->out, "The plan is made without a trial connection.\n\n");
	return 0;
}

#define MAX_ANNOUNCED 64
#define ADDRESS_SIZE 48

/* "192.0.2.1:4420" or "[2001:db8::1]:4420" without the port. */
static void cut_port(char address[static ADDRESS_SIZE], const char *text)
{
	const bool is_v6 = *text == '[' || strchr(text, ':') != strrchr(text, ':');
	const char *begin = text + (*text == '[');
	const size_t n = is_v6 ? strcspn(begin, "]") : strcspn(begin, ":");

	snprintf(address, ADDRESS_SIZE, "%.*s", (int)n, begin);
}

/* Adds what the target announces to its one known address, where this host joins announced addresses. */
static void add_announced(nvme_mptcp_snapshot_t snap, const char **traddrs,
			  nvme_mptcp_trial_t trial, char announced[MAX_ANNOUNCED][ADDRESS_SIZE])
{
	const char *text;

	if (!trial || !traddrs || traddrs[1] || nvme_mptcp_limit_add_addr_accepted(snap) <= 0)
		return;
	for (size_t i = 0; i < MAX_ANNOUNCED; i++) {
		text = nvme_mptcp_trial_announced_address(trial, i);
		if (!text)
			return;
		cut_port(announced[i], text);
		if (!strchr(announced[i], ':') == !strchr(traddrs[0], ':'))
			plan_list_add(traddrs, announced[i]);
	}
}

static int save(struct command *cmd, nvme_mptcp_plan_t plan, const char *path)
{
	_cleanup_(free) char *config = nvme_mptcp_plan_to_config(plan);
	int err;

	if (!config)
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	err = file_save(path, config, strlen(config), FILE_END_LINE);
	return err ? command_fail(cmd, -err, "%s", path) : 0;
}

/* Why there is no plan. */
static int cannot_plan(struct command *cmd, nvme_mptcp_snapshot_t snap)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_LIMITS, NVME_MPTCP_ENDPOINTS,
						      NVME_MPTCP_LINKS, NVME_MPTCP_ADDRESSES };
	const struct setup_args *args = cmd->args;
	const char *problem = NULL;

	switch (errno) {
	case EINVAL:
		return command_fail(cmd, 0,
				    "--traddr=%s: IP addresses of one family, separated by commas",
				    args->traddr ? args->traddr : "");
	case ENODEV:
		return command_fail(cmd, 0,
				    "--dev=%s: no such network interface (ip link shows them)",
				    args->dev);
	case ENOLINK:
		return command_fail(
			cmd, 0,
			"no link is usable: one is that is up, with a carrier and a global address "
			"of the target's family; bridges without a network card and tunnels are used "
			"with --dev only");
	case ENOSPC:
		return command_fail(
			cmd, 0,
			"no endpoint can be added: the kernel's table is full of endpoints of others "
			"(" NVME_MPTCP_COMMAND
			" show-endpoints shows them, --replace deletes what is in the way)");
	case ENODATA:
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !problem; i++)
			problem = nvme_mptcp_snapshot_problem(snap, parts[i]);
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0, "%s",
				       problem ? problem : "no data");
	}
	return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
}

static int setup(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	_cleanup_(nvme_mptcp_trial_free) nvme_mptcp_trial_t trial = NULL;
	struct nvme_mptcp_setup_args query = { .args_size = sizeof(query) };
	_cleanup_(plan_list_free) const char **traddrs = NULL, **devices = NULL;
	const struct setup_args *args = cmd->args;
	char announced[MAX_ANNOUNCED][ADDRESS_SIZE];
	int status = plan_parse_side(cmd, args->role, &query.role), err = 0;

	if (!status && query.role == NVME_MPTCP_ROLE_AUTO)
		status = command_fail(cmd, 0, "--role is missing: host, which connects, or target");
	if (!status)
		status = plan_list_split(cmd, args->traddr, &traddrs);
	if (!status)
		status = plan_list_split(cmd, args->dev, &devices);
	if (!status)
		status = mptcp_take_snapshot(cmd, args->netns, &snap);
	if (!status)
		status = mptcp_require(cmd, snap);
	if (status)
		return status;
	err = args->save ? file_check(args->save) : 0;
	if (err)
		return command_fail(cmd, -err, "%s", args->save);
	if (query.role == NVME_MPTCP_ROLE_HOST && make_trial(cmd, snap, traddrs, &trial))
		return 1;
	add_announced(snap, traddrs, trial, announced);
	if (trial && nvme_mptcp_trial_outcome(trial) == NVME_MPTCP_TRIAL_MPTCP)
		query.connection = nvme_mptcp_trial_connection(trial);
	query.snap = snap;
	query.traddrs = traddrs;
	query.devices = devices;
	query.replace = args->replace;
	if (nvme_mptcp_setup(&query, &plan))
		return cannot_plan(cmd, snap);
	if (args->apply && nvme_mptcp_plan_apply(plan))
		err = errno;
	if (args->save && !err) {
		status = save(cmd, plan, args->save);
		if (status)
			return status;
	}
	if (!out_is_json(cmd->out))
		show_setup(cmd, plan, args->apply);
	else if (plan_show_json(cmd, plan))
		return 1;
	return err ? plan_apply_failed(cmd, err) : 0;
}

const struct command_spec mptcp_setup_command = {
	.name = "setup",
	.summary = "Set up endpoints and limits so that every link carries each connection",
	.description =
		"Works out which endpoints and limits give every connection one subflow on each usable link:\n"
		"one that is up, has a carrier and a global address, leads to the target, and is no bridge without\n"
		"a network card, tunnel or management link; notes name those that are left out, and --dev uses\n"
		"them. Prints the steps and the reason of each; only --apply does them. What is right already is\n"
		"left as it is, what others made is kept unless --replace is given, and if a step fails those\n"
		"before it are undone. Run it on the target and on the host, before connecting:\n"
		"  target# " NVME_MPTCP_COMMAND " setup --role target --apply\n"
		"  host#   " NVME_MPTCP_COMMAND
		" setup --role host --traddr 10.1.1.1,10.1.2.1 --apply\n"
		"Name all addresses of a target that announces several, and one of a target that has one.\n"
		"On a host, a trial connection shows first what is missing; if nothing is, nothing is planned.\n"
		"Exit status: 0 done or shown, 1 failed, 3 this kernel has no MPTCP or does not show it.",
	.options = setup_options,
	.args_size = sizeof(struct setup_args),
	.formats = OUT_TEXT | OUT_JSON,
	.run = setup,
};
