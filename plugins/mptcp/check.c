// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp check */
#include "ignore.h"
#include "input/portal-method.h"
#include "relay.h"
#include "watch.h"

#define TEXT_INDENT 14
#define MOST_UNRELAYED 16 /* controllers that are looked up in the configuration */

struct check_args {
	const char *netns;
	const char *role;
	const char *traddr;
	const char *trsvcid;
	const char *host_traddr;
	const char *host_iface;
	const char *peer;
	const char *ignore;
	const char *config;
	double interval;
	bool no_trial;
	bool brief;
	bool commands;
};

static const struct check_args check_defaults = { .interval = 1 };

static const struct arg check_options[] = {
	OPT(STR, "role", 0, struct check_args, role, "ROLE", "host, target or auto"),
	OPT(STR, "traddr", 'a', struct check_args, traddr, "ADDR",
	    "address of the target: make a trial connection to it"),
	OPT(STR, "trsvcid", 's', struct check_args, trsvcid, "PORT", "its port (default: 4420)"),
	OPT(STR, "host-traddr", 'w', struct check_args, host_traddr, "ADDR",
	    "connect from this address of the host"),
	OPT(STR, "host-iface", 'f', struct check_args, host_iface, "IF",
	    "connect through this network interface"),
	OPT_FLAG("no-trial", 0, struct check_args, no_trial,
		 "make no trial connection; check only settings and existing connections"),
	OPT(STR, "peer", 0, struct check_args, peer, "FILE",
	    "what " NVME_MPTCP_COMMAND " report -O FILE wrote on the other side"),
	OPT_FLAG("commands", 0, struct check_args, commands,
		 "print only the commands for this side, ready for a shell"),
	OPT(DOUBLE, "interval", 0, struct check_args, interval, "SECONDS",
	    "sampling interval for counters"),
	OPT(STR, "ignore", 0, struct check_args, ignore, "RULE,...", "suppress these rules"),
	OPT(STR, "config", 'J', struct check_args, config, "FILE",
	    "JSON configuration with more rules to ignore, or none"),
	OPT_FLAG("brief", 0, struct check_args, brief, "print one line for a monitoring system"),
	OPT_NETNS(struct check_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

static int parse_role(struct command *cmd, const char *text, enum nvme_mptcp_role *ret)
{
	*ret = NVME_MPTCP_ROLE_AUTO;
	if (!text || !strcmp(text, "auto"))
		return 0;
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		if (strcmp(text, nvme_mptcp_role_name(role)))
			continue;
		*ret = role;
		return 0;
	}
	command_fail(cmd, 0, "--role=%s: use host, target or auto", text);
	return MPTCP_EXIT_NO_ANSWER;
}

static enum out_colour colour_of(enum nvme_mptcp_severity severity)
{
	return severity == NVME_MPTCP_ERROR	? OUT_RED
	       : severity == NVME_MPTCP_WARNING ? OUT_YELLOW
						: OUT_PLAIN;
}

static void show_finding(struct command *cmd, nvme_mptcp_finding_t f)
{
	enum nvme_mptcp_severity severity = nvme_mptcp_finding_severity(f);
	struct out *out = cmd->out;
	enum nvme_mptcp_role side;
	const char *key, *value, *command;
	char name[16];

	snprintf(name, sizeof(name), "%-7s", nvme_mptcp_severity_name(severity));
	out_text(out, "%s  %-3s  %s\n", out_paint(out, colour_of(severity), name),
		 nvme_mptcp_finding_rule(f),
		 out_paint(out, OUT_BOLD, out_safe(out, nvme_mptcp_finding_subject(f))));
	mptcp_show_wrapped(out, TEXT_INDENT, nvme_mptcp_finding_why(f));
	if (cmd->common.verbose) {
		for (size_t i = 0; (key = nvme_mptcp_finding_evidence(f, i, &value)); i++)
			out_text(out, "%*s%s=%s\n", TEXT_INDENT, "", out_safe(out, key),
				 out_safe(out, value));
	}
	for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++)
		out_text(out, "%*s%-6s  # %s\n", TEXT_INDENT, "", nvme_mptcp_role_name(side),
			 out_safe(out, command));
}

static void show_count(struct out *out, size_t n, const char *what, bool *first)
{
	if (!n)
		return;
	out_text(out, "%s%zu %s%s", *first ? "" : ", ", n, what,
		 n == 1 || !strcmp(what, "info") || !strcmp(what, "ignored") ? "" : "s");
	*first = false;
}

static const char *role_text(unsigned int role)
{
	const unsigned int host = 1U << NVME_MPTCP_ROLE_HOST;
	const unsigned int target = 1U << NVME_MPTCP_ROLE_TARGET;

	return role == (host | target) ? "host and target"
	       : role == host	       ? "host"
	       : role == target	       ? "target"
				       : "neither host nor target";
}

/* True if a finding makes subflows fail early, which may hide other problems. */
static bool hides_others(nvme_mptcp_findings_t findings)
{
	static const char *const rules[] = { "C01", "C09", "F04", "H01", "H05", "H06",
					     "K02", "K05", "K07", "T06", "T07", "T08" };

	nvme_mptcp_for_each_finding(findings, f)
		for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
			if (nvme_mptcp_finding_severity(f) > NVME_MPTCP_INFO &&
			    !strcmp(nvme_mptcp_finding_rule(f), rules[i]))
				return true;
	return false;
}

static void show_text(struct command *cmd, nvme_mptcp_findings_t findings,
		      const size_t count[static 3])
{
	struct out *out = cmd->out;
	bool first = true;

	nvme_mptcp_for_each_finding(findings, f) {
		if (!first)
			out_text(out, "\n");
		show_finding(cmd, f);
		first = false;
	}
	if (!first)
		out_text(out, "\n");
	if (hides_others(findings))
		mptcp_show_wrapped(
			out, 0,
			"Check again after these fixes: joins that were not sent, or that the "
			"target rejected, may fail for another reason.");
	out_text(out, "%s: ", role_text(nvme_mptcp_findings_role(findings)));
	first = true;
	show_count(out, count[NVME_MPTCP_ERROR], "error", &first);
	show_count(out, count[NVME_MPTCP_WARNING], "warning", &first);
	show_count(out, count[NVME_MPTCP_INFO], "info", &first);
	out_text(out, "%s", first ? "nothing found" : "");
	first = false;
	show_count(out, nvme_mptcp_findings_ignored(findings), "ignored", &first);
	out_text(out, "\n");
}

/* Print how connect would reach the given address; @way is a result of connects_by(). */
static void show_connect_method(struct out *out, const char *way)
{
	static const struct {
		const char *way, *text;
	} texts[] = {
		{ "mptcp", "mptcp, by this kernel" },
		{ "relay", "tcp, which this host's relay carries over MPTCP" },
		{ "tcp",
		  "plain tcp, over one link: this kernel has no transport mptcp, and no relay "
		  "accepts such a connection" },
	};

	for (size_t i = 0; way && i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(way, texts[i].way))
			out_text(out, "connect: %s\n\n", texts[i].text);
}

/* Print host and time of the peer's report: an old report may describe another configuration. */
static void show_peer(struct out *out, nvme_mptcp_peer_t peer)
{
	const char *hostname = nvme_mptcp_peer_hostname(peer);
	time_t taken = (time_t)nvme_mptcp_peer_taken(peer);
	char text[32] = "an unknown time";
	struct tm local;

	if (localtime_r(&taken, &local))
		strftime(text, sizeof(text), "%F %T", &local);
	out_text(out, "report: %s, of %s\n\n", hostname ? out_safe(out, hostname) : "other side",
		 text);
}

/* Print only the commands for this side, as input for a shell. */
static void show_commands(struct out *out, nvme_mptcp_findings_t findings)
{
	const unsigned int own = nvme_mptcp_findings_own_role(findings);
	enum nvme_mptcp_role side;
	const char *command;

	nvme_mptcp_for_each_finding(findings, f)
		for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++)
			if (own & (1U << side))
				out_text(out, "%s\n", out_safe(out, command));
}

static int show(struct command *cmd, nvme_mptcp_findings_t findings,
		const struct brief_source *source, nvme_mptcp_peer_t peer, const char *way)
{
	const struct check_args *args = cmd->args;
	_cleanup_(free) char *document = NULL;
	size_t count[3] = {};

	nvme_mptcp_for_each_finding(findings, f)
		count[mptcp_severity(f)]++;
	if (args->brief) {
		brief_show(cmd, findings, count, source);
	} else if (out_is_json(cmd->out)) {
		document = nvme_mptcp_findings_to_json(findings, false);
		if (!document)
			return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
		out_json(cmd->out, NULL, document);
	} else if (args->commands) {
		show_commands(cmd->out, findings);
	} else {
		if (peer)
			show_peer(cmd->out, peer);
		if (source->trial)
			trial_show(cmd, source->trial);
		show_connect_method(cmd->out, way);
		show_text(cmd, findings, count);
	}
	return count[NVME_MPTCP_ERROR]	   ? MPTCP_EXIT_ERRORS
	       : count[NVME_MPTCP_WARNING] ? MPTCP_EXIT_WARNINGS
					   : 0;
}

/* Input of the rules: two snapshots, some time apart. */
struct samples {
	nvme_mptcp_snapshot_t before, snap;
	const char **names;
};

static void samples_cleanup(struct samples *samples)
{
	nvme_mptcp_snapshot_free(samples->before);
	nvme_mptcp_snapshot_free(samples->snap);
	free(samples->names);
}

static int take_samples(struct command *cmd, struct samples *ret)
{
	const struct check_args *args = cmd->args;
	int status = mptcp_take_snapshot(cmd, args->netns, &ret->before);

	if (!status)
		status = mptcp_named_ctrls(cmd, ret->before, &ret->names);
	if (status)
		return status;
	watch_wait(args->interval);
	return mptcp_retake_snapshot(cmd, args->netns, &ret->snap);
}

static struct nvme_mptcp_trial_args trial_args_of(const struct check_args *args)
{
	return (struct nvme_mptcp_trial_args){
		.netns = args->netns,
		.traddr = args->traddr,
		.trsvcid = args->trsvcid,
		.host_traddr = args->host_traddr,
		.host_iface = args->host_iface,
		.args_size = sizeof(struct nvme_mptcp_trial_args),
	};
}

static int try(struct command *cmd, nvme_mptcp_trial_t *ret)
{
	const struct nvme_mptcp_trial_args query = trial_args_of(cmd->args);

	return trial_make(cmd, &query, ret);
}

/* Report why there are no findings. Return an exit status. */
static int cannot_check(struct command *cmd)
{
	const struct check_args *args = cmd->args;
	const struct nvme_mptcp_trial_args way = trial_args_of(args);

	switch (errno) {
	case EPROTO:
		return command_fail(cmd, 0,
				    "--peer=%s: this is a report of this side "
				    "(" NVME_MPTCP_COMMAND
				    " report -O FILE makes one on the other side)",
				    args->peer);
	case EINVAL:
		return command_fail(cmd, 0,
				    "--traddr=%s --trsvcid=%s: not an IP address and a port",
				    args->traddr ? args->traddr : "",
				    args->trsvcid ? args->trsvcid : "");
	case ENODEV:
		return trial_fail_interface(cmd, &way);
	}
	return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
}

static int read_peer(struct command *cmd, const char *file, nvme_mptcp_peer_t *ret)
{
	_cleanup_(free) char *error = NULL;

	if (!nvme_mptcp_peer_read(file, ret, &error))
		return 0;
	if (error)
		return command_fail(cmd, 0, "--peer: %s", error);
	return command_fail(cmd, errno, "--peer=%s", file);
}

/* Reject combinations of options of which one would be ignored. */
static int check_question(struct command *cmd)
{
	const struct check_args *args = cmd->args;

	if (args->brief && out_is_json(cmd->out))
		return command_fail(cmd, 0, "--brief and --output-format=json cannot be combined");
	if (args->brief)
		cmd->headline = "MPTCP UNKNOWN";
	if (args->traddr && cmd->argc)
		return command_fail(
			cmd, 0,
			"%s --traddr=%s: controllers that are connected, or an address that "
			"is not",
			cmd->argv[0], args->traddr);
	if (args->commands && out_is_json(cmd->out))
		return command_fail(cmd, 0,
				    "--commands and --output-format=json cannot be combined: "
				    "JSON output contains the commands");
	if (args->traddr || (!args->host_traddr && !args->host_iface))
		return 0;
	return command_fail(
		cmd, 0,
		"--host-traddr and --host-iface choose how to connect to --traddr, which is "
		"missing");
}

/* True if a trial connection is to be made; a target does not connect. */
static bool makes_trial(const struct check_args *args, enum nvme_mptcp_role role)
{
	return args->traddr && !args->no_trial && role != NVME_MPTCP_ROLE_TARGET;
}

/* Return how connect would reach the address, as in the JSON document; NULL without an address. */
static const char *connects_by(const struct check_args *args)
{
	static const char *const words[] = { [METHOD_KERNEL] = "mptcp",
					     [METHOD_RELAY] = "relay",
					     [METHOD_RELAY_UNBOUND_ONLY] = "tcp",
					     [METHOD_NONE] = "tcp" };
	const struct relayed_portal portal = {
		.traddr = args->traddr,
		.trsvcid = args->trsvcid ? args->trsvcid : "4420",
		.netns = args->netns,
	};

	return args->traddr ? words[portal_method("mptcp", false, &portal, args->host_iface)]
			    : NULL;
}

/* Return a controller that no relay carries, although the configuration names its portal for one. */
static const char *find_unrelayed(struct command *cmd, nvme_mptcp_snapshot_t snap)
{
	const struct check_args *args = cmd->args;
	unsigned int left = MOST_UNRELAYED;
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	if (!cmd->root || !snap || args->traddr || input_is_none(args->config))
		return NULL;
	nvme_for_each_host(cmd->root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c) {
				const char *name = nvme_ctrl_get_name(c);
				const char *traddr = nvme_ctrl_get_traddr(c);
				const char *trsvcid = nvme_ctrl_get_trsvcid(c);

				if (name && traddr && trsvcid &&
				    nvmf_transport_has(nvme_ctrl_get_transport(c),
						       NVMF_TRANSPORT_SRC_ADDR) &&
				    !mptcp_has_ctrl(snap, name) && left && left-- &&
				    relay_config_has(cmd, traddr, trsvcid))
					return name;
			}
	return NULL;
}

static int check(struct command *cmd)
{
	_cleanup_(nvme_mptcp_findings_free) nvme_mptcp_findings_t findings = NULL;
	_cleanup_(nvme_mptcp_trial_free) nvme_mptcp_trial_t trial = NULL;
	_cleanup_(nvme_mptcp_peer_free) nvme_mptcp_peer_t peer = NULL;
	struct nvme_mptcp_check_args query = { .args_size = sizeof(query) };
	const struct check_args *args = cmd->args;
	_cleanup_(samples) struct samples samples = {};
	_cleanup_(ignore) struct ignore ignore = {};
	int status = check_question(cmd);

	if (!status)
		status = parse_role(cmd, args->role, &query.role);
	if (status)
		return status;
	status = watch_check_interval(cmd, args->interval);
	if (status)
		return status;
	status = ignore_read(cmd, args->ignore, args->config, &ignore);
	if (!status && args->peer)
		status = read_peer(cmd, args->peer, &peer);
	if (status)
		return status;
	status = makes_trial(args, query.role) ? try(cmd, &trial) : take_samples(cmd, &samples);
	if (status)
		return status;
	query.snap = samples.snap;
	query.before = samples.before;
	query.ctrls = samples.names;
	query.trial = trial;
	query.peer = peer;
	query.no_trial = args->no_trial;
	query.ignore = (const char *const *)ignore.rules;
	query.traddr = args->traddr;
	query.trsvcid = args->trsvcid;
	if (query.role != NVME_MPTCP_ROLE_TARGET)
		query.connects_by = connects_by(args);
	query.unrelayed = find_unrelayed(cmd, samples.snap);
	if (nvme_mptcp_check(&query, &findings))
		return cannot_check(cmd);
	if (command_read_failed())
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	if (!nvme_mptcp_findings_role(findings) && !nvme_mptcp_finding_next(findings, NULL) &&
	    !nvme_mptcp_findings_ignored(findings))
		return mptcp_fail_without_ctrls(cmd, samples.snap)
			       ?: command_fail(
					  cmd, 0,
					  "no controller is connected over MPTCP, and this machine is not "
					  "a target: use --traddr to test a target, or --role");
	return show(cmd, findings,
		    &(const struct brief_source){ trial, samples.snap, samples.names }, peer,
		    query.connects_by);
}

const struct command_spec mptcp_check_command = {
	.name = "check",
	.summary = "Find out why traffic does not use all links, and how to fix it",
	.operands = "[DEVICE...]",
	.description =
		"Checks endpoints, limits, addresses, links, routes, counters and connections, and finds out why\n"
		"subflows are missing. Each finding has the id of a rule, the reason, and the commands that fix it\n"
		"with the side to run them on; -v adds the evidence.\n"
		"  before connecting   " NVME_MPTCP_COMMAND
		" check -a 10.1.1.1     makes a trial connection\n"
		"  when connected      " NVME_MPTCP_COMMAND
		" check nvme0           or no name, for all controllers\n"
		"  on the target       " NVME_MPTCP_COMMAND
		" check                 also checks its ports\n"
		"  both sides at once  " NVME_MPTCP_COMMAND
		" report -O FILE there, " NVME_MPTCP_COMMAND " check --peer FILE here\n"
		"--commands prints only the commands for this side, ready for a shell.\n"
		"Nothing is changed. Exit status: 0 no findings, 1 warnings, 2 errors, 3 unknown.",
	.options = check_options,
	.args_size = sizeof(struct check_args),
	.defaults = &check_defaults,
	.failure = MPTCP_EXIT_NO_ANSWER, /* 1 would mean warnings about the system */
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = check,
};
