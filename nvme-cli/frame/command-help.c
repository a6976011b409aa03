// SPDX-License-Identifier: GPL-2.0-or-later
/* Help that is generated from the table of commands, and manual pages. */
#include "command-table.h"
#include "config.h"
#include "escape.h"
#include "original.h"
#include "shared/cleanup.h"
#include "shared/text.h"

static int widest(const struct command_table *table)
{
	size_t width = 0;

	for (const struct command_group *group = table->groups; group->title; group++)
		for (const struct command_spec *const *c = group->commands; *c; c++)
			if (strlen((*c)->name) > width)
				width = strlen((*c)->name);
	return (int)width;
}

static void print_commands(FILE *stream, const struct command_spec *const *commands, int width)
{
	for (; *commands; commands++)
		fprintf(stream, "  %-*s  %s\n", width, (*commands)->name, (*commands)->summary);
}

void command_print_help(FILE *stream, const struct command_table *table)
{
	int width = widest(table);

	fprintf(stream,
		"nvme-%s\n"
		"Usage: " NVME_COMMAND " <command> [DEVICE] [OPTION...]\n",
		table->version);
	/* nvme-mptcp lists the commands of its only plugin above. */
	if (!NVME_ALONE)
		fprintf(stream,
			"       " NVME_COMMAND " <plugin> <command> [DEVICE...] [OPTION...]\n");
	for (const struct command_group *group = table->groups; group->title; group++) {
		fprintf(stream, "\n%s\n", group->title);
		print_commands(stream, group->commands, width);
	}
	if (!NVME_ALONE)
		fprintf(stream, "\nPlugins\n");
	for (const struct plugin *const *p = table->plugins; *p && !NVME_ALONE; p++)
		fprintf(stream, "  %-*s  %s\n", width, (*p)->name, (*p)->summary);
	fprintf(stream, "\n'" NVME_COMMAND " <command> --help' lists the options of a command,\n"
			"'" NVME_COMMAND " help <command>' shows its manual page.\n");
	if (original_is_there())
		fprintf(stream,
			"\nAll other commands are passed to nvme-cli:\n"
			"'%s help' lists its commands.\n",
			original_path());
	if (NVME_ALONE)
		fprintf(stream, "\nOther commands are passed to %s.\n", original_plugin_path());
}

void command_print_plugin_help(FILE *stream, const struct plugin *plugin)
{
	size_t width = 0;

	for (const struct command_spec *const *c = plugin->commands; *c; c++)
		if (strlen((*c)->name) > width)
			width = strlen((*c)->name);
	fprintf(stream, "Usage: " NVME_COMMAND " %s <command> [DEVICE...] [OPTION...]\n\n%s\n\n",
		plugin->name, plugin->summary);
	print_commands(stream, plugin->commands, (int)width);
}

void command_print_usage(FILE *stream, const struct command_spec *spec, const char *name)
{
	const struct common_args common = COMMON_DEFAULTS;
	_cleanup_(free) void *args = calloc(1, spec->args_size + 1);

	if (!args)
		return;
	if (spec->defaults)
		memcpy(args, spec->defaults, spec->args_size);
	fprintf(stream, "Usage: " NVME_COMMAND " %s%s%s%s\n\n", name, spec->operands ? " " : "",
		spec->operands ? spec->operands : "",
		spec->options && spec->options->name ? " [OPTION...]" : "");
	if (spec->description && strchr(spec->description, '\n'))
		fprintf(stream, "%s\n", spec->description); /* already formatted */
	else
		args_print_wrapped(stream, spec->description ? spec->description : spec->summary, 0,
				   0);
	if (!spec->options || !spec->options->name)
		return;
	fputc('\n', stream);
	args_help(stream, spec->options, args, &common);
}

/* Pages of nvme-mptcp's own commands begin with its name, all others with "nvme". */
static const char *page_prefix(bool is_program)
{
	return NVME_ALONE && !is_program ? "nvme" : NVME_COMMAND;
}

/* Show the manual page of a command or, without man, the text of --help. */
static int builtin_help(const struct command_table *table, const struct command_spec *spec)
{
	_cleanup_(free) char *page =
		text_format("%s-%s", page_prefix(command_plugin(table, spec)), spec->name);

	if (!page)
		return 1;
	execlp("man", "man", page, NULL);
	command_print_usage(stderr, spec, spec->name);
	return 0;
}

static int plugin_help(const struct command_table *table, const struct plugin *plugin,
		       const char *word)
{
	const struct command_spec *spec = word ? command_find(plugin->commands, word) : NULL;
	_cleanup_(free) char *page = NULL, *name = NULL;

	if (word && !spec) {
		command_print_unknown(table, plugin, word);
		return 1;
	}
	if (spec && command_find_builtin(table, spec->name) == spec)
		return builtin_help(table, spec);
	page = text_format("%s-%s%s%s", page_prefix(false), plugin->name, spec ? "-" : "",
			   spec ? spec->name : "");
	name = text_format("%s %s", plugin->name, spec ? spec->name : "");
	if (!page || !name)
		return 1;
	execlp("man", "man", page, NULL);
	if (spec)
		command_print_usage(plugin->strict ? stdout : stderr, spec, name);
	else
		command_print_plugin_help(stdout, plugin);
	return 0;
}

int command_help_about(const struct command_table *table, char **words, int n_words)
{
	const struct command_spec *spec = command_find_builtin(table, words[0]);
	const struct plugin *plugin;
	const char *rest = NULL;

	if (n_words > 1 && command_find_two_words(table, words[0], words[1]))
		return builtin_help(table, command_find_two_words(table, words[0], words[1]));
	plugin = spec && !strcmp(spec->name, words[0])
			 ? NULL
			 : command_find_plugin(table, words[0], &rest);
	if (plugin)
		return plugin_help(table, plugin, rest ? rest : n_words > 1 ? words[1] : NULL);
	if (!spec) {
		command_print_unknown(table, NULL, words[0]);
		return 1;
	}
	if (n_words > 1) {
		_cleanup_(free) char *text = escape_text(words[1], strlen(words[1]));

		fprintf(stderr, "Unexpected argument '%s' (see " NVME_COMMAND " help)\n",
			text ? text : "");
		return 1;
	}
	return builtin_help(table, spec);
}
