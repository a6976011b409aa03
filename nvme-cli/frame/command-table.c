// SPDX-License-Identifier: GPL-2.0-or-later
/* Find a typed word in the table of commands. */
#include "command-table.h"
#include "config.h"
#include "escape.h"
#include "original.h"
#include "shared/cleanup.h"
#include "shared/suggest.h"

const struct command_format command_formats[] = {
	{ "normal", OUT_TEXT },	    { "json", OUT_JSON }, { "binary", OUT_BINARY },
	{ "tabular", OUT_TABULAR }, { NULL, 0 },
};

static bool is_called(const struct command_spec *spec, const char *name)
{
	return !strcmp(spec->name, name) || (spec->alias && !strcmp(spec->alias, name));
}

static const struct command_spec *find_in(const struct command_group *groups, const char *name)
{
	const struct command_spec *prefix = NULL;
	const size_t length = strlen(name);
	int n_matches = 0;

	for (const struct command_group *group = groups; group->title; group++)
		for (const struct command_spec *const *c = group->commands; *c; c++) {
			if (is_called(*c, name))
				return *c;
			if (!strncmp((*c)->name, name, length)) {
				prefix = *c;
				n_matches++;
			}
		}
	return n_matches == 1 && *name ? prefix : NULL;
}

const struct command_spec *command_find(const struct command_spec *const *commands,
					const char *name)
{
	const struct command_group groups[] = { { .title = "", .commands = commands }, { NULL } };

	return find_in(groups, name);
}

const struct command_spec *command_find_builtin(const struct command_table *table, const char *name)
{
	return find_in(table->groups, name);
}

/* What goes before and after the second word, in the order of preference. */
static const struct {
	const char *first, *before, *after;
} two_words[] = {
	{ "log", "", "-log" },
	{ "id", "id-", "" },
	{ "ns", "", "-ns" },
	{ "ns", "ns-", "" },
	{ "fw", "fw-", "" },
	{ "resv", "resv-", "" },
	{ "security", "security-", "" },
	{ "dir", "dir-", "" },
	{ "io-mgmt", "io-mgmt-", "" },
	{ "nvme-mi", "nvme-mi-", "" },
	{ "keys", "", "-key" },
	{ "utils", "", "" },
};

const struct command_spec *command_find_two_words(const struct command_table *table,
						  const char *first, const char *second)
{
	const struct command_spec *spec;
	char name[64];

	for (size_t i = 0; i < sizeof(two_words) / sizeof(two_words[0]); i++) {
		if (strcmp(two_words[i].first, first) != 0)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", two_words[i].before, second,
			 two_words[i].after);
		spec = command_find_builtin(table, name);
		if (spec && is_called(spec, name))
			return spec;
	}
	return NULL;
}

const struct plugin *command_find_plugin(const struct command_table *table, const char *name,
					 const char **rest)
{
	for (const struct plugin *const *p = table->plugins; *p; p++) {
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

const struct plugin *command_plugin(const struct command_table *table,
				    const struct command_spec *spec)
{
	for (const struct plugin *const *p = table->plugins; *p; p++)
		for (const struct command_spec *const *c = (*p)->commands; *c; c++)
			if (*c == spec)
				return *p;
	return NULL;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "h") || !strcmp(word, "?");
}

bool command_is_known(const struct command_table *table, char **words, int n_words)
{
	const char *word = words[0] + strspn(words[0], "-"), *rest = NULL;
	const struct command_spec *spec = command_find_builtin(table, word);
	const struct plugin *plugin;

	if (is_help(word))
		return n_words < 2 || command_is_known(table, words + 1, n_words - 1);
	if (spec && is_called(spec, word))
		return true;
	if (n_words > 1 && command_find_two_words(table, word, words[1]))
		return true;
	plugin = command_find_plugin(table, word, &rest);
	if (!plugin)
		return false;
	if (!rest && n_words > 1)
		rest = words[1] + strspn(words[1], "-");
	if (!rest || is_help(rest) || !strcmp(rest, "version") || plugin->strict)
		return true;
	spec = command_find(plugin->commands, rest);
	return spec && is_called(spec, rest);
}

/* Names that an unknown word may mean: those that begin with it, or the most similar one. */
struct guess {
	struct suggestion near;
	const char *first; /* first name that begins with the word */
	char several[160]; /* all such names, if there are several */
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

static void guess_add_all(struct guess *guess, const struct command_spec *const *commands)
{
	for (; *commands; commands++)
		guess_add(guess, (*commands)->name);
}

static void print_missing_plugin(const char *name)
{
	_cleanup_(free) char *shown = escape_text(name, strlen(name));

	printf("ERROR: Invalid sub-command '%s': it is a plugin of nvme-cli, and %s is not "
	       "installed ('" NVME_COMMAND " admin-passthru' sends any command)\n",
	       shown ? shown : "", original_plugin_path());
}

void command_print_unknown(const struct command_table *table, const struct plugin *plugin,
			   const char *name)
{
	_cleanup_(free) char *shown = escape_text(name, strlen(name));
	struct guess guess = { .near = SUGGESTION_FOR(name) };

	if (!plugin && original_has_plugin(name)) {
		print_missing_plugin(name);
		return;
	}
	if (plugin) {
		guess_add_all(&guess, plugin->commands);
	} else {
		for (const struct command_group *group = table->groups; group->title; group++)
			guess_add_all(&guess, group->commands);
		for (const struct plugin *const *p = table->plugins; *p; p++)
			guess_add(&guess, (*p)->name);
	}
	printf("ERROR: Invalid sub-command '%s'%s%s", shown ? shown : "",
	       plugin ? " for plugin " : "", plugin ? plugin->name : "");
	if (*guess.several)
		printf(": it may be %s", guess.several);
	else if (guess.near.name)
		printf(": did you mean '%s'?", guess.near.name);
	else
		printf(" ('" NVME_COMMAND " %s%shelp' lists the commands)",
		       plugin ? plugin->name : "", plugin ? " " : "");
	if (original_path() && !original_is_there() && !(plugin && plugin->strict))
		printf("; commands of nvme-cli need %s, which is not installed", original_path());
	putchar('\n');
}
