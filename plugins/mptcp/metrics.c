// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp metrics */
#include "metrics.h"
#include "watch.h"

struct metrics_args {
	const char *netns;
	const char *output;
	double interval;
	long max_ctrls;
	bool prometheus;
};

static const struct metrics_args metrics_defaults = { .max_ctrls = NVME_MPTCP_METRICS_CTRLS };

static const struct arg metrics_options[] = {
	OPT(STR, "output", 'O', struct metrics_args, output, "FILE",
	    "write them to FILE, which is replaced atomically"),
	OPT_FLAG("prometheus", 0, struct metrics_args, prometheus,
		 "use Prometheus' text format 0.0.4, as for a FILE that ends in .prom"),
	OPT(DOUBLE, "interval", 0, struct metrics_args, interval, "SECONDS",
	    "sampling interval for findings based on counters"),
	OPT(LONG, "max-controllers", 0, struct metrics_args, max_ctrls, "N",
	    "maximum number of controllers with their own series"),
	OPT_NETNS(struct metrics_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

enum nvme_mptcp_metrics_format metrics_format_of(const char *path)
{
	static const char suffix[] = ".prom";
	size_t length = strlen(path);

	if (length >= strlen(suffix) && !strcmp(path + length - strlen(suffix), suffix))
		return NVME_MPTCP_METRICS_PROMETHEUS;
	return NVME_MPTCP_METRICS_OPENMETRICS;
}

int metrics_save(const char *path, const char *document, unsigned int flags)
{
	size_t length = strlen(document);
	bool is_ended = length && document[length - 1] == '\n';

	/* The file is public, since node_exporter runs as another user. */
	return file_save(path, document, length,
			 flags | FILE_PUBLIC | (is_ended ? 0 : FILE_END_LINE));
}

static enum nvme_mptcp_metrics_format choose_format(const struct command *cmd)
{
	const struct metrics_args *args = cmd->args;

	if (out_is_json(cmd->out))
		return NVME_MPTCP_METRICS_JSON;
	if (args->prometheus)
		return NVME_MPTCP_METRICS_PROMETHEUS;
	return args->output ? metrics_format_of(args->output) : NVME_MPTCP_METRICS_OPENMETRICS;
}

/* Take a snapshot, or two with --interval. Return 0, or an exit status after a message. */
static int take(struct command *cmd, nvme_mptcp_snapshot_t *before, nvme_mptcp_snapshot_t *snap)
{
	const struct metrics_args *args = cmd->args;
	int status;

	if (!args->interval)
		return mptcp_take_snapshot(cmd, args->netns, snap);
	status = mptcp_take_snapshot(cmd, args->netns, before);
	if (status)
		return status;
	watch_wait(args->interval);
	return mptcp_retake_snapshot(cmd, args->netns, snap);
}

static int print(struct command *cmd, const char *document)
{
	const struct metrics_args *args = cmd->args;
	int err;

	if (args->output) {
		err = metrics_save(args->output, document, 0);
		return err ? command_fail(cmd, -err, "%s", args->output) : 0;
	}
	if (out_is_json(cmd->out))
		out_json_text(cmd->out, document);
	else
		out_text(cmd->out, "%s", document);
	return 0;
}

static int check_options(struct command *cmd)
{
	const struct metrics_args *args = cmd->args;

	if (watch_check_interval(cmd, args->interval))
		return command_failure(cmd);
	if (args->max_ctrls < 1)
		return command_fail(cmd, 0, "--max-controllers=%ld: the minimum is 1",
				    args->max_ctrls);
	if (args->prometheus && out_is_json(cmd->out))
		return command_fail(cmd, 0,
				    "--prometheus and --output-format=json cannot be combined");
	return 0;
}

static int metrics(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = NULL, snap = NULL;
	struct nvme_mptcp_metrics_args query = { .args_size = sizeof(query), .pretty = true };
	const struct metrics_args *args = cmd->args;
	_cleanup_(free) char *document = NULL;
	int status = check_options(cmd);

	if (!status)
		status = take(cmd, &before, &snap);
	if (status)
		return status;
	query.snap = snap;
	query.before = before;
	query.format = choose_format(cmd);
	query.max_ctrls = (size_t)args->max_ctrls;
	document = nvme_mptcp_metrics(&query);
	if (!document)
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	/* Do not print incomplete metrics, which would cause false alerts. */
	if (command_read_failed())
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	return print(cmd, document);
}

const struct command_spec mptcp_metrics_command = {
	.name = "metrics",
	.summary = "Print metrics for a monitoring system",
	.description =
		"Prints controllers, links, endpoints, limits, counters and findings as metrics in OpenMetrics format:\n"
		"for each controller and link the number of carrying, expected, missing and backup subflows, their\n"
		"bytes, retransmissions, round-trip time and delivery rate. The labels subsystem, controller and\n"
		"transport match node_exporter's node_nvmesubsystem_* series. Nothing is changed, and no connection\n"
		"is made.\n"
		"A FILE that ends in .prom is in the format of node_exporter's textfile collector.\n"
		"  " NVME_MPTCP_COMMAND
		" metrics -O /var/lib/prometheus/node-exporter/nvme-mptcp.prom\n"
		"Exit status: 0 done, 1 failed, 3 the network namespace could not be entered.",
	.options = metrics_options,
	.args_size = sizeof(struct metrics_args),
	.defaults = &metrics_defaults,
	.formats = OUT_TEXT | OUT_JSON,
	.run = metrics,
};
