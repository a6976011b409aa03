/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands: search by a typed word, and generated help. */
#pragma once

#include "command.h"

/* Built-in commands under a heading of the general help. */
struct command_group {
	const char *title;
	const struct command_spec *const *commands; /* ends with NULL */
};

struct command_table {
	const char *version; /* of the program */
	const struct command_group *groups; /* ends with a NULL title */
	const struct plugin *const *plugins; /* ends with NULL */
};

/* The name of a format for -o. */
struct command_format {
	const char *name;
	enum out_format format;
};

extern const struct command_format command_formats[]; /* ends with a NULL name */

/* Find a command by its name or by a unique prefix. Return NULL if there is none, or several. */
const struct command_spec *command_find(const struct command_spec *const *commands,
					const char *name);

/* The same for the built-in commands. */
const struct command_spec *command_find_builtin(const struct command_table *table,
						const char *name);

/* Find a command by two whole words of nvme-cli 3, "log smart" is smart-log; NULL if none. */
const struct command_spec *command_find_two_words(const struct command_table *table,
						  const char *first, const char *second);

/* Find a plugin by "mptcp" or "mptcp-check". *@rest is "check" in the latter case, else NULL. */
const struct plugin *command_find_plugin(const struct command_table *table, const char *name,
					 const char **rest);

/* Return the plugin that contains the command, or NULL. */
const struct plugin *command_plugin(const struct command_table *table,
				    const struct command_spec *spec);

/*
 * True if the words name a command of this program and are not abbreviated. An abbreviation may be
 * the full name of another program's command. All words after a strict plugin are known, because no
 * other program has it.
 */
bool command_is_known(const struct command_table *table, char **words, int n_words);

/* Print one line on stdout, as nvme-cli 2.x does, for an unknown command. @plugin may be NULL. */
void command_print_unknown(const struct command_table *table, const struct plugin *plugin,
			   const char *name);

void command_print_help(FILE *stream, const struct command_table *table);
void command_print_plugin_help(FILE *stream, const struct plugin *plugin);

/* Print the --help of a command. */
void command_print_usage(FILE *stream, const struct command_spec *spec, const char *name);

/* Show the manual page for the words, plugin and command. Return the exit status without man. */
int command_help_about(const struct command_table *table, char **words, int n_words);
