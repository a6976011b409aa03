// SPDX-License-Identifier: GPL-2.0-or-later
/* Sources of discovery controllers: the command line, the firmware, JSON, discovery.conf. */
#include <errno.h>

#include "config.h"
#include "configured.h"
#include "discovery.h"

static int discover_ctrl(struct discovery *d, const struct discover_args *args, nvme_host_t h,
			 nvme_ctrl_t c)
{
	struct source *source = source_new(d, h, args);
	struct fabrics_args *own;

	if (!source)
		return 1;
	own = &source->args.fabrics;
	own->transport = nvme_ctrl_get_transport(c);
	own->traddr = nvme_ctrl_get_traddr(c);
	own->trsvcid = nvme_ctrl_get_trsvcid(c);
	own->host_traddr = nvme_ctrl_get_host_traddr(c);
	own->host_iface = nvme_ctrl_get_host_iface(c);
	own->nqn = nvme_ctrl_get_subsysnqn(c);
	source->args.persistent = args->persistent || nvme_ctrl_is_persistent(c);
	return discovery_add_source(source);
}

/* Remembers @c in a list that grows by doubling. 0, or -ENOMEM. */
static int remember(nvme_ctrl_t **list, size_t *n, nvme_ctrl_t c)
{
	if (!(*n & (*n - 1))) {
		nvme_ctrl_t *grown = reallocarray(*list, *n ? 2 * *n : 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*list = grown;
	}
	(*list)[(*n)++] = c;
	return 0;
}

/*
 * The discovery controllers that the JSON configuration describes, before a scan finds out which of
 * them are connected: their logs are read as well.
 */
static int list_described(struct discovery *d)
{
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(d->cmd->root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (nvme_ctrl_is_discovery_ctrl(c) &&
				    remember(&d->described, &d->n_described, c))
					return command_fail(d->cmd, ENOMEM,
							    "reading the configuration");
	return 0;
}

static int discover_configured(struct discovery *d, const struct discover_args *args)
{
	int status = 0;

	for (size_t i = 0; i < d->n_described; i++) {
		nvme_ctrl_t c = d->described[i];
		nvme_host_t h = nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c));

		if (configured_is_meant(h, &args->fabrics) && discover_ctrl(d, args, h, c))
			status = 1;
	}
	return status;
}

/* One of these hosts is d->host, which stands for what names none: discovery.conf and the command line. */
static int connect_configured(struct discovery *d, const struct discover_args *args)
{
	const struct configured how = {
		.context = args->fabrics.context,
		.fresh = d->fresh,
		.queue = d->queue,
	};
	nvme_host_t h;
	int status = 0;

	nvme_for_each_host(d->cmd->root, h)
		if (configured_is_meant(h, &args->fabrics) && configured_connect(d->cmd, h, &how))
			status = 1;
	return status;
}

static void forget(struct discovery *d)
{
	for (size_t i = 0; i < d->n_visited; i++)
		free(d->visited[i]);
	free(d->visited);
	for (size_t i = 0; i < d->n_tables; i++)
		nvme_nbft_free(d->tables[i]);
	free(d->tables);
	free(d->described);
	queue_free(d->queue);
}

/* Everything that is configured: by the firmware, in JSON, in discovery.conf. */
static int discover_sources(struct discovery *d, const struct discover_args *args)
{
	int status = 0;

	if (d->queue && !args->no_nbft)
		status = nbft_connect(d, args);
	if (args->nbft)
		return status;
	if (d->queue && connect_configured(d, args))
		status = 1;
	if (discover_configured(d, args))
		status = 1;
	if (discovery_run_file(d, args, DISCOVERY_CONF))
		status = 1;
	return status;
}

/* The controller that the command line describes. */
static int discover_given(struct discovery *d, const struct discover_args *args)
{
	struct source *source = source_new(d, d->host, args);

	return source ? discovery_run_source(source) : 1;
}

static int discover(struct discovery *d, const struct discover_args *args, bool addressed)
{
	int status = addressed ? discover_given(d, args) : discover_sources(d, args);

	if (d->queue)
		status |= queue_run(d->queue);
	hint_at_links(d->cmd, d->fresh);
	if (!status && args->fabrics.dump_config)
		status = fabrics_dump_config(d->cmd);
	return status;
}

int discovery_run(struct command *cmd, log_action_t act, bool connects)
{
	struct discover_args *args = cmd->args;
	struct fresh fresh = { 0 };
	struct discovery d = { .cmd = cmd, .act = act, .fresh = &fresh };
	const char *config = args->fabrics.config;
	int status = 1;
	bool addressed;

	input_drop_none(&args->fabrics);
	if (input_is_none(args->device))
		args->device = NULL;
	addressed = args->fabrics.transport || args->fabrics.traddr || args->device;
	if (fabrics_check(cmd, &args->fabrics))
		return 1;
	if (addressed && !args->device && fabrics_check_address(cmd, &args->fabrics))
		return 1;
	if (connects)
		d.queue = queue_new(cmd);
	if ((connects && !d.queue) ||
	    fabrics_read(cmd, &args->fabrics, config ? config : CONFIG_FILE) ||
	    list_described(&d) || fabrics_scan(cmd, &args->fabrics, NULL))
		goto out;
	d.host = fabrics_host(cmd, &args->fabrics);
	if (d.host &&
	    !(connects && fabrics_apply_mptcp(cmd, args->fabrics.hostnqn, args->fabrics.hostid)))
		status = discover(&d, args, addressed);
out:
	forget(&d);
	return status;
}
