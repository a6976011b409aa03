// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme connect-all: connect to the subsystems of discovery logs, and follow their referrals */
#include "commands.h"
#include "discovery.h"

static int connect_all(struct command *cmd)
{
	const struct discover_args *args = cmd->args;
	/* As in nvme-cli 2.x, --raw saves the log and connects nothing. */
	struct discovery d = { .cmd = cmd, .show = args->raw ? discovery_show_log : NULL };
	int status;

	if (bytes_may_save(cmd, args->raw))
		return 1;
	out_array(cmd->out, NULL);
	status = discovery_run(&d);
	out_end(cmd->out);
	return status;
}

COMMAND(connect_all_command, "connect-all", "Connect to every subsystem of the discovery logs",
	discovery_options,
	.description = "Connect to every subsystem in the log of the discovery controller at an "
		       "address, or of\nthose in config.json and discovery.conf below /etc/nvme",
	.args_size = sizeof(struct discover_args),
	.defaults = &(const struct discover_args)DISCOVER_DEFAULTS, .formats = OUT_TEXT | OUT_JSON,
	.run = connect_all);
