// SPDX-License-Identifier: GPL-2.0-or-later
/* Services for every command: the root of the tree, errors. */
#include <syslog.h>

#include "command.h"
#include "config.h"
#include "escape.h"
#include "shared/cleanup.h"
#include "shared/text.h"
#include "shared/mask.h"

#define HOSTNQN_FILE SYSCONFDIR "/nvme/hostnqn"

static int log_level(const struct common_args *common)
{
	if (common->quiet)
		return LOG_ERR;
	if (!common->verbose)
		return LOG_NOTICE;
	return common->verbose == 1 ? LOG_INFO : LOG_DEBUG;
}

nvme_root_t command_root(struct command *cmd)
{
	if (cmd->root)
		return cmd->root;
	cmd->root = nvme_create_root(stderr, log_level(&cmd->common));
	if (!cmd->root)
		command_fail(cmd, errno, "Failed to create topology root");
	return cmd->root;
}

const char *command_error_text(int err)
{
	err = abs(err);
	return err >= ENVME_CONNECT_RESOLVE ? nvme_errno_to_string(err) : strerror(err);
}

/* Return "<place>: <text>: <meaning of err>", masked and escaped, or NULL without memory. */
__attribute__((format(printf, 3, 0))) static char *message(const struct command *cmd, int err,
							   const char *fmt, va_list ap)
{
	const char *place = cmd->place ? cmd->place : "";
	_cleanup_(free) char *text = text_format_list(fmt, ap), *whole = NULL, *masked = NULL;

	if (text)
		whole = text_format("%s%s%s%s%s", place, *place ? ": " : "", text, err ? ": " : "",
				    err ? command_error_text(err) : "");
	masked = whole ? mask_secrets(whole, NULL, 0) : NULL;
	return masked ? escape_text(masked, strlen(masked)) : NULL;
}

static void print_message(struct command *cmd, const char *text)
{
	if (cmd->out && !cmd->messages)
		out_flush(cmd->out);
	fprintf(cmd->messages ? cmd->messages : stderr, "%s\n", text);
}

__attribute__((format(printf, 4, 0))) static void report(struct command *cmd, const char *type,
							 int err, const char *fmt, va_list ap)
{
	_cleanup_(free) char *text = message(cmd, err, fmt, ap);

	const char *shown = text ? text : strerror(ENOMEM);

	if (cmd->headline) {
		out_text(cmd->out, "%s - %s\n", cmd->headline, shown);
		return;
	}
	if (!cmd->place && !cmd->messages && cmd->out && out_error(cmd->out, shown, type))
		return;
	print_message(cmd, shown);
}

static bool is_set(const struct command *cmd, const char *option)
{
	for (const struct arg *arg = cmd->spec->options; arg && arg->name; arg++)
		if (arg->type == ARG_FLAG && !arg->common && !strcmp(arg->name, option))
			return *(const bool *)((const char *)cmd->args + arg->offset);
	return false;
}

bool command_writes_bytes(const struct command *cmd)
{
	return out_format(cmd->out) == OUT_BINARY || is_set(cmd, "raw-binary");
}

bool command_has_text(const struct command *cmd)
{
	return !out_is_json(cmd->out) && !command_writes_bytes(cmd);
}

int command_failure(const struct command *cmd)
{
	return cmd->spec->failure ? cmd->spec->failure : 1;
}

int command_fail(struct command *cmd, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(cmd, NULL, err, fmt, ap);
	va_end(ap);
	return command_failure(cmd);
}

int command_fail_as(struct command *cmd, int status, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(cmd, NULL, err, fmt, ap);
	va_end(ap);
	return status;
}

int command_fail_scan(struct command *cmd)
{
	int err = errno;

	return command_fail(cmd, 0, "Failed to scan topology: %s%s", strerror(err),
			    err == ENOENT ? " (are the NVMe modules loaded? modprobe nvme-fabrics)"
					  : "");
}

char *command_hostnqn(struct command *cmd, const char *given, const char *option)
{
	char *hostnqn = given ? strdup(given) : nvmf_hostnqn_from_file();
	const int err = hostnqn ? 0 : errno;

	if (!hostnqn && err == ENOENT && !given)
		command_fail(cmd, 0,
			     "Could not read host NQN: %s: %s (" NVME_COMMAND
			     " gen-hostnqn > %s creates it, or use %s)",
			     HOSTNQN_FILE, strerror(err), HOSTNQN_FILE, option);
	else if (!hostnqn)
		command_fail(cmd, err, "Could not read host NQN");
	return hostnqn;
}

int command_succeed(struct command *cmd, const char *fmt, ...)
{
	_cleanup_(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = message(cmd, 0, fmt, ap);
	va_end(ap);
	if (!text)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	out_text(cmd->out, "%s\n", text);
	out_object(cmd->out, NULL);
	out_str(cmd->out, "result", text);
	return out_end(cmd->out);
}

int command_succeed_with(struct command *cmd, const char *what, uint32_t nsid)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%" PRIu32, nsid);
	out_text(cmd->out, "%s: success\n", what);
	out_object(cmd->out, NULL);
	out_str(cmd->out, what, "success");
	if (nsid) {
		out_text(cmd->out, "nsid: %s\n", digits);
		out_str(cmd->out, "nsid", digits);
	}
	return out_end(cmd->out);
}

__attribute__((format(printf, 2, 3))) static void report_nvme(struct command *cmd, const char *fmt,
							      ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(cmd, "nvme", 0, fmt, ap);
	va_end(ap);
}

int command_fail_nvme(struct command *cmd, int status)
{
	const char *text = nvme_status_to_string(status, false);

	if (out_is_json(cmd->out))
		report_nvme(cmd, "%s", text);
	else
		report_nvme(cmd, "NVMe status: %s(0x%x)", text, (unsigned int)status);
	return command_failure(cmd);
}

bool command_read_failed(void)
{
	return nvme_memory_failures() || nvme_mptcp_memory_failures();
}

void command_warn(struct command *cmd, int err, const char *fmt, ...)
{
	_cleanup_(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = message(cmd, err, fmt, ap);
	va_end(ap);
	print_message(cmd, text ? text : strerror(ENOMEM));
}
