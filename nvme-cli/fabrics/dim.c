// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme dim: register this host with discovery controllers, or deregister it */
#include "commands.h"

struct dim_args {
	const char *nqn, *device, *task;
};

static int parse_task(const char *word, enum nvmf_dim_tas *tas)
{
	size_t length = strlen(word);

	if (!length)
		return -EINVAL;
	if (!strncmp("register", word, length))
		*tas = NVMF_DIM_TAS_REGISTER;
	else if (!strncmp("deregister", word, length))
		*tas = NVMF_DIM_TAS_DEREGISTER;
	else
		return -EINVAL;
	return 0;
}

static int dim_ctrl(struct command *cmd, nvme_ctrl_t c, enum nvmf_dim_tas tas)
{
	const char *task = tas == NVMF_DIM_TAS_REGISTER ? "register" : "deregister";
	const char *name = nvme_ctrl_get_name(c);
	__u32 result = 0;
	int ret = nvmf_register_ctrl(c, tas, &result);

	if (ret < 0)
		return command_fail(cmd, errno, "%s DIM %s command error", name, task);
	if (ret) {
		const char *text = nvme_status_to_string(ret, false);

		if (result)
			return command_fail(
				cmd, 0,
				"%s DIM %s command error. Result:0x%04x, Status:0x%04x - %s", name,
				task, result, (unsigned int)ret, text);
		return command_fail(cmd, 0, "%s DIM %s command error. Status:0x%04x - %s", name,
				    task, (unsigned int)ret, text);
	}
	out_text(cmd->out, "%s DIM %s command success\n", out_safe(cmd->out, name), task);
	return 0;
}

static int dim_nqn(struct command *cmd, const char *nqn, enum nvmf_dim_tas tas)
{
	int status = 0, n = 0;
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(cmd->root, h) {
		nvme_for_each_subsystem(h, s) {
			const char *subsysnqn = nvme_subsystem_get_nqn(s);

			if (!subsysnqn || strcmp(subsysnqn, nqn))
				continue;
			nvme_subsystem_for_each_ctrl(s, c) {
				n++;
				if (dim_ctrl(cmd, c, tas))
					status = 1;
			}
		}
	}
	return n ? status : command_fail(cmd, 0, "Did not find a controller of %s", nqn);
}

static int dim_device(struct command *cmd, const char *device, enum nvmf_dim_tas tas)
{
	const char *name = strncmp(device, "/dev/", 5) ? device : device + 5;
	nvme_ctrl_t c = nvme_scan_ctrl(cmd->root, name);

	return c ? dim_ctrl(cmd, c, tas) : command_fail(cmd, 0, "Did not find device %s", device);
}

static int dim(struct command *cmd)
{
	const struct dim_args *args = cmd->args;
	_cleanup_(free) char *list = NULL;
	enum nvmf_dim_tas tas;
	int status = 0;

	if (!args->nqn && !args->device)
		return command_fail(cmd, 0,
				    "Neither device name [--device | -d] nor NQN [--nqn | -n] "
				    "provided");
	if (!args->task)
		return command_fail(cmd, 0, "Task [--task | -t] must be specified");
	if (parse_task(args->task, &tas))
		return command_fail(cmd, 0, "Invalid --task: %s", args->task);
	list = strdup(args->device ? args->device : args->nqn);
	if (!list)
		return command_fail(cmd, ENOMEM, "dim");
	if (!command_root(cmd))
		return 1;
	nvme_root_skip_namespaces(cmd->root);
	if (!args->device && nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return command_fail(cmd, errno, "Failed to scan topology");
	for (char *p = list, *item; (item = strsep(&p, ",")) != NULL;) {
		if (!*item)
			continue;
		if (args->device ? dim_device(cmd, item, tas) : dim_nqn(cmd, item, tas))
			status = 1;
	}
	return status;
}

COMMAND(dim_command, "dim", "Register with a discovery controller",
	OPTIONS(OPT(STR, "nqn", 'n', struct dim_args, nqn, "NQN[,NQN...]", "discovery subsystems"),
		OPT(STR, "device", 'd', struct dim_args, device, "DEV[,DEV...]",
		    "discovery controllers, e.g. nvme0"),
		OPT(STR, "task", 't', struct dim_args, task, "TASK", "register or deregister"),
		OPT_VERBOSE),
	.args_size = sizeof(struct dim_args), .run = dim);
