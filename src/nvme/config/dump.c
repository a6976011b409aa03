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
	return config_json_add_string(object, key, value);
}

static int add_number(struct json_object *object, const struct nvme_ctrl *c,
		      const struct option_row *row)
{
	int value = *(const int *)option_const_field(row, c);

	if (value == row->standard ||
	    (row->rules & NVMF_OPTION_FITS && row->traits & NVMF_TRANSPORT_LOSS_TMO &&
	     !transport_has(c->transport, row->traits)))
		return 0;
	return config_json_add(object, row->json, json_object_new_int(value));
}

static int add_flag(struct json_object *object, const struct nvme_ctrl *c,
		    const struct option_row *row)
{
	if (!*(const bool *)option_const_field(row, c))
		return 0;
	return config_json_add(object, row->json, json_object_new_boolean(1));
}

static int add_text(struct json_object *object, const struct nvme_ctrl *c,
		    const struct option_row *row, bool *secrets)
{
	const char *text = *(char *const *)option_const_field(row, c);

	return row->rules & NVMF_OPTION_SECRET ? add_secret(object, row->json, text, secrets)
					       : config_json_add_string(object, row->json, text);
}

static int add_option(struct json_object *port, const struct nvme_ctrl *c,
		      const struct option_row *row, bool *secrets)
{
	switch (row->type) {
	case OPTION_TYPE_TEXT:
	case OPTION_TYPE_KEY:
		return add_text(port, c, row, secrets);
	case OPTION_TYPE_NUMBER:
		return add_number(port, c, row);
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_MARK:
		return add_flag(port, c, row);
	case OPTION_TYPE_NAMED:
		break;
	}
	return 0;
}

static int add_options(struct json_object *port, const struct nvme_ctrl *c, unsigned int types,
		       bool *secrets)
{
	int err = 0;

	for (size_t i = 0; !err && i < N_OPTIONS; i++) {
		/* As in libnvme 1.16, tls stands before the keys that it takes. */
		if (i == OPTION_KEYRING && types & 1U << OPTION_TYPE_KEY)
			err = add_option(port, c, &option_rows[OPTION_TLS], secrets);
		if (!err && i != OPTION_TLS && option_rows[i].json &&
		    types & 1U << option_rows[i].type)
			err = add_option(port, c, &option_rows[i], secrets);
	}
	return err;
}

static int fill_port(struct json_object *port, struct nvme_ctrl *c, bool *secrets)
{
	int err;

	ctrl_read_security(c);
	err = add_options(port, c, 1U << OPTION_TYPE_TEXT | 1U << OPTION_TYPE_KEY, secrets);
	if (!err)
		err = add_options(port, c, 1U << OPTION_TYPE_NUMBER, secrets);
	if (!err)
		err = add_options(port, c, 1U << OPTION_TYPE_FLAG, secrets);
	return err ? err : add_options(port, c, 1U << OPTION_TYPE_MARK, secrets);
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
	err = config_json_add_string(subsystem, "nqn", s->subsysnqn);
	if (!err)
		err = config_json_add_string(subsystem, "application", s->application);
	if (err)
		json_object_put(ports);
	else
		err = config_json_add(subsystem, "ports", ports);
	if (err || json_object_array_add(subsystems, subsystem) < 0)
		return -ENOMEM;
	steal_ptr(&subsystem);
	return 0;
}

static int fill_host(struct json_object *host, struct nvme_host *h, bool *secrets)
{
	const char *dhchap_key = nvme_host_get_dhchap_key(h);
	int err;

	err = config_json_add_string(host, "hostnqn", h->hostnqn);
	if (!err)
		err = config_json_add_string(host, "hostid", h->hostid);
	if (!err)
		err = add_secret(host, "dhchap_key", dhchap_key, secrets);
	if (!err)
		err = config_json_add_string(host, "hostsymname", h->hostsymname);
	if (!err && h->pdc_enabled_valid)
		err = config_json_add(host, "persistent_discovery_ctrl",
				      json_object_new_boolean(h->pdc_enabled));
	if (!err && h->mptcp)
		err = config_json_add(host, "mptcp", json_object_get(h->mptcp));
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
		err = config_json_add(host, "subsystems", subsystems);
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
