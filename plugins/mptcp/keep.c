// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp keep */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "keep.h"
#if HAVE_MALLOC_TRIM
#include <malloc.h>
#endif

static const struct keep_args keep_defaults = { .metrics_interval = 15 };

static const struct arg keep_options[] = {
	OPT_FLAG("auto", 0, struct keep_args, automatic,
		 "keep what setup plans if the configuration has no \"mptcp\" object"),
	OPT(STR, "config", 'J', struct keep_args, config, "FILE",
	    "JSON configuration, or none (default: the system's)"),
	OPT(STR, "role", 0, struct keep_args, role, "ROLE",
	    "side of this machine: host or target (default: by its controllers and ports)"),
	OPT(STR, "traddr", 'a', struct keep_args, traddr, "ADDR,...",
	    "addresses of the target, the one to connect to first"),
	OPT(STR, "dev", 0, struct keep_args, dev, "IF,...",
	    "network interfaces to use (default: those for storage)"),
	OPT_FLAG("adopt", 0, struct keep_args, adopt,
		 "also keep endpoints of other programs that match the plan"),
	OPT_FLAG("no-reset", 0, struct keep_args, no_reset,
		 "do not reset controllers that bypass the relay or use plain TCP"),
	OPT_FLAG("once", 0, struct keep_args, once, "make the required changes once, then exit"),
	OPT_FLAG("dry-run", 'n', struct keep_args, dry_run, "show the changes without making them"),
	OPT_FLAG("restore", 0, struct keep_args, restore, "undo the changes of keep, and exit"),
	OPT(STR, "metrics", 0, struct keep_args, metrics, "FILE",
	    "also write metrics to FILE, as " NVME_MPTCP_COMMAND " metrics prints them"),
	OPT(DOUBLE, "metrics-interval", 0, struct keep_args, metrics_interval, "SECONDS",
	    "interval between two writes of the metrics"),
	OPT_NETNS(struct keep_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

/* State of a running keep. */
struct keeping {
	struct command *cmd;
	nvme_mptcp_keeper_t keeper;
	struct keep_config config;
	struct keep_log log;
	struct keep_known_ctrls memory;
	struct keep_metrics metrics;
	struct keep_move move;
	enum nvme_mptcp_role role;
	int signals;
	bool ended;
};

static struct nvme_mptcp_keep_args query_of(const struct keeping *k)
{
	const struct keep_args *args = k->cmd->args;

	return (struct nvme_mptcp_keep_args){
		.config = k->config.wants ? k->config.mptcp : NULL,
		.traddrs = k->config.traddrs,
		.devices = k->config.devices ? k->config.devices : k->config.links,
		.args_size = sizeof(struct nvme_mptcp_keep_args),
		.role = k->role,
		.adopt = args->adopt,
	};
}

static int open_keeper(struct keeping *k)
{
	const struct keep_args *args = k->cmd->args;
	const char *netns = args->netns ? args->netns : "of this process";
	const struct nvme_mptcp_keeper_args where = { .netns = args->netns,
						      .args_size = sizeof(where) };
	pid_t holder = 0;

	/* --dry-run takes no lock, so that it works while the service runs. */
	if (!(args->dry_run ? nvme_mptcp_keeper_look(&where, &k->keeper)
			    : nvme_mptcp_keeper_open(&where, &k->keeper, &holder)))
		return 0;
	if (errno == EBUSY && holder)
		return command_fail(
			k->cmd, 0,
			"process %d already runs keep in the network namespace %s, and two "
			"would undo each other's changes (systemctl status "
			"nvme-mptcp.service)",
			(int)holder, netns);
	if (errno == EBUSY)
		return command_fail(
			k->cmd, 0,
			"another process already runs keep in the network namespace %s, and "
			"two would undo each other's changes",
			netns);
	if (args->netns)
		return command_fail_as(
			k->cmd, MPTCP_EXIT_NO_ANSWER, errno,
			"Network namespace %s, or /run/nvme-mptcp, where keep records "
			"its changes",
			netns);
	if (errno == EACCES || errno == EPERM)
		return command_fail(k->cmd, 0,
				    "keep needs root: CAP_NET_ADMIN to change endpoints, and write "
				    "access to /run/nvme-mptcp for its records");
	return command_fail(k->cmd, errno, "/run/nvme-mptcp, where keep records its changes");
}

/* Return why there is no plan. The cause may be temporary. */
static const char *reason(const struct keeping *k, int err)
{
	static const enum nvme_mptcp_part parts[] = {
		NVME_MPTCP_SETTINGS, NVME_MPTCP_LIMITS,	   NVME_MPTCP_ENDPOINTS,
		NVME_MPTCP_LINKS,    NVME_MPTCP_ADDRESSES, NVME_MPTCP_CONTROLLERS
	};
	nvme_mptcp_snapshot_t snap = nvme_mptcp_keeper_snapshot(k->keeper);
	const char *found = NULL;

	if (k->config.wants && (err == EPROTO || err == ENODATA))
		found = nvme_mptcp_config_error(k->config.mptcp);
	for (size_t i = 0; !found && err == ENODATA && snap && i < sizeof(parts) / sizeof(*parts);
	     i++)
		found = nvme_mptcp_snapshot_problem(snap, parts[i]);
	return found ? found : command_error_text(err);
}

static int require_mptcp(const struct keeping *k)
{
	nvme_mptcp_snapshot_t snap = nvme_mptcp_keeper_snapshot(k->keeper);

	return snap ? mptcp_require(k->cmd, snap) : 0;
}

static int cannot_plan(const struct keeping *k, int err)
{
	int status = require_mptcp(k);

	if (status)
		return status;
	return command_fail_as(k->cmd, err == ENODATA ? MPTCP_EXIT_NO_ANSWER : 1, 0, "%s",
			       reason(k, err));
}

static void show_plan(struct command *cmd, nvme_mptcp_plan_t plan, bool applied)
{
	struct out *out = cmd->out;

	plan_show_notes(cmd, plan, PLAN_NOTES_HERE);
	plan_show_steps(cmd, plan);
	plan_show_notes(cmd, plan, PLAN_NOTES_THERE);
	if (!nvme_mptcp_step_next(plan, NULL))
		out_text(out, "\nnothing to do\n");
	else if (!applied)
		out_text(out, "\nnothing was changed\n");
}

static int show(struct command *cmd, nvme_mptcp_plan_t plan, bool applied)
{
	if (out_is_json(cmd->out))
		return plan_show_json(cmd, plan);
	show_plan(cmd, plan, applied);
	return 0;
}

static int dry_run(struct keeping *k)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	const struct keep_args *args = k->cmd->args;
	const struct nvme_mptcp_keep_args query = query_of(k);
	int err = args->restore ? nvme_mptcp_keeper_restore(k->keeper, &plan)
				: nvme_mptcp_keeper_plan(k->keeper, &query, &plan);

	return err ? cannot_plan(k, errno) : show(k->cmd, plan, false);
}

static int restore(struct keeping *k)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	int err, status;

	if (nvme_mptcp_keeper_restore(k->keeper, &plan))
		return cannot_plan(k, errno);
	err = nvme_mptcp_keeper_apply(k->keeper, plan) ? errno : 0;
	status = show(k->cmd, plan, true);
	return err ? plan_apply_failed(k->cmd, err) : status;
}

static int log_current_status(struct keeping *k, nvme_mptcp_plan_t plan)
{
	struct keep_status status;
	int err = keep_status(k->keeper, plan, &k->memory, &status);

	if (err)
		return command_fail(k->cmd, -err, NVME_COMMAND " %s", k->cmd->name);
	keep_notify("STATUS=%s", status.text);
	err = keep_log_status(&k->log, &status);
	free(status.text);
	return err;
}

static const char *failure_hint(int err)
{
	return err == EPERM    ? ": CAP_NET_ADMIN is required in this network namespace"
	       : err == ERANGE ? ": the kernel's endpoint table is full"
			       : "";
}

static nvme_mptcp_step_t failed_step(nvme_mptcp_plan_t plan)
{
	nvme_mptcp_for_each_step(plan, step)
		if (nvme_mptcp_step_state(step) == NVME_MPTCP_STEP_FAILED)
			return step;
	return NULL;
}

/* Log a failed round. It is repeated every minute, so the same failure is logged only once. */
static int fail_round(struct keeping *k, nvme_mptcp_plan_t plan, int err)
{
	nvme_mptcp_step_t step = failed_step(plan);
	_cleanup_(free) char *text = NULL;

	if (asprintf(&text, "Some changes failed: %s%s%s%s",
		     step ? nvme_mptcp_step_command(step) : "", step ? ": " : "",
		     command_error_text(err), failure_hint(err)) < 0) {
		text = NULL;
		return command_fail(k->cmd, ENOMEM, NVME_COMMAND " %s", k->cmd->name);
	}
	keep_notify("STATUS=%s", text);
	if (keep_log_has_failed(&k->log, text))
		return 0;
	return keep_log_plan(&k->log, plan, true) || keep_log_failure(&k->log, text);
}

/* Log the steps that were executed outside a round. */
static int log_done_plans(struct keeping *k)
{
	nvme_mptcp_plan_t done;
	int status = 0;

	while (!status && (done = nvme_mptcp_keeper_done(k->keeper))) {
		status = keep_log_done(&k->log, done);
		nvme_mptcp_plan_free(done);
	}
	return status;
}

/*
 * Plan, apply and log a round. *@done is true if nothing was left to do; *@failed is the errno of a
 * failed round, which is repeated later. Return 0 or an exit status.
 */
static int make_round(struct keeping *k, bool *done, int *failed)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	const struct nvme_mptcp_keep_args query = query_of(k);
	const struct keep_args *args = k->cmd->args;
	int status;

	*done = true;
	*failed = 0;
	if (nvme_mptcp_keeper_plan(k->keeper, &query, &plan)) {
		*failed = errno;
		if (log_done_plans(k))
			return 1;
		keep_notify("STATUS=%s", reason(k, *failed));
		return keep_log_failure(&k->log, reason(k, *failed));
	}
	status = require_mptcp(k);
	if (!status)
		status = log_done_plans(k);
	if (!status && !args->no_reset &&
	    keep_move_update(&k->move, nvme_mptcp_keeper_snapshot(k->keeper)))
		status = command_fail(k->cmd, ENOMEM, NVME_COMMAND " %s", k->cmd->name);
	if (status)
		return status;
	*done = !nvme_mptcp_step_next(plan, NULL);
	if (nvme_mptcp_keeper_apply(k->keeper, plan))
		*failed = errno;
	status = log_done_plans(k);
	if (*failed || status)
		return status ? status : fail_round(k, plan, *failed);
	status = keep_log_plan(&k->log, plan,
			       keep_is_incomplete(nvme_mptcp_keeper_snapshot(k->keeper), plan));
	return status ? status : log_current_status(k, plan);
}

/* Do up to four rounds, until nothing is left to do or one fails. Return an exit status. */
static int once(struct keeping *k)
{
	int status = 0, failed = 0, rounds = 0;
	bool done = false;

	while (!done && !status && !failed && rounds++ < 4) {
		struct timespec pause = { .tv_sec = 1, .tv_nsec = 500000000 };

		status = make_round(k, &done, &failed);
		if (!done && !failed && !status)
			nanosleep(&pause, NULL);
	}
	return status ? status : failed || !done;
}

static int read_keep_config(struct command *cmd, void *ret)
{
	return keep_config_read(cmd, ret);
}

static int reload(struct keeping *k)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	struct keep_config config = {};
	const char *wrong;
	int status;

	keep_notify_reloading();
	wrong = keep_reload(k->cmd, read_keep_config, &config, &text);
	if (wrong) {
		keep_config_clear(&config);
		status =
			keep_log_text(&k->log, KEEP_ERROR, "failure",
				      "The new configuration is invalid; the previous one stays in "
				      "force: %s",
				      wrong);
	} else {
		keep_config_clear(&k->config);
		k->config = config;
		keep_log_reset(&k->log);
		status = keep_log_text(&k->log, KEEP_INFO, "reloaded",
				       "The configuration was read again");
	}
	nvme_mptcp_keeper_forgive(k->keeper);
	keep_notify("READY=1");
	return status;
}

static int take_signal(struct keeping *k)
{
	struct signalfd_siginfo info;

	if (read(k->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (info.ssi_signo == SIGHUP)
		return reload(k);
	k->ended = true;
	return 0;
}

/* Return the shorter of two timeouts; -1 is infinite. */
static int shorter_timeout(int a, int b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

/*
 * Return freed memory to the kernel: a round needs megabytes, and the next one may be hours away.
 */
static void trim_heap(void)
{
#if HAVE_MALLOC_TRIM
	malloc_trim(0);
#endif
}

static int follow(struct keeping *k, int events)
{
	struct pollfd fds[] = { { .fd = events, .events = POLLIN },
				{ .fd = k->signals, .events = POLLIN },
				{ .events = POLLOUT },
				{ .events = POLLIN } };
	const int watchdog = keep_notify_watchdog();
	bool is_ready = false;
	int status = 0;

	while (!status && !k->ended) {
		int wait = nvme_mptcp_keeper_wait(k->keeper), failed;
		int due = keep_metrics_wait(&k->metrics), move = keep_move_wait(&k->move);
		bool done;

		keep_notify("WATCHDOG=1");
		if (!wait) {
			status = make_round(k, &done, &failed);
			trim_heap();
			if (!is_ready && !status)
				keep_notify("READY=1");
			is_ready = true;
			continue;
		}
		if (!due) {
			status = keep_metrics_renew(&k->metrics, k->keeper, &k->log);
			continue;
		}
		if (!move) {
			status = keep_move_act(&k->move, k->keeper, &k->log);
			continue;
		}
		fds[2].fd = keep_log_poll_fd(&k->log);
		fds[3].fd = k->move.child ? k->move.end : -1;
		fds[3].revents = 0;
		if (poll(fds, 4,
			 shorter_timeout(shorter_timeout(shorter_timeout(wait, due), move),
					 watchdog)) < 0 &&
		    errno != EINTR)
			return command_fail(k->cmd, errno, NVME_COMMAND " %s", k->cmd->name);
		if (nvme_mptcp_keeper_read(k->keeper))
			return command_fail(k->cmd, errno, "reading events");
		status = log_done_plans(k);
		if (!status && fds[3].revents)
			status = keep_move_end(&k->move, &k->log);
		if (!status)
			status = keep_log_flush(&k->log);
		if (!status)
			status = take_signal(k);
	}
	return status;
}

/*
 * Restore the endpoints that are out of use, even if their links are still dead: no other program
 * would restore them later.
 */
static int restore_endpoints(struct keeping *k)
{
	if (nvme_mptcp_keeper_end(k->keeper))
		return command_fail(k->cmd, errno,
				    "Endpoints of dead links stay out of use until the next start");
	return log_done_plans(k);
}

static int run(struct keeping *k)
{
	int events = nvme_mptcp_keeper_listen(k->keeper), status;

	if (events < 0)
		return command_fail_as(k->cmd, errno == EOPNOTSUPP ? MPTCP_EXIT_NO_ANSWER : 1,
				       errno == EPERM ? 0 : errno, "MPTCP events%s",
				       errno == EPERM ? ": the kernel shows them to root only "
							"(CAP_NET_ADMIN)"
						      : "");
	k->signals = keep_notify_signals();
	if (k->signals < 0)
		return command_fail(k->cmd, errno, NVME_COMMAND " %s", k->cmd->name);
	k->log.is_urgent = true;
	status = follow(k, events);
	if (k->ended && !status)
		status = restore_endpoints(k);
	keep_notify("STOPPING=1\nSTATUS=Ended: endpoints and limits stay");
	close(k->signals);
	return status;
}

static int check_options(struct command *cmd, enum nvme_mptcp_role *role)
{
	const struct keep_args *args = cmd->args;

	if (args->restore && args->once)
		return command_fail(
			cmd, 0,
			"--restore and --once cannot be combined: --restore undoes the changes "
			"of --once");
	return plan_parse_side(cmd, args->role, role);
}

static int keep(struct command *cmd)
{
	const struct keep_args *args = cmd->args;
	struct keeping k = { .cmd = cmd, .move = { .cmd = cmd, .netns = args->netns } };
	int status = check_options(cmd, &k.role);

	out_compact(cmd->out);
	if (!status)
		status = keep_metrics_open(&k.metrics, cmd);
	if (!status)
		status = keep_config_read(cmd, &k.config);
	if (!status)
		status = open_keeper(&k);
	if (!status) {
		if (args->dry_run) {
			status = dry_run(&k);
		} else if (args->restore) {
			status = restore(&k);
		} else {
			keep_log_open(&k.log, cmd);
			status = args->once ? once(&k) : run(&k);
			keep_log_close(&k.log);
		}
	}
	keep_known_ctrls_clear(&k.memory);
	keep_metrics_close(&k.metrics);
	keep_move_close(&k.move);
	nvme_mptcp_keeper_close(k.keeper);
	keep_config_clear(&k.config);
	return status;
}

const struct command_spec mptcp_keep_command = {
	.name = "keep",
	.summary = "Keep endpoints, limits and subflows as configured when links change",
	.description =
		"Runs until a signal ends it, and keeps the machine in the state described by the \"mptcp\" object of\n"
		"the configuration or, with --auto, planned by setup. It takes dead and slow links out of use within\n"
		"milliseconds to a second, puts them back when they work, adds missing endpoints, and restores\n"
		"missing subflows. Endpoints of other programs stay, except on dead and slow links. What keep made\n"
		"stays when it ends, and the next start recognizes it; --restore removes it.\n"
		"SIGHUP reads the configuration again. There is one instance per network namespace.\n"
		"Exit status: 0 ended or done, 1 failed, or not all was done (--once), 3 the kernel has no MPTCP or\n"
		"does not show it.",
	.options = keep_options,
	.args_size = sizeof(struct keep_args),
	.defaults = &keep_defaults,
	.formats = OUT_TEXT | OUT_JSON,
	.run = keep,
};
