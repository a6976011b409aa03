/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands: finding one by a typed word, and the help made of it. */
#pragma once

#include <stdio.h>

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

/* What -o calls a format. */
struct command_format {
	const char *name;
	enum out_format format;
};

extern const struct command_format command_formats[]; /* ends with a NULL name */

/*
 * A command of a list by its name or a prefix that no other command of the list shares. NULL: none,
 * or several.
 */
const struct command_spec *command_find(const struct command_spec *const *commands,
					const char *name);

/* The same among the built-in commands. */
const struct command_spec *command_find_builtin(const struct command_table *table,
						const char *name);

/* A built-in command by the words of nvme-cli 3, whole: "log smart" is smart-log. NULL: none. */
const struct command_spec *command_find_two_words(const struct command_table *table,
						  const char *first, const char *second);

/* "mptcp" finds the plugin; "mptcp-check" too, with *rest pointing to "check", else to NULL. */
const struct plugin *command_find_plugin(const struct command_table *table, const char *name,
					 const char **rest);

/* The plugin that the command is one of, or NULL. */
const struct plugin *command_plugin(const struct command_table *table,
				    const struct command_spec *spec);

/*
 * Do the words name something of this program, none of them shortened? A shortened name may be the
 * whole name of what another program has. A plugin that no other program has answers for itself.
 */
bool command_is_known(const struct command_table *table, char **words, int n_words);

/* One line on stdout, as nvme-cli 2.x has it, for a word that is no command (@plugin: or NULL). */
void command_print_unknown(const struct command_table *table, const struct plugin *plugin,
			   const char *name);

void command_print_help(FILE *stream, const struct command_table *table);
void command_print_plugin_help(FILE *stream, const struct plugin *plugin);

/* Prints the --help of a command. */
void command_print_usage(FILE *stream, const struct command_spec *spec, const char *name);

/*
 * The manual page for the words: a command, a plugin, or a plugin and its command. Returns the
 * exit status, unless the manual takes the place of this program.
 */
int command_help_about(const struct command_table *table, char **words, int n_words);
