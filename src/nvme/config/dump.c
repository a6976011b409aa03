/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of a tree as JSON: what differs from the defaults, in a fixed order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "build.h"
#include "private.h"

DEFINE_CLEANUP(struct json_object *, json_object_put);

static int add_secret(struct json_object *object, const char *key, const char *value, bool *secrets)
{
	if (value)
		*secrets = true;
	return json_add_string(object, key, value);
}

static int add_number(struct json_object *object, struct nvme_ctrl *c, enum config_number number)
{
	static const int defaults[N_NUMBERS] = {
		[NUMBER_CTRL_LOSS_TMO] = NVMF_DEF_CTRL_LOSS_TMO,
		[NUMBER_TOS] = -1,
	};
	int value = *config_number_field(c, number);

	if (value == defaults[number])
		return 0;
	if ((number == NUMBER_CTRL_LOSS_TMO || number == NUMBER_FAST_IO_FAIL_TMO) &&
	    !transport_has(c->transport, NVMF_TRANSPORT_LOSS_TMO))
		return 0;
	return json_add(object, config_number_name(number), json_object_new_int(value));
}

static int add_flag(struct json_object *object, struct nvme_ctrl *c, enum config_flag flag)
{
	if (!*config_flag_field(c, flag))
		return 0;
	return json_add(object, config_flag_name(flag), json_object_new_boolean(1));
}

static int fill_port(struct json_object *port, struct nvme_ctrl *c, bool *secrets)
{
	int err;

	ctrl_read_security(c);
	err = json_add_string(port, "transport", c->transport_name);
	if (!err)
		err = json_add_string(port, "traddr", c->traddr);
	if (!err)
		err = json_add_string(port, "host_traddr", c->cfg.host_traddr);
	if (!err)
		err = json_add_string(port, "host_iface", c->cfg.host_iface);
	if (!err)
		err = json_add_string(port, "trsvcid", c->trsvcid);
	if (!err)
		err = add_secret(port, "dhchap_key", c->dhchap_key, secrets);
	if (!err)
		err = add_secret(port, "dhchap_ctrl_key", c->dhchap_ctrl_key, secrets);
	if (!err)
		err = add_flag(port, c, FLAG_TLS);
	if (!err)
		err = json_add_string(port, "keyring", c->keyring);
	if (!err)
		err = json_add_string(port, "tls_key_identity", c->tls_key_identity);
	if (!err)
		err = add_secret(port, "tls_key", c->tls_key, secrets);
	for (int i = 0; !err && i < N_NUMBERS; i++)
		err = add_number(port, c, (enum config_number)i);
	for (int i = 0; !err && i < N_FLAGS; i++)
		if (i != FLAG_TLS)
			err = add_flag(port, c, (enum config_flag)i);
	return err;
}

static int add_port(struct json_object *ports, struct nvme_ctrl *c, bool *secrets)
{
	_cleanup_(json_object_put) struct json_object *port = json_object_new_object();

	if (!port || fill_port(port, c, secrets) || json_object_array_add(ports, port) < 0)
		return -ENOMEM;
	steal_ptr(&port);
	return 0;
}

static int add_subsystem(struct json_object *subsystems, struct nvme_subsystem *s, bool *secrets)
{
	_cleanup_(json_object_put) struct json_object *subsystem = json_object_new_object();
	struct json_object *ports = json_object_new_array();
	struct nvme_ctrl *c;
	int err = subsystem && ports ? 0 : -ENOMEM;

	/* PCI controllers are not connected, so they are not configured. */
	TAILQ_FOREACH(c, &s->ctrls, entry)
		if (!err && transport_has(c->transport, NVMF_TRANSPORT_FABRICS))
			err = add_port(ports, c, secrets);
	if (err || !json_object_array_length(ports)) {
		json_object_put(ports);
		return err;
	}
	err = json_add_string(subsystem, "nqn", s->subsysnqn);
	if (!err)
		err = json_add_string(subsystem, "application", s->application);
	if (err)
		json_object_put(ports);
	else
		err = json_add(subsystem, "ports", ports);
	if (err || json_object_array_add(subsystems, subsystem) < 0)
		return -ENOMEM;
	steal_ptr(&subsystem);
	return 0;
}

static int fill_host(struct json_object *host, struct nvme_host *h, bool *secrets)
{
	const char *dhchap_key = nvme_host_get_dhchap_key(h);
	int err;

	err = json_add_string(host, "hostnqn", h->hostnqn);
	if (!err)
		err = json_add_string(host, "hostid", h->hostid);
	if (!err)
		err = add_secret(host, "dhchap_key", dhchap_key, secrets);
	if (!err)
		err = json_add_string(host, "hostsymname", h->hostsymname);
	if (!err && h->pdc_enabled_valid)
		err = json_add(host, "persistent_discovery_ctrl",
			       json_object_new_boolean(h->pdc_enabled));
	if (!err && h->mptcp)
		err = json_add(host, "mptcp", json_object_get(h->mptcp));
	return err;
}

static int add_host(struct json_object *hosts, struct nvme_host *h, bool *secrets)
{
	_cleanup_(json_object_put) struct json_object *host = json_object_new_object();
	struct json_object *subsystems = json_object_new_array();
	struct nvme_subsystem *s;
	int err = host && subsystems ? 0 : -ENOMEM;

	/* Discovery controllers without a name of their own are found, not configured. */
	TAILQ_FOREACH(s, &h->subsystems, entry)
		if (!err && s->subsysnqn && strcmp(s->subsysnqn, NVME_DISC_SUBSYS_NAME) != 0)
			err = add_subsystem(subsystems, s, secrets);
	if (err || (!json_object_array_length(subsystems) && !h->mptcp)) {
		json_object_put(subsystems);
		return err;
	}
	err = fill_host(host, h, secrets);
	if (err)
		json_object_put(subsystems);
	else
		err = json_add(host, "subsystems", subsystems);
	if (err || json_object_array_add(hosts, host) < 0)
		return -ENOMEM;
	steal_ptr(&host);
	return 0;
}

struct json_object *config_to_json(struct nvme_root *r, bool *secrets)
{
	_cleanup_(json_object_put) struct json_object *hosts = json_object_new_array();
	struct nvme_host *h;

	*secrets = false;
	if (!hosts)
		return NULL;
	TAILQ_FOREACH(h, &r->hosts, entry)
		if (add_host(hosts, h, secrets))
			return NULL;
	return steal_ptr(&hosts);
}
