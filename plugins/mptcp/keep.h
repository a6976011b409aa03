/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interfaces between the parts of nvme mptcp keep: configuration, log, status, metrics, resets. */
#pragma once

#include "plan.h"

/* Priorities of journald and syslog. */
enum keep_priority {
	KEEP_ERROR = 3,
	KEEP_WARNING = 4,
	KEEP_NOTICE = 5,
	KEEP_INFO = 6,
};

/*
 * Log of keep: the journal, with fields, if standard error is connected to it; else standard
 * output.
 */
struct keep_log {
	struct command *cmd;
	int journal; /* socket, or -1 */
	bool is_urgent; /* never block; drop and count entries that do not fit */
	char *rest; /* unwritten rest of an entry that was written in part */
	size_t n_rest;
	size_t lost; /* number of dropped entries */
	char **notes; /* of the last round; a note is reported once */
	size_t n_notes;
	char *status; /* last reported status */
	char *failure; /* of the last round; NULL if it succeeded */
};

void keep_log_open(struct keep_log *log, struct command *cmd);
void keep_log_close(struct keep_log *log);

/* Return the descriptor to poll for POLLOUT, or -1 if nothing waits to be written. */
int keep_log_poll_fd(const struct keep_log *log);
/* Write waiting entries as far as possible. Return 0, or 1 if standard output is gone. */
int keep_log_flush(struct keep_log *log);

/* Log one entry. Return 0, or 1 if standard output is gone. */
int keep_log_text(struct keep_log *log, enum keep_priority priority, const char *event,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Log the executed steps of a plan, and the notes that the last round did not have. Notes about the
 * target are included only if @incomplete, the result of keep_is_incomplete(), is true.
 */
int keep_log_plan(struct keep_log *log, nvme_mptcp_plan_t plan, bool incomplete);

/* Log steps that were executed outside a round. */
int keep_log_done(struct keep_log *log, nvme_mptcp_plan_t plan);

/* Log why a round failed, unless the last round failed for the same reason. */
int keep_log_failure(struct keep_log *log, const char *text);
bool keep_log_has_failed(const struct keep_log *log, const char *text);

/* Forget the last status and failure, so that the next ones are logged in any case. */
void keep_log_reset(struct keep_log *log);

/* Controllers that have or had connections in this network namespace and still exist. */
struct keep_known_ctrls {
	char **names; /* sorted by strcmp() */
	size_t n;
	bool any; /* true after the first connection, even without a controller */
};

void keep_known_ctrls_clear(struct keep_known_ctrls *memory);

/* Maximum number of controllers in an entry. */
#define KEEP_MAX_CTRLS 16

struct keep_status {
	char *text; /* "4 links carry 2 controllers, 1 subflow missing on eth3"; owned */
	const char *ctrls[KEEP_MAX_CTRLS + 1]; /* not live, no connection; owned by the snapshot */
	bool is_well;
};

/* Log a status if it differs from the last one. */
int keep_log_status(struct keep_log *log, const struct keep_status *status);

/* keep-notify.c: send a notification to the service manager, if there is one. */
void keep_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Send RELOADING=1 with MONOTONIC_USEC. */
void keep_notify_reloading(void);
/* Return the interval of watchdog notifications in ms, or -1 without a watchdog. */
int keep_notify_watchdog(void);
/* Return a signalfd for SIGINT, SIGTERM and SIGHUP, or -1 with errno. */
int keep_notify_signals(void);
/* Return CLOCK_MONOTONIC in ms. */
int64_t keep_clock_ms(void);

/* Describe the current state in @ret and update @memory. Return 0 or -ENOMEM. */
int keep_status(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t plan, struct keep_known_ctrls *memory,
		struct keep_status *ret);

/* True if connections exist and some lack subflows, MPTCP, or a link of the plan. */
bool keep_is_incomplete(nvme_mptcp_snapshot_t snap, nvme_mptcp_plan_t plan);

/* keep-metrics.c: the metrics file that keep rewrites at an interval. */
struct keep_metrics {
	struct command *cmd;
	const char *path; /* NULL: none */
	int64_t interval, next; /* interval in ms, next write in ms of CLOCK_MONOTONIC */
	nvme_mptcp_snapshot_t before;
	bool is_scanned;
	int err; /* of the last write; an error is reported once */
};

/* Return 0, or an exit status after a message about the options. */
int keep_metrics_open(struct keep_metrics *m, struct command *cmd);
void keep_metrics_close(struct keep_metrics *m);

/* Return the time until the next write in ms, or -1 without a file. */
int keep_metrics_wait(const struct keep_metrics *m);

/* Write the file; failures go to the log. Return 0, or 1 if standard output is gone. */
int keep_metrics_renew(struct keep_metrics *m, nvme_mptcp_keeper_t keeper, struct keep_log *log);

/* A controller that uses only one link, or did so recently. */
struct keep_moved {
	char name[32];
	bool has_one_link, is_bypassed; /* in the last round */
	char traddr[64], trsvcid[8], host_traddr[64], host_iface[16];
	int64_t seen, next; /* last seen with one link, next action; ms of CLOCK_MONOTONIC */
	unsigned int resets, trials;
};

/* keep-move.c: controllers that a reset would move to all links. */
struct keep_move {
	struct command *cmd;
	const char *netns;
	struct keep_moved *ctrls; /* sorted by name */
	size_t n;
	pid_t child; /* process that tests the target and resets a controller; 0: none */
	int end; /* read end of a pipe that signals the child's exit; -1: none */
	char moving[32]; /* name of the child's controller */
};

/* Update the list after a round, from its snapshot. Return 0 or -ENOMEM. */
int keep_move_update(struct keep_move *m, nvme_mptcp_snapshot_t snap);
/* Return the time until keep_move_act() is due in ms, or -1 if it is not. */
int keep_move_wait(const struct keep_move *m);
/* Start a child for a controller that is due. Return 0, or 1 if standard output is gone. */
int keep_move_act(struct keep_move *m, nvme_mptcp_keeper_t keeper, struct keep_log *log);
/* Collect the child and log its result. Return 0, or 1 if standard output is gone. */
int keep_move_end(struct keep_move *m, struct keep_log *log);
void keep_move_close(struct keep_move *m);

/* Desired state, from options and configuration. */
struct keep_config {
	nvme_root_t root; /* of the configuration, or NULL */
	nvme_mptcp_config_t mptcp; /* likewise */
	bool wants; /* the configuration requests endpoints or limits */
	const char **traddrs; /* NULL-terminated, or NULL */
	const char **devices; /* likewise */
	const char **links; /* devices of the relay in the configuration, which owns the strings */
	char **found; /* traddrs of the configuration's ports */
	size_t n_found;
};

struct keep_args {
	const char *netns;
	const char *role;
	const char *traddr;
	const char *dev;
	const char *config;
	const char *metrics;
	double metrics_interval;
	bool automatic;
	bool adopt;
	bool no_reset;
	bool once;
	bool dry_run;
	bool restore;
};

/*
 * Return the start of the address in "192.0.2.1:4420", "[2001:db8::1]:4420" or a bare address, and
 * store its length. *@port is "4420" if the portal has none.
 */
const char *keep_split_portal(const char *portal, size_t *length, const char **port);

/* Return 0, or an exit status after a message. */
int keep_config_read(struct command *cmd, struct keep_config *ret);
void keep_config_clear(struct keep_config *config);

struct text;

/*
 * Call @read to reload a configuration while the process runs. Return NULL, or what is wrong: a
 * constant or a string owned by @text. Messages of @read go to @text instead of standard error.
 */
const char *keep_reload(const struct command *cmd, int (*read)(struct command *cmd, void *ret),
			void *ret, struct text *text);
