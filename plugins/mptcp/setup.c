// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp setup */
#include "setup-relay.h"

static const struct arg setup_options[] = {
	OPT(STR, "role", 0, struct setup_args, role, "ROLE",
	    "side of this machine: host or target"),
	OPT(STR, "traddr", 'a', struct setup_args, traddr, "ADDR,...",
	    "addresses of the target, the one to connect to first"),
	OPT(STR, "dev", 0, struct setup_args, dev, "IF,...",
	    "network interfaces to use (default: those for storage)"),
	OPT_FLAG("apply", 0, struct setup_args, apply,
		 "execute the plan; by default it is only shown"),
	OPT_FLAG("replace", 0, struct setup_args, replace,
		 "change or delete endpoints and limits of other programs"),
	OPT_FLAG(
		"relay", 0, struct setup_args, relay,
		"also configure the relay, for kernels without the transport, and start its service"),
	OPT(STR, "trsvcid", 's', struct setup_args, trsvcid, "PORT",
	    "with --relay, on a host: port of the portal (default: 4420)"),
	OPT(STR, "port", 0, struct setup_args, port, "PORT,...",
	    "with --relay, on a target: ports to relay (default: those of nvmet-tcp)"),
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
	[NVME_MPTCP_METHOD_ROUTED] =
		"the host starts a subflow from each routed address, and routes choose the links",
	[NVME_MPTCP_METHOD_SIGNAL] = "this target announces an address on each link",
	[NVME_MPTCP_METHOD_SINGLE] = "there is only one link",
};

static const char *method_text(enum nvme_mptcp_plan_method method)
{
	const char *text = (size_t)method < sizeof(method_texts) / sizeof(*method_texts)
				   ? method_texts[method]
				   : NULL;

	return text ? text : nvme_mptcp_plan_method_name(method);
}

/*
 * True if a step has the flag laminar, which ip(8) before iproute2 6.18 rejects. Applying does not
 * use ip(8).
 */
static bool has_new_words(nvme_mptcp_plan_t plan)
{
	nvme_mptcp_for_each_step(plan, step)
		if (strstr(nvme_mptcp_step_command(step), " laminar"))
			return true;
	return false;
}

static void show_setup(struct command *cmd, nvme_mptcp_plan_t plan, bool applied)
{
	const char *address, *name;
	struct out *out = cmd->out;
	bool complete = true;

	out_text(out, "method %s\n", method_text(nvme_mptcp_plan_method(plan)));
	for (size_t i = 0; (name = nvme_mptcp_plan_link(plan, i, &address)); i++)
		out_text(out, "%-6s %s %s\n", i ? "" : "links", out_safe(out, name), address);
	/* Notes about omitted links and endpoints of other programs come before the steps. */
	plan_show_notes(cmd, plan, PLAN_NOTES_HERE);
	plan_show_steps(cmd, plan);
	plan_show_notes(cmd, plan, PLAN_NOTES_THERE);
	nvme_mptcp_for_each_step(plan, step)
		complete &= nvme_mptcp_step_state(step) == NVME_MPTCP_STEP_DONE;
	if (!nvme_mptcp_step_next(plan, NULL))
		out_text(out, "\nnothing to do\n");
	else if (!applied)
		out_text(out, "\nnothing was changed; --apply does these steps%s\n",
			 has_new_words(plan) ? ", even if ip(8) does not know the flag laminar"
					     : "");
	else if (complete)
		out_text(out, "\nall steps are done; connections made from now on follow them\n");
}

/*
 * Make a trial connection, to find out which links a connection uses now. Without its result, the
 * plan is made from routes and endpoints alone.
 */
static int make_trial(struct command *cmd, const struct nvme_mptcp_setup_args *query,
		      nvme_mptcp_trial_t *ret)
{
	const char *reason = NULL;

	if (nvme_mptcp_setup_try(query, ret)) {
		/* Planning reports invalid addresses. */
		if (errno == EINVAL)
			return 0;
		if (errno == ENOMEM)
			return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
		reason = nvme_mptcp_error(errno);
	} else if (!*ret) {
		return 0;
	} else if (nvme_mptcp_trial_outcome(*ret) != NVME_MPTCP_TRIAL_MPTCP) {
		reason = nvme_mptcp_trial_reason(*ret);
	}
	if (*ret && !out_is_json(cmd->out))
		trial_show(cmd, *ret);
	if (reason && (!*ret || out_is_json(cmd->out)))
		fprintf(stderr, "no trial connection to %s: %s\n",
			query->traddrs ? query->traddrs[0] : "the target", reason);
	if (reason && !out_is_json(cmd->out))
		out_text(cmd->out, "The plan is made without a trial connection.\n\n");
	return 0;
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

/* Report why there is no plan. Return an exit status. */
static int cannot_plan(struct command *cmd)
{
	switch (errno) {
	case EINVAL:
	case ENODEV:
	case ENOLINK:
		return mptcp_fail(cmd, 1);
	case ENODATA:
		return mptcp_fail(cmd, MPTCP_EXIT_NO_ANSWER);
	case ENOSPC:
		return command_fail(
			cmd, 0,
			"%s (" NVME_MPTCP_COMMAND
			" show-endpoints lists them, --replace deletes those in the way)",
			nvme_mptcp_error(ENOSPC));
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
	int status = plan_parse_side(cmd, args->role, &query.role), err = 0;

	if (!status && query.role == NVME_MPTCP_ROLE_AUTO)
		status =
			command_fail(cmd, 0,
				     "--role is required: host (the side that connects) or target");
	if (!status)
		status = plan_list_split(cmd, args->traddr, &traddrs);
	if (!status)
		status = plan_list_split(cmd, args->dev, &devices);
	if (!status)
		status = relay_setup_check(cmd, query.role);
	if (!status)
		status = relay_setup_links(cmd, &devices);
	if (!status)
		status = mptcp_take_snapshot(cmd, args->netns, &snap);
	if (!status)
		status = mptcp_require(cmd, snap);
	if (status)
		return status;
	err = args->save ? file_check(args->save) : 0;
	if (err)
		return command_fail(cmd, -err, "%s", args->save);
	query.snap = snap;
	query.traddrs = traddrs;
	query.devices = devices;
	query.replace = args->replace;
	if (make_trial(cmd, &query, &trial))
		return 1;
	query.trial = trial;
	if (nvme_mptcp_setup(&query, &plan))
		return cannot_plan(cmd);
	if (args->relay && relay_setup_plan(cmd, plan, &query))
		return 1;
	if (args->apply && nvme_mptcp_plan_apply(plan))
		err = errno;
	if (args->save && !err) {
		status = save(cmd, plan, args->save);
		if (status)
			return status;
	}
	if (args->relay)
		status = relay_setup_start(cmd, plan, args->apply && !err);
	if (!out_is_json(cmd->out))
		show_setup(cmd, plan, args->apply);
	else if (plan_show_json(cmd, plan))
		return 1;
	return err ? plan_apply_failed(cmd, err) : status;
}

const struct command_spec mptcp_setup_command = {
	.name = "setup",
	.summary = "Set up endpoints and limits so that each connection uses every link",
	.description =
		"Plans the endpoints and limits with which each connection has one subflow on every usable link. A\n"
		"usable link is up, has a carrier and a global address, leads to the target, and is not a management\n"
		"link, a tunnel or a bridge without a network card; notes list the links left out, and --dev uses\n"
		"them. Prints the steps with the reason of each; --apply executes them. Endpoints of other programs\n"
		"are kept unless --replace is given. If a step fails, the steps before it are undone. Run it on the\n"
		"target and on the host before connecting:\n"
		"  target# " NVME_MPTCP_COMMAND " setup --role target --apply\n"
		"  host#   " NVME_MPTCP_COMMAND
		" setup --role host --traddr 10.1.1.1,10.1.2.1 --apply\n"
		"List all addresses of a target that announces several, or the one of a target with one address. On\n"
		"a host, a trial connection comes first; if it gets all subflows, there is nothing to do.\n"
		"With --relay, setup also adds the portal of a host, or the ports of a target, to config.json, and\n"
		"starts or reloads the relay's service.\n"
		"Exit status: 0 done or shown, 1 failed, 3 the kernel has no MPTCP or does not show it.",
	.options = setup_options,
	.args_size = sizeof(struct setup_args),
	.formats = OUT_TEXT | OUT_JSON,
	.run = setup,
};
