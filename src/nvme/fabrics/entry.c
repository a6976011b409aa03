/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting to the subsystem of a discovery log entry, read as the transport's row specifies. */
#include "private.h"

DEFINE_CLEANUP(struct nvme_ctrl *, nvme_free_ctrl);

/* Strings of an entry, NUL-terminated and without padding. */
struct strings {
	char traddr[NVMF_TRADDR_SIZE + 1];
	char trsvcid[NVMF_TRSVCID_SIZE + 1];
	char subnqn[NVME_NQN_LENGTH + 1];
};

static void copy_strings(const struct nvmf_disc_log_entry *e, struct strings *s)
{
	str_copy(s->traddr, sizeof(s->traddr), e->traddr, sizeof(e->traddr));
	str_copy(s->trsvcid, sizeof(s->trsvcid), e->trsvcid, sizeof(e->trsvcid));
	str_copy(s->subnqn, sizeof(s->subnqn), e->subnqn, sizeof(e->subnqn));
	str_trim_end(s->traddr);
	str_trim_end(s->trsvcid);
}

/* Store the reason why an entry is rejected, taking ownership of it. */
static int refuse(struct nvme_host *h, char *reason)
{
	free(h->connect_error);
	h->connect_error = reason;
	return -EINVAL;
}

static int check_entry(struct nvme_host *h, const struct nvmf_disc_log_entry *e,
		       const struct transport **ret)
{
	const struct transport *transport = transport_by_trtype(e->trtype);

	if (!transport || !transport_has(transport, NVMF_TRANSPORT_FABRICS))
		return refuse(h, str_format("skipping unsupported transport %u", e->trtype));
	if (!transport_takes_adrfam(transport, e->adrfam))
		return refuse(h, str_format("skipping unsupported adrfam %u", e->adrfam));
	*ret = transport;
	return 0;
}

static int refuse_string(struct nvme_host *h, const char *what, const char *value, const char *why)
{
	_cleanup_(free) char *shown = str_escape_control(value, strlen(value));

	refuse(h, str_format("%s \"%s\" of the discovery log entry %s", what, shown ? shown : "?",
			     why));
	return -ENVME_CONNECT_INVAL;
}

/*
 * The strings of an untrusted target become object names, kernel options and configuration keys. An
 * NQN is UTF-8 (NVM Express Base Specification 2.1, section 4.7), an address is ASCII.
 */
static int check_strings(struct nvme_host *h, const struct strings *s)
{
	const struct {
		const char *name, *value;
		bool ascii;
	} rows[] = {
		{ "NQN", s->subnqn, false },
		{ "traddr", s->traddr, true },
		{ "trsvcid", s->trsvcid, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *value = rows[i].value;

		if (!text_is_printable(value))
			return refuse_string(h, rows[i].name, value, "is not printable UTF-8");
		for (const char *p = value; *p; p++)
			if (*p == ' ' || (rows[i].ascii && *p & 0x80))
				return refuse_string(h, rows[i].name, value,
						     "contains characters that are not allowed");
	}
	return 0;
}

static int create(struct nvme_host *h, const struct nvmf_disc_log_entry *e,
		  const struct transport *transport, const struct nvmf_options *options,
		  struct nvme_ctrl **ret)
{
	const char *trsvcid;
	struct nvme_ctrl *c;
	struct strings s;
	int err;

	copy_strings(e, &s);
	err = check_strings(h, &s);
	if (err)
		return err;
	trsvcid = transport_has(transport, NVMF_TRANSPORT_TRSVCID) && *s.trsvcid ? s.trsvcid : NULL;
	c = nvme_create_ctrl(h->r, s.subnqn, transport->name, *s.traddr ? s.traddr : NULL,
			     options ? options->cfg.host_traddr : NULL,
			     options ? options->cfg.host_iface : NULL, trsvcid);
	if (!c) {
		err = errno;
		if (err == EINVAL)
			str_set(&h->connect_error, "discovery log entry without address or NQN");
		return -err;
	}
	*ret = c;
	return 0;
}

/* Refuse host names: a discovery controller must not make this host query name servers. */
static int check_address(struct nvme_host *h, struct nvme_ctrl *c)
{
	_cleanup_(free) char *name = NULL;

	if (!transport_has(c->transport, NVMF_TRANSPORT_IP) || !address_is_hostname(c->traddr))
		return 0;
	name = connect_escape(c->traddr);
	return connect_error_set(
		h, c, ENVME_CONNECT_TRADDR,
		"\"%s\" is not an address, and host names in a discovery log are not resolved",
		or_unknown(name));
}

static void set_kind(struct nvme_ctrl *c, const struct nvmf_disc_log_entry *e)
{
	c->discovery_ctrl = e->subtype == NVME_NQN_DISC;
	c->unique_discovery_ctrl =
		c->discovery_ctrl && strcmp(c->subsysnqn, NVME_DISC_SUBSYS_NAME) != 0;
	if (e->subtype != NVME_NQN_DISC && e->subtype != NVME_NQN_NVME)
		log_notice(c->r, "unsupported subtype %u of a discovery log entry", e->subtype);
}

/*
 * Enable TLS as the entry requests. Fail if it requires TLS and the transport has none. If it
 * leaves the choice, use TLS with keys from authentication (concat) if kernel and secrets permit.
 */
static int set_security(struct nvme_host *h, struct nvme_ctrl *c,
			const struct nvmf_disc_log_entry *e, const struct fabrics_options *options)
{
	_cleanup_(free) char *where = NULL;

	if (c->transport->tsas != NVMF_TSAS_TCP || e->tsas.tcp.sectype == NVMF_TCP_SECTYPE_NONE ||
	    c->options.cfg.tls || c->options.cfg.concat)
		return 0;
	/* Both bits set is reserved: do not take it as permission to connect in clear. */
	if (e->treq & NVMF_TREQ_REQUIRED) {
		if (fabrics_has_tls(c->transport)) {
			c->options.cfg.tls = true;
			return 0;
		}
		where = connect_address_text(c);
		return connect_error_set(
			h, c, ENVME_CONNECT_OPNOTSUPP,
			"%s: the target requires TLS, which transport %s does not support (use its "
			"tcp port, or configure the port without TLS)",
			or_unknown(where), c->transport->name);
	}
	if (!(e->treq & NVMF_TREQ_NOT_REQUIRED))
		return 0;
	if (fabrics_has_tls(c->transport) && option_is_known(options, OPTION_CONCAT) &&
	    (!str_is_unset(h->dhchap_key) || !str_is_unset(c->dhchap_key))) {
		c->options.cfg.concat = true;
		return 0;
	}
	where = connect_address_text(c);
	log_notice(h->r, "%s: connecting in clear, TLS is offered but not required",
		   or_unknown(where));
	return 0;
}

static int connect_entry(struct nvme_host *h, struct nvmf_disc_log_entry *e,
			 const struct nvmf_options *wanted, bool *discover, struct nvme_ctrl **ret)
{
	_cleanup_(nvme_free_ctrl) struct nvme_ctrl *c = NULL;
	const struct fabrics_options *options = NULL;
	const struct transport *transport = NULL;
	bool written, no_sqflow;
	int err;

	connect_error_clear(h, NULL);
	err = check_entry(h, e, &transport);
	if (err)
		return err;
	/* The log came from this controller: connecting again would find nothing new. */
	if (e->subtype == NVME_NQN_CURR)
		return -EAGAIN;
	err = create(h, e, transport, wanted, &c) ?: check_address(h, c);
	if (err)
		return err;
	set_kind(c, e);
	err = (wanted ? option_merge(c, wanted, false) : 0) ?: fabrics_prepare(h, c);
	if (err)
		return err;
	err = fabrics_options_get(h->r, &options);
	if (err == -ENVME_CONNECT_OPEN)
		return connect_error_open(h, c, errno);
	if (!err)
		err = set_security(h, c, e, options);
	if (err)
		return err;
	no_sqflow = e->treq & NVMF_TREQ_DISABLE_SQFLOW &&
		    option_is_known(options, OPTION_DISABLE_SQFLOW) &&
		    !(wanted && wanted->cfg.disable_sqflow);
	if (no_sqflow)
		c->options.cfg.disable_sqflow = true;

	err = fabrics_add(h, c, &written);
	if (err == -ENVME_CONNECT_INVAL && written && no_sqflow) {
		/* The kernel lists options for all transports together; this one may reject it. */
		c->options.cfg.disable_sqflow = false;
		err = fabrics_add(h, c, &written);
	}
	if (err)
		return err;
	if (discover && e->subtype == NVME_NQN_DISC)
		*discover = true;
	*ret = steal_ptr(&c);
	return 0;
}

nvme_ctrl_t nvmf_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
			       const struct nvmf_options *options, bool *discover)
{
	struct nvme_ctrl *c = NULL;
	int err = connect_entry(h, e, options, discover, &c);

	return err ? failure_null(err) : c;
}

nvme_ctrl_t nvmf_connect_disc_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				    const struct nvme_fabrics_config *defcfg, bool *discover)
{
	struct nvmf_options options;

	if (!defcfg)
		return nvmf_connect_entry(h, e, NULL, discover);
	nvmf_init_options(&options, sizeof(options));
	options.cfg = *defcfg;
	return nvmf_connect_entry(h, e, &options, discover);
}
