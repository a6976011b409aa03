// SPDX-License-Identifier: GPL-2.0-or-later
/* The metrics file that keep rewrites. A failure to write it does not stop keep. */
#include "keep.h"
#include "metrics.h"

int keep_metrics_open(struct keep_metrics *m, struct command *cmd)
{
	const struct keep_args *args = cmd->args;
	struct stat there;

	*m = (struct keep_metrics){ .cmd = cmd, .path = args->metrics, .next = keep_clock_ms() };
	m->interval = (int64_t)(args->metrics_interval * 1000);
	if (!args->metrics)
		return 0;
	if (args->once || args->dry_run || args->restore)
		return command_fail(
			cmd, 0,
			"keep rewrites the file of --metrics while it runs: \"" NVME_MPTCP_COMMAND
			" metrics -O FILE\" writes it once");
	if (args->metrics_interval < 1 || args->metrics_interval > 86400)
		return command_fail(
			cmd, 0, "--metrics-interval=%g: use a number of seconds from 1 to 86400",
			args->metrics_interval);
	if (!stat(args->metrics, &there) && !S_ISREG(there.st_mode))
		return command_fail(cmd, 0,
				    "--metrics=%s: not a regular file, so keep cannot replace it "
				    "(remove it, or use another name)",
				    args->metrics);
	return 0;
}

void keep_metrics_close(struct keep_metrics *m)
{
	nvme_mptcp_snapshot_free(m->before);
	m->before = NULL;
}

int keep_metrics_wait(const struct keep_metrics *m)
{
	int64_t left = m->next - keep_clock_ms();

	return !m->path ? -1 : left > 0 ? (int)left : 0;
}

static int take(struct keep_metrics *m, nvme_mptcp_snapshot_t *ret)
{
	const struct keep_args *args = m->cmd->args;
	nvme_root_t root = command_root(m->cmd);

	if (!root)
		return -ENOMEM;
	if (!m->is_scanned) {
		nvme_root_skip_namespaces(root);
		if (nvme_scan_topology(root, NULL, NULL) && errno != ENOENT)
			return -errno;
		m->is_scanned = true;
	} else {
		nvme_refresh_topology(root);
	}
	return nvme_mptcp_snapshot_take(root, args->netns, ret) ? -errno : 0;
}

/* Take a snapshot and write the file. The previous snapshot shows which counters grow. */
static int renew(struct keep_metrics *m, nvme_mptcp_keeper_t keeper)
{
	struct nvme_mptcp_metrics_args query = {
		.before = m->before,
		.args_size = sizeof(query),
		.format = metrics_format_of(m->path),
		.keeper = keeper,
	};
	_cleanup_(free) char *document = NULL;
	int err = take(m, &query.snap);

	if (err)
		return err;
	document = nvme_mptcp_metrics(&query);
	err = document ? metrics_save(m->path, document, FILE_REGULAR) : -errno;
	keep_metrics_close(m);
	m->before = query.snap;
	return err;
}

int keep_metrics_renew(struct keep_metrics *m, nvme_mptcp_keeper_t keeper, struct keep_log *log)
{
	int64_t now = keep_clock_ms();
	int err, last = m->err;

	/* Skip overdue writes. */
	m->next += m->interval;
	if (m->next <= now)
		m->next = now + m->interval;
	err = m->err = renew(m, keeper);
	if (err && err != last)
		return keep_log_text(log, KEEP_WARNING, "failure",
				     "The metrics were not written to %s: %s", m->path,
				     err == -EINVAL ? "it is not a regular file" : strerror(-err));
	return 0;
}
