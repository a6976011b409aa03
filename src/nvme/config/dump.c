/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write a configuration as JSON: non-default values in a fixed order, and unknown keys as read. */
#include "private.h"

/* State while a document is written. */
struct dump {
	struct json_stream *out;
	bool secrets; /* the document contains secrets */
};

static void put_text(struct dump *d, const char *key, const char *text)
{
	if (text)
		stream_string(d->out, key, text);
}

static void put_secret(struct dump *d, const char *key, const char *secret)
{
	d->secrets |= secret != NULL;
	put_text(d, key, secret);
}

static void put_bool(struct json_stream *out, const char *key, bool value)
{
	stream_literal(out, key, value ? "true" : "false");
}

static void put_members(struct json_stream *out, struct json_object *object)
{
	if (!object)
		return;
	json_object_object_foreach(object, key, value)
		reader_put_json(out, key, value);
}

static void put_number(struct dump *d, const struct nvme_ctrl *c, const struct option_row *row)
{
	int value = *(const int *)option_const_field(row, c);

	if (value == row->standard ||
	    (row->rules & NVMF_OPTION_FITS && row->traits & NVMF_TRANSPORT_LOSS_TMO &&
	     !transport_has(c->transport, row->traits)))
		return;
	stream_int64(d->out, row->json, value);
}

static void put_option(struct dump *d, const struct nvme_ctrl *c, const struct option_row *row)
{
	switch (row->type) {
	case OPTION_TYPE_TEXT:
	case OPTION_TYPE_KEY:
		if (row == &option_rows[OPTION_TRANSPORT] && c->described_transport) {
			put_text(d, row->json, c->described_transport->name);
			break;
		}
		(row->rules & NVMF_OPTION_SECRET
			 ? put_secret
			 : put_text)(d, row->json, *(char *const *)option_const_field(row, c));
		break;
	case OPTION_TYPE_NUMBER:
		put_number(d, c, row);
		break;
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_MARK:
		if (*(const bool *)option_const_field(row, c))
			put_bool(d->out, row->json, true);
		break;
	case OPTION_TYPE_NAMED:
		break;
	}
}

static void put_options(struct dump *d, const struct nvme_ctrl *c, unsigned int types)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		/* As in libnvme 1.16, write tls before its keys. */
		if (i == OPTION_KEYRING && types & 1U << OPTION_TYPE_KEY)
			put_option(d, c, &option_rows[OPTION_TLS]);
		if (i != OPTION_TLS && option_rows[i].json && types & 1U << option_rows[i].type)
			put_option(d, c, &option_rows[i]);
	}
}

static void put_port(struct dump *d, struct nvme_ctrl *c)
{
	ctrl_read_security(c);
	stream_dict(d->out, NULL);
	put_options(d, c, 1U << OPTION_TYPE_TEXT | 1U << OPTION_TYPE_KEY);
	put_options(d, c, 1U << OPTION_TYPE_NUMBER);
	put_options(d, c, 1U << OPTION_TYPE_FLAG);
	put_options(d, c, 1U << OPTION_TYPE_MARK);
	put_members(d->out, c->unknown_keys);
	stream_end_dict(d->out);
}

/*
 * True if @c is written: it was read from the file, or it is a connected fabrics controller.
 * Discovery controllers with the well-known NQN are not configuration.
 */
static bool is_port(const struct nvme_ctrl *c)
{
	return c->configured || (transport_has(c->transport, NVMF_TRANSPORT_FABRICS) &&
				 strcmp(c->s->subsysnqn, NVME_DISC_SUBSYS_NAME) != 0);
}

static bool is_wanted(const struct nvme_subsystem *s)
{
	struct nvme_ctrl *c;

	if (s->configured)
		return true;
	if (!s->subsysnqn)
		return false;
	TAILQ_FOREACH(c, &s->ctrls, entry)
		if (is_port(c))
			return true;
	return false;
}

static void put_subsystem(struct dump *d, struct nvme_subsystem *s)
{
	struct nvme_ctrl *c;

	stream_dict(d->out, NULL);
	put_text(d, "nqn", s->subsysnqn);
	put_text(d, "application", s->application);
	put_members(d->out, s->unknown_keys);
	stream_list(d->out, "ports");
	TAILQ_FOREACH(c, &s->ctrls, entry)
		if (is_port(c))
			put_port(d, c);
	stream_end_list(d->out);
	stream_end_dict(d->out);
}

static void put_host(struct dump *d, struct nvme_host *h)
{
	struct nvme_subsystem *s;

	stream_dict(d->out, NULL);
	put_text(d, "hostnqn", h->hostnqn);
	put_text(d, "hostid", h->hostid);
	put_secret(d, "dhchap_key", nvme_host_get_dhchap_key(h));
	put_text(d, "hostsymname", h->hostsymname);
	if (h->pdc_enabled_valid)
		put_bool(d->out, "persistent_discovery_ctrl", h->pdc_enabled);
	if (h->mptcp)
		reader_put_json(d->out, "mptcp", h->mptcp);
	put_members(d->out, h->unknown_keys);
	stream_list(d->out, "subsystems");
	TAILQ_FOREACH(s, &h->subsystems, entry)
		if (is_wanted(s))
			put_subsystem(d, s);
	stream_end_list(d->out);
	stream_end_dict(d->out);
}

static bool has_something(const struct nvme_host *h)
{
	struct nvme_subsystem *s;

	if (h->configured || h->mptcp)
		return true;
	TAILQ_FOREACH(s, &h->subsystems, entry)
		if (is_wanted(s))
			return true;
	return false;
}

void config_put(struct nvme_root *r, struct json_stream *out, bool *secrets)
{
	struct dump d = { .out = out };
	struct nvme_host *h;

	/* Keep the layout of the file: an array of hosts, or an object with "hosts". */
	if (r->config_members)
		stream_dict(out, NULL);
	put_members(out, r->config_members);
	stream_list(out, r->config_members ? "hosts" : NULL);
	TAILQ_FOREACH(h, &r->hosts, entry)
		if (has_something(h))
			put_host(&d, h);
	stream_end_list(out);
	if (r->config_members)
		stream_end_dict(out);
	*secrets = d.secrets;
}
