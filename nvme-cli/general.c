// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme version, nvme help */
#include <stdio.h>
#include <unistd.h>

#include "cleanup.h"
#include "commands.h"
#include "config.h"
#include "private.h"

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

/* The manual where there is one, else what --help says. */
static int help(struct command *cmd)
{
	_cleanup_(free) char *page = NULL;
	const struct command_spec *spec;

	if (!cmd->argc) {
		print_general_help(stdout);
		return 0;
	}
	spec = find_builtin(cmd->argv[0]);
	if (asprintf(&page, "nvme-%s", spec ? spec->name : cmd->argv[0]) < 0) {
		page = NULL;
		return fail(cmd, ENOMEM, "Showing help");
	}
	execlp("man", "man", page, NULL);
	if (!spec)
		return fail(cmd, errno, "Failed to run man for %s", page);
	print_usage(spec, spec->name);
	return 0;
}

const struct command_spec help_command = {
	.name = "help",
	.summary = "List the commands, or show the manual of one",
	.operands = "[COMMAND]",
	.max_operands = 1,
	.run = help,
};
