/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write the whole tree as JSON for debugging. It goes to a log, so it has no secrets. */
#include "private.h"

static void put_text(struct json_stream *out, const char *key, const char *text)
{
	if (text)
		stream_string(out, key, text);
}

static void put_ctrl(struct json_stream *out, struct nvme_ctrl *c)
{
	stream_dict(out, NULL);
	put_text(out, "name", c->name);
	put_text(out, "transport", c->transport_name);
	put_text(out, "traddr", c->traddr);
	put_text(out, "host_traddr", c->options.cfg.host_traddr);
	put_text(out, "host_iface", c->options.cfg.host_iface);
	put_text(out, "trsvcid", c->trsvcid);
	if (transport_may_have_tls(c->transport)) {
		ctrl_read_security(c);
		if (c->options.cfg.tls)
			stream_literal(out, "tls", "true");
		put_text(out, "keyring", c->keyring);
		put_text(out, "tls_key_identity", c->tls_key_identity);
	}
	stream_end_dict(out);
}

static void put_path(struct json_stream *out, struct nvme_path *p)
{
	stream_dict(out, NULL);
	put_text(out, "path", p->name);
	put_text(out, "ANAState", nvme_path_get_ana_state(p));
	put_text(out, "NUMANodes", nvme_path_get_numa_nodes(p));
	stream_int64(out, "qdepth", nvme_path_get_queue_depth(p));
	stream_list(out, "controller");
	put_ctrl(out, p->c);
	stream_end_list(out);
	stream_end_dict(out);
}

static void put_ns(struct json_stream *out, struct nvme_ns *n)
{
	struct nvme_path *p;

	stream_dict(out, NULL);
	stream_int64(out, "nsid", (uint32_t)nvme_ns_get_nsid(n));
	put_text(out, "name", n->name);
	stream_list(out, n->c ? "controller" : "paths");
	if (n->c)
		put_ctrl(out, n->c);
	else
		nvme_namespace_for_each_path(n, p)
			put_path(out, p);
	stream_end_list(out);
	stream_end_dict(out);
}

/* Omit an empty list, as libnvme 1.16 does. */
static void put_listed(struct json_stream *out, struct nvme_ns *n, bool *has_list)
{
	if (!*has_list)
		stream_list(out, "namespaces");
	*has_list = true;
	put_ns(out, n);
}

static void put_subsystem(struct json_stream *out, struct nvme_subsystem *s)
{
	bool has_list = false;
	struct nvme_ctrl *c;
	struct nvme_ns *n;

	stream_dict(out, NULL);
	put_text(out, "name", s->name);
	put_text(out, "nqn", s->subsysnqn);
	put_text(out, "application", s->application);
	nvme_subsystem_for_each_ns(s, n)
		put_listed(out, n, &has_list);
	TAILQ_FOREACH(c, &s->ctrls, entry)
		nvme_ctrl_for_each_ns(c, n)
			put_listed(out, n, &has_list);
	if (has_list)
		stream_end_list(out);
	stream_end_dict(out);
}

static void put_host(struct json_stream *out, struct nvme_host *h)
{
	struct nvme_subsystem *s;

	stream_dict(out, NULL);
	put_text(out, "hostnqn", h->hostnqn);
	put_text(out, "hostid", h->hostid);
	if (h->pdc_enabled_valid)
		stream_literal(out, "persistent_discovery_ctrl", h->pdc_enabled ? "true" : "false");
	stream_list(out, "subsystems");
	TAILQ_FOREACH(s, &h->subsystems, entry)
		put_subsystem(out, s);
	stream_end_list(out);
	stream_end_dict(out);
}

static void put_tree(struct json_stream *out, struct nvme_root *r)
{
	struct nvme_host *h;

	stream_dict(out, NULL);
	stream_list(out, "hosts");
	TAILQ_FOREACH(h, &r->hosts, entry)
		put_host(out, h);
	stream_end_list(out);
	stream_end_dict(out);
}

int nvme_dump_tree(nvme_root_t r)
{
	struct json_stream out = { .pretty = true };
	unsigned int failures = memory_failures();
	_cleanup_(free) char *text = NULL;
	int before = errno, err;

	if (!r)
		return failure_errno(-EINVAL);
	put_tree(&out, r);
	text = stream_finish(&out);
	if (!text)
		err = -ENOMEM;
	else if (memory_failures() != failures)
		err = -memory_failure_errno();
	else
		err = file_write_all(r->log->fd, text, strlen(text));
	if (err)
		return failure_errno(err);
	errno = before; /* missing attributes in /sys have changed errno */
	return 0;
}
