// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme reset, subsystem-reset, ns-rescan, get-ns-id: driver requests that are not NVMe commands */
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "device/device.h"

static const struct arg reset_options[] = {
	GENERIC_OPTIONS,
	OPT_END,
};

struct action {
	const char *name; /* in error messages */
	const char *doing; /* printed with -v */
	const char *unsupported; /* printed for ENOTTY instead of its usual meaning, or NULL */
	int (*run)(int fd);
};

static int act(struct command *cmd, const struct action *action)
{
	_cleanup_(device_close) struct device dev = DEVICE_NONE;

	if (device_open(cmd, &dev))
		return 1;
	if (cmd->common.dry_run)
		return 0;
	if (action->run(dev.fd)) {
		if (errno == ENOTTY && action->unsupported)
			return command_fail(cmd, 0, "%s: %s", action->name, action->unsupported);
		return device_result(cmd, -1, action->name);
	}
	return cmd->common.verbose || out_is_json(cmd->out)
		       ? command_succeed(cmd, "%s %s", action->doing, dev.name)
		       : 0;
}

static int reset(struct command *cmd)
{
	static const struct action action = { "Reset", "resetting controller", NULL,
					      nvme_ctrl_reset };

	return act(cmd, &action);
}

const struct command_spec reset_command = {
	.name = "reset",
	.summary = "Reset a controller",
	.operands = "DEVICE",
	.options = reset_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = reset,
};

static int subsystem_reset(struct command *cmd)
{
	static const struct action action = { "Subsystem-reset", "resetting subsystem through",
					      "NVM Subsystem Reset not supported.",
					      nvme_subsystem_reset };

	return act(cmd, &action);
}

const struct command_spec subsystem_reset_command = {
	.name = "subsystem-reset",
	.summary = "Reset a subsystem with all its controllers",
	.operands = "DEVICE",
	.options = reset_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = subsystem_reset,
};

static int ns_rescan(struct command *cmd)
{
	static const struct action action = { "Namespace Rescan", "rescanning namespaces through",
					      NULL, nvme_ns_rescan };

	return act(cmd, &action);
}

const struct command_spec ns_rescan_command = {
	.name = "ns-rescan",
	.summary = "Scan a controller for new namespaces",
	.operands = "DEVICE",
	.options = reset_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = ns_rescan,
};

static int get_ns_id(struct command *cmd)
{
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct out *out = cmd->out;
	uint32_t nsid;

	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, 0, &nsid))
		return 1;
	out_text(out, "%s: namespace-id:%u\n", out_safe(out, dev.name), nsid);
	out_object(out, NULL);
	out_uint(out, "namespace-id", nsid);
	return out_end(out);
}

const struct command_spec get_ns_id_command = {
	.name = "get-ns-id",
	.summary = "Show the id of a namespace",
	.operands = "DEVICE",
	.options = reset_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = get_ns_id,
};
