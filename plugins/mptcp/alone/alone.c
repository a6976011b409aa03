// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the program nvme-mptcp, which runs with any libnvme 1.x; nvme has the others. */
#include "device/device.h"
#include "frame/command-table.h"

extern const struct command_spec *const mptcp_commands[];
extern const struct plugin mptcp_plugin;

static const struct command_spec *const fabrics_commands[] = {
	&discover_command,	 &connect_all_command, &connect_command,      &disconnect_command,
	&disconnect_all_command, &gen_hostnqn_command, &show_hostnqn_command, NULL
};
static const struct command_spec *const listing_commands[] = { &list_subsys_command, NULL };
static const struct command_spec *const general_commands[] = { &version_command, &help_command,
							       NULL };

static const struct command_group groups[] = {
	{ "Multipath TCP", mptcp_commands },
	{ "Fabrics", fabrics_commands },
	{ "Listing", listing_commands },
	{ "General", general_commands },
	{ NULL, NULL },
};

static const struct plugin *const plugins[] = { &mptcp_plugin, NULL };

const struct command_table builtin_table = {
	.version = NVME_VERSION,
	.groups = groups,
	.plugins = plugins,
};

/* Nothing to set up: these commands send no passthrough commands to devices. */
void passthru_setup(const struct common_args *common, bool elsewhere)
{
}
