// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme reset, subsystem-reset, ns-rescan, get-ns-id: driver requests that are not NVMe commands */
#include "device/device.h"

struct action {
	const char *name; /* in error messages */
	const char *doing; /* printed with -v */
	const char *unsupported; /* printed for ENOTTY instead of its usual meaning, or NULL */
	int (*run)(int fd);
};

static int act(struct command *cmd)
{
	const struct action *action = cmd->spec->row;
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

#define RESET_COMMAND(variable, name, summary, ...) \
	DEVICE_COMMAND(variable, name, summary, OPTIONS(GENERIC_OPTIONS), struct device_no_args, \
		       .run = act, .row = &(const struct action){ __VA_ARGS__ })
RESET_COMMAND(reset_command, "reset", "Reset a controller", "Reset", "resetting controller", NULL,
	      nvme_ctrl_reset);
RESET_COMMAND(subsystem_reset_command, "subsystem-reset",
	      "Reset a subsystem with all its controllers", "Subsystem-reset",
	      "resetting subsystem through", "NVM Subsystem Reset not supported.",
	      nvme_subsystem_reset);
RESET_COMMAND(ns_rescan_command, "ns-rescan", "Scan a controller for new namespaces",
	      "Namespace Rescan", "rescanning namespaces through", NULL, nvme_ns_rescan);

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

DEVICE_COMMAND(get_ns_id_command, "get-ns-id", "Show the identifier of a namespace",
	       OPTIONS(GENERIC_OPTIONS), struct device_no_args, .run = get_ns_id);
