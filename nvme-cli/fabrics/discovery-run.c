// SPDX-License-Identifier: GPL-2.0-or-later
/* Sources of discovery controllers: the command line, the firmware, JSON, discovery.conf. */
#include <errno.h>

#include "config.h"
#include "configured.h"
#include "discovery.h"

static int discover_ctrl(struct discovery *d, const struct discover_args *args, nvme_ctrl_t c)
{
	struct discover_args one = *args;

	one.fabrics.transport = nvme_ctrl_get_transport(c);
	one.fabrics.traddr = nvme_ctrl_get_traddr(c);
	one.fabrics.trsvcid = nvme_ctrl_get_trsvcid(c);
	one.fabrics.host_traddr = nvme_ctrl_get_host_traddr(c);
	one.fabrics.host_iface = nvme_ctrl_get_host_iface(c);
	one.fabrics.nqn = nvme_ctrl_get_subsysnqn(c);
	one.persistent = args->persistent || nvme_ctrl_is_persistent(c);
	return discovery_run_one(d, &one);
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

		if (nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c)) == d->host &&
		    discover_ctrl(d, args, c))
			status = 1;
	}
	return status;
}

static void forget_visited(struct discovery *d)
{
	for (size_t i = 0; i < d->n_visited; i++)
		free(d->visited[i]);
	free(d->visited);
}

/* Everything that is configured: by the firmware, in JSON, in discovery.conf. */
static int discover_sources(struct discovery *d, const struct discover_args *args)
{
	const struct configured how = {
		.context = args->fabrics.context,
		.fresh = d->fresh,
		.reports = true,
	};
	int status = 0;

	if (d->connects && !args->no_nbft)
		status = nbft_connect(d, args);
	if (args->nbft)
		return status;
	if (d->connects && configured_connect(d->cmd, d->host, &how))
		status = 1;
	if (discover_configured(d, args))
		status = 1;
	if (discovery_run_file(d, args, DISCOVERY_CONF))
		status = 1;
	return status;
}

int discovery_run(struct command *cmd, log_action_t act, bool connects)
{
	struct discover_args *args = cmd->args;
	struct fresh fresh = { 0 };
	struct discovery d = { .cmd = cmd, .act = act, .connects = connects, .fresh = &fresh };
	const char *config = args->fabrics.config;
	bool addressed;
	int status;

	fabrics_drop_none(&args->fabrics);
	if (fabrics_is_none(args->device))
		args->device = NULL;
	addressed = args->fabrics.transport || args->fabrics.traddr || args->device;
	if (fabrics_check(cmd, &args->fabrics))
		return 1;
	if (addressed && !args->device && fabrics_check_address(cmd, &args->fabrics))
		return 1;
	if (fabrics_read(cmd, &args->fabrics, config ? config : CONFIG_FILE) ||
	    list_described(&d) || fabrics_scan(cmd, &args->fabrics, NULL)) {
		free(d.described);
		return 1;
	}
	status = 1;
	d.host = fabrics_host(cmd, &args->fabrics);
	if (!d.host ||
	    (connects && fabrics_apply_mptcp(cmd, (const nvme_host_t[]){ d.host, NULL })))
		goto out;
	status = addressed ? discovery_run_one(&d, args) : discover_sources(&d, args);
	hint_at_links(cmd, &fresh);
	if (!status && args->fabrics.dump_config)
		status = fabrics_dump_config(cmd);
out:
	forget_visited(&d);
	free(d.described);
	return status;
}
