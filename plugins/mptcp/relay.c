// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp relay */
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include "relay.h"

#define MAX_THREADS 16
/* Pause before accepting again after a shortage of descriptors or memory, in ms. */
#define SHORTAGE_PAUSE_MS 100
/* Interval for checking deadlines while there are connections, in ms. */
#define SWEEP_INTERVAL_MS 1000
#define CONNECT_INTERVAL_MS 100 /* while a connection waits for its other side */

static const struct relay_args relay_defaults = { .connections = 8192, .send_buffer = 256 * 1024 };

static const struct arg relay_options[] = {
	OPT(STR, "portal", 'a', struct relay_args, portal, "ADDR[:PORT],...",
	    "host: relay connections of nvme-tcp to these portals"),
	OPT(STR, "port", 's', struct relay_args, port, "PORT,...",
	    "target: relay MPTCP connections to these ports of nvmet-tcp"),
	OPT(STR, "dev", 0, struct relay_args, dev, "IF,...",
	    "target: only connections that arrive on these network interfaces (default: all but "
	    "lo)"),
	OPT(STR, "mode", 0, struct relay_args, mode, "MODE",
	    "how connections reach the relay: steer (nftables rules, the default) or address (a "
	    "loopback address for each portal, without privileges)"),
	OPT(STR, "config", 'J', struct relay_args, config, "FILE",
	    "JSON configuration, if no option names portals or ports (default: the system's)"),
	OPT(SUFFIX, "send-buffer", 0, struct relay_args, send_buffer, "BYTES",
	    "initial send buffer of an MPTCP connection"),
	OPT(UINT, "threads", 0, struct relay_args, threads, "N",
	    "threads that move data (default: one per processor, at most 16)"),
	OPT(UINT, "connections", 0, struct relay_args, connections, "N",
	    "maximum number of connections; each takes 33 KiB of locked memory"),
	OPT(UINT, "per-source", 0, struct relay_args, per_source, "N",
	    "target: maximum number of connections from one address (default: half of all, but at "
	    "least 64)"),
	OPT_FLAG("status", 0, struct relay_args, status,
		 "print the connections of the running relay, and exit"),
	OPT_NETNS(struct relay_args, netns),
	OPT_FLAG("dry-run", 'n', struct relay_args, dry_run, "only print the rules"),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

struct relaying {
	struct command *cmd;
	nvme_mptcp_relay_t relay;
	struct relay_pump *pump;
	struct keep_log log;
	int signals, control;
	bool ended;
	bool is_short; /* of descriptors or memory; new connections wait in the kernel */
	struct relay_refusals refusals; /* connections refused by limits */
	int refused_err; /* errno of the last connection not accepted; reported once */
	struct relay_outcomes *outcomes;
};

/* AddressSanitizer reserves terabytes of address space, which mlockall() would populate. */
#ifdef __SANITIZE_ADDRESS__
#define LOCKED 0
#else
#define LOCKED (MCL_CURRENT | MCL_FUTURE)
#endif

/*
 * Lock all memory. With a limit that applies to this process, memory would end there: mlockall()
 * succeeds below it, and later allocations fail. Try a range above the limit, without its pages.
 * Return 0 or -errno.
 */
static int lock_all(void)
{
	struct rlimit limit;
	void *range;
	size_t size;
	int err;

	if (!LOCKED)
		return 0;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY) {
		size = (size_t)limit.rlim_cur + 65536;
		range = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			     0);
		if (range == MAP_FAILED)
			return -errno;
		err = mlock2(range, size, MLOCK_ONFAULT) ? -errno : 0;
		munmap(range, size);
		if (err)
			return err;
	}
	return mlockall(LOCKED) ? -errno : 0;
}

/*
 * Lock all memory and never return it to the kernel: the relay must not wait for swap, which may be
 * on a disk that it carries.
 */
static void lock_memory(struct relaying *r)
{
	int err;

	/* One arena is enough; an arena per thread only reserves address space. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, -1);
	err = lock_all();
	if (err)
		keep_log_text(
			&r->log, KEEP_WARNING, "note",
			"Memory is not locked (%s): under memory pressure, the relay may wait "
			"for I/O that it carries itself (CAP_IPC_LOCK)",
			strerror(-err));
	if (relay_pump_flusher())
		keep_log_text(&r->log, KEEP_NOTICE, "note",
			      "Allocations may wait for disks (PR_SET_IO_FLUSHER requires "
			      "CAP_SYS_RESOURCE)");
}

/* Report why a connection was not accepted, once per reason. */
static void report_refused(struct relaying *r, const struct nvme_mptcp_relay_pair *pair, int err)
{
	if (err != EACCES && *pair->portal) {
		relay_outcomes_note(r->outcomes, pair->portal, pair->peer, err);
	} else if (err != r->refused_err) {
		r->refused_err = err;
		keep_log_text(&r->log, KEEP_WARNING, "failure", "Not relayed: %s",
			      nvme_mptcp_error(err));
	}
}

/* Accept at most 64 connections at a time, so that a connection storm does not delay signals. */
static void take_connections(struct relaying *r, size_t listener)
{
	for (int i = 0; i < 64; i++) {
		struct nvme_mptcp_relay_pair pair;
		int err;

		if (nvme_mptcp_relay_accept(r->relay, listener, &pair)) {
			err = errno;
			if (err == EAGAIN)
				return;
			report_refused(r, &pair, err);
			r->is_short =
				err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
			if (r->is_short)
				return;
			continue;
		}
		err = -relay_pump_add(r->pump, &pair);
		if (err) {
			relay_outcomes_refused(r->outcomes, pair.portal, pair.peer, err);
			relay_refusals_add(&r->refusals, pair.peer, err);
		}
	}
}

/* A relay that is only checked, and the one that it would replace, or NULL. */
struct checked_relay {
	nvme_mptcp_relay_t relay, running;
};

static int read_relay_config(struct command *cmd, void *ret)
{
	struct checked_relay *checked = ret;
	int status = relay_config_read(cmd, &checked->relay);

	if (status || !checked->running)
		return status;
	return nvme_mptcp_relay_try(checked->relay, checked->running) ? mptcp_fail(cmd, 1) : 0;
}

/*
 * Return what is wrong with @args or the configuration, also if it cannot replace what is @running,
 * or NULL.
 */
static const char *check_config(const struct relaying *r, struct relay_args *args,
				nvme_mptcp_relay_t running, struct text *text)
{
	struct command reader = *r->cmd;
	struct checked_relay checked = { .running = running };
	const char *wrong;

	reader.args = args;
	wrong = keep_reload(&reader, read_relay_config, &checked, text);
	nvme_mptcp_relay_free(checked.relay);
	return wrong;
}

/*
 * Execute the program again with the new configuration. If the configuration is invalid or the
 * program cannot be executed, report that and continue unchanged.
 */
static void reload(struct relaying *r)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	const char *what = "", *wrong;

	keep_notify_reloading();
	wrong = check_config(r, r->cmd->args, r->relay, &text);
	if (!wrong) {
		fflush(NULL);
		what = "the program cannot be executed: ";
		wrong = strerror(-relay_execute(r->pump, r->relay));
	}
	keep_notify("READY=1");
	keep_log_text(&r->log, KEEP_WARNING, "failure", "Not reloaded: %s%s", what, wrong);
}

static void read_signal(struct relaying *r)
{
	struct signalfd_siginfo info;

	if (read(r->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP)
		reload(r);
	else
		r->ended = true;
}

static int resume(struct relaying *r)
{
	struct relay_ended ended = { 0 };
	const int n = relay_resume(r->pump, r->relay, &ended);

	if (n < 0)
		return command_fail(r->cmd, -n, "Restoring the connections after a reload");
	if (ended.unserved)
		keep_log_text(&r->log, KEEP_NOTICE, "status",
			      "%zu connection%s to portals that are no longer relayed end%s; "
			      "controllers reconnect straight to the target",
			      ended.unserved, ended.unserved == 1 ? "" : "s",
			      ended.unserved == 1 ? "s" : "");
	if (ended.lost)
		keep_log_text(&r->log, KEEP_WARNING, "failure", "The reload lost %zu connection%s",
			      ended.lost, ended.lost == 1 ? "" : "s");
	else if (n)
		keep_log_text(&r->log, KEEP_INFO, "status", "Reloaded with %d connection%s", n,
			      n == 1 ? "" : "s");
	return 0;
}

/* Answer a status query with the connections and the last result of each portal. */
static void answer_status_query(struct relaying *r)
{
	struct nvme_mptcp_relay_status status = {};
	int err = relay_pump_list(r->pump, &status.connections, &status.n_connections);

	if (!err)
		err = relay_outcomes_list(r->outcomes, &status.results, &status.n_results);
	/* Failure to send the answer is ignored: the client may be gone. */
	if (!err)
		nvme_mptcp_relay_answer(r->relay, &status);
	free(status.connections);
	free(status.results);
	if (err)
		keep_log_text(&r->log, KEEP_WARNING, "failure", "Cannot report the status: %s",
			      strerror(-err));
}

static void open_control(struct relaying *r)
{
	r->control = nvme_mptcp_relay_control(r->relay);
	if (r->control < 0)
		keep_log_text(&r->log, KEEP_WARNING, "note", "Cannot open the status socket: %s",
			      nvme_mptcp_error(errno));
}

static void notify_count(struct relaying *r, size_t *notified)
{
	const size_t n = relay_pump_count(r->pump);

	if (n == *notified)
		return;
	*notified = n;
	keep_notify("STATUS=%zu connection%s", n, n == 1 ? "" : "s");
}

/* Sweep once a second, and more often while a connection waits for its other side. */
static void sweep_when_due(struct relaying *r, int64_t *swept)
{
	const int64_t now = keep_clock_ms();
	const bool is_second = now / SWEEP_INTERVAL_MS != *swept / SWEEP_INTERVAL_MS;

	if (!is_second && (now / CONNECT_INTERVAL_MS == *swept / CONNECT_INTERVAL_MS ||
			   !relay_pump_is_connecting(r->pump)))
		return;
	relay_pump_sweep(r->pump, is_second);
	*swept = now;
}

static size_t count_listeners(const struct relaying *r)
{
	size_t n = 0;

	while (nvme_mptcp_relay_listener(r->relay, n) >= 0)
		n++;
	return n;
}

/* Log failures are not errors: an entry that cannot be written must not end any connection. */
static int take_and_report(struct relaying *r)
{
	const size_t n = count_listeners(r);
	_cleanup_(free) struct pollfd *fds = calloc(n + 4, sizeof(*fds));
	const int watchdog = keep_notify_watchdog();
	size_t notified = SIZE_MAX;
	int64_t swept = 0;

	if (!fds)
		return command_fail(r->cmd, ENOMEM, NVME_COMMAND " %s", r->cmd->name);
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = nvme_mptcp_relay_listener(r->relay, i),
					  .events = POLLIN };
	fds[n] = (struct pollfd){ .fd = r->signals, .events = POLLIN };
	fds[n + 1] = (struct pollfd){ .fd = relay_outcomes_fd(r->outcomes), .events = POLLIN };
	fds[n + 2] = (struct pollfd){ .fd = r->control, .events = POLLIN };
	fds[n + 3] = (struct pollfd){ .events = POLLOUT };
	keep_notify("READY=1");
	while (!r->ended) {
		/* While resources are short, do not poll the listeners. */
		const size_t first = r->is_short ? n : 0;
		const int wait = r->is_short			     ? SHORTAGE_PAUSE_MS
				 : relay_pump_is_connecting(r->pump) ? CONNECT_INTERVAL_MS
				 : relay_pump_count(r->pump)	     ? SWEEP_INTERVAL_MS
								     : watchdog;

		r->is_short = false;
		keep_notify("WATCHDOG=1");
		notify_count(r, &notified);
		fds[n + 3].fd = keep_log_poll_fd(&r->log);
		if (poll(fds + first, n + 4 - first, wait) < 0 && errno != EINTR)
			return command_fail(r->cmd, errno, NVME_COMMAND " %s", r->cmd->name);
		for (size_t i = first; i < n; i++)
			if (fds[i].revents)
				take_connections(r, i);
		if (fds[n].revents)
			read_signal(r);
		relay_outcomes_report(r->outcomes, &r->log);
		keep_log_flush(&r->log);
		relay_refusals_report(&r->refusals, r->pump, &r->log, r->ended);
		if (fds[n + 2].revents)
			answer_status_query(r);
		sweep_when_due(r, &swept);
	}
	return 0;
}

static void report_notices(struct relaying *r)
{
	const char *notice;

	for (size_t i = 0; (notice = nvme_mptcp_relay_notice(r->relay, i)); i++)
		keep_log_text(&r->log, KEEP_NOTICE, "note", "%s", notice);
}

/* Warn if RELAY_OPTIONS of the service replaces the object "relay" of the configuration file. */
static void report_ignored(struct relaying *r)
{
	const struct relay_args *args = r->cmd->args;
	struct relay_args by_config = *args;
	_cleanup_(text_wipe) struct text text = { 0 };
	const char *options = getenv("RELAY_OPTIONS");

	if (!options || !*options || !(args->portal || args->port || args->dev || args->config))
		return;
	by_config.portal = by_config.port = by_config.dev = by_config.config = NULL;
	if (check_config(r, &by_config, NULL, &text))
		return;
	keep_log_text(&r->log, KEEP_WARNING, "note",
		      "RELAY_OPTIONS=\"%s\" replaces the object \"relay\" of " CONFIG_FILE
		      ": to use the file, remove the variable (systemctl edit "
		      "nvme-mptcp-relay.service) and restart the service",
		      options);
}

static int open_relay(struct relaying *r)
{
	if (!nvme_mptcp_relay_open(r->relay))
		return 0;
	return mptcp_fail(r->cmd, errno == EOPNOTSUPP ? MPTCP_EXIT_NO_ANSWER : 1);
}

static int open_pump(struct relaying *r)
{
	const struct relay_args *args = r->cmd->args;
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const struct relay_pump_args query = {
		.threads = args->threads	      ? args->threads
			   : processors < 1	      ? 1
			   : processors > MAX_THREADS ? MAX_THREADS
						      : (unsigned int)processors,
		.most = relay_limits_raise(&r->log, args->connections),
		.per_source = args->per_source,
		.send_buffer = (size_t)args->send_buffer,
		.relay = r->relay,
		.outcomes = r->outcomes,
	};
	int err = relay_pump_open(&query, &r->pump);

	return err ? command_fail(r->cmd, -err, NVME_COMMAND " %s", r->cmd->name) : 0;
}

static void report_stop(struct relaying *r)
{
	const size_t n = relay_pump_count(r->pump);

	keep_notify("STOPPING=1");
	if (n)
		keep_log_text(&r->log, KEEP_NOTICE, "status",
			      "Stopped: %zu connection%s end%s; controllers reconnect without the "
			      "relay, as plain TCP over one link",
			      n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

static int run_relay(struct relaying *r)
{
	int status;

	r->signals = keep_notify_signals();
	r->outcomes = relay_outcomes_new();
	if (r->signals < 0 || !r->outcomes)
		return command_fail(r->cmd, errno, NVME_COMMAND " %s", r->cmd->name);
	/* Standard output may be a pipe whose reader has ended. */
	signal(SIGPIPE, SIG_IGN);
	r->log.is_urgent = true;
	lock_memory(r);
	/* Start the threads before the first connection is accepted. */
	status = open_pump(r);
	if (!status)
		status = resume(r);
	if (!status)
		status = open_relay(r);
	if (!status) {
		open_control(r);
		report_notices(r);
		report_ignored(r);
		keep_log_text(&r->log, KEEP_INFO, "status", "Relaying");
		status = take_and_report(r);
	}
	if (r->pump && r->ended && !status)
		report_stop(r);
	/* Remove the rules first, so that controllers reconnect straight to the target. */
	relay_pump_detach(r->pump);
	nvme_mptcp_relay_free(r->relay);
	r->relay = NULL;
	relay_pump_close(r->pump);
	return status;
}

static int check_relay_options(struct command *cmd)
{
	const struct relay_args *args = cmd->args;

	if (args->netns && !args->status)
		return command_fail(
			cmd, 0,
			"--netns is for --status: a relay runs where it is started (ip netns "
			"exec)");
	if (args->threads > 256)
		return command_fail(cmd, 0, "--threads=%u: the maximum is 256", args->threads);
	if (!args->connections || args->connections > 1000000)
		return command_fail(cmd, 0, "--connections=%u: 1 to 1000000", args->connections);
	if (args->per_source > 1000000)
		return command_fail(cmd, 0, "--per-source=%u: the maximum is 1000000",
				    args->per_source);
	if (args->send_buffer < 16384 || args->send_buffer > 1 << 30)
		return command_fail(cmd, 0, "--send-buffer=%" PRIu64 ": 16Ki to 1Gi",
				    args->send_buffer);
	return 0;
}

static int relay(struct command *cmd)
{
	const struct relay_args *args = cmd->args;
	struct relaying *r;
	int status = check_relay_options(cmd);

	if (status)
		return status;
	if (args->status)
		return relay_status_show(cmd);
	r = calloc(1, sizeof(*r));
	if (!r)
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	*r = (struct relaying){ .cmd = cmd, .signals = -1, .control = -1 };
	if (!args->dry_run)
		out_compact(cmd->out);
	status = relay_config_read(cmd, &r->relay);
	if (!status && args->dry_run) {
		status = relay_config_show(cmd, r->relay);
	} else if (!status) {
		keep_log_open(&r->log, cmd);
		status = run_relay(r);
		keep_log_close(&r->log);
	}
	nvme_mptcp_relay_free(r->relay);
	relay_outcomes_free(r->outcomes);
	if (r->signals >= 0)
		close(r->signals);
	free(r);
	return status;
}

const struct command_spec mptcp_relay_command = {
	.name = "relay",
	.summary = "Carry NVMe/TCP over MPTCP, for kernels without NVMe over MPTCP",
	.description =
		"Runs until a signal ends it. On a host it accepts the connections of nvme-tcp to the given portals\n"
		"and makes MPTCP connections to the same portals; on a target it accepts MPTCP connections to the\n"
		"given ports and connects to nvmet-tcp. You connect with -t tcp, and all tools show the target's\n"
		"addresses. Endpoints and limits of MPTCP come from setup and keep.\n"
		"The nftables rules disappear with the process; controllers then reconnect over plain TCP.\n"
		"Without options, the object \"relay\" in \"mptcp\" of the configuration is used.\n"
		"Exit status: 0 ended, 1 failed, 3 the kernel has no MPTCP, or nftables is missing, 6 nothing to relay.",
	.options = relay_options,
	.args_size = sizeof(struct relay_args),
	.defaults = &relay_defaults,
	.formats = OUT_TEXT | OUT_JSON,
	.run = relay,
};
