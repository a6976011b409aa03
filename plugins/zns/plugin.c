// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns: namespaces of the Zoned Namespace command set. */
#include "zns.h"

#define ZNS_LISTED(name) &zns_##name##_command,
static const struct command_spec *const commands[] = { ZNS_COMMANDS(ZNS_LISTED) NULL };

extern const struct plugin zns_plugin;

const struct plugin zns_plugin = {
	.name = "zns",
	.summary = "Show and manage zoned namespaces",
	.commands = commands,
};
