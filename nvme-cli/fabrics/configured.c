// SPDX-License-Identifier: GPL-2.0-or-later
/* Connecting the controllers of a configuration: connect --config, connect-all without an address. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "configured.h"

/* --context excludes the subsystems of other applications. */
static bool is_ours(nvme_subsystem_t s, const char *context)
{
	const char *application = nvme_subsystem_get_application(s);

	return !context || (application && !strcmp(application, context));
}

static bool is_described(nvme_ctrl_t c)
{
	return !nvme_ctrl_get_name(c) &&
	       nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS);
}

/* What its application has connected stands in the tree once more, without the description. */
static bool is_waiting(nvme_host_t h, nvme_subsystem_t s)
{
	nvme_ctrl_t c;

	nvme_subsystem_for_each_ctrl(s, c)
		if (is_described(c) && !nvmf_find_connected(h, c))
			return true;
	return false;
}

/* Whoever waits for a disk learns why it does not come. */
static void report_others(struct command *cmd, nvme_host_t h, const char *context)
{
	nvme_subsystem_t s, first = NULL;
	char more[64] = "";
	size_t n = 0;

	nvme_for_each_subsystem(h, s) {
		if (is_ours(s, context) || !is_waiting(h, s))
			continue;
		first = first ? first : s;
		n++;
	}
	if (!n || cmd->common.quiet)
		return;
	if (n > 1)
		snprintf(more, sizeof(more), " (and %zu more like it)", n - 1);
	command_warn(
		cmd, 0,
		"%s is not connected: the configuration has it for the application \"%s\", not "
		"\"%s\"%s",
		nvme_subsystem_get_nqn(first), nvme_subsystem_get_application(first), context,
		more);
}

bool configured_is_meant(nvme_host_t h, const struct fabrics_args *args)
{
	return input_host_is_meant(h, args->hostnqn, args->hostid);
}

struct configured_item {
	struct queue_item item;
	struct command *cmd;
	nvme_host_t h;
	nvme_ctrl_t c;
	struct fresh *fresh;
};

static void report(struct queue *queue, nvme_ctrl_t c, const char *result)
{
	queue_report(queue, &(const struct queue_row){
				    .transport = nvme_ctrl_get_transport(c),
				    .traddr = nvme_ctrl_get_traddr(c),
				    .trsvcid = nvme_ctrl_get_trsvcid(c),
				    .subnqn = nvme_ctrl_get_subsysnqn(c),
				    .device = nvme_ctrl_get_name(c),
				    .result = result,
			    });
}

/* A message about one that was not connected. Return: 1. */
static int fail(struct command *cmd, nvme_host_t h, nvme_ctrl_t c, const char *reason)
{
	return command_fail(cmd, 0,
			    "failed to connect to hostnqn=%s,nqn=%s,transport=%s,traddr=%s: %s",
			    nvme_host_get_hostnqn(h), nvme_ctrl_get_subsysnqn(c),
			    nvme_ctrl_get_transport(c), nvme_ctrl_get_traddr(c), reason);
}

/* 0, or 1 after a message. One that is connected already is none of the failures. */
static int connect_port(struct command *cmd, nvme_host_t h, nvme_ctrl_t c, struct fresh *fresh,
			struct queue *queue)
{
	int err = fabrics_add_ctrl(cmd, h, c) ? errno : 0;
	const char *reason = err ? nvmf_ctrl_get_connect_error(c) : "connected";

	if (!err)
		hint_later(cmd, fresh, c);
	if (err == ENVME_CONNECT_ALREADY)
		reason = "already connected";
	else if (!reason)
		reason = command_error_text(err);
	if (queue)
		report(queue, c, reason);
	return err && err != ENVME_CONNECT_ALREADY ? fail(cmd, h, c, reason) : 0;
}

static int run(struct queue *queue, struct queue_item *item)
{
	struct configured_item *queued = (struct configured_item *)item;

	return connect_port(queued->cmd, queued->h, queued->c, queued->fresh, queue);
}

static int skip(struct queue *queue, struct queue_item *item)
{
	struct configured_item *queued = (struct configured_item *)item;

	report(queue, queued->c, QUEUE_SKIPPED);
	return fail(queued->cmd, queued->h, queued->c, QUEUE_SKIPPED);
}

static int add_port(struct command *cmd, nvme_host_t h, nvme_ctrl_t c, const struct configured *how)
{
	const struct portal_address address = {
		.transport = nvme_ctrl_get_transport(c),
		.traddr = nvme_ctrl_get_traddr(c),
		.trsvcid = nvme_ctrl_get_trsvcid(c),
		.host_traddr = nvme_ctrl_get_host_traddr(c),
		.host_iface = nvme_ctrl_get_host_iface(c),
	};
	struct configured_item *queued = calloc(1, sizeof(*queued));

	if (!queued)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	*queued = (struct configured_item){ .cmd = cmd, .h = h, .c = c, .fresh = how->fresh };
	queued->item.run = run;
	queued->item.skip = skip;
	queue_add(how->queue, &queued->item, &address);
	return 0;
}

int configured_connect(struct command *cmd, nvme_host_t h, const struct configured *how)
{
	nvme_subsystem_t s;
	nvme_ctrl_t c, next;
	int status = 0;

	nvme_for_each_subsystem(h, s) {
		if (!is_ours(s, how->context))
			continue;
		nvme_subsystem_for_each_ctrl_safe(s, c, next) {
			if (!is_described(c) || (how->queue && nvme_ctrl_is_discovery_ctrl(c)))
				continue;
			if (how->queue ? add_port(cmd, h, c, how)
				       : connect_port(cmd, h, c, how->fresh, NULL))
				status = 1;
		}
	}
	report_others(cmd, h, how->context);
	return status;
}
