// SPDX-License-Identifier: GPL-2.0-or-later
/* Find the command, parse its options, run it, and return its exit status. */
#include <poll.h>

#include "device/device.h"
#include "frame/command-table.h"
#include "frame/escape.h"
#include "frame/original.h"

DEFINE_CLEANUP(struct out *, out_free);
DEFINE_CLEANUP(nvme_root_t, nvme_free_tree);
DEFINE_CLEANUP(nvme_mptcp_config_t, nvme_mptcp_config_free);

static int parse_format(const struct command_spec *spec, const char *name, enum out_format *format)
{
	_cleanup_(free) char *text = NULL;
	int shown = 0;

	*format = OUT_TEXT;
	if (!name)
		return 0;
	for (const struct command_format *known = command_formats; known->name; known++) {
		if (!strcmp(known->name, name) && (spec->formats & known->format)) {
			*format = known->format;
			return 0;
		}
	}
	text = escape_text(name, strlen(name));
	fprintf(stderr, "Invalid output format '%s': use ", text ? text : "");
	for (const struct command_format *known = command_formats; known->name; known++) {
		if (!(spec->formats & known->format))
			continue;
		fprintf(stderr, "%s%s", shown++ ? ", " : "", known->name);
	}
	fputc('\n', stderr);
	return -EINVAL;
}

/* Return the format of -o, unless unsupported, for commands that ignore all other arguments. */
static enum out_format find_format(const struct command_spec *spec, int argc, char **argv)
{
	static const char *const names[] = { "-o", "--output-format", "-output-format" };
	enum out_format format = OUT_TEXT;

	for (int i = 1; i < argc; i++) {
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
			const size_t length = strlen(names[n]);
			const char *value = argv[i] + length;

			if (strncmp(argv[i], names[n], length))
				continue;
			if (!*value)
				value = i + 1 < argc ? argv[i + 1] : "";
			if (!strcmp(value + (*value == '='), "json") && (spec->formats & OUT_JSON))
				format = OUT_JSON;
		}
	}
	return format;
}

/*
 * nvme-cli 2.x ignores surplus arguments, and scripts rely on that: a how-to uses "nvme disconnect
 * /dev/nvme2n1 -n NQN", others pass an empty variable in quotes. Strict plugins report an error.
 */
static int handle_surplus_operands(struct command *cmd, const struct args_result *result)
{
	const struct command_spec *spec = cmd->spec;
	bool hidden = spec->takes_keys || args_hold_secret(spec->options, cmd->args);

	if (spec->max_operands < 0)
		return 0;
	for (int i = spec->max_operands; i < result->argc; i++) {
		if (cmd->strict)
			return command_fail(cmd, 0,
					    "Unexpected argument '%s' (see " NVME_COMMAND
					    " %s --help)",
					    result->argv[i], cmd->name);
		if (*result->argv[i] && hidden)
			command_warn(cmd, 0,
				     NVME_COMMAND " %s: an argument is ignored (it may be a key)",
				     cmd->name);
		else if (*result->argv[i])
			command_warn(cmd, 0, NVME_COMMAND " %s: argument '%s' is ignored",
				     cmd->name, result->argv[i]);
	}
	return 0;
}

/* Return 0, 1 if --help was printed, or -EINVAL after a message. */
static int parse(struct command *cmd, int argc, char **argv, enum out_format *format)
{
	const struct command_spec *spec = cmd->spec;
	struct args_result result = { 0 };

	if (spec->ignores_options) {
		*format = find_format(spec, argc, argv);
		return 0;
	}
	if (args_parse(spec->options, argc, argv, cmd->args, &cmd->common, &result))
		return -EINVAL;
	if (result.help) {
		/* nvme-cli 2.x treats --help as an error, except for the help command itself. */
		bool is_error = !cmd->strict && spec != &help_command;

		command_print_usage(is_error ? stderr : stdout, spec, cmd->name);
		return is_error ? -EINVAL : 1;
	}
	if (cmd->common.format_version != 1 && cmd->common.format_version != 2) {
		fprintf(stderr, "Invalid --output-format-version %d: use 1 or 2\n",
			cmd->common.format_version);
		return -EINVAL;
	}
	if (parse_format(spec, cmd->common.format, format))
		return -EINVAL;
	if (cmd->common.format_version == 2 && *format == OUT_JSON && !spec->has_layouts &&
	    !cmd->common.verbose)
		cmd->common.verbose = 1;
	if (handle_surplus_operands(cmd, &result))
		return -EINVAL;
	cmd->argc = spec->max_operands >= 0 && result.argc > spec->max_operands ? spec->max_operands
										: result.argc;
	cmd->argv = result.argv;
	return 0;
}

/* Run a command. argv[0] is its full name. If @strict, a surplus operand is an error. */
static int run_command(const struct command_spec *spec, bool strict, int argc, char **argv)
{
	struct command cmd = {
		.spec = spec,
		.name = argv[0],
		.common = COMMON_DEFAULTS,
		.table = &builtin_table,
		.strict = strict,
	};
	_cleanup_(nvme_free_tree) nvme_root_t root = NULL;
	_cleanup_(nvme_mptcp_config_free) nvme_mptcp_config_t mptcp = NULL;
	_cleanup_(out_free) struct out *out = NULL;
	_cleanup_(free) void *args = NULL;
	enum out_format format;
	int status, ret;

	cmd.args = args = calloc(1, spec->args_size + 1);
	if (!args)
		return command_fail(&cmd, ENOMEM, NVME_COMMAND " %s", cmd.name);
	if (spec->defaults)
		memcpy(args, spec->defaults, spec->args_size);
	ret = parse(&cmd, argc, argv, &format);
	if (ret)
		return ret > 0 ? 0 : command_failure(&cmd);
	cmd.out = out = out_new(format, stdout);
	if (!out)
		return command_fail(&cmd, ENOMEM, NVME_COMMAND " %s", cmd.name);
	passthru_setup(&cmd.common, !command_has_text(&cmd));
	status = spec->run(&cmd);
	if (cmd.was_shown)
		status = 0;
	root = cmd.root;
	mptcp = cmd.mptcp;
	ret = out_finish(out);
	/* The command may have succeeded, but its output or its error as JSON was lost. */
	if (ret) {
		/* The reader, e.g. head, closed the pipe: print no message. */
		if (abs(ret) == EPIPE)
			return command_failure(&cmd);
		fprintf(stderr, NVME_COMMAND " %s: writing the output: %s\n", cmd.name,
			command_error_text(ret));
		return command_failure(&cmd);
	}
	if (command_read_failed() && status != command_failure(&cmd)) {
		fprintf(stderr, NVME_COMMAND " %s: the output may be incomplete: %s\n", cmd.name,
			strerror(errno));
		return command_failure(&cmd);
	}
	return status;
}

static int no_memory(const struct command_spec *spec)
{
	fprintf(stderr, NVME_COMMAND ": %s\n", strerror(ENOMEM));
	return command_failure(&(struct command){ .spec = spec });
}

static int run_plugin(const struct plugin *plugin, const char *name, int argc, char **argv)
{
	const struct command_spec *spec;
	_cleanup_(free) char *full = NULL;

	while (name && *name == '-')
		name++;
	if (!name || !strcmp(name, "help") || !strcmp(name, "h") || !strcmp(name, "?")) {
		char *words[] = { (char *)plugin->name, argc > 1 ? argv[1] : NULL };

		if (words[1])
			return command_help_about(&builtin_table, words, 2);
		command_print_plugin_help(stdout, plugin);
		return 0;
	}
	spec = command_find(plugin->commands, name);
	if (!spec && !strcmp(name, version_command.name))
		spec = &version_command;
	if (!spec) {
		command_print_unknown(&builtin_table, plugin, name);
		return 1;
	}
	full = text_format("%s %s", plugin->name, spec->name);
	if (!full)
		return no_memory(spec);
	argv[0] = full;
	return run_command(spec, plugin->strict, argc, argv);
}

/* Flush help texts. The output of commands has been written already. */
static int flush_help(int status)
{
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	if (errno != EPIPE)
		fprintf(stderr, NVME_COMMAND ": writing the output: %s\n", strerror(errno));
	return 1;
}

/* Execute the other nvme program. Return 0 if there is none for this command, 1 after a message. */
static int exec_other_nvme(char **argv)
{
	int err = original_take_over(argv);

	if (!err)
		return 0;
	fprintf(stderr,
		NVME_COMMAND ": %s: %s (commands that " NVME_COMMAND
			     " does not implement are passed to it)\n",
		original_path() ? original_path() : original_plugin_path(), strerror(-err));
	return 1;
}

/*
 * Open a descriptor that fails in place of each closed standard stream. Otherwise the next device
 * or file that is opened would become that stream: messages would be written to it, or a disk would
 * be read as standard input. open() always returns the lowest free number.
 */
static void reserve_std_descriptors(void)
{
	struct pollfd streams[] = { { .fd = 0 }, { .fd = 1 }, { .fd = 2 } };

	if (poll(streams, 3, 0) <= 0)
		return;
	for (int i = 0; i < 3; i++)
		if (streams[i].revents & POLLNVAL && open("/", O_PATH) != i)
			exit(1);
}

int main(int argc, char **argv)
{
	const struct command_spec *spec;
	const struct plugin *plugin;
	const char *name, *rest;
	int status;

	reserve_std_descriptors();
	nvme_mptcp_set_command(NVME_MPTCP_COMMAND);
	original_setup(argv[0]);
	if (argc < 2) {
		command_print_help(stdout, &builtin_table);
		return flush_help(0);
	}
	if (!command_is_known(&builtin_table, argv + 1, argc - 1) && exec_other_nvme(argv))
		return 1;
	name = argv[1] + strspn(argv[1], "-");
	if (!strcmp(name, "h") || !strcmp(name, "?"))
		name = "help";
	argc--;
	argv++;
	spec = argc > 1 ? command_find_two_words(&builtin_table, name, argv[1]) : NULL;
	if (spec) {
		name = spec->name;
		argc--;
		argv++;
	}
	spec = command_find_builtin(&builtin_table, name);
	plugin = spec && !strcmp(spec->name, name)
			 ? NULL
			 : command_find_plugin(&builtin_table, name, &rest);
	if (plugin && rest) {
		status = run_plugin(plugin, rest, argc, argv);
	} else if (plugin) {
		status = run_plugin(plugin, argc > 1 ? argv[1] : NULL, argc - 1, argv + 1);
	} else if (spec) {
		_cleanup_(free) char *full = strdup(spec->name);

		argv[0] = full;
		plugin = command_plugin(&builtin_table, spec);
		status = full ? run_command(spec, plugin && plugin->strict, argc, argv)
			      : no_memory(spec);
	} else {
		command_print_unknown(&builtin_table, NULL, name);
		status = 1;
	}
	return flush_help(status);
}
