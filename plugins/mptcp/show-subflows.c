// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp show-subflows */
#include "rates.h"
#include "relay.h"
#include "watch.h"

struct show_args {
	const char *netns;
	bool userspace;
	double interval; /* seconds; 0: once */
};

/* State of one output: what to show, and how. */
struct look {
	struct command *cmd;
	nvme_mptcp_snapshot_t snap;
	const char *const *names; /* of controllers to show; NULL: all */
	const struct rates *rates;
	int lines; /* left on the screen; -1: unlimited */
};

static const struct arg show_options[] = {
	OPT_NETNS(struct show_args, netns),
	OPT_FLAG("userspace", 0, struct show_args, userspace,
		 "also show the connections that processes hold, such as SPDK's"),
	{
		.name = "watch",
		.letter = 'w',
		.type = ARG_DOUBLE,
		.offset = offsetof(struct show_args, interval),
		.meta = "SECONDS",
		.help = "refresh the screen, and show rates instead of totals",
		.bare = "1",
	},
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

/*
 * Return the number of distinct wires in use. Stacked links, such as VLANs, may share a wire.
 * Unknown links are not counted.
 */
static size_t count_wires(nvme_mptcp_snapshot_t snap, nvme_mptcp_set_t set)
{
	size_t n = 0;

	nvme_mptcp_for_each_usage(set, usage) {
		nvme_mptcp_link_t link = nvme_mptcp_usage_link(usage);
		bool known = false;

		if (!link || !nvme_mptcp_usage_subflows(usage))
			continue;
		nvme_mptcp_for_each_usage(set, earlier) {
			if (earlier == usage)
				break;
			known |= nvme_mptcp_usage_subflows(earlier) &&
				 nvme_mptcp_usage_link(earlier) &&
				 nvme_mptcp_link_wire(snap, nvme_mptcp_usage_link(earlier)) ==
					 nvme_mptcp_link_wire(snap, link);
		}
		n += !known;
	}
	return n;
}

/*
 * Print "20 subflows over 4 links", plus "on 3 wires" if that differs. If some carry nothing, print
 * "5 of 20 subflows carry, over 1 link".
 */
static void show_carrying(const struct look *look, nvme_mptcp_set_t set, bool with_links)
{
	struct out *out = look->cmd->out;
	const size_t all = nvme_mptcp_set_subflows(set), dead = mptcp_count_dead(set);
	size_t links = 0, carrying = 0, wires;
	nvme_mptcp_usage_t unknown = NULL;
	char text[64], names[MPTCP_LINKS_TEXT];

	nvme_mptcp_for_each_usage(set, usage) {
		const size_t n = nvme_mptcp_usage_subflows(usage);

		carrying += n;
		links += nvme_mptcp_usage_link(usage) && n;
		if (!nvme_mptcp_usage_link(usage) && n)
			unknown = usage;
	}
	snprintf(text, sizeof(text), "%zu of %zu subflow%s carry", carrying, all,
		 mptcp_plural(all));
	if (dead)
		out_text(out, ", %s", out_paint(out, OUT_RED, text));
	else
		out_text(out, ", %zu subflow%s", all, mptcp_plural(all));
	if (!with_links)
		return;
	out_text(out, "%s over ", dead ? "," : "");
	wires = count_wires(look->snap, set);
	if (links || !unknown)
		out_text(out, "%zu link%s", links, mptcp_plural(links));
	if (wires < links)
		out_text(out, " on %zu wire%s", wires, mptcp_plural(wires));
	if (links && unknown)
		out_text(out, " and ");
	if (unknown && nvme_mptcp_usage_possible_link(unknown, 0))
		out_text(out, "%s", out_safe(out, mptcp_usage_link_text(unknown, names)));
	else if (unknown)
		out_text(out, "unknown links");
}

static void show_fallback(struct out *out, nvme_mptcp_set_t set)
{
	size_t fallback = nvme_mptcp_set_fallback(set), missing = nvme_mptcp_set_missing(set);
	char text[64];

	snprintf(text, sizeof(text), "%zu fell back to plain TCP", fallback);
	out_text(out, ", %s", fallback ? out_paint(out, OUT_RED, text) : "none in fallback");
	if (missing) {
		snprintf(text, sizeof(text), "%zu subflow%s missing", missing,
			 mptcp_plural(missing));
		out_text(out, ", %s", out_paint(out, OUT_YELLOW, text));
	}
}

/* Subtract printed lines from those left on the screen. */
static void consume_lines(struct look *look, size_t lines)
{
	if (look->lines >= 0)
		look->lines = (size_t)look->lines > lines ? look->lines - (int)lines : 0;
}

static void show_tables(struct look *look, nvme_mptcp_set_t set, const char *port)
{
	struct subflow_view view = {
		.port = port, .rates = look->rates, .rows = -1, .width = watch_columns()
	};
	struct out *out = look->cmd->out;
	size_t links = 0;

	if (!nvme_mptcp_set_subflows(set))
		return;
	nvme_mptcp_for_each_usage(set, usage)
		links++;
	links += usage_table_count_idle(set);
	/* Blank lines, headers, and the line "and N more". */
	consume_lines(look, links + 5);
	if (look->lines >= 0)
		view.rows = look->lines;
	consume_lines(look, nvme_mptcp_set_subflows(set));
	out_text(out, "\n");
	out_indent(out, 2);
	subflow_table_show(look->cmd, set, &view);
	out_text(out, "\n");
	usage_table_show(look->cmd, set, &view);
	out_indent(out, -2);
}

/* Print why a controller has no connections. */
static void show_absence(struct out *out, nvme_mptcp_ctrl_t ctrl)
{
	if (nvme_mptcp_ctrl_is_bypassed(ctrl))
		out_text(out,
			 "  Connected straight to the target, bypassing the relay: " NVME_COMMAND
			 " reset /dev/%s\n",
			 out_safe(out, nvme_mptcp_ctrl_name(ctrl)));
	else if (mptcp_ctrl_is_down(ctrl))
		out_text(out, "  No connection while the controller is %s.\n",
			 nvme_mptcp_ctrl_state(ctrl));
	else
		out_text(out, "  No connection in this network namespace: try --netns with the one "
			      "it was connected in.\n");
}

static void show_ctrl(struct look *look, nvme_mptcp_ctrl_t ctrl)
{
	nvme_mptcp_set_t set = nvme_mptcp_ctrl_connections(ctrl);
	const char *traddr = nvme_mptcp_ctrl_traddr(ctrl);
	const char *trsvcid = nvme_mptcp_ctrl_trsvcid(ctrl);
	const char *state = nvme_mptcp_ctrl_state(ctrl);
	const char *nqn = nvme_mptcp_ctrl_subsysnqn(ctrl);
	int64_t expected = nvme_mptcp_ctrl_expected(ctrl);
	size_t found = nvme_mptcp_set_count(set);
	size_t shared = nvme_mptcp_ctrl_n_shared(ctrl);
	struct out *out = look->cmd->out;
	bool v6 = traddr && strchr(traddr, ':');

	out_text(out, "%s", out_paint(out, OUT_BOLD, out_safe(out, nvme_mptcp_ctrl_name(ctrl))));
	out_text(out, "  %s", state ? out_safe(out, state) : "state unknown");
	if (nvme_mptcp_ctrl_is_bypassed(ctrl))
		out_text(out, ", %s", out_paint(out, OUT_RED, "bypassed"));
	else if (nvme_mptcp_ctrl_is_relayed(ctrl))
		out_text(out, ", relay");
	out_text(out, "  %s%s%s:%s", v6 ? "[" : "", traddr ? out_safe(out, traddr) : "-",
		 v6 ? "]" : "", trsvcid ? out_safe(out, trsvcid) : "-");
	out_text(out, "  %s\n", nqn ? out_safe(out, nqn) : "");

	out_text(out, "  ");
	if (expected == NVME_MPTCP_UNKNOWN)
		out_text(out, "%zu connection%s", found, mptcp_plural(found));
	else
		out_text(out, "%zu of %lld connection%s", found, (long long)expected,
			 mptcp_plural((size_t)expected));
	if (shared)
		out_text(out, " and some of %zu shared ones", shared);
	show_carrying(look, set, true);
	show_fallback(out, set);
	out_text(out, "\n");
	if (!found && !shared)
		show_absence(out, ctrl);
	consume_lines(look, 3);
	show_tables(look, set, trsvcid);
}

static void show_shared(struct look *look, nvme_mptcp_shared_t sh)
{
	nvme_mptcp_set_t set = nvme_mptcp_shared_connections(sh);
	struct out *out = look->cmd->out;
	nvme_mptcp_ctrl_t ctrl;

	for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(sh, i)); i++)
		out_text(out, "%s%s", i ? ", " : "",
			 out_paint(out, OUT_BOLD, out_safe(out, nvme_mptcp_ctrl_name(ctrl))));
	out_text(out,
		 "  shared\n  %zu connections, each used by one of these controllers; the kernel "
		 "does not\n  show which one",
		 nvme_mptcp_set_count(set));
	show_carrying(look, set, false);
	show_fallback(out, set);
	out_text(out, "\n");
	consume_lines(look, 4);
	show_tables(look, set, nvme_mptcp_ctrl_trsvcid(nvme_mptcp_shared_ctrl(sh, 0)));
}

static void show_userspace(struct look *look, nvme_mptcp_set_t set)
{
	struct out *out = look->cmd->out;

	out_text(out, "%s\n", out_paint(out, OUT_BOLD, "userspace"));
	out_text(out, "  %zu connection%s held by processes", nvme_mptcp_set_count(set),
		 mptcp_plural(nvme_mptcp_set_count(set)));
	show_carrying(look, set, false);
	show_fallback(out, set);
	out_text(out, "\n");
	consume_lines(look, 3);
	show_tables(look, set, NULL);
}

/* Return why keep took a link out of use, judging by the link's current state. */
static const char *why_out(const struct look *look, nvme_mptcp_keeper_t keeper, size_t i,
			   const char *name)
{
	nvme_mptcp_for_each_link(look->snap, link) {
		if (strcmp(nvme_mptcp_link_name(link), name) != 0)
			continue;
		if (!nvme_mptcp_link_is_up(link))
			return "down";
		if (!nvme_mptcp_link_has_carrier(link))
			return "no carrier";
		return nvme_mptcp_keeper_slow(keeper, i) ? "slow, a backup" : "dead or silent";
	}
	return "gone";
}

/*
 * Print the links whose endpoints keep took out of use; nothing else shows that they should carry
 * subflows.
 */
static void show_out_of_use(const struct look *look, nvme_mptcp_keeper_t keeper)
{
	struct out *out = look->cmd->out;
	const char *name;

	for (size_t i = 0; (name = nvme_mptcp_keeper_out(keeper, i)); i++)
		out_text(out, "%s%s (%s)", i ? ", " : "\nOut of use by keep: ",
			 out_paint(out, OUT_YELLOW, *name ? out_safe(out, name) : "-"),
			 why_out(look, keeper, i, name));
	out_text(out, "\n");
}

/*
 * Read the records of keep. ENOSYS means that the kernel cannot identify network namespaces; keep
 * does not run there.
 */
static nvme_mptcp_keeper_t open_keep_records(struct look *look)
{
	const struct show_args *args = look->cmd->args;
	const struct nvme_mptcp_keeper_args query = { .netns = args->netns,
						      .args_size = sizeof(query) };
	nvme_mptcp_keeper_t keeper = NULL;

	if (nvme_mptcp_keeper_look(&query, &keeper) && errno != ENOSYS)
		out_text(look->cmd->out,
			 "Cannot read which endpoints keep has taken out of use: %s\n\n",
			 strerror(errno));
	return keeper;
}

static void show_text(struct look *look)
{
	const struct show_args *args = look->cmd->args;
	_cleanup_(nvme_mptcp_keeper_close) nvme_mptcp_keeper_t keeper = open_keep_records(look);
	const bool is_any_out = keeper && nvme_mptcp_keeper_out(keeper, 0);
	struct out *out = look->cmd->out;
	bool blank = false;

	consume_lines(look, is_any_out ? 2 : 0);
	nvme_mptcp_for_each_ctrl(look->snap, ctrl) {
		if (!mptcp_is_named(ctrl, look->names))
			continue;
		out_text(out, "%s", blank ? "\n" : "");
		show_ctrl(look, ctrl);
		blank = true;
	}
	nvme_mptcp_for_each_shared(look->snap, sh) {
		if (!mptcp_any_named(sh, look->names))
			continue;
		out_text(out, "%s", blank ? "\n" : "");
		show_shared(look, sh);
		blank = true;
	}
	if (args->userspace) {
		out_text(out, "%s", blank ? "\n" : "");
		show_userspace(look, nvme_mptcp_connections(look->snap, NVME_MPTCP_USERSPACE));
	}
	if (is_any_out)
		show_out_of_use(look, keeper);
}

static int show_json(struct look *look)
{
	const struct show_args *args = look->cmd->args;
	unsigned int what = NVME_MPTCP_JSON_CONTROLLERS;
	_cleanup_(free) char *document = NULL;

	if (args->userspace)
		what |= NVME_MPTCP_JSON_USERSPACE;
	/* While watching, print each document on one line. */
	if (!look->rates)
		what |= NVME_MPTCP_JSON_PRETTY;
	document = nvme_mptcp_snapshot_to_json(look->snap, what, look->names);
	if (!document)
		return command_fail(look->cmd, errno, NVME_COMMAND " %s", look->cmd->name);
	out_json_text(look->cmd->out, document);
	return 0;
}

/* Return the number of controllers that a relay can carry, and store the first one. */
static size_t count_relayable(struct command *cmd, nvme_ctrl_t *first)
{
	nvme_subsystem_t s;
	size_t n = 0;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(cmd->root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (nvme_ctrl_get_name(c) && nvme_ctrl_get_traddr(c) &&
				    nvmf_transport_has(nvme_ctrl_get_transport(c),
						       NVMF_TRANSPORT_SRC_ADDR) &&
				    !n++)
					*first = c;
	return n;
}

/*
 * Fail because there is no controller to show. After a relay stops, its controllers use plain TCP;
 * say so.
 */
static int fail_without_any(struct command *cmd)
{
	const struct show_args *args = cmd->args;
	struct nvme_mptcp_relay_status *status = NULL;
	nvme_ctrl_t c = NULL;
	const size_t n = count_relayable(cmd, &c);
	const char *name, *traddr, *trsvcid;
	bool v6, is_running, has_config;

	if (!n)
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0,
				       "no controller is connected over MPTCP (" NVME_COMMAND
				       " connect -t mptcp makes one, or -t tcp through a relay)");
	name = nvme_ctrl_get_name(c);
	traddr = nvme_ctrl_get_traddr(c);
	trsvcid = nvme_ctrl_get_trsvcid(c);
	v6 = strchr(traddr, ':');
	is_running = !nvme_mptcp_relay_ask(args->netns, &status);
	if (!is_running && errno != ENOENT)
		return command_fail_as(
			cmd, MPTCP_EXIT_NO_ANSWER, 0,
			"no controller is connected over MPTCP, unless a relay carries "
			"%s%s: it does not answer: %s%s",
			name, n > 1 ? " or others" : "", strerror(errno),
			errno == EACCES ? " (it answers only root)" : "");
	nvme_mptcp_relay_status_free(status);
	has_config = trsvcid && relay_config_has(cmd, traddr, trsvcid);
	return command_fail_as(
		cmd, MPTCP_EXIT_NO_ANSWER, 0,
		"no controller is connected over MPTCP: %s%s %s %s, and %s portal %s%s%s:%s%s%s%s%s",
		name, n > 1 ? " and others" : "", n > 1 ? "use" : "uses",
		nvme_ctrl_get_transport(c),
		is_running   ? "the running relay has no"
		: has_config ? "no relay is running, although config.json has one for"
			     : "no relay is running, nor does config.json have one for",
		v6 ? "[" : "", traddr, v6 ? "]" : "", trsvcid ? trsvcid : "-",
		is_running && has_config ? ", although config.json has one" : "",
		is_running && !has_config ? " (" NVME_MPTCP_COMMAND
					    " relay --status lists what it carries)"
		: has_config ? ": systemctl "
			     : ": " NVME_MPTCP_COMMAND " setup --relay configures one",
		!has_config  ? ""
		: is_running ? "reload nvme-mptcp-relay, then " NVME_COMMAND " reset /dev/"
			     : "start nvme-mptcp-relay, then " NVME_COMMAND " reset /dev/",
		has_config ? name : "");
}

/* Take a snapshot with the requested controllers. Return 0, or an exit status after a message. */
static int take_requested(struct command *cmd, nvme_mptcp_snapshot_t *ret, const char ***names)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	const struct show_args *args = cmd->args;
	int status;

	status = mptcp_take_snapshot(cmd, args->netns, &snap);
	if (!status)
		status = mptcp_require(cmd, snap);
	if (status)
		return status;
	if (!nvme_mptcp_ctrl_next(snap, NULL) && !args->userspace)
		return mptcp_fail_without_ctrls(cmd, snap) ?: fail_without_any(cmd);
	status = mptcp_named_ctrls(cmd, snap, names);
	if (status)
		return status;
	*ret = snap;
	snap = NULL;
	return 0;
}

static int show(struct look *look)
{
	if (out_is_json(look->cmd->out))
		return show_json(look);
	show_text(look);
	return 0;
}

/* Show the rates between two snapshots at a time, until q is pressed. */
static int keep_watching(struct command *cmd, double interval)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = NULL;
	_cleanup_(free) const char **names = NULL;
	int status = take_requested(cmd, &before, &names);

	if (status)
		return status;
	watch_start(cmd);
	for (;;) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t now = NULL;
		_cleanup_(rates_free) struct rates *rates = NULL;
		struct look look = { .cmd = cmd, .names = names };

		if (watch_ended(interval))
			return 0;
		status = mptcp_retake_snapshot(cmd, nvme_mptcp_snapshot_netns(before), &now);
		if (status)
			return status;
		rates = rates_new(before, now);
		if (!rates)
			return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
		look.snap = now;
		look.rates = rates;
		look.lines = watch_begin(cmd);
		status = show(&look);
		if (status || watch_end(cmd))
			return 1;
		nvme_mptcp_snapshot_free(before);
		before = now;
		now = NULL;
	}
}

static int show_subflows(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	struct show_args *args = cmd->args;
	_cleanup_(free) const char **names = NULL;
	struct look look = { .cmd = cmd, .lines = -1 };
	int status;

	if (args->interval)
		watch_operand(cmd, &args->interval);
	if (args->interval && !(args->interval >= WATCH_MIN && args->interval <= WATCH_MAX))
		return command_fail(cmd, 0, "--watch=%g: use a number of seconds from %g to %g",
				    args->interval, WATCH_MIN, WATCH_MAX);
	if (args->interval)
		return keep_watching(cmd, args->interval);
	status = take_requested(cmd, &snap, &names);
	if (status)
		return status;
	mptcp_warn_problems(cmd, snap);
	look.snap = snap;
	look.names = names;
	return show(&look);
}

const struct command_spec mptcp_show_subflows_command = {
	.name = "show-subflows",
	.summary = "Show which links carry a controller",
	.operands = "[DEVICE...]",
	.description =
		"Shows the connections (one per queue) and subflows of each controller connected over MPTCP, or of\n"
		"the named ones: their addresses, link and traffic. FLAGS: initial is the first subflow of a\n"
		"connection, join a further one, backup one that is used only if the others fail, pending one that is\n"
		"not established, dead one that is established and carries nothing, tcp a connection that fell back\n"
		"to plain TCP. IDS are the address ids of both ends. Sizes are in bytes, rates in bits per second. -v\n"
		"shows more columns.\n"
		"-w refreshes until q is pressed, and shows bytes per second instead of bytes.",
	.options = show_options,
	.args_size = sizeof(struct show_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = show_subflows,
};
