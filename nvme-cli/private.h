/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the frame's own files; commands have no use for this. */
#ifndef PRIVATE_H
#define PRIVATE_H

#include <stddef.h>

#include "frame/command.h"

/* Built-in commands under a heading of the general help. */
struct command_group {
	const char *title;
	const struct command_spec *const *commands; /* ends with NULL */
};

/* What -o calls a format. */
struct format_name {
	const char *name;
	enum out_format format;
};

extern const struct format_name format_names[]; /* ends with a NULL name */
extern const struct command_group command_groups[]; /* ends with a NULL title */
extern const struct plugin *const plugins[]; /* ends with NULL */

/*
 * A command of a list by its name or a prefix that no other command of the list shares. NULL: none,
 * or several.
 */
const struct command_spec *find_command(const struct command_spec *const *commands,
					const char *name);
const struct command_spec *find_builtin(const char *name);

/* "mptcp" finds the plugin; "mptcp-check" too, with *rest pointing to "check", else to NULL. */
const struct plugin *find_plugin(const char *name, const char **rest);

/* One line on stdout, as nvme-cli 2.x has it, for a word that is no command (@plugin: or NULL). */
void print_unknown(const struct plugin *plugin, const char *name);

void print_general_help(FILE *stream);
void print_plugin_help(FILE *stream, const struct plugin *plugin);

/*
 * The manual of what the words name: a command, a plugin, or a plugin and its command. Returns the
 * exit status, unless the manual takes the place of this program.
 */
int help_about(char **words, int n_words);

/*
 * args.c: the words of @text, from @column on, in lines of a help text; further lines are indented.
 * Ends the line.
 */
void print_wrapped(FILE *stream, const char *text, int column, int indent);

/* --help of a command, on stderr. */
void print_usage(const struct command_spec *spec, const char *name);

/* out-escape.c: bytes outside 0x20..0x7e as \xNN; to be freed, NULL without memory. */
char *escape_text(const void *bytes, size_t length);

#endif /* PRIVATE_H */
