// SPDX-License-Identifier: LGPL-2.1-or-later
/* Commands that several rules print, as exact as a snapshot allows. */
#include <string.h>

#include "base/str.h"
#include "config.h"
#include "rules.h"

void fix_delete(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep)
{
	finding_fix(c, f, check_side(c), "ip mptcp endpoint delete id %u", ep->id);
}

void fix_add(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep,
	     int64_t flags, const char *dev)
{
	char text[ENDPOINT_SPEC_TEXT];
	struct endpoint_spec spec;

	endpoint_spec_of(c->snap, ep, &spec);
	spec.flags = flags;
	/* Only an announced address can have one. */
	if (endpoint_conflict(flags, spec.port) == ENDPOINT_CONFLICT_PORT)
		spec.port = 0;
	/* With an id of its own, no late removal of what was announced can be meant for it. */
	if (endpoint_announces(ep))
		spec.id = 0;
	if (dev)
		str_copy(spec.device, sizeof(spec.device), dev, strlen(dev));
	endpoint_spec_text(&spec, text);
	finding_fix(c, f, check_side(c), "ip mptcp endpoint add %s", text);
	finding_fix_is(f, FIX_ADD);
}

void fix_again(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep,
	       int64_t flags, const char *dev)
{
	fix_delete(c, f, ep);
	fix_add(c, f, ep, flags, dev);
}

void fix_offer(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	       const char *subsystem)
{
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
		    "ln -s /sys/kernel/config/nvmet/subsystems/%s"
		    " /sys/kernel/config/nvmet/ports/%s/subsystems/",
		    subsystem, port->name);
	finding_fix_is(f, FIX_OF_PORT);
}

/* configfs refuses to change a port that is in use: EACCES. */
void fix_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	      const char *attribute, const char *value)
{
	for (size_t i = 0; i < port->n_subsystems; i++) {
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "rm /sys/kernel/config/nvmet/ports/%s/subsystems/%s", port->name,
			    port->subsystems[i]);
		finding_fix_is(f, FIX_OF_PORT);
	}
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "echo %s > /sys/kernel/config/nvmet/ports/%s/%s",
		    value, port->name, attribute);
	finding_fix_is(f, FIX_OF_PORT);
	for (size_t i = 0; i < port->n_subsystems; i++)
		fix_offer(c, f, port, port->subsystems[i]);
}

void fix_reset_ctrl(struct check *c, struct nvme_mptcp_finding *f,
		    const struct nvme_mptcp_ctrl *ctrl)
{
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, NVME_COMMAND " reset /dev/%s", ctrl->name);
	finding_fix_is(f, FIX_NOTICE);
}

void fix_reset(struct check *c, struct nvme_mptcp_finding *f,
	       bool (*is_such)(const struct check *c, const struct nvme_mptcp_connection *conn))
{
	const struct nvme_mptcp_ctrl *last = NULL;

	/* The connections of a controller stand together. */
	for (size_t i = 0; i < c->n_conns; i++) {
		const struct nvme_mptcp_ctrl *ctrl = c->conns[i]->ctrl;

		if (!ctrl || ctrl == last || !is_such(c, c->conns[i]))
			continue;
		fix_reset_ctrl(c, f, ctrl);
		last = ctrl;
	}
}

/* The first size stays the kernel's: buffers that are large from the start were measured to be slow. */
void fix_buffer(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		int64_t most)
{
	finding_fix(c, f, side, "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 %lld\"",
		    (long long)(most < FIX_BUFFER / 2 ? FIX_BUFFER : 2 * most));
}
