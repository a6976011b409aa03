// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp show-subflows */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mptcp.h"

struct show_args {
	const char *netns;
	bool userspace;
};

static const struct arg show_options[] = {
	OPT_NETNS(struct show_args, netns),
	OPT_FLAG("userspace", 0, struct show_args, userspace,
		 "also show the connections that processes hold, such as SPDK's"),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static size_t count_links(nvme_mptcp_set_t set)
{
	size_t n = 0;

	nvme_mptcp_for_each_usage(set, usage) n +=
		nvme_mptcp_usage_link(usage) && nvme_mptcp_usage_subflows(usage);
	return n;
}

static void show_fallback(struct out *out, nvme_mptcp_set_t set)
{
	size_t fallback = nvme_mptcp_set_fallback(set);
	char text[64];

	snprintf(text, sizeof(text), "%zu fell back to plain TCP", fallback);
	out_text(out, ", %s", fallback ? out_paint(out, OUT_RED, text) : "none in fallback");
}

static void show_tables(struct command *cmd, nvme_mptcp_set_t set, const char *port)
{
	if (!nvme_mptcp_set_subflows(set))
		return;
	out_text(cmd->out, "\n");
	out_indent(cmd->out, 2);
	show_subflow_table(cmd, set, port);
	out_text(cmd->out, "\n");
	show_usage_table(cmd, set);
	out_indent(cmd->out, -2);
}

static void show_ctrl(struct command *cmd, nvme_mptcp_ctrl_t ctrl)
{
	nvme_mptcp_set_t set = nvme_mptcp_ctrl_connections(ctrl);
	const char *traddr = nvme_mptcp_ctrl_traddr(ctrl);
	const char *trsvcid = nvme_mptcp_ctrl_trsvcid(ctrl);
	const char *state = nvme_mptcp_ctrl_state(ctrl);
	const char *nqn = nvme_mptcp_ctrl_subsysnqn(ctrl);
	int64_t expected = nvme_mptcp_ctrl_expected(ctrl);
	size_t found = nvme_mptcp_set_count(set);
	size_t shared = nvme_mptcp_ctrl_n_shared(ctrl);
	size_t links = count_links(set);
	struct out *out = cmd->out;
	bool v6 = traddr && strchr(traddr, ':');

	out_text(out, "%s", out_paint(out, OUT_BOLD, out_safe(out, nvme_mptcp_ctrl_name(ctrl))));
	out_text(out, "  %s", state ? out_safe(out, state) : "state unknown");
	out_text(out, "  %s%s%s:%s", v6 ? "[" : "", traddr ? out_safe(out, traddr) : "-",
		 v6 ? "]" : "", trsvcid ? out_safe(out, trsvcid) : "-");
	out_text(out, "  %s\n", nqn ? out_safe(out, nqn) : "");

	out_text(out, "  ");
	if (expected == NVME_MPTCP_UNKNOWN)
		out_text(out, "%zu connection%s", found, plural(found));
	else
		out_text(out, "%zu of %lld connection%s", found, (long long)expected,
			 plural((size_t)expected));
	if (shared)
		out_text(out, " and some of %zu shared ones", shared);
	out_text(out, ", %zu subflow%s over %zu link%s", nvme_mptcp_set_subflows(set),
		 plural(nvme_mptcp_set_subflows(set)), links, plural(links));
	show_fallback(out, set);
	out_text(out, "\n");
	if (!found && !shared)
		out_text(out, "  No connection in this network namespace: try --netns with the one "
			      "it was connected in.\n");
	show_tables(cmd, set, trsvcid);
}

static void show_shared(struct command *cmd, nvme_mptcp_shared_t sh)
{
	nvme_mptcp_set_t set = nvme_mptcp_shared_connections(sh);
	struct out *out = cmd->out;
	nvme_mptcp_ctrl_t ctrl;

	for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(sh, i)); i++)
		out_text(out, "%s%s", i ? ", " : "",
			 out_paint(out, OUT_BOLD, out_safe(out, nvme_mptcp_ctrl_name(ctrl))));
	out_text(out,
		 "  shared\n  %zu connections that belong to one of these controllers each; the "
		 "kernel does not tell\n  which",
		 nvme_mptcp_set_count(set));
	out_text(out, ", %zu subflow%s", nvme_mptcp_set_subflows(set),
		 plural(nvme_mptcp_set_subflows(set)));
	show_fallback(out, set);
	out_text(out, "\n");
	show_tables(cmd, set, nvme_mptcp_ctrl_trsvcid(nvme_mptcp_shared_ctrl(sh, 0)));
}

static bool is_named(nvme_mptcp_ctrl_t ctrl, const char *const *names)
{
	if (!names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, nvme_mptcp_ctrl_name(ctrl)))
			return true;
	return false;
}

static bool any_named(nvme_mptcp_shared_t sh, const char *const *names)
{
	nvme_mptcp_ctrl_t ctrl;

	for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(sh, i)); i++)
		if (is_named(ctrl, names))
			return true;
	return false;
}

static void show_userspace(struct command *cmd, nvme_mptcp_set_t set)
{
	struct out *out = cmd->out;

	out_text(out, "%s\n", out_paint(out, OUT_BOLD, "userspace"));
	out_text(out, "  %zu connection%s held by processes, %zu subflow%s",
		 nvme_mptcp_set_count(set), plural(nvme_mptcp_set_count(set)),
		 nvme_mptcp_set_subflows(set), plural(nvme_mptcp_set_subflows(set)));
	show_fallback(out, set);
	out_text(out, "\n");
	show_tables(cmd, set, NULL);
}

static void show_text(struct command *cmd, nvme_mptcp_snapshot_t snap, const char *const *names)
{
	const struct show_args *args = cmd->args;
	bool blank = false;

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (!is_named(ctrl, names))
			continue;
		out_text(cmd->out, "%s", blank ? "\n" : "");
		show_ctrl(cmd, ctrl);
		blank = true;
	}
	nvme_mptcp_for_each_shared(snap, sh)
	{
		if (!any_named(sh, names))
			continue;
		out_text(cmd->out, "%s", blank ? "\n" : "");
		show_shared(cmd, sh);
		blank = true;
	}
	if (args->userspace) {
		out_text(cmd->out, "%s", blank ? "\n" : "");
		show_userspace(cmd, nvme_mptcp_connections(snap, NVME_MPTCP_USERSPACE));
	}
}

static int show_json(struct command *cmd, nvme_mptcp_snapshot_t snap, const char *const *names)
{
	const struct show_args *args = cmd->args;
	unsigned int what = NVME_MPTCP_JSON_CONTROLLERS;
	_cleanup_(free) char *document = NULL;

	if (args->userspace)
		what |= NVME_MPTCP_JSON_USERSPACE;
	document = nvme_mptcp_snapshot_to_json(snap, what, names);
	if (!document)
		return fail(cmd, errno, "nvme %s", cmd->name);
	out_json(cmd->out, NULL, document);
	return 0;
}

static int show_subflows(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	const struct show_args *args = cmd->args;
	_cleanup_(free) const char **names = NULL;
	int status;

	status = take_snapshot(cmd, args->netns, &snap);
	if (!status)
		status = need_mptcp(cmd, snap);
	if (status)
		return status;
	if (!nvme_mptcp_ctrl_next(snap, NULL) && !args->userspace)
		return fail_as(
			cmd, EXIT_CANNOT_TELL, 0,
			"no controller is connected over MPTCP (nvme connect -t mptcp makes one)");
	status = named_ctrls(cmd, snap, &names);
	if (status)
		return status;
	warn_problems(cmd, snap);
	if (out_is_json(cmd->out))
		return show_json(cmd, snap, names);
	show_text(cmd, snap, names);
	return 0;
}

const struct command_spec show_subflows_command = {
	.name = "show-subflows",
	.summary = "Show which links carry a controller, and how",
	.operands = "[DEVICE...]",
	.description =
		"Shows for each controller that is connected over MPTCP, or for those that are named, its\n"
		"connections (one per queue) and their subflows: where they lead, the link that they leave\n"
		"by, and what they have carried. FLAGS: initial is the first subflow of a connection, join a\n"
		"further one, backup one that waits for the others to fail, pending one that is not\n"
		"established, tcp a connection that fell back to plain TCP. IDS are the address ids of both\n"
		"ends. Sizes are in bytes, rates in bits per second. -v shows more columns.",
	.options = show_options,
	.args_size = sizeof(struct show_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = show_subflows,
};
