/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding an existing connection in the tree, verified against /sys. */
#include "private.h"

/* True if an attribute still has the value that the tree has read. */
static bool is_still(const struct nvme_ctrl *c, const char *attr, const char *known)
{
	_cleanup_(free) char *value = NULL;

	return sysfs_read(c->sysfs_dir, attr, &value) ? !known : str_eq(value, known);
}

/*
 * True if the controller still exists: the tree may be outdated, and another controller may have
 * its name now. The kernel ignores dying ones (nvmf_ctlr_matches_baseopts() in fabrics.h).
 */
static bool is_alive(struct nvme_ctrl *c)
{
	const char *state = c->name ? nvme_ctrl_get_state(c) : NULL;

	return state && strncmp(state, "deleting", 8) != 0 && strcmp(state, "dead") != 0 &&
	       ctrl_is_same(c) &&
	       (nvme_ctrl_is_discovery_ctrl(c) || is_still(c, "subsysnqn", c->subsysnqn));
}

static struct ctrl_query describe(const struct nvme_ctrl *c, const char *traddr)
{
	return (struct ctrl_query){
		.transport = c->transport,
		.transport_name = c->transport_name,
		.traddr = traddr ? traddr : c->traddr,
		.trsvcid = connect_port(c),
		.subsysnqn = c->subsysnqn,
		.host_traddr = c->options.cfg.host_traddr,
		.host_iface = c->options.cfg.host_iface,
	};
}

static bool is_named(const struct nvme_ctrl *c)
{
	return c->name;
}

static struct nvme_ctrl *find_in(struct nvme_subsystem *s, const struct ctrl_query *query)
{
	struct nvme_ctrl *twin = NULL;

	do
		twin = index_find(s, query, twin, is_named);
	while (twin && !is_alive(twin));
	return twin;
}

static struct nvme_ctrl *find_by(struct nvme_host *h, const struct ctrl_query *query)
{
	struct nvme_subsystem *s;
	struct nvme_ctrl *twin;

	if (!str_eq(query->subsysnqn, NVME_DISC_SUBSYS_NAME)) {
		s = subsystem_find(h, NULL, query->subsysnqn);
		return s ? find_in(s, query) : NULL;
	}
	/* A discovery subsystem may have a unique NQN behind the well-known one. */
	TAILQ_FOREACH(s, &h->subsystems, entry) {
		twin = find_in(s, query);
		if (twin)
			return twin;
	}
	return NULL;
}

struct nvme_ctrl *connect_find_duplicate(struct nvme_host *h, const struct nvme_ctrl *c,
					 const char *traddr)
{
	struct ctrl_query query = describe(c, traddr);
	struct nvme_ctrl *twin = find_by(h, &query);

	if (twin || !c->transport->relayed_as || sysfs_has_module(c->transport->module) > 0)
		return twin;
	/* Without the transport, the controller may be connected over the relay's transport. */
	query.transport_name = c->transport->relayed_as;
	query.transport = transport_by_name(query.transport_name);
	return find_by(h, &query);
}

nvme_ctrl_t nvmf_find_connected(nvme_host_t h, nvme_ctrl_t c)
{
	return connect_find_duplicate(h, c, NULL);
}

bool nvmf_ctrl_is_connected_as(nvme_ctrl_t c, nvme_ctrl_t described)
{
	const struct ctrl_query query = describe(described, NULL);

	return is_alive(c) && ctrl_matches(c, &query);
}
