// SPDX-License-Identifier: GPL-2.0-or-later
/* Connecting the controllers of a configuration: connect --config, connect-all without an address. */
#include <errno.h>
#include <string.h>

#include "configured.h"

#define FAILED "failed to connect to hostnqn=%s,nqn=%s,transport=%s,traddr=%s: %s"

/* --context excludes the subsystems of other applications. */
static bool is_ours(nvme_subsystem_t s, const char *context)
{
	const char *application = nvme_subsystem_get_application(s);

	return !context || (application && !strcmp(application, context));
}

static void report(struct command *cmd, nvme_ctrl_t c, const char *result)
{
	const char *device = nvme_ctrl_get_name(c), *transport = nvme_ctrl_get_transport(c);
	const char *traddr = nvme_ctrl_get_traddr(c), *trsvcid = nvme_ctrl_get_trsvcid(c);
	struct out *out = cmd->out;

	if (cmd->common.verbose)
		out_text(out, "%s: %s %s%s%s %s: %s\n", device ? device : "-", transport,
			 traddr ? out_safe(out, traddr) : "-", trsvcid ? ":" : "",
			 trsvcid ? out_safe(out, trsvcid) : "",
			 out_safe(out, nvme_ctrl_get_subsysnqn(c)), out_safe(out, result));
	out_object(out, NULL);
	out_str(out, "transport", transport);
	out_str(out, "traddr", traddr);
	out_str(out, "trsvcid", trsvcid);
	out_str(out, "subnqn", nvme_ctrl_get_subsysnqn(c));
	out_str(out, "device", device);
	out_str(out, "result", result);
	out_end(out);
}

static void fail_of(struct command *cmd, nvme_host_t h, nvme_ctrl_t c, const char *reason)
{
	command_fail(cmd, 0, FAILED, nvme_host_get_hostnqn(h), nvme_ctrl_get_subsysnqn(c),
		     nvme_ctrl_get_transport(c), nvme_ctrl_get_traddr(c), reason);
}

/* Beside what the others put out. */
static void warn_of(struct command *cmd, nvme_host_t h, nvme_ctrl_t c, const char *reason)
{
	command_warn(cmd, 0, FAILED, nvme_host_get_hostnqn(h), nvme_ctrl_get_subsysnqn(c),
		     nvme_ctrl_get_transport(c), nvme_ctrl_get_traddr(c), reason);
}

/* 0, or 1 after a message. One that is connected already is none of the failures. */
static int connect_port(struct command *cmd, nvme_host_t h, nvme_ctrl_t c,
			const struct configured *how)
{
	int err = nvmf_add_ctrl(h, c, NULL) ? errno : 0;
	const char *reason = err ? nvmf_ctrl_get_connect_error(c) : "connected";

	if (!err)
		hint_later(cmd, how->fresh, c);
	if (err == ENVME_CONNECT_ALREADY)
		reason = "already connected";
	else if (!reason)
		reason = command_error_text(err);
	if (how->reports)
		report(cmd, c, reason);
	if (err && err != ENVME_CONNECT_ALREADY)
		(how->reports ? warn_of : fail_of)(cmd, h, c, reason);
	return err && err != ENVME_CONNECT_ALREADY;
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
			if (nvme_ctrl_get_name(c) ||
			    !nvmf_transport_has(nvme_ctrl_get_transport(c),
						NVMF_TRANSPORT_FABRICS) ||
			    (how->reports && nvme_ctrl_is_discovery_ctrl(c)))
				continue;
			if (connect_port(cmd, h, c, how))
				status = 1;
		}
	}
	return status;
}
