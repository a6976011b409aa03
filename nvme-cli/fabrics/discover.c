// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme discover */
#include <endian.h>

#include "commands.h"
#include "discovery.h"

static int save_raw(struct command *cmd, const char *path, const struct nvmf_discovery_log *log)
{
	if (bytes_save(cmd, path, log,
		       sizeof(*log) + le64toh(log->numrec) * sizeof(log->entries[0])))
		return 1;
	out_text(cmd->out, "Discovery log is saved to %s\n", out_safe(cmd->out, path));
	return 0;
}

static int show(struct command *cmd, const struct nvmf_discovery_log *log, const char *raw)
{
	return raw ? save_raw(cmd, raw, log) : discovery_show_log(cmd, log);
}

static int discover(struct command *cmd)
{
	const struct discover_args *args = cmd->args;
	struct discovery d = { .cmd = cmd, .show = show };

	return bytes_may_save(cmd, args->raw) ? 1 : discovery_run(&d);
}

const struct command_spec discover_command = {
	.name = "discover",
	.summary = "Show the discovery log of discovery controllers",
	.description =
		"Show the discovery log of the discovery controller at an address, or of those "
		"in\nconfig.json and discovery.conf below /etc/nvme",
	.options = discovery_options,
	.args_size = sizeof(struct discover_args),
	.defaults = &(const struct discover_args)DISCOVER_DEFAULTS,
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.run = discover,
};
