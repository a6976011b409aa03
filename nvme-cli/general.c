// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme version, nvme help */
#include "commands.h"
#include "frame/command-table.h"

/* Print the version of a component. @own goes where nvme-cli 2.x prints its git version. */
static void show_version(struct out *out, const char *name, const char *shown, const char *version,
			 const char *own)
{
	out_text(out, "%s version %s (%s)\n", shown, version, own);
	out_object(out, name);
	out_str(out, "version", version);
	out_str(out, "git", own);
	out_end(out);
}

/* Print the versions, as those of "nvme", or of "nvme zns" for the command "zns version". */
static int version(struct command *cmd)
{
	const char *plugin_end = strchr(cmd->name, ' ');
	char shown[64] = "nvme";

	/* nvme-mptcp prints the name nvme as well, because scripts look for it. */
	if (plugin_end)
		snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), " %.*s",
			 (int)(plugin_end - cmd->name), cmd->name);
	out_object(cmd->out, NULL);
	show_version(cmd->out, "nvme", shown, NVME_VERSION, PROJECT_VERSION);
	show_version(cmd->out, "libnvme", "libnvme", nvme_get_version(NVME_VERSION_PROJECT),
		     nvme_get_version(NVME_VERSION_GIT));
	return out_end(cmd->out);
}

COMMAND(version_command, "version", "Show the versions of program and library", OPTIONS(OPT_FORMAT),
	.formats = OUT_TEXT | OUT_JSON, .max_operands = -1, .ignores_options = true,
	.run = version);

/* Show the manual page of a command (the text of --help without man), or list all commands. */
static int help(struct command *cmd)
{
	if (cmd->argc)
		return command_help_about(cmd->table, cmd->argv, cmd->argc);
	command_print_help(stdout, cmd->table);
	return 0;
}

/* Two words are a plugin's command. */
COMMAND(help_command, "help", "List the commands, or show the manual page of one", NULL,
	.operands = "[COMMAND]", .max_operands = 2, .run = help);
