/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command. main.c finds it by name, parses its options, sets up the output and passes everything
 * as struct command; the command returns an exit status.
 *
 *	static int show(struct command *cmd)
 *	{
 *		const struct show_args *args = cmd->args;
 *		...
 *	}
 *
 *	COMMAND(show_command, "show", "Show the subflows",
 *		OPTIONS(OPT(STR, "netns", 0, struct show_args, netns, "NAME", "network namespace"),
 *			OPT_FORMAT, OPT_VERBOSE),
 *		.args_size = sizeof(struct show_args), .formats = OUT_TEXT | OUT_JSON, .run = show);
 */
#pragma once

#include <libnvme.h>
#include <nvme/mptcp.h>

#include "input/args.h"
#include "out.h"

struct command;
struct command_table;
struct device;

struct command_spec {
	const char *name;
	const char *alias; /* another name, not listed in help, or NULL */
	const char *summary; /* one line, for the list of commands */
	const char *operands; /* in the usage line, or NULL */
	const char *description; /* a paragraph for --help, or NULL: the summary */
	const struct arg *options;
	size_t args_size; /* of the struct that the options fill */
	const void *defaults; /* initial value of that struct, or NULL: all zero */
	unsigned int formats; /* enum out_format values that -o accepts; 0: no -o */
	int failure; /* exit status of a failure if 1 is a result; 0 means 1 */
	int max_operands; /* more are ignored, or an error in strict plugins; -1: any number */
	bool has_layouts; /* for --output-format-version; otherwise version 2 is the JSON of -v */
	bool takes_keys; /* surplus arguments may be keys and are not printed */
	bool ignores_options; /* runs with any arguments; only option -o has an effect */
	int (*run)(struct command *cmd); /* returns the exit status */
	const void *row; /* the differences between commands that share run() */
};

/* A command; the last arguments are the other members of its struct. */
#define COMMAND(variable, name_, summary_, options_, ...) \
	const struct command_spec variable = { \
		.name = name_, .summary = summary_, .options = options_, __VA_ARGS__ \
	}

struct command {
	const struct command_spec *spec;
	const char *name; /* full name: "connect", "mptcp check" */
	void *args; /* spec->args_size bytes, set by the options */
	struct common_args common;
	int argc; /* operands */
	char **argv;
	struct out *out;
	const struct command_table *table; /* contains the command */
	bool strict; /* see struct plugin */
	bool was_shown; /* printed instead of sent, for --dry-run: there is no answer to process */
	const struct device *device; /* opened last, see device/device.h */
	nvme_root_t root; /* NULL until command_root() */
	nvme_mptcp_config_t mptcp; /* MPTCP part of the configurations; NULL: none was read */
	/*
	 * "file:line" of the entry in progress if there are several, or NULL. Messages start with
	 * it and never replace JSON output, which belongs to the other entries as well.
	 */
	const char *place;
	/* Stream for messages instead of stderr, or NULL. They do not replace JSON output then. */
	FILE *messages;
	/* For readers of one line: errors are printed there, after "<headline> - "; or NULL. */
	const char *headline;
};

struct plugin {
	const char *name, *summary;
	const struct command_spec *const *commands; /* ends with NULL */
	bool strict; /* surplus operands are an error: no nvme-cli 2.x script relies on them */
};

/*
 * Return the root of the tree. It is created on first use, with a log level according to -v and
 * --quiet; nothing is scanned. main.c frees it. Return NULL after a message: the command should
 * return command_failure() then.
 */
nvme_root_t command_root(struct command *cmd);

/* Return the exit status for a failure of this command. */
int command_failure(const struct command *cmd);

/*
 * Print an error message: "<text>: <meaning of err>", or just "<text>" if err is 0. err is an errno
 * or enum nvme_connect_err, of either sign. Text goes to stderr; with -o json {"error":"..."}
 * replaces the output. Bytes outside 0x20..0x7e are escaped. Return: command_failure().
 */
int command_fail(struct command *cmd, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, but return @status. */
int command_fail_as(struct command *cmd, int status, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Print a result without other output: a line, or {"result":"<text>"}. Return: exit status. */
int command_succeed(struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* Print the success of @what as nvme-cli 2.16, with the namespace unless 0. Return: exit status. */
int command_succeed_with(struct command *cmd, const char *what, uint32_t nsid);

/* Report that nvme_scan_topology() failed with errno. Return: command_failure(). */
int command_fail_scan(struct command *cmd);

/* Return @given or this machine's host NQN, to be freed; NULL after a message naming @option. */
char *command_hostnqn(struct command *cmd, const char *given, const char *option);

/* Print "NVMe status: <text>(0x...)" or {"error":...,"type":"nvme"}. Return: command_failure(). */
int command_fail_nvme(struct command *cmd, int status);

/* True if a library could not read something, see nvme_memory_failures(). errno: the reason. */
bool command_read_failed(void);

/* Print a line on stderr, also with -o json. The command continues. */
void command_warn(struct command *cmd, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* True if standard output is for raw bytes, because of -o binary or --raw-binary. */
bool command_writes_bytes(const struct command *cmd);

/* True if standard output is text for people; otherwise all other messages go to stderr. */
bool command_has_text(const struct command *cmd);

/* Return the meaning of an errno or enum nvme_connect_err, of either sign. */
const char *command_error_text(int err);
