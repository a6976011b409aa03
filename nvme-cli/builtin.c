// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands. */
#include "commands.h"
#include "frame/command-table.h"

extern const struct command_spec *const mptcp_commands[];

/* clang-format off */
#define COMMAND_LISTED(command) &command,
#define GROUP_LISTED(title, ...) \
	{ title, (const struct command_spec *const[]){ __VA_ARGS__ NULL } },
static const struct command_group groups[] = {
	{ "Multipath TCP", mptcp_commands },
	COMMAND_GROUPS(GROUP_LISTED, COMMAND_LISTED)
	{ NULL, NULL },
};
/* clang-format on */

extern const struct plugin mptcp_plugin;
extern const struct plugin nbft_plugin;
extern const struct plugin zns_plugin;
extern const struct plugin fdp_plugin;

static const struct plugin *const plugins[] = {
	&mptcp_plugin, &nbft_plugin, &zns_plugin, &fdp_plugin, NULL,
};

const struct command_table builtin_table = {
	.version = NVME_VERSION,
	/* nvme-mptcp accepts the mptcp plugin's commands without "mptcp", too; others skip them. */
	.groups = groups + !NVME_BESIDE,
	.plugins = plugins,
};
