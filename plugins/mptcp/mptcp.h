/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the subcommands of nvme mptcp. */
#ifndef PLUGINS_MPTCP_H
#define PLUGINS_MPTCP_H

#include "fabrics/fabrics.h"
#include "shared/file.h"

/* Exit statuses in addition to 0, and 1 for a failure. */
enum mptcp_exit {
	MPTCP_EXIT_WARNINGS = 1, /* of a check */
	MPTCP_EXIT_ERRORS = 2, /* of a check */
	MPTCP_EXIT_NO_ANSWER = 3, /* nothing failed, but this machine cannot answer the question */
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
 * Take a snapshot with the controllers of this machine. If the NVMe modules are not loaded, it has
 * no controllers, which is not an error. Return 0, or an exit status after a message.
 */
int mptcp_take_snapshot(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret);

/* Refresh the controllers and take another snapshot. Return 0, or a status after a message. */
int mptcp_retake_snapshot(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret);

/*
 * Fail with the library's sentence for errno. A structure member in it becomes an option:
 * "dev=eth9: ..." is printed as "--dev=eth9: ...". Return @status.
 */
int mptcp_fail(struct command *cmd, int status);

/* Return the severity of a finding. Severities of later libraries count as errors. */
enum nvme_mptcp_severity mptcp_severity(nvme_mptcp_finding_t f);

/* Print on stderr which parts of a snapshot are missing or incomplete. */
void mptcp_warn_problems(struct command *cmd, nvme_mptcp_snapshot_t snap);

/* Return 0, or MPTCP_EXIT_NO_ANSWER after a message if the kernel has no MPTCP. */
int mptcp_require(struct command *cmd, nvme_mptcp_snapshot_t snap);

/* True if the snapshot has a controller of this name. */
bool mptcp_has_ctrl(nvme_mptcp_snapshot_t snap, const char *name);

/*
 * Read --config=@file, or the system's configuration for NULL, into a separate tree, so that
 * configured and connected controllers are not mixed. Free @root and @config, also on failure.
 * Return 0, or an exit status after a message.
 */
int mptcp_read_config(struct command *cmd, const char *file, nvme_root_t *root,
		      nvme_mptcp_config_t *config);

/* Return an exit status after a message if the controllers could not be read, else 0. */
int mptcp_fail_without_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap);

/*
 * Store the controllers that the operands name ("nvme1" or "/dev/nvme1") as a NULL-terminated
 * array, which the caller frees; NULL without operands. Return 0, or an exit status after a
 * message.
 */
int mptcp_named_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap, const char ***ret);

/*
 * True if the controller, or any controller sharing the connections, is in @names; NULL: all are.
 */
bool mptcp_is_named(nvme_mptcp_ctrl_t ctrl, const char *const *names);
bool mptcp_any_named(nvme_mptcp_shared_t shared, const char *const *names);

/* Make a trial connection to a target. Return 0, or MPTCP_EXIT_NO_ANSWER after a message. */
int trial_make(struct command *cmd, const struct nvme_mptcp_trial_args *args,
	       nvme_mptcp_trial_t *ret);

/*
 * Report that an interface named in @args, directly or as the zone of an address, does not exist.
 * Return MPTCP_EXIT_NO_ANSWER.
 */
int trial_fail_interface(struct command *cmd, const struct nvme_mptcp_trial_args *args);

/*
 * True if the state of a controller (drivers/nvme/host/sysfs.c) implies that it has no connection.
 * A live controller without connections here has them in another network namespace.
 */
bool mptcp_ctrl_is_down(nvme_mptcp_ctrl_t ctrl);

/* Return the number of established subflows that carry nothing. */
size_t mptcp_count_dead(nvme_mptcp_set_t set);

#define MPTCP_WIDTH 100
#define MPTCP_INDENT 7

/* Print a sentence wrapped at MPTCP_WIDTH columns; MPTCP_INDENT applies from the second line on. */
void mptcp_put_sentence(struct out *out, const char *text);

/* Print the result of a trial. */
void trial_show(struct command *cmd, nvme_mptcp_trial_t trial);

/* Source of the numbers of a brief check: a trial, or a snapshot and the names of controllers. */
struct brief_source {
	nvme_mptcp_trial_t trial;
	nvme_mptcp_snapshot_t snap;
	const char *const *names;
};

/* Print one line: state, numbers, rules, and performance data after "|". @count is by severity. */
void brief_show(struct command *cmd, nvme_mptcp_findings_t findings, const size_t count[static 3],
		const struct brief_source *source);

static inline const char *mptcp_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Format a number into @text and return @text; "-" if unknown. */
#define MPTCP_NUMBER_TEXT 24
const char *mptcp_bytes_text(int64_t bytes, char text[static MPTCP_NUMBER_TEXT]); /* "1.2G" */
const char *mptcp_rate_text(int64_t bytes_per_second,
			    char text[static MPTCP_NUMBER_TEXT]); /* "9.4G" bit/s */
const char *mptcp_time_text(int64_t us, char text[static MPTCP_NUMBER_TEXT]); /* "210us", "1.2ms" */
const char *mptcp_speed_text(int64_t mbps, char text[static MPTCP_NUMBER_TEXT]); /* "10G" */
const char *mptcp_number_text(int64_t n, char text[static MPTCP_NUMBER_TEXT]);

/*
 * Format the link of a subflow or of a usage, for example "eth1". If the link is unknown, list the
 * possible links: "eth1|eth2" for a subflow, "one of eth1, eth2" for a usage; "-" if there are
 * none. Names are not escaped.
 */
#define MPTCP_LINKS_TEXT 160 /* 8 names */
const char *mptcp_subflow_link_text(nvme_mptcp_subflow_t sf, char text[static MPTCP_LINKS_TEXT]);
const char *mptcp_usage_link_text(nvme_mptcp_usage_t usage, char text[static MPTCP_LINKS_TEXT]);

/* Print sentences wrapped at 80 columns, each line indented by @indent. */
void mptcp_show_wrapped(struct out *out, int indent, const char *text);

/*
 * fleet.c: print the findings of all reports in a directory, most frequent first. Return the exit
 * status: 0 clean; 1 warnings, or failure after a message; 2 errors; 3 a report could not be read.
 */
int fleet_show(struct command *cmd, const char *directory);

struct rates;

/* Options for the tables of subflows. */
struct subflow_view {
	const char *port; /* of the portal, omitted in rows; or NULL */
	const struct rates *rates; /* show bytes per second instead of totals; or NULL */
	int rows; /* maximum number of rows; -1: all */
	size_t width; /* columns of the screen, which cuts lines; 0: no screen */
};

/* Print the subflows of a set of connections, and the load of each link, as a table. */
void subflow_table_show(struct command *cmd, nvme_mptcp_set_t set, const struct subflow_view *view);
void usage_table_show(struct command *cmd, nvme_mptcp_set_t set, const struct subflow_view *view);

/* Return the number of links in the usage table that carry nothing, but should or could. */
size_t usage_table_count_idle(nvme_mptcp_set_t set);

#endif /* PLUGINS_MPTCP_H */
