// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp: one file per subcommand. */
#include "mptcp.h"

static const struct command_spec *const commands[] = {
	&show_subflows_command, &show_endpoints_command, &check_command,  &setup_command,
	&repair_command,	&monitor_command,	 &report_command, NULL,
};

extern const struct plugin mptcp_plugin;

const struct plugin mptcp_plugin = {
	.name = "mptcp",
	.summary = "Look after controllers that are connected over MPTCP",
	.commands = commands,
};
