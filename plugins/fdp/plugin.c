// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp: Flexible Data Placement. */
#include "fdp.h"

#define FDP_LISTED(name) &fdp_##name##_command,
static const struct command_spec *const commands[] = { FDP_COMMANDS(FDP_LISTED) NULL };

extern const struct plugin fdp_plugin;

const struct plugin fdp_plugin = {
	.name = "fdp",
	.summary = "Show and manage Flexible Data Placement",
	.commands = commands,
};
