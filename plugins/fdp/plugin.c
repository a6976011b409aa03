// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp: Flexible Data Placement. */
#include "fdp.h"

static const struct command_spec *const commands[] = {
	&fdp_configs_command,	 &fdp_usage_command,   &fdp_stats_command,
	&fdp_events_command,	 &fdp_status_command,  &fdp_update_command,
	&fdp_set_events_command, &fdp_feature_command, NULL,
};

extern const struct plugin fdp_plugin;

const struct plugin fdp_plugin = {
	.name = "fdp",
	.summary = "Show and manage Flexible Data Placement",
	.commands = commands,
};
