// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme connect */
#include "commands.h"
#include "discovery.h"

struct connect_args {
	struct fabrics_args fabrics;
	const char *iopolicy, *require;
};

FABRICS_COMES_FIRST(struct connect_args);

/* clang-format off */
static const struct arg connect_options[] = {
	FABRICS_OPTIONS FABRICS_PEER_OPTIONS FABRICS_DUMP_CONFIG
	OPT(STR, "iopolicy", 0, struct connect_args, iopolicy, "NAME",
	    "how I/O is spread over paths: numa, round-robin, queue-depth"),
	OPT_OWN(STR, "require", struct connect_args, require, "WHAT",
		"fail if a connection falls back to TCP or has fewer than links=N or subflows=N"),
	OPT_FORMAT,
	OPT_COMMON_LATE(FLAG, "quiet", 0, quiet, NULL, "print less"),
	OPT_VERBOSE,
	OPT_END,
};
/* clang-format on */

static int check(struct command *cmd, const struct fabrics_args *args)
{
	if (fabrics_check(cmd, args))
		return -EINVAL;
	if (!args->nqn) {
		command_fail(cmd, 0, "required argument [--nqn | -n] not specified");
		return -EINVAL;
	}
	return fabrics_check_address(cmd, args);
}

/* Set the I/O policy of a controller that is connected; it stays connected if this fails. */
static int set_iopolicy(struct command *cmd, nvme_ctrl_t c, const char *policy)
{
	nvme_subsystem_t s = nvme_ctrl_get_subsystem(c);

	if (!nvme_subsystem_set_iopolicy(s, policy))
		return 0;
	if (errno == EINVAL)
		return command_fail(cmd, 0,
				    "%s is connected, but the kernel has no I/O policy '%s'",
				    nvme_ctrl_get_name(c), policy);
	return command_fail(cmd, errno, "%s is connected, but the I/O policy of %s is unchanged",
			    nvme_ctrl_get_name(c), nvme_subsystem_get_name(s));
}

static int show_device(struct command *cmd, nvme_ctrl_t c)
{
	struct out *out = cmd->out;
	const char *name = nvme_ctrl_get_name(c);

	out_object(out, NULL);
	out_text(out, "connecting to device: %s\n", out_safe(out, name));
	out_str(out, "device", name);
	return out_end(out);
}

/* A discovery controller that stays connected needs a keep-alive timeout. */
static void keep_alive(nvme_ctrl_t c)
{
	struct nvme_fabrics_config *cfg = nvme_ctrl_get_config(c);

	if (input_is_well_known_nqn(nvme_ctrl_get_subsysnqn(c)) && !cfg->keep_alive_tmo)
		cfg->keep_alive_tmo = DISCOVERY_KEEP_ALIVE;
}

/* Return the meaning of @err, or NULL if the library's @reason contains it or is more specific. */
static const char *error_meaning(int err, const char *reason)
{
	const char *meaning = command_error_text(err);

	return reason && (err == ENVME_CONNECT_INVAL || strstr(reason, meaning)) ? NULL : meaning;
}

/* Print "<what> <meaning>: <sentence>"; no meaning if the sentence contains it. Return: 1. */
static int fail_connect(struct command *cmd, nvme_ctrl_t c, int err, const char *what)
{
	const char *reason = nvmf_ctrl_get_connect_error(c);
	const char *meaning = error_meaning(err, reason);

	return command_fail(cmd, 0, "%s %s%s%s", what, meaning ? meaning : "",
			    meaning && reason ? ": " : "", reason ? reason : "");
}

static void warn_of_wait(const char *text, void *arg)
{
	struct command *cmd = arg;

	if (!cmd->common.quiet)
		command_warn(cmd, 0, "%s", text);
}

static int connect_one(struct command *cmd, const struct connect_args *own,
		       const struct requirement *required)
{
	struct fabrics_args args = own->fabrics;
	const struct input_waiter waiter = { warn_of_wait, cmd };
	_cleanup_(free) char *why = NULL;
	nvme_ctrl_t c, connected = NULL;
	struct fresh fresh = { 0 };
	nvme_host_t h;
	int ret;

	h = fabrics_host(cmd, &args);
	if (!h)
		return 1;
	/* As in nvme-cli 2.x, only discover and connect-all use the discovery port by default. */
	if (!args.trsvcid && input_is_well_known_nqn(args.nqn))
		args.trsvcid = nvmf_transport_default_trsvcid(args.transport, false);
	c = input_create_ctrl(cmd->root, &args, args.nqn, &why);
	if (!c) {
		fabrics_fail(cmd, errno, why);
		return 1;
	}
	if (!args.options.cfg.duplicate_connect)
		connected = nvmf_find_connected(h, c);
	if (connected) {
		nvme_free_ctrl(c);
		return command_fail(cmd, 0, "already connected as %s",
				    nvme_ctrl_get_name(connected));
	}
	keep_alive(c);
	/* Like nvmf_add_ctrl(), but recorded, and it tells if another process is waited for. */
	if (input_add_ctrl(h, c, &waiter)) {
		fail_connect(cmd, c, errno, "could not add new controller:");
		nvme_free_ctrl(c);
		return 1;
	}
	if (own->iopolicy && set_iopolicy(cmd, c, own->iopolicy))
		return 1;
	if (required->text && hint_await_required(cmd, required, c))
		return 1;
	ret = show_device(cmd, c);
	if (required->text)
		return ret;
	hint_later(cmd, &fresh, c);
	hint_at_links(cmd, &fresh);
	return ret;
}

/* Refuse key and TLS options with --config, which defines how each connection is protected. */
static int check_configured(struct command *cmd, const struct connect_args *own)
{
	const struct fabrics_args *args = &own->fabrics;
	const char *guard;

	if (fabrics_check(cmd, args))
		return -EINVAL;
	if (own->require) {
		command_fail(cmd, 0,
			     "cannot specify --config and --require together: --require is for one "
			     "connection; " NVME_MPTCP_COMMAND " check tests all of them");
		return -EINVAL;
	}
	guard = input_security_option(args);
	if (!guard)
		return 0;
	command_fail(cmd, 0,
		     "cannot specify --config and --%s together: %s specifies how to protect its "
		     "connections",
		     guard, args->config);
	return -EINVAL;
}

/* Connect everything that the configuration describes for the given host, or for all hosts. */
static int connect_hosts(struct discovery *d, struct walk *walk, const struct fabrics_args *args)
{
	struct command *cmd = d->cmd;
	nvme_host_t h;
	int status;

	if (walk_note_configured(walk) || fabrics_scan(cmd, args, NULL))
		return 1;
	status = fabrics_apply_mptcp(cmd, args->hostnqn, args->hostid);
	if (status)
		return status;
	nvme_for_each_host(cmd->root, h)
		if (input_host_matches(h, args->hostnqn, args->hostid) &&
		    walk_configured(walk, h, args->context))
			status = 1;
	hint_at_links(cmd, &d->fresh);
	return status;
}

static int connect_file(struct command *cmd, const struct fabrics_args *args)
{
	const struct walk_setup setup = { .connects = true, .in_turn = true };
	struct discovery d = { .cmd = cmd };
	struct walk *walk = discovery_walk(&d, &setup);
	const int status = walk ? connect_hosts(&d, walk, args) : 1;

	walk_free(walk);
	return status;
}

static int connect_given(struct command *cmd, const struct connect_args *own)
{
	struct requirement required = {};

	if (own->require &&
	    hint_parse_required(cmd, own->require, own->fabrics.transport, &required))
		return 1;
	/* --dump-config prints everything, so everything is scanned. */
	if (fabrics_scan(cmd, &own->fabrics, own->fabrics.dump_config ? NULL : own->fabrics.nqn))
		return 1;
	return connect_one(cmd, own, &required);
}

static int connect_command_run(struct command *cmd)
{
	struct connect_args *own = cmd->args;
	struct fabrics_args *args = &own->fabrics;
	bool configured = args->config && !input_is_none(args->config);
	int status, read_status;

	input_drop_none(args);
	if (configured ? check_configured(cmd, own) : check(cmd, args))
		return 1;
	if (fabrics_read(cmd, args, args->config, &read_status))
		return 1;
	status = configured ? connect_file(cmd, args) : connect_given(cmd, own);
	if (!status && !read_status && args->dump_config)
		status = fabrics_dump_config(cmd);
	return status ? status : read_status;
}

COMMAND(connect_command, "connect", "Connect to a subsystem", connect_options,
	.args_size = sizeof(struct connect_args),
	.defaults = &(const struct connect_args){ .fabrics = FABRICS_DEFAULTS },
	.formats = OUT_TEXT | OUT_JSON, .run = connect_command_run);
