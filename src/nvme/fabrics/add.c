/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adding a controller: defaults from the tree, connecting, attaching to the tree. */
#include "private.h"

/*
 * Find the subsystem of @c in the tree; NULL if there is none. Return -ENVME_CONNECT_IGNORED if an
 * application is set and the subsystem belongs to another one.
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

/* Fill unset options of @c from the configuration. */
static int fill_from(struct nvme_ctrl *c, const struct nvme_ctrl *known)
{
	if (option_merge(c, &known->options, false) ||
	    fill_secret(&c->dhchap_key, known->dhchap_key) ||
	    fill_secret(&c->dhchap_ctrl_key, known->dhchap_ctrl_key))
		return -ENOMEM;
	if (!c->options.cfg.tls && !c->options.cfg.concat)
		return 0;
	return fill_string(&c->keyring, known->keyring) ||
			       fill_string(&c->tls_key_identity, known->tls_key_identity) ||
			       fill_secret(&c->tls_key, known->tls_key)
		       ? -ENOMEM
		       : 0;
}

/* A configured controller without a port stands for the default port. */
static struct nvme_ctrl *find_known(struct nvme_subsystem *s, const struct nvme_ctrl *c)
{
	const char *const ports[] = { c->trsvcid, NULL };
	const char *transport =
		c->described_transport ? c->described_transport->name : c->transport_name;
	struct nvme_ctrl *known = NULL;

	for (size_t i = 0; !known && i < sizeof(ports) / sizeof(ports[0]); i++)
		known = nvme_ctrl_find(s, transport, c->traddr, ports[i], c->subsysnqn,
				       c->options.cfg.host_traddr, c->options.cfg.host_iface);
	return known;
}

int fabrics_prepare(struct nvme_host *h, struct nvme_ctrl *c)
{
	struct nvme_subsystem *s = NULL;
	const char *guard;
	struct nvme_ctrl *known;
	int err = connect_complete(c);

	if (err || str_is_unset(c->subsysnqn))
		return err;

	guard = root_guard_text(h, c);
	if (guard) {
		_cleanup_(free) char *where = connect_address_text(c);

		return connect_error_set(
			h, c, EINVAL,
			"%s: not connected without the protection that the configuration requires: "
			"%s",
			or_unknown(where), guard);
	}
	err = find_subsystem(h, c, &s);
	if (err) {
		log_info(c->r, "skip %s, not managed by %s", c->subsysnqn, h->r->application);
		return connect_error_set(h, c, -err, "subsystem %s is not managed by %s",
					 c->subsysnqn, h->r->application);
	}
	known = s ? find_known(s, c) : NULL;
	return known && known != c ? fill_from(c, known) : 0;
}

static int attach(struct connect *connect, int instance)
{
	struct nvme_host *h = connect->h;
	struct nvme_ctrl *c = connect->c;

	if (connect->traddr) {
		/* The subsystem indexes its controllers by address. */
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
	if (ret < 0)
		return ret;
	return attach(&connect, ret);
}

int nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg)
{
	bool written;
	int err;

	connect_error_clear(h, c);
	err = (cfg ? option_merge_config(c, cfg, false) : 0)
	       ?: fabrics_prepare(h, c)
	       ?: fabrics_add(h, c, &written);
	return failure_errno(err);
}
