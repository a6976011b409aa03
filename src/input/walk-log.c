/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find or connect discovery controllers and read their logs. */
#include "walk-private.h"

#define LOG_RETRIES 10

int walk_keep_alive(const struct fabrics_args *args, bool persistent)
{
	if (!persistent)
		return 0;
	return args->options.cfg.keep_alive_tmo ? args->options.cfg.keep_alive_tmo
						: DISCOVERY_KEEP_ALIVE;
}

/* Return a hint if --nqn may be wrong: users often give the NQN of the subsystem that they want. */
static const char *nqn_hint(const struct source *source)
{
	const char *nqn = source->args.fabrics.nqn;

	return nqn && !source->parent && !input_is_well_known_nqn(nqn)
		       ? " (--nqn is for discovery controllers with an NQN of their own; use " NVME_COMMAND
			 " connect for a subsystem)"
		       : "";
}

/* Report a failure with a message. Return: 1. */
#define FAIL(source, step, err_, reason_, ...) \
	walk_report((source)->walk, step, \
		    &(struct walk_result){ .end = WALK_FAILED, .err = err_, .reason = reason_ }, \
		    __VA_ARGS__)

static struct nvmf_discovery_log *read_source_log(const struct source *source,
						  const struct walk_step *step)
{
	const struct walk_setup *setup = &source->walk->setup;
	struct nvme_get_discovery_args args = {
		.c = source->c,
		.args_size = sizeof(args),
		.max_retries = LOG_RETRIES,
		.timeout = setup->timeout,
		.lsp = NVMF_LOG_DISC_LSP_NONE,
	};
	struct muted muted = input_mute(setup->root);
	struct nvmf_discovery_log *log = nvmf_get_discovery_wargs(&args);
	const int err = errno;
	const char *reason = nvmf_ctrl_get_connect_error(source->c);
	struct walk_result result = { .end = WALK_FAILED, .err = err, .unread = true };

	input_unmute(&muted);
	if (!log && reason)
		walk_report(source->walk, step, &result, "failed to get discovery log from %s%s",
			    reason, nqn_hint(source));
	else if (!log)
		walk_report(source->walk, step, &result,
			    "failed to get discovery log from %s: %s%s",
			    nvme_ctrl_get_name(source->c), input_error_text(err), nqn_hint(source));
	return log;
}

int source_read(struct source *source, const struct walk_step *step, nvme_ctrl_t c, bool ends)
{
	struct walk *walk = source->walk;
	const bool at_once = walk->setup.logs_first && ends;
	int status = 0;

	source->c = c;
	source->ends = ends;
	source->transport = strdup(nvme_ctrl_get_transport(c));
	/* Skip further referrals to it, but not if it is disconnected and its name used again. */
	if (!source->transport || (!at_once && walk_visit(walk, "%s", nvme_ctrl_get_name(c)) < 0))
		return walk_no_memory(walk);
	source->log = read_source_log(source, step);
	if (source->log && (walk->setup.connects || walk->setup.logs_first))
		walk_add_zone(source->log, nvme_ctrl_get_traddr(c));
	if (at_once)
		status = source_disconnect(source);
	return source->log ? status | walk->use_log(source, step) : 1;
}

/* Create the described controller, without connecting it. Return NULL after a message. */
static nvme_ctrl_t describe_source(const struct source *source, const struct walk_step *step,
				   const char *nqn)
{
	_cleanup_(free) char *why = NULL;
	nvme_ctrl_t c =
		input_create_ctrl(source->walk->setup.root, &source->args.fabrics, nqn, &why);

	if (!c) {
		const int err = errno;

		FAIL(source, step, err, NULL, "%s", why ? why : strerror(ENOMEM));
		return NULL;
	}
	nvme_ctrl_set_discovery_ctrl(c, true);
	nvme_ctrl_set_unique_discovery_ctrl(c, !input_is_well_known_nqn(nqn));
	return c;
}

static bool matches(const struct source *source, const struct walk_step *step, nvme_ctrl_t c,
		    const char *nqn)
{
	const struct discover_args *args = &source->args;
	nvme_ctrl_t described;
	bool ret;

	if (!args->fabrics.traddr &&
	    nvmf_transport_has(args->fabrics.transport, NVMF_TRANSPORT_TRADDR))
		return false;
	described = describe_source(source, step, nqn);
	ret = described && nvmf_ctrl_is_connected_as(c, described);
	nvme_free_ctrl(described);
	return ret;
}

/* Warn about --device if there is an address to fall back to. */
static void warn_device(const struct source *source, const char *fmt, const char *name,
			const char *more)
{
	const struct walk_setup *setup = &source->walk->setup;
	_cleanup_(free) char *text = NULL;

	if (!setup->calls->say)
		return;
	text = text_format("ctrl device %s %s%s", name, fmt, more);
	setup->calls->say(setup->arg, NULL, false, 0, text ? text : strerror(ENOMEM));
}

/* Report a failure of --device if there is no address to fall back to. */
static void fail_device(const struct source *source, const struct walk_step *step, int err,
			const char *name)
{
	const bool missing = err == ENODEV;
	_cleanup_(free) char *reason =
		text_format("%s%s", name,
			    missing ? ": no such controller" : " is not a discovery controller");

	FAIL(source, step, err, reason, "ctrl device %s %s", name,
	     missing ? "not found" : "is not a discovery controller");
}

/* Return --device if it is a discovery controller; else NULL, after a warning or a failure. */
static nvme_ctrl_t find_device(const struct source *source, const struct walk_step *step,
			       const char *nqn)
{
	const struct discover_args *args = &source->args;
	const char *name = strncmp(args->device, "/dev/", 5) ? args->device : args->device + 5;
	nvme_ctrl_t c = nvme_scan_ctrl(source->walk->setup.root, name);
	const bool is_all = !args->fabrics.transport;

	if (!c && is_all) {
		fail_device(source, step, ENODEV, name);
		return NULL;
	}
	if (!c) {
		warn_device(source, "not found", name,
			    args->persistent ? ", ignoring --persistent" : "");
		return NULL;
	}
	if (!nvme_ctrl_is_discovery_ctrl(c) && is_all) {
		fail_device(source, step, EINVAL, name);
		return NULL;
	}
	if (!nvme_ctrl_is_discovery_ctrl(c)) {
		warn_device(source, "found, ignoring non discovery controller", name, "");
		return NULL;
	}
	if (args->fabrics.transport && !matches(source, step, c, nqn))
		warn_device(source, "found, ignoring non matching command-line options", name, "");
	return c;
}

/* True if it stays connected: by --persistent or, with an NQN of its own, by configuration. */
static bool stays_connected(const struct source *source, const char *nqn)
{
	return source->args.persistent ||
	       (!input_is_well_known_nqn(nqn) && nvme_host_is_pdc_enabled(source->host, false));
}

static void fail_connect(const struct source *source, const struct walk_step *step, int err,
			 const char *reason)
{
	const char *meaning = walk_meaning(err, reason);

	if (err == ENVME_CONNECT_IGNORED)
		WALK_DONE(source->walk, step, .end = WALK_FAILED, .err = err);
	else
		FAIL(source, step, err, reason, "failed to add controller, error %s%s%s%s",
		     meaning ? meaning : "", meaning && reason ? ": " : "", reason ? reason : "",
		     nqn_hint(source));
}

/* Connect @c. Return NULL after a message, with errno and @c freed. */
static nvme_ctrl_t connect_ctrl(struct source *source, const struct walk_step *step, nvme_ctrl_t c)
{
	const char *nqn = nvme_ctrl_get_subsysnqn(c), *reason;
	const bool persistent = stays_connected(source, nqn);
	int err;

	nvme_ctrl_get_config(c)->keep_alive_tmo =
		walk_keep_alive(&source->args.fabrics, persistent);
	if (walk_connect(source->walk, step, c, &reason))
		return c;
	err = errno;
	fail_connect(source, step, err, reason);
	if (!source->walk->lost)
		nvme_free_ctrl(c);
	errno = err;
	return NULL;
}

/*
 * A controller connected by the well-known NQN may report an NQN of its own: reconnect it by that
 * one, which distinguishes it from other discovery controllers. Return NULL after a message.
 */
static nvme_ctrl_t use_unique_nqn(struct source *source, const struct walk_step *step,
				  nvme_ctrl_t c)
{
	_cleanup_(free) struct nvme_id_ctrl *id = calloc(1, sizeof(*id));
	char nqn[sizeof(id->subnqn) + 1];
	const int ret = id ? nvme_ctrl_identify(c, id) : -1;
	const int err = errno;

	if (ret) {
		const char *why =
			ret > 0 ? nvme_status_to_string(ret, false) : input_error_text(err);

		FAIL(source, step, ret > 0 ? EIO : err, ret > 0 ? why : NULL,
		     "failed to identify controller %s, error %s", nvme_ctrl_get_name(c), why);
		if (nvme_disconnect_ctrl(c))
			walk_fail(source->walk, step->place, errno, "failed to disconnect %s",
				  nvme_ctrl_get_name(c));
		return NULL;
	}
	memcpy(nqn, id->subnqn, sizeof(id->subnqn));
	nqn[sizeof(id->subnqn)] = '\0';
	if (!*nqn || input_is_well_known_nqn(nqn))
		return c;
	if (nvme_disconnect_ctrl(c)) {
		FAIL(source, step, errno, NULL, "failed to disconnect %s: %s",
		     nvme_ctrl_get_name(c), input_error_text(errno));
		return NULL;
	}
	nvme_free_ctrl(c);
	c = describe_source(source, step, nqn);
	return c ? connect_ctrl(source, step, c) : NULL;
}

/* Connections through a reused controller's log use its transport, host address and interface. */
static void inherit_host_side(struct fabrics_args *args, nvme_ctrl_t c)
{
	if (!args->transport)
		args->transport = nvme_ctrl_get_transport(c);
	if (!args->host_traddr)
		args->host_traddr = nvme_ctrl_get_host_traddr(c);
	if (!args->host_iface)
		args->host_iface = nvme_ctrl_get_host_iface(c);
}

static int run_connected(struct source *source, const struct walk_step *step, nvme_ctrl_t c)
{
	const bool well_known = input_is_well_known_nqn(nvme_ctrl_get_subsysnqn(c));
	bool ends;

	c = connect_ctrl(source, step, c);
	if (!c)
		return errno != ENVME_CONNECT_IGNORED;
	if (well_known)
		c = use_unique_nqn(source, step, c);
	if (!c)
		return 1;
	ends = !stays_connected(source, nvme_ctrl_get_subsysnqn(c));
	WALK_DONE(source->walk, step, .end = WALK_CONNECTED, .c = c, .ends = ends);
	return source_read(source, step, c, ends);
}

static int check_source(const struct source *source, const struct walk_step *step)
{
	_cleanup_(free) char *why = NULL;
	const int err = input_check_address(&source->args.fabrics, &why);

	return err ? FAIL(source, step, -err, why, "%s", why ? why : source->walk->setup.name) : 0;
}

/* If all logs are read first, note the portal: referrals to it would not find it connected. */
static int note_portal(const struct source *source, nvme_ctrl_t c)
{
	const char *trsvcid = nvme_ctrl_get_trsvcid(c);
	const char *transport = nvme_ctrl_get_transport(c);

	if (!source->walk->setup.logs_first)
		return 0;
	if (!trsvcid)
		trsvcid = nvmf_transport_default_trsvcid(transport, true);
	return walk_visit(source->walk, "%s %s %s %s", transport,
			  source->args.fabrics.traddr ? source->args.fabrics.traddr : "",
			  trsvcid ? trsvcid : "", nvme_ctrl_get_subsysnqn(c));
}

static int find_and_run(struct source *source, const struct walk_step *step)
{
	struct discover_args *args = &source->args;
	nvme_ctrl_t described = NULL, c = NULL;

	if (args->device && !(args->force && args->fabrics.transport)) {
		c = find_device(source, step, step->subnqn);
		if (!c && !args->fabrics.transport)
			return 1;
		/* The controller connected instead does not stay connected. */
		if (!c)
			args->persistent = false;
	}
	if (!c) {
		if (check_source(source, step))
			return 1;
		described = describe_source(source, step, step->subnqn);
		if (!described)
			return 1;
		if (note_portal(source, described) < 0)
			return walk_no_memory(source->walk);
		if (!args->force)
			c = nvmf_find_connected(source->host, described);
	}
	if (!c || !nvme_ctrl_is_discovery_ctrl(c))
		return run_connected(source, step, described);
	nvme_free_ctrl(described);
	inherit_host_side(&args->fabrics, c);
	WALK_DONE(source->walk, step, .end = WALK_ALREADY, .c = c);
	return source_read(source, step, c, false);
}

int source_run(struct source *source)
{
	const struct walk_step step = source_step(source);
	char *secret;
	int status;

	if (walk_is_abandoned(source->walk, &step))
		return source_unref(source) | 1;
	source_apply_secret(source, &secret);
	status = find_and_run(source, &step);
	source_restore_secret(source, secret);
	return source_unref(source) | status;
}

struct source_item {
	struct queue_item item;
	struct source *source;
};

static int run_source(struct queue *queue, struct queue_item *item)
{
	return source_run(((struct source_item *)item)->source);
}

static int refuse_source(struct queue *queue, struct queue_item *item, const char *reason)
{
	struct source *source = ((struct source_item *)item)->source;
	const struct fabrics_args *args = &source->args.fabrics;
	const struct walk_step step = source_step(source);

	FAIL(source, &step, 0, reason, "not connected to the discovery controller at %s%s%s: %s",
	     args->traddr, args->trsvcid ? ":" : "", args->trsvcid ? args->trsvcid : "", reason);
	return source_unref(source) | 1;
}

int source_add(struct source *source)
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

	if (!source->walk->sources)
		return source_run(source);
	queued = calloc(1, sizeof(*queued));
	if (!queued) {
		const struct walk *walk = source->walk;

		source_unref(source);
		return walk_no_memory(walk);
	}
	queued->source = source;
	queued->item.place = source->place;
	queued->item.run = run_source;
	queued->item.refuse = refuse_source;
	queue_add(source->walk->sources, &queued->item, &address);
	return 0;
}
