/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command. main.c finds it by name, parses its options, sets up the output
 * and hands everything over as struct command; the command returns an exit status.
 *
 *	struct show_args {
 *		const char *netns;
 *	};
 *
 *	static const struct arg show_options[] = {
 *		OPT(STR, "netns", 0, struct show_args, netns, "NAME", "show this network namespace"),
 *		OPT_FORMAT, OPT_VERBOSE, OPT_END,
 *	};
 *
 *	static int show(struct command *cmd)
 *	{
 *		const struct show_args *args = cmd->args;
 *		...
 *	}
 *
 *	const struct command_spec show_command = {
 *		.name = "show", .summary = "...", .operands = "[DEVICE...]",
 *		.options = show_options, .args_size = sizeof(struct show_args),
 *		.formats = OUT_TEXT | OUT_JSON, .run = show,
 *	};
 */
#pragma once

#include <libnvme.h>
#include <nvme/mptcp.h>

#include "input/args.h"
#include "out.h"

struct command;
struct command_table;

struct command_spec {
	const char *name;
	const char *alias; /* another name, which help does not list, or NULL */
	const char *summary; /* one line, for the list of commands */
	const char *operands; /* behind the options in the usage line, or NULL */
	const char *description; /* a paragraph for --help, or NULL: the summary */
	const struct arg *options;
	size_t args_size; /* of the struct that the options fill */
	const void *defaults; /* its initial value, or NULL: all zero */
	unsigned int formats; /* enum out_format that -o accepts, or 0 if there is no -o */
	int failure; /* exit status of a failure, where 1 is an answer; 0: 1 */
	int max_operands; /* more are ignored, or an error in strict plugins; -1: any number */
	bool has_layouts; /* by --output-format-version; otherwise version 2 is the JSON of -v */
	bool takes_keys; /* a stray argument may be one, and is not repeated */
	bool ignores_options; /* runs whatever stands behind its name; of options only -o counts */
	int (*run)(struct command *cmd); /* returns the exit status */
	const void *row; /* of commands that share run(): the difference between them */
};

struct command {
	const struct command_spec *spec;
	const char *name; /* as typed by users: "connect", "mptcp check" */
	void *args; /* spec->args_size bytes, filled */
	struct common_args common;
	int argc; /* operands */
	char **argv;
	struct out *out;
	const struct command_table *table; /* that the command stands in */
	bool strict; /* of its plugin */
	bool was_shown; /* instead of sent, by --dry-run: there is no answer to go on with */
	nvme_root_t root; /* NULL until command_root() */
	nvme_mptcp_config_t mptcp; /* what configurations have of MPTCP; NULL: none was read */
	/*
	 * "file:line" of what is being followed, one of several: messages start with it, and leave
	 * alone what the others put out.
	 */
	const char *place;
	/*
	 * Or NULL. Messages go there instead of to standard error, for one of several things that are
	 * done: they leave alone what the others put out, too.
	 */
	FILE *messages;
	/*
	 * Or NULL. For programs that read one line of standard output: an error message goes there,
	 * behind "<headline> - ".
	 */
	const char *headline;
};

struct plugin {
	const char *name;
	const char *summary;
	const struct command_spec *const *commands; /* ends with NULL */
	bool strict; /* operands too many are an error: nobody relies on nvme-cli 2.x here */
};

/*
 * The tree's root, created on first use with a log level that follows -v and --quiet; nothing is
 * scanned. NULL after a message: return command_failure() then. The frame frees it.
 */
nvme_root_t command_root(struct command *cmd);

/* The exit status of a failure of this command. */
int command_failure(const struct command *cmd);

/*
 * One error message: "<text>: <meaning of err>", or just "<text>" if err is 0. err is an errno or
 * enum nvme_connect_err, of either sign. Text goes to stderr; with -o json {"error":"..."} replaces
 * the output. Bytes outside 0x20..0x7e are escaped.
 *
 * Return: command_failure().
 */
int command_fail(struct command *cmd, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with an exit status of its own, which is returned. */
int command_fail_as(struct command *cmd, int status, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The result of a command without other output: a line, or {"result":"<text>"}. Return: exit status. */
int command_succeed(struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* The success of @what as 2.16 prints it, with the namespace unless that is 0. Return: exit status. */
int command_succeed_with(struct command *cmd, const char *what, uint32_t nsid);

/* nvme_scan_topology() failed with errno. Return: command_failure(). */
int command_fail_scan(struct command *cmd);

/*
 * @given, or the host NQN of this machine's file, to be freed. NULL after a message, which names the
 * way out: the file, or @option, such as "--hostnqn".
 */
char *command_hostnqn(struct command *cmd, const char *given, const char *option);

/* "NVMe status: <text>(0x...)"; JSON {"error":"<text>","type":"nvme"}. Return: command_failure(). */
int command_fail_nvme(struct command *cmd, int status);

/* Could either library not read something, see nvme_memory_failures()? errno is why. */
bool command_read_failed(void);

/* One line on stderr in either format; the command goes on. */
void command_warn(struct command *cmd, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Does standard output carry bytes as they are, by -o binary or --raw-binary? */
bool command_writes_bytes(const struct command *cmd);

/* Is it for people, neither such bytes nor JSON? Otherwise what else there is to know goes to stderr. */
bool command_has_text(const struct command *cmd);

/* The meaning of an errno or enum nvme_connect_err of either sign. */
const char *command_error_text(int err);
