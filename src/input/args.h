/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of a command as a table, for parsing, --help and shell completion. */
#pragma once

#include "shared/std.h"

enum arg_type {
	ARG_STR, /* const char *, borrowed from argv */
	ARG_INT, /* int */
	ARG_UINT, /* unsigned int */
	ARG_BYTE, /* uint8_t */
	ARG_SHORT, /* uint16_t */
	ARG_LONG, /* long */
	ARG_SUFFIX, /* uint64_t, with k, M, G, T (1000) or Ki, Mi, Gi, Ti (1024) */
	ARG_DOUBLE, /* double */
	ARG_FLAG, /* bool, no argument */
	ARG_COUNT, /* unsigned int, number of times that the option is given */
};

struct arg {
	const char *name; /* long name; a NULL name ends the table */
	char letter; /* short name, or 0 */
	enum arg_type type;
	bool common; /* @offset is into struct common_args instead of the command's own struct */
	bool late; /* not in nvme-cli 2.13: older options keep their abbreviations, see is_hidden_option() */
	size_t offset;
	size_t given; /* of a bool that is set when the option is given; 0: none */
	const char *meta; /* name of the argument in the help */
	const char *help; /* args_describe() returns it as printed */
	int (*word)(const char *text, uint8_t *value); /* of a byte: looks up a name, 0 if known */
	const char *bare; /* value if the option has no argument; NULL: an argument is required */
};

/* clang-format off */
#define OPT_ROW(kind, long_name, letter_, struct_, member, ...) \
	{ .name = long_name, .letter = letter_, .type = ARG_##kind, \
	  .offset = offsetof(struct_, member), __VA_ARGS__ }
#define OPT_END { .name = NULL }
/* clang-format on */
/* OPT(STR, "nqn", 'n', struct connect_args, nqn, "NQN", "subsystem NQN") */
#define OPT(kind, name, letter, struct_, member, meta_, help_) \
	OPT_ROW(kind, name, letter, struct_, member, .meta = meta_, .help = help_)
/* The same, but sets @seen if it is given: for options without a value for "not given". */
#define OPT_NOTED(kind, name, letter, struct_, member, seen, meta_, help_) \
	OPT_ROW(kind, name, letter, struct_, member, .meta = meta_, .help = help_, \
		.given = offsetof(struct_, seen))
/* A byte whose values have names; @word_ looks them up. */
#define OPT_NAMED(name, letter, struct_, member, word_, meta_, help_) \
	OPT_ROW(BYTE, name, letter, struct_, member, .meta = meta_, .help = help_, .word = word_)
#define OPT_FLAG(name, letter, struct_, member, help_) \
	OPT_ROW(FLAG, name, letter, struct_, member, .help = help_)
#define OPT_COMMON(kind, name, letter, member, meta_, help_) \
	OPT_ROW(kind, name, letter, struct common_args, member, .meta = meta_, .help = help_, \
		.common = true)
/* A common option that nvme-cli 2.13 has only in commands where it has a letter. */
#define OPT_COMMON_LATE(kind, name, letter, member, meta_, help_) \
	OPT_ROW(kind, name, letter, struct common_args, member, .meta = meta_, .help = help_, \
		.common = true, .late = !(letter))
/* --force for a device in use, in commands where nvme-cli 2.13 has no such check. */
#define OPT_FORCE(struct_, help_) \
	OPT_ROW(FLAG, "force", 0, struct_, force, .late = true, .help = help_)
/* An option that nvme-cli does not have. */
#define OPT_OWN(kind, name, struct_, member, meta_, help_) \
	OPT_ROW(kind, name, 0, struct_, member, .late = true, .meta = meta_, .help = help_)
/* A table for one command. */
#define OPTIONS(...) ((const struct arg[]){ __VA_ARGS__, OPT_END })
/* The same with the generic options below, and with those that offer -o binary. */
#define GENERIC(...) OPTIONS(__VA_ARGS__, GENERIC_OPTIONS)
#define BINARY(...) OPTIONS(__VA_ARGS__, GENERIC_OPTIONS_BINARY)

/* Options that many commands share. The command frame (nvme-cli/frame/) acts on them. */
struct common_args {
	const char *format; /* -o, NULL if not given */
	unsigned int verbose;
	unsigned int timeout; /* ms, 0: the kernel's default */
	int format_version;
	bool quiet, dry_run, no_retries;
};

/* clang-format off */
#define COMMON_DEFAULTS { .format_version = 1 }
#define OPT_VERBOSE \
	OPT_COMMON(COUNT, "verbose", 'v', verbose, NULL, "print more; repeat for debugging")
#define OPT_FORMAT OPT_COMMON(STR, "output-format", 'o', format, "FMT", "normal or json")
#define OPT_FORMAT_BINARY \
	OPT_COMMON(STR, "output-format", 'o', format, "FMT", "normal, json or binary")
#define OPT_TIMEOUT(letter_) \
	OPT_COMMON_LATE(UINT, "timeout", letter_, timeout, "MS", "timeout of each command")
#define OPT_SENDING_AND(dry_run_letter) \
	OPT_COMMON_LATE(FLAG, "dry-run", dry_run_letter, dry_run, NULL, \
			"show the commands without sending them"), \
	OPT_COMMON_LATE(FLAG, "no-retries", 0, no_retries, NULL, \
			"do not repeat interrupted commands"), \
	OPT_COMMON_LATE(INT, "output-format-version", 0, format_version, "N", \
			"layout of JSON, 1 or 2")
#define OPT_SENDING OPT_SENDING_AND(0)

/* Options of every command except the fabrics commands; list them after the command's own. */
#define GENERIC_OPTIONS_AND(opt_format) \
	opt_format, OPT_VERBOSE, OPT_TIMEOUT('t'), OPT_SENDING
#define GENERIC_OPTIONS GENERIC_OPTIONS_AND(OPT_FORMAT)
#define GENERIC_OPTIONS_WITHOUT_T OPT_FORMAT, OPT_VERBOSE, OPT_TIMEOUT(0), OPT_SENDING
#define GENERIC_OPTIONS_BINARY GENERIC_OPTIONS_AND(OPT_FORMAT_BINARY)
/* clang-format on */

struct args_result {
	FILE *messages; /* set by the caller: stream for messages, NULL: stderr */
	bool help; /* the user asked for help */
	int argc; /* operands */
	char **argv;
};

/*
 * Parse argv[1..] by the table @args into @own and @common, which hold the defaults. argv is
 * permuted. argv[0] is the command as typed by users. Bad input causes a message of one line.
 * Return: 0, -EINVAL after a message, -ENOMEM.
 */
int args_parse(const struct arg *args, int argc, char **argv, void *own, struct common_args *common,
	       struct args_result *result);

/* True if a key or secret was given: a stray word may be part of it and must not be printed. */
bool args_hold_secret(const struct arg *args, const void *own);

/* Parse a list's first number, up to @max, and advance *@text to the next. Return 0 or -EINVAL. */
int args_list_number(const char **text, uint64_t max, uint64_t *number);

/*
 * Parse a comma-separated list of at most @room numbers, each up to @max. A @text of NULL is an
 * empty list. Return: their count; -EINVAL for anything else; -E2BIG for more than @room.
 */
int args_list(const char *text, uint64_t max, uint64_t *numbers, unsigned int room);

/* Return the value at @at of an option that is a whole number, else 0. */
long long args_number(const struct arg *arg, const void *at);

/* Return an option's help, "@transports@" replaced by the known transports; to be freed. */
char *args_describe(const struct arg *arg);

/* Print the aligned option list of a help text, with the defaults that @own and @common hold. */
void args_help(FILE *stream, const struct arg *args, const void *own,
	       const struct common_args *common);

/* Print @text word-wrapped, beginning at @column; further lines are indented. End the last line. */
void args_print_wrapped(FILE *stream, const char *text, int column, int indent);
