/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands of nvme mptcp have in common. */
#ifndef PLUGINS_MPTCP_H
#define PLUGINS_MPTCP_H

#include <nvme/mptcp.h>

#include "frame/frame.h"

/* What a command ends with besides 0 and the 1 of a failure. */
enum mptcp_exit {
	MPTCP_EXIT_WARNINGS = 1, /* of a check */
	MPTCP_EXIT_ERRORS = 2, /* of a check */
	MPTCP_EXIT_NO_ANSWER = 3, /* nothing is wrong, but the question cannot be answered here */
};

extern const struct command_spec mptcp_check_command;
extern const struct command_spec mptcp_explain_command;
extern const struct command_spec mptcp_keep_command;
extern const struct command_spec mptcp_metrics_command;
extern const struct command_spec mptcp_monitor_command;
extern const struct command_spec mptcp_relay_command;
extern const struct command_spec mptcp_repair_command;
extern const struct command_spec mptcp_report_command;
extern const struct command_spec mptcp_setup_command;
extern const struct command_spec mptcp_show_endpoints_command;
extern const struct command_spec mptcp_show_subflows_command;

DEFINE_CLEANUP(nvme_mptcp_findings_t, nvme_mptcp_findings_free);
DEFINE_CLEANUP(nvme_mptcp_keeper_t, nvme_mptcp_keeper_close);
DEFINE_CLEANUP(nvme_mptcp_monitor_t, nvme_mptcp_monitor_close);
DEFINE_CLEANUP(nvme_mptcp_peer_t, nvme_mptcp_peer_free);
DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);
DEFINE_CLEANUP(nvme_mptcp_trial_t, nvme_mptcp_trial_free);
DEFINE_CLEANUP(nvme_root_t, nvme_free_tree);

#define OPT_NETNS(struct_, member) \
	OPT(STR, "netns", 0, struct_, member, "NAME", \
	    "use this network namespace: a name in /run/netns, or a path")

/*
 * A snapshot with the controllers of this machine. 0, or an exit status after a message. That no
 * NVMe support is loaded is not an error: there are no controllers then.
 */
int mptcp_take_snapshot(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret);

/* Another one some time later, of controllers as they are then. 0, or an exit status after a message. */
int mptcp_take_again(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret);

/*
 * Fails with the library's sentence for errno, whose members of structures are options here: "dev=eth9:
 * ..." is about --dev=eth9. Returns @status.
 */
int mptcp_fail(struct command *cmd, int status);

/* How bad a finding is: an error if it is of a kind that a later library has. */
enum nvme_mptcp_severity mptcp_severity(nvme_mptcp_finding_t f);

/* Names on stderr the parts that are missing or incomplete. */
void mptcp_warn_problems(struct command *cmd, nvme_mptcp_snapshot_t snap);

/* Is there no MPTCP in this kernel? Then a message, and MPTCP_EXIT_NO_ANSWER; else 0. */
int mptcp_require(struct command *cmd, nvme_mptcp_snapshot_t snap);

/*
 * Reads --config=@file, NULL: the system's, into a tree of its own: what is configured is not mixed with what is
 * connected. Both are to be freed, also on failure. 0, or an exit status after a message.
 */
int mptcp_read_config(struct command *cmd, const char *file, nvme_root_t *root,
		      nvme_mptcp_config_t *config);

/* Are there no controllers since they could not be read? A message and an exit status then, else 0. */
int mptcp_fail_without_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap);

/*
 * The controllers that the operands name, "nvme1" or "/dev/nvme1". 0 and an array ended by NULL to
 * be freed, or NULL if there are no operands; or an exit status after a message.
 */
int mptcp_named_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap, const char ***ret);

/* Is it, or any of those that share connections, one of them? NULL: all are. */
bool mptcp_is_named(nvme_mptcp_ctrl_t ctrl, const char *const *names);
bool mptcp_any_named(nvme_mptcp_shared_t shared, const char *const *names);

/* A connection to a target as a trial. 0, or MPTCP_EXIT_NO_ANSWER after a message. */
int trial_make(struct command *cmd, const struct nvme_mptcp_trial_args *args,
	       nvme_mptcp_trial_t *ret);

/* There is no interface of a name in @args, by itself or as an address's zone: MPTCP_EXIT_NO_ANSWER. */
int trial_fail_interface(struct command *cmd, const struct nvme_mptcp_trial_args *args);

/*
 * Has it no connection, by its state (drivers/nvme/host/sysfs.c)? One that is live and has none here
 * has them in another network namespace.
 */
bool mptcp_ctrl_is_down(nvme_mptcp_ctrl_t ctrl);

/* Subflows of a set that are established and carry nothing. */
size_t mptcp_count_dead(nvme_mptcp_set_t set);

#define MPTCP_WIDTH 100
#define MPTCP_INDENT 7

/* Prints a sentence in lines of MPTCP_WIDTH columns; all but the first are indented by MPTCP_INDENT. */
void mptcp_put_sentence(struct out *out, const char *text);

/* What became of it, above the findings. */
void trial_show(struct command *cmd, nvme_mptcp_trial_t trial);

/* What the numbers of a brief check come from: a trial, or a snapshot and the names given. */
struct brief_source {
	nvme_mptcp_trial_t trial;
	nvme_mptcp_snapshot_t snap;
	const char *const *names;
};

/* One line: state, numbers, rules, and performance data behind a bar; @count by severity. */
void brief_show(struct command *cmd, nvme_mptcp_findings_t findings, const size_t count[static 3],
		const struct brief_source *source);

static inline const char *mptcp_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Texts of numbers, "-" if unknown. The buffer is @text, which is also returned. */
#define MPTCP_NUMBER_TEXT 24
const char *mptcp_bytes_text(int64_t bytes, char text[static MPTCP_NUMBER_TEXT]); /* "1.2G" */
const char *mptcp_rate_text(int64_t bytes_per_second,
			    char text[static MPTCP_NUMBER_TEXT]); /* "9.4G" bit/s */
const char *mptcp_time_text(int64_t us, char text[static MPTCP_NUMBER_TEXT]); /* "210us", "1.2ms" */
const char *mptcp_speed_text(int64_t mbps, char text[static MPTCP_NUMBER_TEXT]); /* "10G" */
const char *mptcp_number_text(int64_t n, char text[static MPTCP_NUMBER_TEXT]);

/*
 * The link of a subflow, as "eth1", and of the use of a link. Where it is not known, the links that are
 * possible: "eth1|eth2", "one of eth1, eth2"; "-" if none is. Names are not escaped.
 */
#define MPTCP_LINKS_TEXT 160 /* 8 names */
const char *mptcp_subflow_link_text(nvme_mptcp_subflow_t sf, char text[static MPTCP_LINKS_TEXT]);
const char *mptcp_usage_link_text(nvme_mptcp_usage_t usage, char text[static MPTCP_LINKS_TEXT]);

/* Sentences in lines of no more than 80 columns, each indented by @indent. */
void mptcp_show_wrapped(struct out *out, int indent, const char *text);

/*
 * fleet.c: what the reports of a directory found, most frequent first. 0, or 1 if anything could not
 * be read.
 */
int fleet_show(struct command *cmd, const char *directory);

struct rates;

/* How subflows are shown. */
struct subflow_view {
	const char *port; /* of the portal, which is not repeated in each row; or NULL */
	const struct rates *rates; /* bytes per second instead of totals; or NULL */
	int rows; /* no more than these; -1: all */
	size_t width; /* columns of the screen that cuts lines; 0: there is none */
};

/* The subflows of a set of connections as a table, and what each link carries of them. */
void subflow_table_show(struct command *cmd, nvme_mptcp_set_t set, const struct subflow_view *view);
void usage_table_show(struct command *cmd, nvme_mptcp_set_t set, const struct subflow_view *view);

/* Links that carry none of them, but could or were meant to: they have rows there, too. */
size_t usage_table_count_idle(nvme_mptcp_set_t set);

#endif /* PLUGINS_MPTCP_H */
