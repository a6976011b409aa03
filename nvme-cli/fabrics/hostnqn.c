// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme gen-hostnqn, nvme show-hostnqn */
#include "commands.h"

static int print_hostnqn(struct command *cmd, const char *hostnqn)
{
	if (!hostnqn)
		return command_fail(cmd, errno, "Failed to generate a host NQN");
	out_text(cmd->out, "%s\n", out_safe(cmd->out, hostnqn));
	return 0;
}

static int gen_hostnqn(struct command *cmd)
{
	_cleanup_(free) char *hostnqn = nvmf_hostnqn_generate();

	return print_hostnqn(cmd, hostnqn);
}

COMMAND(gen_hostnqn_command, "gen-hostnqn", "Generate a host NQN", NULL, .ignores_options = true,
	.run = gen_hostnqn);

static int show_hostnqn(struct command *cmd)
{
	_cleanup_(free) char *hostnqn = nvmf_hostnqn_from_file();

	/* If a host NQN exists but cannot be read or used, connecting fails as well. */
	if (!hostnqn && errno != ENOENT)
		return command_fail(cmd, errno, "Could not read host NQN");
	if (!hostnqn)
		hostnqn = nvmf_hostnqn_generate();
	return print_hostnqn(cmd, hostnqn);
}

COMMAND(show_hostnqn_command, "show-hostnqn", "Show this host's NQN", NULL, .ignores_options = true,
	.run = show_hostnqn);
