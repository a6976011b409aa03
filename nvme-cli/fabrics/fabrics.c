// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics.h"

int fabrics_fail(struct command *cmd, int err, const char *why)
{
	command_fail(cmd, why ? 0 : err, "%s", why ? why : cmd->name);
	return err;
}

int fabrics_check(struct command *cmd, const struct fabrics_args *args)
{
	_cleanup_(free) char *why = NULL;
	int err = input_check(args, &why);

	return err ? fabrics_fail(cmd, err, why) : 0;
}

int fabrics_check_address(struct command *cmd, const struct fabrics_args *args)
{
	_cleanup_(free) char *why = NULL;
	int err = input_check_address(args, &why);

	return err ? fabrics_fail(cmd, err, why) : 0;
}

int fabrics_dump_config(struct command *cmd)
{
	if (nvme_dump_config(cmd->root))
		return command_fail(cmd, errno, "Failed to print the configuration");
	return 0;
}

/* Set *@ret to where configuration files are read into. Return 0, or -ENOMEM after a message. */
static int init_input_config(struct command *cmd, struct input_config *ret)
{
	if (!command_root(cmd))
		return -ENOMEM;
	if (!cmd->mptcp)
		cmd->mptcp = nvme_mptcp_config_new();
	if (!cmd->mptcp)
		return fabrics_fail(cmd, -ENOMEM, NULL);
	*ret = (struct input_config){ .root = cmd->root, .mptcp = cmd->mptcp };
	return 0;
}

int fabrics_read_config(struct command *cmd, const char *file, bool must_exist)
{
	_cleanup_(free) char *why = NULL;
	struct input_config into;
	int err = init_input_config(cmd, &into);

	if (err)
		return err;
	err = input_read_config(&into, file, must_exist, &why);
	return err ? fabrics_fail(cmd, err, why) : 0;
}

struct problems {
	struct command *cmd;
	int *status;
};

static void report_config_problem(void *arg, bool failure, const char *text)
{
	struct problems *problems = arg;
	struct command *cmd = problems->cmd;
	const char *before = cmd->place;

	/* With a place, even an empty one, to stderr: JSON is for the rest of the output. */
	cmd->place = before ? before : "";
	if (failure)
		*problems->status = command_fail(cmd, 0, "%s", text);
	else if (!cmd->common.quiet)
		command_warn(cmd, 0, "%s", text);
	cmd->place = before;
}

int fabrics_read(struct command *cmd, const struct fabrics_args *args, const char *file,
		 int *status)
{
	struct problems problems = { cmd, status };
	_cleanup_(free) char *why = NULL;
	struct input_config into;
	int err = init_input_config(cmd, &into);

	*status = 0;
	if (err)
		return err;
	into.problem = report_config_problem;
	into.arg = &problems;
	err = input_read_files(&into, file, args->config, &why);
	return err ? fabrics_fail(cmd, err, why) : 0;
}

int fabrics_scan(struct command *cmd, const struct fabrics_args *args, const char *nqn)
{
	const struct input_scan scan = {
		.context = args->context,
		.nqn = nqn,
		.transport = args->transport,
	};
	_cleanup_(free) char *why = NULL;
	int err = input_scan(cmd->root, &scan, &why);

	return err ? fabrics_fail(cmd, err, why) : 0;
}

nvme_host_t fabrics_host(struct command *cmd, const struct fabrics_args *args)
{
	_cleanup_(free) char *why = NULL;
	nvme_host_t h = input_host(cmd->root, args->hostnqn, args->hostid, &why);

	if (!h)
		fabrics_fail(cmd, -ENOMEM, why);
	else if (args->dhchap_secret)
		nvme_host_set_dhchap_key(h, args->dhchap_secret);
	return h;
}
