// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme version, nvme help */
#include <stdio.h>

#include "commands.h"
#include "config.h"
#include "frame/command-table.h"

static int version(struct command *cmd)
{
	printf("nvme version %s (git %s)\n", NVME_VERSION, NVME_VERSION);
	printf("libnvme version %s (git %s)\n", nvme_get_version(NVME_VERSION_PROJECT),
	       nvme_get_version(NVME_VERSION_GIT));
	return 0;
}

const struct command_spec version_command = {
	.name = "version",
	.summary = "Show the versions of program and library",
	.max_operands = -1,
	.ignores_options = true,
	.run = version,
};

/* The manual page where there is one, else the text of --help. */
static int help(struct command *cmd)
{
	if (cmd->argc)
		return command_help_about(cmd->table, cmd->argv, cmd->argc);
	command_print_help(stdout, cmd->table);
	return 0;
}

const struct command_spec help_command = {
	.name = "help",
	.summary = "List the commands, or show the manual page of one",
	.operands = "[COMMAND]",
	.max_operands = 2, /* a plugin's command has two words */
	.run = help,
};
