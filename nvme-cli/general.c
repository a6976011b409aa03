// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme version, nvme help */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
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

/* Manual of a plugin, or of its command @word; without man, what --help says. */
static int plugin_help(const struct plugin *plugin, const char *word)
{
	const struct command_spec *spec = word ? find_command(plugin->commands, word) : NULL;
	_cleanup_(free) char *page = NULL, *name = NULL;

	if (word && !spec) {
		print_unknown(plugin, word);
		return 1;
	}
	if (asprintf(&page, "nvme-%s%s%s", plugin->name, spec ? "-" : "", spec ? spec->name : "") <
	    0) {
		page = NULL;
		return 1;
	}
	if (asprintf(&name, "%s %s", plugin->name, spec ? spec->name : "") < 0) {
		name = NULL;
		return 1;
	}
	execlp("man", "man", page, NULL);
	if (spec)
		print_usage(spec, name);
	else
		print_plugin_help(stdout, plugin);
	return 0;
}

static int builtin_help(const struct command_spec *spec)
{
	_cleanup_(free) char *page = NULL;

	if (asprintf(&page, "nvme-%s", spec->name) < 0) {
		page = NULL;
		return 1;
	}
	execlp("man", "man", page, NULL);
	print_usage(spec, spec->name);
	return 0;
}

int help_about(char **words, int n_words)
{
	const struct command_spec *spec = find_builtin(words[0]);
	const struct plugin *plugin;
	const char *rest = NULL;

	plugin = spec && !strcmp(spec->name, words[0]) ? NULL : find_plugin(words[0], &rest);
	if (plugin)
		return plugin_help(plugin, rest ? rest : n_words > 1 ? words[1] : NULL);
	if (!spec) {
		print_unknown(NULL, words[0]);
		return 1;
	}
	if (n_words > 1) {
		_cleanup_(free) char *text = escape_text(words[1], strlen(words[1]));

		fprintf(stderr, "Unexpected argument '%s' (see nvme help)\n", text ? text : "");
		return 1;
	}
	return builtin_help(spec);
}

/* The manual where there is one, else what --help says. */
static int help(struct command *cmd)
{
	if (cmd->argc)
		return help_about(cmd->argv, cmd->argc);
	print_general_help(stdout);
	return 0;
}

const struct command_spec help_command = {
	.name = "help",
	.summary = "List the commands, or show the manual of one",
	.operands = "[COMMAND]",
	.max_operands = 2, /* a plugin's command has two words */
	.run = help,
};
