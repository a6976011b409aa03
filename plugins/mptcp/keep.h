/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme mptcp keep, by its parts: what it is told, what it reports and to whom. */
#pragma once

#include "mptcp.h"
#include "plan.h"

/* Importance as journald and syslog count it. */
enum keep_priority {
	KEEP_ERROR = 3,
	KEEP_WARNING = 4,
	KEEP_NOTICE = 5,
	KEEP_INFO = 6,
};

/* Where entries go: the journal with its fields, if standard error leads there; else standard output. */
struct keep_log {
	struct command *cmd;
	int journal; /* a socket, -1: none */
	bool is_urgent; /* what there is no room for is not waited for: it is counted, and said later */
	char *rest; /* of an entry that had only room for its beginning */
	size_t n_rest;
	size_t lost; /* entries that there was no room for */
	char **notes; /* of the last round: each is reported once */
	size_t n_notes;
	char *status; /* the last one */
	char *failure; /* of the last round, NULL: it did not fail */
};

void keep_log_open(struct keep_log *log, struct command *cmd);
void keep_log_close(struct keep_log *log);

/* What waits for room: a descriptor to be polled for POLLOUT, or -1. */
int keep_log_waiting(const struct keep_log *log);
/* Writes that, as far as there is room. 0, or 1 once standard output is gone. */
int keep_log_catch_up(struct keep_log *log);

/* 0, or 1 once standard output is gone. */
int keep_log_text(struct keep_log *log, enum keep_priority priority, const char *event,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * The steps of a plan as they were done, and the notes that the last round did not have. What the
 * target has to do is one of them only while something is missing, as keep_lacks() has it.
 */
int keep_log_plan(struct keep_log *log, nvme_mptcp_plan_t plan, bool lacks);

/* What was done at once, beside the rounds. */
int keep_log_done(struct keep_log *log, nvme_mptcp_plan_t plan);

/* Why a round failed, if the one before did not fail for the same reason. */
int keep_log_failure(struct keep_log *log, const char *text);
bool keep_log_has_failed(const struct keep_log *log, const char *text);

/* What is reported next is news, whatever it is. */
void keep_log_forget(struct keep_log *log);

/* What the status is made of besides a snapshot: controllers that had connections here, and still are. */
struct keep_memory {
	char **names; /* in the order of strcmp */
	size_t n;
	bool any; /* was there any connection, of whomever? */
};

void keep_memory_clear(struct keep_memory *memory);

/* An entry names no more controllers than people read. */
#define KEEP_MOST_CTRLS 16

struct keep_status {
	char *text; /* "4 links carry 2 controllers, 1 subflow missing on eth3", to be freed */
	const char *ctrls[KEEP_MOST_CTRLS +
			  1]; /* that have no connection and are not live: the snapshot's */
	bool is_well;
};

/* A status, if it is another one than before. */
int keep_log_status(struct keep_log *log, const struct keep_status *status);

/* keep-notify.c: to the service manager that waits for it, if any. */
void keep_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* RELOADING=1, with the time that it takes. */
void keep_notify_reloading(void);
/* How often the watchdog is to be fed in milliseconds, -1: there is none. */
int keep_notify_watchdog(void);
/* A descriptor for the signals that end it, or have it read its configuration again; -1 with errno. */
int keep_notify_signals(void);
/* CLOCK_MONOTONIC. */
int64_t keep_clock_ms(void);

/* How things are, and how they were; @memory is brought up to date. 0 or -ENOMEM. */
int keep_status(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t plan, struct keep_memory *memory,
		struct keep_status *ret);

/* Do connections lack subflows, MPTCP, or a link of the plan? Without any, nothing is missing yet. */
bool keep_lacks(nvme_mptcp_snapshot_t snap, nvme_mptcp_plan_t plan);

/* keep-metrics.c: the file of metrics that is renewed meanwhile. */
struct keep_metrics {
	struct command *cmd;
	const char *path; /* NULL: none */
	int64_t interval, next; /* ms of CLOCK_MONOTONIC */
	nvme_mptcp_snapshot_t before;
	bool is_scanned;
	int err; /* of the last time: each is reported once */
};

/* 0, or an exit status after a message about the options. */
int keep_metrics_open(struct keep_metrics *m, struct command *cmd);
void keep_metrics_close(struct keep_metrics *m);

/* Milliseconds until the file is due, -1 if there is none. */
int keep_metrics_wait(const struct keep_metrics *m);

/* 0, or 1 once standard output is gone; that the file cannot be written goes to the log. */
int keep_metrics_renew(struct keep_metrics *m, nvme_mptcp_keeper_t keeper, struct keep_log *log);

/* A controller that uses one link, or did a short while ago. */
struct keep_moved {
	char name[32];
	bool has_one_link, is_bypassed; /* in the last round */
	char traddr[64], trsvcid[8], host_traddr[64], host_iface[16];
	int64_t seen, next; /* when it was in trouble last, when something is done; ms */
	unsigned int resets, trials;
};

/* keep-move.c: those that a reset would give all links. */
struct keep_move {
	struct command *cmd;
	const char *netns;
	struct keep_moved *ctrls; /* by name */
	size_t n;
	pid_t child; /* tries the target and resets a controller; 0: none */
	int end; /* is closed when it ends; -1: none */
	char moving[32]; /* that controller */
};

/* After each round, which has made a new snapshot. 0 or -ENOMEM. */
int keep_move_look(struct keep_move *m, nvme_mptcp_snapshot_t snap);
/* Milliseconds until keep_move_act() is due, -1: never, as things are. */
int keep_move_wait(const struct keep_move *m);
/* 0, or 1 once standard output is gone. */
int keep_move_act(struct keep_move *m, nvme_mptcp_keeper_t keeper, struct keep_log *log);
/* The child has ended. Likewise. */
int keep_move_end(struct keep_move *m, struct keep_log *log);
void keep_move_close(struct keep_move *m);

/* What is to be kept, as options and configuration have it. */
struct keep_config {
	nvme_root_t root; /* of the configuration, or NULL */
	nvme_mptcp_config_t mptcp; /* likewise */
	bool wants; /* a host asks for endpoints or limits there */
	const char **traddrs; /* ended by NULL, or NULL */
	const char **devices; /* likewise */
	const char **links; /* devices of the configuration's relay, which owns the names */
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

/* Address of "192.0.2.1:4420", "[2001:db8::1]:4420" or of an address alone. *@port: "4420" if it has none. */
const char *keep_split_portal(const char *portal, size_t *length, const char **port);

/* 0, or an exit status after a message. */
int keep_config_read(struct command *cmd, struct keep_config *ret);
void keep_config_clear(struct keep_config *config);

struct text;

/*
 * Reads a configuration in force again: NULL, or what is wrong with it, @text's or constant. It is no end of all
 * that is reported.
 */
const char *keep_read_again(const struct command *cmd, int (*read)(struct command *cmd, void *ret),
			    void *ret, struct text *text);
