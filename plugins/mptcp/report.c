// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp report */
#include <sys/utsname.h>

#include "html.h"
#include "watch.h"

struct report_args {
	const char *netns;
	const char *output;
	const char *html;
	const char *peer;
	const char *peers;
	double interval;
};

static const struct report_args report_defaults = { .interval = 1 };

static const struct arg report_options[] = {
	OPT(STR, "output", 'O', struct report_args, output, "FILE",
	    "write the document to FILE, which is replaced atomically"),
	OPT(STR, "html", 0, struct report_args, html, "FILE", "also write an HTML page to FILE"),
	OPT(STR, "peer", 0, struct report_args, peer, "FILE",
	    "with --html: what " NVME_MPTCP_COMMAND " report -O FILE wrote on the other side"),
	OPT(STR, "peers", 0, struct report_args, peers, "DIR",
	    "summarize the findings of all reports (*.json) in this directory"),
	OPT(DOUBLE, "interval", 0, struct report_args, interval, "SECONDS",
	    "sampling interval for counters"),
	OPT_NETNS(struct report_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

static int save(struct command *cmd, const char *path, const char *document)
{
	int err = file_save(path, document, strlen(document), FILE_END_LINE);

	return err ? command_fail(cmd, -err, "%s", path) : 0;
}

struct totals {
	size_t ctrls, connections, subflows, dead, fallback;
};

static void add_set(struct totals *totals, nvme_mptcp_set_t set)
{
	totals->connections += nvme_mptcp_set_count(set);
	totals->subflows += nvme_mptcp_set_subflows(set);
	totals->dead += mptcp_count_dead(set);
	totals->fallback += nvme_mptcp_set_fallback(set);
}

static void show_counts(struct out *out, const char *label, const struct totals *t)
{
	out_text(out, "%-12s", label);
	if (t->ctrls)
		out_text(out, "%zu controller%s, ", t->ctrls, mptcp_plural(t->ctrls));
	out_text(out, "%zu connection%s, %zu subflow%s", t->connections,
		 mptcp_plural(t->connections), t->subflows, mptcp_plural(t->subflows));
	if (t->dead)
		out_text(out, " of which %zu carry nothing", t->dead);
	if (t->fallback)
		out_text(out, ", %zu fell back to plain TCP", t->fallback);
	out_text(out, "\n");
}

static void show_connections(struct out *out, nvme_mptcp_snapshot_t snap)
{
	struct totals ours = {}, others = {};

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		ours.ctrls++;
		add_set(&ours, nvme_mptcp_ctrl_connections(ctrl));
	}
	nvme_mptcp_for_each_shared(snap, shared)
		add_set(&ours, nvme_mptcp_shared_connections(shared));
	add_set(&others, nvme_mptcp_connections(snap, NVME_MPTCP_NONE));
	add_set(&others, nvme_mptcp_connections(snap, NVME_MPTCP_USERSPACE));
	if (ours.ctrls)
		show_counts(out, "controllers", &ours);
	if (others.connections || !ours.ctrls)
		show_counts(out, ours.ctrls ? "others" : "connections", &others);
}

static void show_endpoints(struct out *out, nvme_mptcp_snapshot_t snap)
{
	char subflows[MPTCP_NUMBER_TEXT], accepted[MPTCP_NUMBER_TEXT];
	size_t n = 0;

	nvme_mptcp_for_each_endpoint(snap, ep)
		n += nvme_mptcp_endpoint_id(ep) > 0;
	out_text(out, "%-12s%zu; limits: subflows %s, add_addr_accepted %s\n", "endpoints", n,
		 mptcp_number_text(nvme_mptcp_limit_subflows(snap), subflows),
		 mptcp_number_text(nvme_mptcp_limit_add_addr_accepted(snap), accepted));
}

/* Print the number of findings; nvme mptcp check prints the findings. */
static int show_findings(struct command *cmd, nvme_mptcp_snapshot_t snap,
			 nvme_mptcp_snapshot_t before)
{
	const struct nvme_mptcp_check_args query = {
		.snap = snap,
		.before = before,
		.args_size = sizeof(query),
	};
	_cleanup_(nvme_mptcp_findings_free) nvme_mptcp_findings_t findings = NULL;
	struct out *out = cmd->out;
	size_t count[3] = {};

	if (nvme_mptcp_check(&query, &findings))
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	nvme_mptcp_for_each_finding(findings, f)
		count[mptcp_severity(f)]++;
	out_text(out, "%-12s", "findings");
	if (!count[NVME_MPTCP_ERROR] && !count[NVME_MPTCP_WARNING])
		out_text(out, "no errors or warnings\n");
	else
		out_text(out, "%zu error%s, %zu warning%s: " NVME_MPTCP_COMMAND " check\n",
			 count[NVME_MPTCP_ERROR], mptcp_plural(count[NVME_MPTCP_ERROR]),
			 count[NVME_MPTCP_WARNING], mptcp_plural(count[NVME_MPTCP_WARNING]));
	return 0;
}

static int show_summary(struct command *cmd, nvme_mptcp_snapshot_t snap,
			nvme_mptcp_snapshot_t before, const char *document)
{
	const struct report_args *args = cmd->args;
	struct out *out = cmd->out;

	show_connections(out, snap);
	show_endpoints(out, snap);
	if (show_findings(cmd, snap, before))
		return 1;
	for (int part = 0; nvme_mptcp_part_name(part); part++) {
		const char *problem = nvme_mptcp_snapshot_problem(snap, part);

		if (problem)
			out_text(out, "%-12s%s\n", "missing", out_safe(out, problem));
	}
	if (!args->output) {
		out_text(out, "\n-O FILE writes it all to a file, -o json prints it\n");
		return 0;
	}
	out_text(out, "%-12s%s, %zu bytes\n\n", "written to", out_safe(out, args->output),
		 strlen(document) + 1);
	out_text(out, "take it to the other side: " NVME_MPTCP_COMMAND " check --peer %s\n",
		 out_safe(out, args->output));
	return 0;
}

/* Read the peer's report, if any. Return 0, or an exit status after a message. */
static int read_peer(struct command *cmd, const char *path, nvme_mptcp_peer_t *ret)
{
	_cleanup_(free) char *error = NULL;

	if (!path || !nvme_mptcp_peer_read(path, ret, &error))
		return 0;
	return error ? command_fail(cmd, 0, "%s", error) : command_fail(cmd, errno, "%s", path);
}

static int save_page(struct command *cmd, nvme_mptcp_snapshot_t snap, nvme_mptcp_snapshot_t before)
{
	struct nvme_mptcp_check_args query = {
		.snap = snap, .before = before, .args_size = sizeof(query), .no_trial = true
	};
	_cleanup_(nvme_mptcp_findings_free) nvme_mptcp_findings_t findings = NULL;
	_cleanup_(nvme_mptcp_peer_free) nvme_mptcp_peer_t peer = NULL;
	_cleanup_(rates_free) struct rates *rates = NULL;
	const struct report_args *args = cmd->args;
	struct html_source source = { .snap = snap };
	_cleanup_(free) char *page = NULL;
	struct utsname name;
	int status = read_peer(cmd, args->peer, &peer);

	if (status)
		return status;
	query.peer = peer;
	if (nvme_mptcp_check(&query, &findings))
		return command_fail(cmd, errno == EPROTO ? 0 : errno, "%s%s",
				    args->peer ? args->peer : NVME_MPTCP_COMMAND " report",
				    errno == EPROTO
					    ? ": this is a report of this side, not of the peer"
					    : "");
	rates = rates_new(before, snap);
	source.findings = findings;
	source.peer = peer;
	source.rates = args->interval > 0 ? rates : NULL;
	source.hostname = uname(&name) ? "this machine" : name.nodename;
	page = rates ? html_page(&source) : NULL;
	if (!page)
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	return save(cmd, args->html, page);
}

static int report(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = NULL, snap = NULL;
	struct nvme_mptcp_report_args query = { .args_size = sizeof(query), .pretty = true };
	const struct report_args *args = cmd->args;
	_cleanup_(free) char *document = NULL;
	int status = watch_check_interval(cmd, args->interval);

	if (status)
		return status;
	if (args->peer && !args->html)
		return command_fail(cmd, 0,
				    "--peer requires --html FILE (" NVME_MPTCP_COMMAND
				    " check --peer compares both sides)");
	if (args->peers && (args->output || args->netns || args->html))
		return command_fail(cmd, 0,
				    "--peers reads existing reports: it cannot be combined with "
				    "--output, --netns or --html");
	if (args->peers)
		return fleet_show(cmd, args->peers);
	status = mptcp_take_snapshot(cmd, args->netns, &before);
	if (status)
		return status;
	watch_wait(args->interval);
	status = mptcp_retake_snapshot(cmd, args->netns, &snap);
	if (status)
		return status;
	query.snap = snap;
	query.before = before;
	document = nvme_mptcp_report(&query);
	if (!document)
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	/* Do not write an incomplete report: the other side relies on it. */
	if (command_read_failed())
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	if (args->output)
		status = save(cmd, args->output, document);
	if (!status && args->html)
		status = save_page(cmd, snap, before);
	if (status)
		return status;
	if (!out_is_json(cmd->out))
		return show_summary(cmd, snap, before, document);
	out_json_text(cmd->out, document);
	return 0;
}

const struct command_spec mptcp_report_command = {
	.name = "report",
	.summary = "Write the complete MPTCP state of this machine into one document",
	.description =
		"Writes one JSON document: kernel, settings, counters, limits, endpoints, links, addresses, routes,\n"
		"controllers, connections, subflows, the ports of a target, and the findings of check. Attach it to a\n"
		"bug report, or take it to the other side, where check --peer combines both reports. It contains\n"
		"addresses and NQNs, but no keys. Without privileges it contains what the kernel shows, and lists the\n"
		"rest.\n"
		"  target# " NVME_MPTCP_COMMAND " report -O target.json\n"
		"  host#   " NVME_MPTCP_COMMAND " check --peer target.json\n"
		"--peers DIR reads the reports of many machines instead, and prints their age and their findings,\n"
		"most frequent first.\n"
		"Exit status: 0 done, 1 failed, 3 the network namespace could not be entered; with --peers 0 no\n"
		"warnings or errors, 1 warnings, 2 errors, 3 a report could not be read.",
	.options = report_options,
	.args_size = sizeof(struct report_args),
	.defaults = &report_defaults,
	.formats = OUT_TEXT | OUT_JSON,
	.run = report,
};
