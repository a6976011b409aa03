/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole tree as JSON, for looking at it. Secrets stay out: it goes to a log. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log-private.h"
#include "build.h"
#include "private.h"
#include "write.h"

DEFINE_CLEANUP(struct json_object *, json_object_put);

static int add_ctrl(struct json_object *ctrls, struct nvme_ctrl *c)
{
	struct json_object *ctrl = config_json_add_element(ctrls);
	int err = ctrl ? 0 : -ENOMEM;

	if (!err)
		err = config_json_add_string(ctrl, "name", c->name);
	if (!err)
		err = config_json_add_string(ctrl, "transport", c->transport_name);
	if (!err)
		err = config_json_add_string(ctrl, "traddr", c->traddr);
	if (!err)
		err = config_json_add_string(ctrl, "host_traddr", c->options.cfg.host_traddr);
	if (!err)
		err = config_json_add_string(ctrl, "host_iface", c->options.cfg.host_iface);
	if (!err)
		err = config_json_add_string(ctrl, "trsvcid", c->trsvcid);
	if (!err && transport_has(c->transport, NVMF_TRANSPORT_TLS)) {
		ctrl_read_security(c);
		if (c->options.cfg.tls)
			err = config_json_add(ctrl, "tls", json_object_new_boolean(1));
		if (!err)
			err = config_json_add_string(ctrl, "keyring", c->keyring);
		if (!err)
			err = config_json_add_string(ctrl, "tls_key_identity", c->tls_key_identity);
	}
	return err;
}

static int add_path(struct json_object *paths, struct nvme_path *p)
{
	struct json_object *path = config_json_add_element(paths);
	struct json_object *ctrls;
	int err = path ? 0 : -ENOMEM;

	if (!err)
		err = config_json_add_string(path, "path", p->name);
	if (!err)
		err = config_json_add_string(path, "ANAState", nvme_path_get_ana_state(p));
	if (!err)
		err = config_json_add_string(path, "NUMANodes", nvme_path_get_numa_nodes(p));
	if (!err)
		err = config_json_add(path, "qdepth",
				      json_object_new_int(nvme_path_get_queue_depth(p)));
	if (err)
		return err;
	ctrls = config_json_add_array(path, "controller");
	return ctrls ? add_ctrl(ctrls, p->c) : -ENOMEM;
}

static int add_ns(struct json_object *namespaces, struct nvme_ns *n)
{
	struct json_object *ns = config_json_add_element(namespaces);
	struct json_object *list;
	struct nvme_path *p;
	int err = ns ? 0 : -ENOMEM;

	if (!err)
		err = config_json_add(ns, "nsid",
				      json_object_new_int64((uint32_t)nvme_ns_get_nsid(n)));
	if (!err)
		err = config_json_add_string(ns, "name", n->name);
	if (err)
		return err;
	list = config_json_add_array(ns, n->c ? "controller" : "paths");
	if (!list)
		return -ENOMEM;
	if (n->c)
		return add_ctrl(list, n->c);
	nvme_namespace_for_each_path(n, p)
		if (!err)
			err = add_path(list, p);
	return err;
}

static int add_namespaces(struct json_object *subsystem, struct nvme_subsystem *s)
{
	struct json_object *namespaces = config_json_add_array(subsystem, "namespaces");
	struct nvme_ctrl *c;
	struct nvme_ns *n;
	int err = namespaces ? 0 : -ENOMEM;

	nvme_subsystem_for_each_ns(s, n)
		if (!err)
			err = add_ns(namespaces, n);
	TAILQ_FOREACH(c, &s->ctrls, entry)
		nvme_ctrl_for_each_ns(c, n)
			if (!err)
				err = add_ns(namespaces, n);
	return err;
}

static int add_subsystem(struct json_object *subsystems, struct nvme_subsystem *s)
{
	struct json_object *subsystem = config_json_add_element(subsystems);
	int err = subsystem ? 0 : -ENOMEM;

	if (!err)
		err = config_json_add_string(subsystem, "name", s->name);
	if (!err)
		err = config_json_add_string(subsystem, "nqn", s->subsysnqn);
	if (!err)
		err = config_json_add_string(subsystem, "application", s->application);
	return err ? err : add_namespaces(subsystem, s);
}

static int add_host(struct json_object *hosts, struct nvme_host *h)
{
	struct json_object *host = config_json_add_element(hosts);
	struct json_object *subsystems;
	struct nvme_subsystem *s;
	int err = host ? 0 : -ENOMEM;

	if (!err)
		err = config_json_add_string(host, "hostnqn", h->hostnqn);
	if (!err)
		err = config_json_add_string(host, "hostid", h->hostid);
	if (!err && h->pdc_enabled_valid)
		err = config_json_add(host, "persistent_discovery_ctrl",
				      json_object_new_boolean(h->pdc_enabled));
	if (err)
		return err;
	subsystems = config_json_add_array(host, "subsystems");
	err = subsystems ? 0 : -ENOMEM;
	TAILQ_FOREACH(s, &h->subsystems, entry)
		if (!err)
			err = add_subsystem(subsystems, s);
	return err;
}

static int tree_to_json(struct nvme_root *r, struct json_object *document)
{
	struct json_object *hosts = config_json_add_array(document, "hosts");
	struct nvme_host *h;
	int err = hosts ? 0 : -ENOMEM;

	TAILQ_FOREACH(h, &r->hosts, entry)
		if (!err)
			err = add_host(hosts, h);
	return err;
}

int nvme_dump_tree(nvme_root_t r)
{
	_cleanup_(json_object_put) struct json_object *document = NULL;
	const char *text = NULL;
	int before = errno, err;

	if (!r) {
		errno = EINVAL;
		return -1;
	}
	document = json_object_new_object();
	err = document ? tree_to_json(r, document) : -ENOMEM;
	if (!err) {
		text = config_text(document);
		err = text ? config_write_all(r->log->fd, text, strlen(text)) : -ENOMEM;
	}
	if (err) {
		errno = -err;
		return -1;
	}
	errno = before; /* of what /sys does not have */
	return 0;
}
