/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A controller that joins the tree: what the tree knows about it, connecting, attaching. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log-private.h"
#include "base/str.h"
#include "../util.h"
#include "private.h"

/*
 * The subsystem of @c in the tree, or NULL if the tree does not have it. With an application set,
 * a subsystem that is there for another one is none of ours: -ENVME_CONNECT_IGNORED.
 */
static int find_subsystem(struct nvme_host *h, const struct nvme_ctrl *c,
			  struct nvme_subsystem **ret)
{
	struct nvme_subsystem *s = subsystem_find(h, NULL, c->subsysnqn);

	if (!s && h->r->application && map_get(h->subsystems_by_nqn, c->subsysnqn))
		return -ENVME_CONNECT_IGNORED;
	*ret = s;
	return 0;
}

static int fill_string(char **to, const char *from)
{
	return str_is_unset(*to) && !str_is_unset(from) ? str_set(to, from) : 0;
}

static int fill_secret(char **to, const char *from)
{
	return str_is_unset(*to) && !str_is_unset(from) ? str_set_secret(to, from) : 0;
}

/* What a configuration file says about the controller that is to be connected. */
static int fill_from(struct nvme_ctrl *c, const struct nvme_ctrl *known)
{
	if (config_merge(&c->cfg, &known->cfg, false) ||
	    fill_secret(&c->dhchap_key, known->dhchap_key) ||
	    fill_secret(&c->dhchap_ctrl_key, known->dhchap_ctrl_key))
		return -ENOMEM;
	if (!c->cfg.tls && !c->cfg.concat)
		return 0;
	return fill_string(&c->keyring, known->keyring) ||
			       fill_string(&c->tls_key_identity, known->tls_key_identity) ||
			       fill_secret(&c->tls_key, known->tls_key)
		       ? -ENOMEM
		       : 0;
}

int fabrics_prepare(struct nvme_host *h, struct nvme_ctrl *c, const struct nvme_fabrics_config *cfg)
{
	struct nvme_subsystem *s = NULL;
	struct nvme_ctrl *known;
	int err;

	connect_error_clear(h, c);
	if (cfg && config_merge(&c->cfg, cfg, false))
		return -ENOMEM;
	if (str_is_unset(c->subsysnqn))
		return 0;

	err = find_subsystem(h, c, &s);
	if (err) {
		log_info(c->r, "skip %s, not managed by %s", c->subsysnqn, h->r->application);
		return connect_error_set(h, c, -err, "subsystem %s is not managed by %s",
					 c->subsysnqn, h->r->application);
	}
	if (!s)
		return 0;
	known = nvme_ctrl_find(s, c->transport_name, c->traddr, c->trsvcid, c->subsysnqn,
			       c->cfg.host_traddr, c->cfg.host_iface);
	return known && known != c ? fill_from(c, known) : 0;
}

static int attach(struct connect *connect, int instance)
{
	struct nvme_host *h = connect->h;
	struct nvme_ctrl *c = connect->c;

	if (connect->traddr) {
		/* The subsystem finds its controllers by their address. */
		if (c->s)
			index_del(c->s, c);
		free(c->traddr);
		c->traddr = steal_ptr(&connect->traddr);
		if (c->s)
			index_add(c->s, c);
	}
	if (nvme_init_ctrl(h, c, instance)) {
		int err = errno;

		return connect_error_set(h, c, err, "nvme%d is connected, but is not in /sys: %s",
					 instance,
					 err >= ENVME_CONNECT_RESOLVE ? nvme_errno_to_string(err)
								      : strerror(err));
	}
	log_info(h->r, "nvme%d: %s connected", instance, c->subsysnqn);
	return 0;
}

int fabrics_add(struct nvme_host *h, struct nvme_ctrl *c, bool *written)
{
	_cleanup_(connect_release) struct connect connect = { .h = h, .c = c };
	int ret;

	c->discovered = true;
	ret = connect_run(&connect);
	*written = connect.written;
	return ret < 0 ? ret : attach(&connect, ret);
}

int nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg)
{
	bool written;
	int err = fabrics_prepare(h, c, cfg);

	if (!err)
		err = fabrics_add(h, c, &written);
	if (!err)
		return 0;
	errno = -err;
	return -1;
}
