// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds or connects discovery controllers and reads their logs. */
#include <errno.h>
#include <string.h>

#include "discovery.h"

#define LOG_RETRIES 10

/* clang-format off */
const struct arg discovery_options[] = {
	OPT(STR, "device", 'd', struct discover_args, device, "DEV",
	    "use this connected discovery controller, e.g. nvme0"),
	DISCOVERY_LINE_OPTIONS,
	OPT_FLAG("nbft", 0, struct discover_args, nbft,
		 "only the boot connections of the firmware (NBFT)"),
	OPT_FLAG("no-nbft", 0, struct discover_args, no_nbft, "without the boot connections of the firmware"),
	OPT(STR, "nbft-path", 0, struct discover_args, nbft_path, "DIR", "directory of the NBFT"),
	OPT_END,
};
/* clang-format on */

int discovery_keep_alive(const struct fabrics_args *args, bool persistent)
{
	if (!persistent)
		return 0;
	return args->options.cfg.keep_alive_tmo ? args->options.cfg.keep_alive_tmo
						: DISCOVERY_KEEP_ALIVE;
}

static struct nvmf_discovery_log *read_log(struct command *cmd, nvme_ctrl_t c)
{
	struct nvme_get_discovery_args args = {
		.c = c,
		.args_size = sizeof(args),
		.max_retries = LOG_RETRIES,
		.timeout = cmd->common.timeout,
		.lsp = NVMF_LOG_DISC_LSP_NONE,
	};
	struct muted muted = input_mute(cmd->root);
	struct nvmf_discovery_log *log = nvmf_get_discovery_wargs(&args);
	const char *reason = nvmf_ctrl_get_connect_error(c);

	input_unmute(&muted);
	if (!log && reason)
		command_fail(cmd, 0, "failed to get discovery log from %s", reason);
	else if (!log)
		command_fail(cmd, errno, "failed to get discovery log from %s",
			     nvme_ctrl_get_name(c));
	return log;
}

int source_read(struct source *source, nvme_ctrl_t c, bool ends)
{
	struct discovery *d = source->d;

	source->c = c;
	source->ends = ends;
	/* What refers to it later on leads nowhere new. */
	if (discovery_visit(d, "%s", nvme_ctrl_get_name(c)) < 0)
		return command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
	source->log = read_log(d->cmd, c);
	return source->log ? d->act(source) : 1;
}

/* What the arguments describe, not connected. NULL after a message. */
static nvme_ctrl_t describe(const struct source *source, const char *nqn)
{
	nvme_ctrl_t c = fabrics_create_ctrl(source->d->cmd, &source->args.fabrics, nqn);

	if (!c)
		return NULL;
	nvme_ctrl_set_discovery_ctrl(c, true);
	nvme_ctrl_set_unique_discovery_ctrl(c, !fabrics_is_well_known_nqn(nqn));
	return c;
}

static bool matches(const struct source *source, nvme_ctrl_t c, const char *nqn)
{
	const struct discover_args *args = &source->args;
	nvme_ctrl_t described;
	bool ret;

	if (!args->fabrics.traddr &&
	    nvmf_transport_has(args->fabrics.transport, NVMF_TRANSPORT_TRADDR))
		return false;
	described = describe(source, nqn);
	ret = described && nvmf_ctrl_is_connected_as(c, described);
	nvme_free_ctrl(described);
	return ret;
}

/*
 * The controller called --device, if it is a discovery controller that fits the arguments; else a word,
 * which is an error where there is no address to fall back to.
 */
static nvme_ctrl_t find_device(const struct source *source, const char *nqn)
{
	const struct discover_args *args = &source->args;
	struct discovery *d = source->d;
	const char *name = strncmp(args->device, "/dev/", 5) ? args->device : args->device + 5;
	nvme_ctrl_t c = nvme_scan_ctrl(d->cmd->root, name);
	const bool is_all = !args->fabrics.transport;

	if (!c && is_all) {
		command_fail(d->cmd, 0, "ctrl device %s not found", name);
		return NULL;
	}
	if (!c) {
		command_warn(d->cmd, 0, "ctrl device %s not found%s", name,
			     args->persistent ? ", ignoring --persistent" : "");
		return NULL;
	}
	if (!nvme_ctrl_is_discovery_ctrl(c) && is_all) {
		command_fail(d->cmd, 0, "ctrl device %s is no discovery controller", name);
		return NULL;
	}
	if (!nvme_ctrl_is_discovery_ctrl(c)) {
		command_warn(d->cmd, 0, "ctrl device %s found, ignoring non discovery controller",
			     name);
		return NULL;
	}
	if (args->fabrics.transport && !matches(source, c, nqn)) {
		command_warn(d->cmd, 0,
			     "ctrl device %s found, ignoring non matching command-line options",
			     name);
		return NULL;
	}
	return c;
}

/* A controller with an NQN of its own stays where the configuration requires it. */
static bool stays(const struct source *source, const char *nqn)
{
	return source->args.persistent ||
	       (!fabrics_is_well_known_nqn(nqn) && nvme_host_is_pdc_enabled(source->host, false));
}

/* Connects what is described. NULL after a message, with errno; @c is freed then. */
static nvme_ctrl_t connect_ctrl(const struct source *source, nvme_ctrl_t c)
{
	const bool persistent = stays(source, nvme_ctrl_get_subsysnqn(c));
	int err;

	nvme_ctrl_get_config(c)->keep_alive_tmo =
		discovery_keep_alive(&source->args.fabrics, persistent);
	if (!fabrics_add_ctrl(source->d->cmd, source->host, c))
		return c;
	err = errno;
	if (err != ENVME_CONNECT_IGNORED)
		fabrics_fail_connect(source->d->cmd, c, err, "failed to add controller, error");
	nvme_free_ctrl(c);
	errno = err;
	return NULL;
}

/*
 * A controller that answers to the well-known NQN may have an NQN of its own; connected by that
 * one, it keeps apart from other discovery controllers. NULL after a message.
 */
static nvme_ctrl_t use_unique_nqn(const struct source *source, nvme_ctrl_t c)
{
	_cleanup_(free) struct nvme_id_ctrl *id = calloc(1, sizeof(*id));
	struct command *cmd = source->d->cmd;
	char nqn[sizeof(id->subnqn) + 1];
	int ret = id ? nvme_ctrl_identify(c, id) : -1;

	if (ret) {
		command_fail(cmd, 0, "failed to identify controller %s, error %s",
			     nvme_ctrl_get_name(c),
			     ret > 0 ? nvme_status_to_string(ret, false)
				     : command_error_text(errno));
		nvme_disconnect_ctrl(c);
		return NULL;
	}
	memcpy(nqn, id->subnqn, sizeof(id->subnqn));
	nqn[sizeof(id->subnqn)] = '\0';
	if (!*nqn || fabrics_is_well_known_nqn(nqn))
		return c;
	if (nvme_disconnect_ctrl(c)) {
		command_fail(cmd, errno, "failed to disconnect %s", nvme_ctrl_get_name(c));
		return NULL;
	}
	nvme_free_ctrl(c);
	c = describe(source, nqn);
	return c ? connect_ctrl(source, c) : NULL;
}

/* The host side of a reused controller serves what is connected through its log, too. */
static void inherit(struct fabrics_args *args, nvme_ctrl_t c)
{
	if (!args->transport)
		args->transport = nvme_ctrl_get_transport(c);
	if (!args->host_traddr)
		args->host_traddr = nvme_ctrl_get_host_traddr(c);
	if (!args->host_iface)
		args->host_iface = nvme_ctrl_get_host_iface(c);
}

/* Connects, and reads the log. */
static int run_connected(struct source *source, nvme_ctrl_t c)
{
	const bool well_known = fabrics_is_well_known_nqn(nvme_ctrl_get_subsysnqn(c));

	c = connect_ctrl(source, c);
	if (!c)
		return errno != ENVME_CONNECT_IGNORED;
	if (well_known)
		c = use_unique_nqn(source, c);
	if (!c)
		return 1;
	return source_read(source, c, !stays(source, nvme_ctrl_get_subsysnqn(c)));
}

static int find_and_run(struct source *source)
{
	struct discover_args *args = &source->args;
	const char *nqn = args->fabrics.nqn ? args->fabrics.nqn : NVME_DISC_SUBSYS_NAME;
	nvme_ctrl_t described = NULL, c = NULL;

	if (args->device)
		c = find_device(source, nqn);
	if (!c && args->device && !args->fabrics.transport)
		return 1;
	if (!c) {
		if (fabrics_check_address(source->d->cmd, &args->fabrics))
			return 1;
		described = describe(source, nqn);
		if (!described)
			return 1;
		if (!args->force)
			c = nvmf_find_connected(source->host, described);
	}
	if (!c || !nvme_ctrl_is_discovery_ctrl(c))
		return run_connected(source, described);
	nvme_free_ctrl(described);
	inherit(&args->fabrics, c);
	return source_read(source, c, false);
}

int discovery_run_source(struct source *source)
{
	char *secret;
	int status;

	source_enter(source, &secret);
	status = find_and_run(source);
	source_leave(source, secret);
	return source_unref(source) | status;
}

struct source_item {
	struct queue_item item;
	struct source *source;
};

static int run(struct queue *queue, struct queue_item *item)
{
	return discovery_run_source(((struct source_item *)item)->source);
}

static int skip(struct queue *queue, struct queue_item *item)
{
	struct source *source = ((struct source_item *)item)->source;
	const struct fabrics_args *args = &source->args.fabrics;

	command_fail(source->d->cmd, 0,
		     "not connected to the discovery controller at %s%s%s: " QUEUE_SKIPPED,
		     args->traddr, args->trsvcid ? ":" : "", args->trsvcid ? args->trsvcid : "");
	source_unref(source);
	return 1;
}

int discovery_add_source(struct source *source)
{
	const struct fabrics_args *args = &source->args.fabrics;
	const struct portal_address address = {
		.transport = args->transport,
		.traddr = args->traddr,
		.trsvcid = args->trsvcid,
		.host_traddr = args->host_traddr,
		.host_iface = args->host_iface,
		.discovery = true,
	};
	struct source_item *queued;

	if (!source->d->queue)
		return discovery_run_source(source);
	queued = calloc(1, sizeof(*queued));
	if (!queued) {
		source_unref(source);
		return command_fail(source->d->cmd, ENOMEM, "%s", source->d->cmd->name);
	}
	queued->source = source;
	queued->item.place = source->place;
	queued->item.run = run;
	queued->item.skip = skip;
	queue_add(source->d->queue, &queued->item, &address);
	return 0;
}
