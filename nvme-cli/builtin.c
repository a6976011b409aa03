// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands. */
#include "commands.h"
#include "config.h"
#include "frame/command-table.h"

/* clang-format off */
#define COMMAND_LISTED(command) &command,
static const struct command_spec *const fabrics_commands[] = { FABRICS_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const listing_commands[] = { LISTING_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const identify_commands[] = { IDENTIFY_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const log_commands[] = { LOG_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const setting_commands[] = { SETTING_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const io_commands[] = { IO_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const reservation_commands[] = { RESERVATION_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const management_commands[] = { MANAGEMENT_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const controller_commands[] = { CONTROLLER_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const key_commands[] = { KEY_COMMANDS(COMMAND_LISTED) NULL };
static const struct command_spec *const general_commands[] = { GENERAL_COMMANDS(COMMAND_LISTED) NULL };
#undef COMMAND_LISTED
/* clang-format on */

extern const struct command_spec *const mptcp_commands[];

static const struct command_group groups[] = {
	{ "Multipath TCP", mptcp_commands },
	{ "Fabrics", fabrics_commands },
	{ "Listing", listing_commands },
	{ "Identify", identify_commands },
	{ "Log pages", log_commands },
	{ "Features and properties", setting_commands },
	{ "Logical blocks", io_commands },
	{ "Reservations", reservation_commands },
	{ "Namespaces, firmware and resources", management_commands },
	{ "Controllers", controller_commands },
	{ "Keys", key_commands },
	{ "General", general_commands },
	{ NULL, NULL },
};

extern const struct plugin mptcp_plugin;
extern const struct plugin nbft_plugin;
extern const struct plugin zns_plugin;
extern const struct plugin fdp_plugin;

static const struct plugin *const plugins[] = {
	&mptcp_plugin, &nbft_plugin, &zns_plugin, &fdp_plugin, NULL,
};

const struct command_table builtin_table = {
	.version = NVME_VERSION,
	/*
	 * A program called nvme-mptcp accepts the commands of the mptcp plugin without "mptcp" as
	 * well; otherwise skip that group.
	 */
	.groups = groups + !NVME_BESIDE,
	.plugins = plugins,
};
