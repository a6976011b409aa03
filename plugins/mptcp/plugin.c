// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp: one file per subcommand. */
#include "mptcp.h"

extern const struct command_spec *const mptcp_commands[];

const struct command_spec *const mptcp_commands[] = {
	&mptcp_show_subflows_command, &mptcp_show_endpoints_command, &mptcp_check_command,
	&mptcp_explain_command,	      &mptcp_setup_command,	     &mptcp_repair_command,
	&mptcp_keep_command,	      &mptcp_relay_command,	     &mptcp_monitor_command,
	&mptcp_report_command,	      &mptcp_metrics_command,	     NULL,
};

extern const struct plugin mptcp_plugin;

const struct plugin mptcp_plugin = {
	.name = "mptcp",
	.summary = "Manage controllers that are connected over MPTCP",
	.commands = mptcp_commands,
	.strict = true,
};
