// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme config: show and change the JSON configuration */
#include "commands.h"
#include "fabrics.h"

struct config_args {
	struct fabrics_args fabrics;
	bool scan, modify, update;
};

FABRICS_COMES_FIRST(struct config_args);

/* clang-format off */
static const struct arg config_options[] = {
	FABRICS_OPTIONS FABRICS_PEER_OPTIONS
	OPT_VERBOSE,
	OPT_FLAG("scan", 'R', struct config_args, scan, "start from the connected controllers"),
	OPT_FLAG("modify", 'M', struct config_args, modify,
		 "add or change the port given by the options"),
	OPT_FLAG("dump", 'O', struct config_args, fabrics.dump_config, "print the configuration"),
	OPT_FLAG("update", 'U', struct config_args, update, "write the configuration back"),
	OPT_END,
};
/* clang-format on */

/* Host NQN and host ID belong together: the ID from the file is not used with another NQN. */
static nvme_host_t find_host(struct command *cmd, const struct fabrics_args *args)
{
	_cleanup_(free) char *hostnqn = NULL, *hostid = NULL;
	nvme_host_t h;

	hostnqn = command_hostnqn(cmd, args->hostnqn, "--hostnqn");
	if (!hostnqn)
		return NULL;
	errno = 0;
	if (!args->hostid && !args->hostnqn)
		hostid = nvmf_hostid_from_file();
	if (errno == ENOMEM) {
		command_fail(cmd, errno, "Could not read host identifier");
		return NULL;
	}
	h = nvme_lookup_host(cmd->root, hostnqn, args->hostid ? args->hostid : hostid);
	if (!h)
		command_fail(cmd, errno, "Failed to add host %s", hostnqn);
	return h;
}

static int modify(struct command *cmd, const struct fabrics_args *args)
{
	const struct nvmf_options options = input_options(args);
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	if (!args->nqn)
		return command_fail(cmd, 0, "required argument [--nqn | -n] needed with --modify");
	if (!args->transport)
		return command_fail(cmd, 0,
				    "required argument [--transport | -t] needed with --modify");
	if (fabrics_check_address(cmd, args))
		return 1;
	h = find_host(cmd, args);
	if (!h)
		return 1;
	if (args->dhchap_secret)
		nvme_host_set_dhchap_key(h, args->dhchap_secret);
	s = nvme_lookup_subsystem(h, NULL, args->nqn);
	if (!s)
		return command_fail(cmd, errno, "Failed to add subsystem %s", args->nqn);
	c = nvme_lookup_ctrl(s, args->transport, args->traddr, args->host_traddr, args->host_iface,
			     args->trsvcid, NULL);
	if (!c)
		return command_fail(cmd, errno, "Failed to add the port");
	if (nvmf_set_options(c, &options, true))
		return command_fail(cmd, errno, "Failed to set the options of the port");
	input_set_keys(c, args);
	return 0;
}

/* Read the configuration. With --update it need not exist, but the library must know its name. */
static int read_file(struct command *cmd, const char *file)
{
	const struct config_args *args = cmd->args;
	const char *text;

	if (args->update && access(file, F_OK) && errno == ENOENT)
		return nvme_read_config(cmd->root, file)
			       ? command_fail(cmd, errno, "Failed to use configuration %s", file)
			       : 0;
	if (fabrics_read_config(cmd, file, args->fabrics.config))
		return 1;
	for (size_t i = 0; (text = nvme_config_problem(cmd->root, i, NULL)); i++)
		command_warn(cmd, 0, "%s", text);
	return 0;
}

static int update(struct command *cmd, const char *file)
{
	struct muted muted = input_mute(cmd->root);
	int ret = nvme_update_config(cmd->root);
	const char *reason = nvme_config_error(cmd->root);

	input_unmute(&muted);
	return ret ? command_fail(cmd, reason ? 0 : errno, "Failed to write configuration %s",
				  reason ? reason
				  : file ? file
					 : "")
		   : 0;
}

/* Lock the file from reading to writing. Errors other than a timeout are reported by writing. */
static int lock_file(struct command *cmd, const char *file)
{
	struct muted muted = input_mute(cmd->root);
	int ret = nvme_lock_config(cmd->root, file);

	input_unmute(&muted);
	return ret && errno == ETIMEDOUT ? command_fail(cmd, 0, "Failed to lock configuration %s",
							nvme_config_error(cmd->root))
					 : 0;
}

static int config(struct command *cmd)
{
	struct config_args *args = cmd->args;
	const char *file = args->fabrics.config ? args->fabrics.config : CONFIG_FILE;

	input_drop_none(&args->fabrics);
	if (fabrics_check(cmd, &args->fabrics))
		return 1;
	if (!command_root(cmd))
		return 1;
	nvme_root_skip_namespaces(cmd->root);
	if (input_is_none(file))
		file = NULL;
	if (args->update && file && lock_file(cmd, file))
		return 1;
	if (file && read_file(cmd, file))
		return 1;
	/* The scan comes second, so connected controllers follow those that the file describes. */
	if (args->scan && nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return command_fail(cmd, errno, "Failed to scan topology");
	if (args->modify && modify(cmd, &args->fabrics))
		return 1;
	if (args->update && update(cmd, file))
		return 1;
	return args->fabrics.dump_config ? fabrics_dump_config(cmd) : 0;
}

COMMAND(config_command, "config", "Show or change the JSON configuration", config_options,
	.args_size = sizeof(struct config_args),
	.defaults = &(const struct config_args){ .fabrics = FABRICS_DEFAULTS }, .run = config);
