/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of a command, as a table: names, type, where the value goes, help. Parsing, --help and
 * shell completion are made from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
	ARG_COUNT, /* unsigned int, counts how often the option stands */
};

struct arg {
	const char *name; /* long name; a NULL name ends the table */
	char letter; /* short name, or 0 */
	enum arg_type type;
	bool common; /* @offset is into struct common_args instead of the command's own struct */
	bool late; /* nvme-cli does not have it, or 2.13 did not: what is short for an option there stays that */
	size_t offset;
	size_t given; /* of a bool that becomes true when the option stands there; 0: none */
	const char *meta; /* name of the argument in the help */
	const char *help; /* as it is printed: args_describe() */
	int (*word)(const char *text, uint8_t *value); /* of a byte: 0 if @text is a name of one */
	const char *bare; /* value of an option without argument; NULL: it must have one */
};

/* OPT(STR, "nqn", 'n', struct connect_args, nqn, "NQN", "subsystem NQN") */
#define OPT(kind, long_name, letter_, struct_, member, meta_, help_) \
	{ \
		.name = long_name, .letter = letter_, .type = ARG_##kind, \
		.offset = offsetof(struct_, member), .meta = meta_, .help = help_, \
	}
/* The same, noting in @seen that the option was given, where every value is one that users may mean. */
#define OPT_NOTED(kind, long_name, letter_, struct_, member, seen, meta_, help_) \
	{ \
		.name = long_name, .letter = letter_, .type = ARG_##kind, \
		.offset = offsetof(struct_, member), .given = offsetof(struct_, seen), \
		.meta = meta_, .help = help_, \
	}
/* A byte whose values have names, which @word_ knows. */
#define OPT_NAMED(long_name, letter_, struct_, member, word_, meta_, help_) \
	{ \
		.name = long_name, .letter = letter_, .type = ARG_BYTE, \
		.offset = offsetof(struct_, member), .word = word_, .meta = meta_, .help = help_, \
	}
#define OPT_FLAG(long_name, letter_, struct_, member, help_) \
	OPT(FLAG, long_name, letter_, struct_, member, NULL, help_)
#define OPT_COMMON(kind, long_name, letter_, member, meta_, help_) \
	{ \
		.name = long_name, .letter = letter_, .type = ARG_##kind, .common = true, \
		.offset = offsetof(struct common_args, member), .meta = meta_, .help = help_, \
	}
/* One that 2.13 has with a letter if at all. */
#define OPT_COMMON_LATE(kind, long_name, letter_, member, meta_, help_) \
	{ \
		.name = long_name, .letter = letter_, .type = ARG_##kind, .common = true, \
		.late = !(letter_), .offset = offsetof(struct common_args, member), .meta = meta_, \
		.help = help_, \
	}
/* What overrides that a device is in use, where 2.13 does not ask for it. */
#define OPT_FORCE(struct_, help_) \
	{ \
		.name = "force", .type = ARG_FLAG, .late = true, \
		.offset = offsetof(struct_, force), .help = help_, \
	}
/* One that nvme-cli does not have. */
#define OPT_OWN(kind, long_name, struct_, member, meta_, help_) \
	{ \
		.name = long_name, .type = ARG_##kind, .late = true, \
		.offset = offsetof(struct_, member), .meta = meta_, .help = help_, \
	}
#define OPT_END \
	{ \
		.name = NULL \
	}

/* Options that many commands share; the frame acts on them. */
struct common_args {
	const char *format; /* -o, NULL if not given */
	unsigned int verbose;
	unsigned int timeout; /* ms, 0: the kernel's default */
	int format_version;
	bool quiet;
	bool dry_run;
	bool no_retries;
};

#define COMMON_DEFAULTS \
	{ \
		.format_version = 1 \
	}

#define OPT_VERBOSE \
	OPT_COMMON(COUNT, "verbose", 'v', verbose, NULL, "print more; repeat for debugging")
#define OPT_FORMAT OPT_COMMON(STR, "output-format", 'o', format, "FMT", "normal or json")
#define OPT_FORMAT_BINARY \
	OPT_COMMON(STR, "output-format", 'o', format, "FMT", "normal, json or binary")

/* clang-format off */
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

/* Options of every command but those of fabrics, after its own. */
#define GENERIC_OPTIONS_AND(opt_format) \
	opt_format, OPT_VERBOSE, OPT_TIMEOUT('t'), OPT_SENDING
#define GENERIC_OPTIONS GENERIC_OPTIONS_AND(OPT_FORMAT)
#define GENERIC_OPTIONS_WITHOUT_T OPT_FORMAT, OPT_VERBOSE, OPT_TIMEOUT(0), OPT_SENDING
#define GENERIC_OPTIONS_BINARY GENERIC_OPTIONS_AND(OPT_FORMAT_BINARY)
/* clang-format on */

struct args_result {
	FILE *messages; /* given: where a message goes, NULL: standard error */
	bool help; /* the user asked for help */
	int argc; /* operands */
	char **argv;
};

/*
 * Reads argv[1..] by the tables @args into @own and @common, which hold the defaults. argv is
 * permuted. argv[0] is the command as typed by users; on bad input one clear line is the message.
 *
 * Return: 0, -EINVAL after a message, -ENOMEM.
 */
int args_parse(const struct arg *args, int argc, char **argv, void *own, struct common_args *common,
	       struct args_result *result);

/* Was a key or secret given? Then a stray word may be the rest of it, and is not repeated. */
bool args_hold_secret(const struct arg *args, const void *own);

/*
 * The first number of a list with commas in between; *@text moves on to the next, or to the end. 0, or
 * -EINVAL for what is no number, or more than @max.
 */
int args_list_number(const char **text, uint64_t max, uint64_t *number);

/*
 * All numbers of such a list, at most @room of them, each up to @max. No @text (NULL) has none.
 *
 * Return: their count; -EINVAL for what is no number, or more than @max; -E2BIG for more than @room.
 */
int args_list(const char *text, uint64_t max, uint64_t *numbers, unsigned int room);

/* The help of an option, @transports@ replaced by the transports that there are; to be freed. */
char *args_describe(const struct arg *arg);

/* Prints the option list of a help text, aligned, with the defaults that @own and @common hold. */
void args_help(FILE *stream, const struct arg *args, const void *own,
	       const struct common_args *common);

/*
 * The words of @text, from @column on, in lines of a help text; further lines are indented. Ends the
 * line.
 */
void args_print_wrapped(FILE *stream, const char *text, int column, int indent);
