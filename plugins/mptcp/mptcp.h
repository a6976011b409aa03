/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands of nvme mptcp have in common. */
#ifndef PLUGINS_MPTCP_H
#define PLUGINS_MPTCP_H

#include <nvme/mptcp.h>

#include "frame/frame.h"

/* Nothing is wrong, but the question cannot be answered here. */
#define EXIT_CANNOT_TELL 3

extern const struct command_spec check_command;
extern const struct command_spec monitor_command;
extern const struct command_spec repair_command;
extern const struct command_spec report_command;
extern const struct command_spec setup_command;
extern const struct command_spec show_endpoints_command;
extern const struct command_spec show_subflows_command;

DEFINE_CLEANUP(nvme_mptcp_findings_t, nvme_mptcp_findings_free);
DEFINE_CLEANUP(nvme_mptcp_monitor_t, nvme_mptcp_monitor_close);
DEFINE_CLEANUP(nvme_mptcp_peer_t, nvme_mptcp_peer_free);
DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);
DEFINE_CLEANUP(nvme_mptcp_trial_t, nvme_mptcp_trial_free);

#define OPT_NETNS(struct_, member) \
	OPT(STR, "netns", 0, struct_, member, "NAME", \
	    "look into this network namespace: a name below /run/netns, or a path")

/*
 * A snapshot with the controllers of this machine. 0, or an exit status after a message. That no
 * NVMe support is loaded is not an error: there are no controllers then.
 */
int take_snapshot(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret);

/* Says on stderr which parts are missing or incomplete. */
void warn_problems(struct command *cmd, nvme_mptcp_snapshot_t snap);

/* Is there no MPTCP in this kernel? Then a message, and EXIT_CANNOT_TELL; else 0. */
int need_mptcp(struct command *cmd, nvme_mptcp_snapshot_t snap);

/*
 * The controllers that the operands name, "nvme1" or "/dev/nvme1". 0 and an array ended by NULL to
 * be freed, or NULL if there are no operands; or an exit status after a message.
 */
int named_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap, const char ***ret);

/* A connection to a target as a trial. 0, or EXIT_CANNOT_TELL after a message. */
int make_trial(struct command *cmd, const struct nvme_mptcp_trial_args *args,
	       nvme_mptcp_trial_t *ret);

/* What became of it, above the findings. */
void show_trial(struct command *cmd, nvme_mptcp_trial_t trial);

/* Texts of numbers, "-" if unknown. The buffer is @text, which is also returned. */
#define NUMBER_TEXT 24
const char *bytes_text(int64_t bytes, char text[static NUMBER_TEXT]); /* "1.2G" */
const char *rate_text(int64_t bytes_per_second, char text[static NUMBER_TEXT]); /* "9.4G" bit/s */
const char *time_text(int64_t us, char text[static NUMBER_TEXT]); /* "210us", "1.2ms" */
const char *speed_text(int64_t mbps, char text[static NUMBER_TEXT]); /* "10G" */
const char *number_text(int64_t n, char text[static NUMBER_TEXT]);

struct rates;

/* How subflows are shown. */
struct view {
	const char *port; /* of the portal, which is not repeated in each row; or NULL */
	const struct rates *rates; /* bytes per second instead of totals; or NULL */
	nvme_mptcp_snapshot_t snap; /* whose idle links are shown; or NULL */
	int rows; /* no more than these; -1: all */
};

/* The subflows of a set of connections as a table, and what each link carries of them. */
void show_subflow_table(struct command *cmd, nvme_mptcp_set_t set, const struct view *view);
void show_usage_table(struct command *cmd, nvme_mptcp_set_t set, const struct view *view);

/* Links that carry none of them, but could or were meant to: they have rows there, too. */
size_t count_missed_links(nvme_mptcp_snapshot_t snap, nvme_mptcp_set_t set);

#endif /* PLUGINS_MPTCP_H */
