// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme discover */
#include "commands.h"
#include "discovery.h"

static int discover(struct command *cmd)
{
	const struct discover_args *args = cmd->args;
	struct discovery d = { .cmd = cmd, .show = discovery_show_log };

	return bytes_may_save(cmd, args->raw) ? 1 : discovery_run(&d);
}

COMMAND(discover_command, "discover", "Show the discovery log of discovery controllers",
	discovery_options,
	.description =
		"Show the discovery log of the discovery controller at an address, or of those "
		"in\nconfig.json and discovery.conf below /etc/nvme",
	.args_size = sizeof(struct discover_args),
	.defaults = &(const struct discover_args)DISCOVER_DEFAULTS,
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY, .run = discover);
