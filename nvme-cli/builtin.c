// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, how they are found, and the help that is made of it. */
#include <string.h>

#include "shared/cleanup.h"
#include "commands.h"
#include "config.h"
#include "private.h"
#include "frame/suggest.h"

const struct format_name format_names[] = {
	{ "normal", OUT_TEXT },	    { "json", OUT_JSON }, { "binary", OUT_BINARY },
	{ "tabular", OUT_TABULAR }, { NULL, 0 },
};

static const struct command_spec *const fabrics_commands[] = {
	&discover_command,
	&connect_all_command,
	&connect_command,
	&disconnect_command,
	&disconnect_all_command,
	&gen_hostnqn_command,
	&show_hostnqn_command,
	&config_command,
	&dim_command,
	NULL,
};

static const struct command_spec *const listing_commands[] = {
	&list_subsys_command, &list_ns_command,	      &list_ctrl_command,
	&list_command,	      &show_topology_command, NULL,
};

static const struct command_spec *const identify_commands[] = {
	&id_ctrl_command, &id_ns_command, &ns_descs_command, &get_ns_id_command, NULL,
};

static const struct command_spec *const log_commands[] = {
	&smart_log_command, &error_log_command,		  &ana_log_command,
	&get_log_command,   &supported_log_pages_command, NULL,
};

static const struct command_spec *const setting_commands[] = {
	&get_feature_command,  &set_feature_command, &get_property_command,
	&set_property_command, &show_regs_command,   NULL,
};

static const struct command_spec *const io_commands[] = {
	&flush_command, &read_command,	       &write_command, &compare_command,
	&dsm_command,	&write_zeroes_command, NULL,
};

static const struct command_spec *const controller_commands[] = {
	&reset_command,		 &subsystem_reset_command, &ns_rescan_command,
	&admin_passthru_command, &io_passthru_command,	   NULL,
};

static const struct command_spec *const key_commands[] = {
	&gen_dhchap_key_command, &check_dhchap_key_command, &gen_tls_key_command,
	&check_tls_key_command,	 &tls_key_command,	    NULL,
};

static const struct command_spec *const general_commands[] = {
	&version_command,
	&help_command,
	NULL,
};

const struct command_group command_groups[] = {
	{ "Fabrics", fabrics_commands },
	{ "Listing", listing_commands },
	{ "Identify", identify_commands },
	{ "Log pages", log_commands },
	{ "Features and properties", setting_commands },
	{ "Logical blocks", io_commands },
	{ "Controllers", controller_commands },
	{ "Keys", key_commands },
	{ "General", general_commands },
	{ NULL, NULL },
};

extern const struct plugin mptcp_plugin;
extern const struct plugin nbft_plugin;

const struct plugin *const plugins[] = {
	&mptcp_plugin,
	&nbft_plugin,
	NULL,
};

/* Looks through one list; counts prefix matches over several lists in *n_matches. */
static const struct command_spec *search(const struct command_spec *const *commands,
					 const char *name, const struct command_spec **prefix,
					 int *n_matches)
{
	size_t length = strlen(name);

	for (; *commands; commands++) {
		if (!strcmp((*commands)->name, name))
			return *commands;
		if (!strncmp((*commands)->name, name, length)) {
			*prefix = *commands;
			++*n_matches;
		}
	}
	return NULL;
}

const struct command_spec *find_command(const struct command_spec *const *commands,
					const char *name)
{
	const struct command_spec *prefix = NULL, *exact;
	int n_matches = 0;

	exact = search(commands, name, &prefix, &n_matches);
	if (exact)
		return exact;
	return n_matches == 1 && *name ? prefix : NULL;
}

const struct command_spec *find_builtin(const char *name)
{
	const struct command_spec *prefix = NULL, *exact;
	int n_matches = 0;

	for (const struct command_group *group = command_groups; group->title; group++) {
		exact = search(group->commands, name, &prefix, &n_matches);
		if (exact)
			return exact;
	}
	return n_matches == 1 && *name ? prefix : NULL;
}

const struct plugin *find_plugin(const char *name, const char **rest)
{
	for (const struct plugin *const *p = plugins; *p; p++) {
		size_t length = strlen((*p)->name);

		if (strncmp((*p)->name, name, length))
			continue;
		if (name[length] && name[length] != '-')
			continue;
		*rest = name[length] ? name + length + 1 : NULL;
		return *p;
	}
	return NULL;
}

/* Names that a word which is none may stand for: those it begins, or the one that it resembles. */
struct guess {
	struct suggestion near;
	const char *first; /* of the names that begin with the word */
	char several[160]; /* all of them, if there are more */
};

static void guess_add(struct guess *guess, const char *name)
{
	size_t length = strlen(guess->near.word), used;

	suggestion_consider(&guess->near, name);
	if (!length || strncmp(name, guess->near.word, length))
		return;
	if (!guess->first) {
		guess->first = name;
		return;
	}
	if (!*guess->several)
		snprintf(guess->several, sizeof(guess->several), "%s", guess->first);
	used = strlen(guess->several);
	snprintf(guess->several + used, sizeof(guess->several) - used, ", %s", name);
}

static void guess_among(struct guess *guess, const struct command_spec *const *commands)
{
	for (; *commands; commands++)
		guess_add(guess, (*commands)->name);
}

void print_unknown(const struct plugin *plugin, const char *name)
{
	_cleanup_(free) char *shown = escape_text(name, strlen(name));
	struct guess guess = { .near = SUGGESTION_FOR(name) };

	if (plugin) {
		guess_among(&guess, plugin->commands);
	} else {
		for (const struct command_group *group = command_groups; group->title; group++)
			guess_among(&guess, group->commands);
		for (const struct plugin *const *p = plugins; *p; p++)
			guess_add(&guess, (*p)->name);
	}
	printf("ERROR: Invalid sub-command '%s'%s%s", shown ? shown : "",
	       plugin ? " for plugin " : "", plugin ? plugin->name : "");
	if (*guess.several)
		printf(": it may be %s\n", guess.several);
	else if (guess.near.name)
		printf(": did you mean '%s'?\n", guess.near.name);
	else
		printf(" ('nvme %s%shelp' lists the commands)\n", plugin ? plugin->name : "",
		       plugin ? " " : "");
}

static int widest(void)
{
	size_t width = 0;

	for (const struct command_group *group = command_groups; group->title; group++)
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

void print_general_help(FILE *stream)
{
	int width = widest();

	fprintf(stream, "nvme-" NVME_VERSION "\n"
			"Usage: nvme <command> [DEVICE] [OPTION...]\n"
			"       nvme <plugin> <command> [DEVICE...] [OPTION...]\n");
	for (const struct command_group *group = command_groups; group->title; group++) {
		fprintf(stream, "\n%s\n", group->title);
		print_commands(stream, group->commands, width);
	}
	fprintf(stream, "\nPlugins\n");
	for (const struct plugin *const *p = plugins; *p; p++)
		fprintf(stream, "  %-*s  %s\n", width, (*p)->name, (*p)->summary);
	fprintf(stream, "\n'nvme <command> --help' lists the options of a command,\n"
			"'nvme help <command>' shows its manual.\n");
}

void print_plugin_help(FILE *stream, const struct plugin *plugin)
{
	size_t width = 0;

	for (const struct command_spec *const *c = plugin->commands; *c; c++)
		if (strlen((*c)->name) > width)
			width = strlen((*c)->name);
	fprintf(stream, "Usage: nvme %s <command> [DEVICE...] [OPTION...]\n\n%s\n\n", plugin->name,
		plugin->summary);
	print_commands(stream, plugin->commands, (int)width);
}

void print_usage(const struct command_spec *spec, const char *name)
{
	const struct common_args common = COMMON_DEFAULTS;
	_cleanup_(free) void *args = calloc(1, spec->args_size + 1);

	if (!args)
		return;
	if (spec->defaults)
		memcpy(args, spec->defaults, spec->args_size);
	fprintf(stderr, "Usage: nvme %s%s%s%s\n\n", name, spec->operands ? " " : "",
		spec->operands ? spec->operands : "",
		spec->options && spec->options->name ? " [OPTION...]" : "");
	if (spec->description && strchr(spec->description, '\n'))
		fprintf(stderr, "%s\n", spec->description); /* it is laid out already */
	else
		print_wrapped(stderr, spec->description ? spec->description : spec->summary, 0, 0);
	if (!spec->options || !spec->options->name)
		return;
	fputc('\n', stderr);
	args_help(spec->options, args, &common);
}
