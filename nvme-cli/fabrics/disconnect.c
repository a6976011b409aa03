// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme disconnect, nvme disconnect-all */
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "fabrics.h"

struct disconnect_args {
	const char *nqn;
	const char *device;
};

static const struct arg disconnect_options[] = {
	OPT(STR, "nqn", 'n', struct disconnect_args, nqn, "NQN[,NQN...]",
	    "subsystems to disconnect from"),
	OPT(STR, "device", 'd', struct disconnect_args, device, "DEV[,DEV...]",
	    "controllers to disconnect, e.g. nvme0"),
	OPT_VERBOSE,
	OPT_END,
};

static int disconnect_ctrl(struct command *cmd, nvme_ctrl_t c, const char *what)
{
	_cleanup_(free) char *name = strdup(nvme_ctrl_get_name(c));
	struct muted muted = input_mute(cmd->root);
	int ret = nvme_disconnect_ctrl(c);

	input_unmute(&muted);
	if (!ret)
		return 0;
	return command_fail(cmd, errno, "%s %s", what, name ? name : "controller");
}

/* *n_disconnected counts those that went. */
static int disconnect_nqn(struct command *cmd, const char *nqn, unsigned int *n_disconnected)
{
	int status = 0;
	nvme_host_t h;
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	nvme_for_each_host(cmd->root, h) {
		nvme_for_each_subsystem(h, s) {
			const char *subsysnqn = nvme_subsystem_get_nqn(s);

			if (!subsysnqn || strcmp(subsysnqn, nqn))
				continue;
			nvme_subsystem_for_each_ctrl(s, c) {
				if (!nvme_ctrl_get_name(c))
					continue;
				if (disconnect_ctrl(cmd, c, "Failed to disconnect"))
					status = 1;
				else
					++*n_disconnected;
			}
		}
	}
	return status;
}

/* Of one subsystem nothing but itself is read; for several, one pass over all is cheaper. */
static int scan(nvme_root_t root, const char *nqns)
{
	return strchr(nqns, ',') ? nvme_scan_topology(root, NULL, NULL)
				 : nvme_scan_subsystem(root, nqns);
}

static int disconnect_by_nqn(struct command *cmd, const char *nqns)
{
	_cleanup_(free) char *list = strdup(nqns);
	unsigned int n = 0;
	int status = 0;

	if (!list)
		return command_fail(cmd, ENOMEM, "Failed to disconnect %s", nqns);
	nvme_root_skip_namespaces(cmd->root);
	if (scan(cmd->root, nqns) < 0 && errno != ENOENT)
		return command_fail(cmd, errno, "Failed to scan topology");
	for (char *p = list, *nqn; (nqn = strsep(&p, ",")) != NULL;)
		if (*nqn && disconnect_nqn(cmd, nqn, &n))
			status = 1;
	out_text(cmd->out, "NQN:%s disconnected %u controller(s)\n", out_safe(cmd->out, nqns), n);
	return status;
}

static int disconnect_by_device(struct command *cmd, const char *devices)
{
	_cleanup_(free) char *list = strdup(devices);
	int status = 0;

	if (!list)
		return command_fail(cmd, ENOMEM, "Failed to disconnect %s", devices);
	nvme_root_skip_namespaces(cmd->root);
	for (char *p = list, *device; (device = strsep(&p, ",")) != NULL;) {
		const char *name = strncmp(device, "/dev/", 5) ? device : device + 5;
		nvme_ctrl_t c;

		if (!*device)
			continue;
		c = nvme_scan_ctrl(cmd->root, name);
		if (!c)
			status = command_fail(cmd, 0, "Did not find device %s", device);
		else if (disconnect_ctrl(cmd, c, "Failed to disconnect"))
			status = 1;
	}
	return status;
}

static int disconnect(struct command *cmd)
{
	const struct disconnect_args *args = cmd->args;
	int status = 0;

	if (!args->nqn && !args->device)
		return command_fail(cmd, 0,
				    "Neither device name [--device | -d] nor NQN [--nqn | -n] "
				    "provided");
	if (args->nqn && args->device)
		return command_fail(cmd, 0,
				    "Both device name [--device | -d] and NQN [--nqn | -n] are "
				    "specified");
	if (!command_root(cmd))
		return 1;
	if (args->nqn)
		status = disconnect_by_nqn(cmd, args->nqn);
	else
		status = disconnect_by_device(cmd, args->device);
	return status;
}

const struct command_spec disconnect_command = {
	.name = "disconnect",
	.summary = "Disconnect from a subsystem or controller",
	.options = disconnect_options,
	.args_size = sizeof(struct disconnect_args),
	.run = disconnect,
};

struct disconnect_all_args {
	const char *transport;
};

static const struct arg disconnect_all_options[] = {
	OPT(STR, "transport", 'r', struct disconnect_all_args, transport, "NAME",
	    "only controllers of this transport"),
	OPT_VERBOSE,
	OPT_END,
};

/* Fabrics of the kernel that the library does not list count as well. */
static bool is_fabric(const char *transport)
{
	return !nvmf_transport_is_known(transport) ||
	       nvmf_transport_has(transport, NVMF_TRANSPORT_FABRICS);
}

static int disconnect_all(struct command *cmd)
{
	const struct disconnect_all_args *args = cmd->args;
	int status = 0;
	nvme_host_t h;
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	if (!command_root(cmd))
		return 1;
	nvme_root_skip_namespaces(cmd->root);
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0) {
		if (errno == ENOENT)
			return 0;
		return command_fail(cmd, errno, "Failed to scan topology");
	}
	nvme_for_each_host(cmd->root, h) {
		nvme_for_each_subsystem(h, s) {
			nvme_subsystem_for_each_ctrl(s, c) {
				const char *transport = nvme_ctrl_get_transport(c);

				if (!nvme_ctrl_get_name(c) || !is_fabric(transport))
					continue;
				if (args->transport && strcmp(args->transport, transport))
					continue;
				if (disconnect_ctrl(cmd, c, "failed to disconnect"))
					status = 1;
			}
		}
	}
	return status;
}

const struct command_spec disconnect_all_command = {
	.name = "disconnect-all",
	.summary = "Disconnect from all subsystems",
	.options = disconnect_all_options,
	.args_size = sizeof(struct disconnect_all_args),
	.run = disconnect_all,
};
