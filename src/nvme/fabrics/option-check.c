/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Option checks before anything is written. Values are checked before the kernel's options are
 * read, as an invalid value is invalid on every kernel.
 */
#include "config.h"
#include "private.h"

static int refuse(struct connect *connect, enum fabrics_option id, const char *why)
{
	return connect_fail(connect, ENVME_CONNECT_INVAL, "%s: %s", option_name(id), why);
}

static int refuse_text(struct connect *connect, enum fabrics_option id, const char *value,
		       const char *why)
{
	_cleanup_(free) char *text = NULL;

	if (option_rows[id].rules & NVMF_OPTION_SECRET)
		return refuse(connect, id, why);
	text = connect_escape(value);
	return connect_fail(connect, ENVME_CONNECT_INVAL, "%s \"%s\": %s", option_name(id),
			    or_unknown(text), why);
}

static int check_text(struct connect *connect, enum fabrics_option id, const char *value)
{
	const struct option_row *row = &option_rows[id];
	char why[96];

	switch (option_check_text(row, connect->c->transport_name, value)) {
	case NVMF_FAULT_LONG:
		snprintf(why, sizeof(why), "%zu bytes long, at most %ld are allowed", strlen(value),
			 row->most);
		return refuse_text(connect, id, value, why);
	case NVMF_FAULT_COMMA:
		return refuse_text(connect, id, value,
				   "commas are not allowed, because they separate options");
	case NVMF_FAULT_CONTROL:
		return refuse_text(connect, id, value, "control characters are not allowed");
	case NVMF_FAULT_UNPRINTABLE:
		return refuse_text(connect, id, value, "not printable UTF-8");
	case NVMF_FAULT_PORT:
		return refuse_text(connect, id, value, "not a port number (1 to 65535)");
	default: /* NVMF_FAULT_UUID too: libnvme 1.16 leaves that check to the kernel */
		return 0;
	}
}

/* Values below the range go to the kernel, as in libnvme 1.16. */
static int check_number(struct connect *connect, enum fabrics_option id, long value)
{
	const struct option_row *row = &option_rows[id];

	if (option_check_number(row, value) != NVMF_FAULT_ABOVE)
		return 0;
	return connect_fail(connect, ENVME_CONNECT_INVAL, "%s %ld: must be from %ld to %ld",
			    row->name, value, row->least, row->most);
}

/* Return advice for an option that the transport does not support. */
static const char *option_advice(const struct transport *transport, unsigned int trait)
{
	switch (trait) {
	case NVMF_TRANSPORT_TLS:
		if (transport->relayed_as)
			return "does not support TLS in this kernel; " NVME_MPTCP_COMMAND
			       " relay carries tcp with TLS "
			       "over several links, or omit it to connect without TLS";
		return "does not support TLS; use a transport that does, or omit it to connect "
		       "without TLS";
	case NVMF_TRANSPORT_DIGESTS:
		return "does not support digests; omit it to connect without";
	default:
		return "does not support it; omit the option";
	}
}

static int check_transport(struct connect *connect, enum fabrics_option id)
{
	const struct transport *transport = connect->c->transport;
	unsigned int traits = option_rows[id].traits;

	if (transport_has(transport, traits) ||
	    (traits == NVMF_TRANSPORT_TLS && fabrics_has_tls(transport)))
		return 0;
	return connect_fail(connect, ENVME_CONNECT_INVAL, "%s: transport %s %s", option_name(id),
			    transport->name, option_advice(transport, traits));
}

int option_check_known(struct connect *connect, enum fabrics_option id)
{
	if (option_is_known(connect->options, id))
		return 0;
	return refuse(
		connect, id,
		"this kernel's nvme-fabrics does not support the option: it is too old, or built "
		"without it");
}

/*
 * True if a key or keyring is given and either TLS is on or the transport does not support it,
 * which check_transport() then reports.
 */
static bool is_key_used(const struct connect *connect, enum fabrics_option id)
{
	const struct option_row *row = &option_rows[id];
	const struct nvme_ctrl *c = connect->c;
	const char *text = *(char *const *)option_const_field(row, c);

	if (str_is_unset(text) && !*(const long *)(const void *)((const char *)c + row->serial))
		return false;
	return c->options.cfg.tls || c->options.cfg.concat ||
	       !transport_has(c->transport, row->traits);
}

/* Check the required values. */
static int check_target(struct connect *connect)
{
	struct nvme_host *h = connect->h;
	struct nvme_ctrl *c = connect->c;
	_cleanup_(free) char *name = connect_escape(c->transport_name);

	if (str_is_unset(c->subsysnqn))
		return refuse(connect, OPTION_NQN, "no subsystem NQN given");
	switch (nvmf_check_transport(c->transport_name)) {
	case NVMF_FAULT_MISSING:
		return connect_error_set(h, c, ENVME_CONNECT_TARG,
					 "no transport given; one of %s is needed",
					 nvmf_transport_names());
	case NVMF_FAULT_UNKNOWN:
		return connect_error_set(h, c, ENVME_CONNECT_INVAL,
					 "transport \"%s\" is unknown; it must be one of %s",
					 or_unknown(name), nvmf_transport_names());
	case NVMF_FAULT_NO_FABRIC:
		return connect_error_set(
			h, c, ENVME_CONNECT_INVAL,
			"transport %s is not a fabrics transport; it must be one of %s",
			or_unknown(name), nvmf_transport_names());
	default:
		break;
	}
	if (nvmf_check_traddr(c->transport_name, c->traddr))
		return connect_error_set(h, c, ENVME_CONNECT_AARG,
					 "no transport address (traddr) given, which transport %s "
					 "needs",
					 or_unknown(name));
	return 0;
}

/* TLS with a pre-shared key and TLS with a key from authentication exclude each other. */
static int check_security(struct connect *connect)
{
	const struct nvme_ctrl *c = connect->c;

	if (nvmf_check_options(&c->options))
		return refuse(connect, OPTION_CONCAT,
			      "cannot be combined with tls; use one of them");
	if (c->options.cfg.concat && str_is_unset(connect->h->dhchap_key) &&
	    str_is_unset(c->dhchap_key))
		return refuse(connect, OPTION_CONCAT,
			      "needs a DH-HMAC-CHAP secret of the host "
			      "(dhchap_secret), from which the TLS key is derived");
	if (!c->options.cfg.tls && !c->options.cfg.concat &&
	    (!str_is_unset(c->tls_key) || c->options.cfg.tls_key))
		log_notice(c->r, "tls_key is not used without tls");
	return 0;
}

static int check_row(struct connect *connect, enum fabrics_option id)
{
	struct option_value value;
	int err = 0;

	if (option_rows[id].type == OPTION_TYPE_KEY)
		return is_key_used(connect, id) ? check_transport(connect, id) : 0;
	if (!option_value(connect, id, &value))
		return 0;
	if (value.text)
		err = check_text(connect, id, value.text);
	else if (option_rows[id].type == OPTION_TYPE_NUMBER)
		err = check_number(connect, id, value.number);
	return err ?: check_transport(connect, id);
}

int option_check_values(struct connect *connect)
{
	int err = check_target(connect) ?: check_security(connect);

	for (int id = 0; !err && id < N_OPTIONS; id++)
		err = check_row(connect, (enum fabrics_option)id);
	return err;
}

int option_check_kernel(struct connect *connect)
{
	struct option_value value;
	int err = 0;

	for (int i = 0; !err && i < N_OPTIONS; i++) {
		enum fabrics_option id = (enum fabrics_option)i;

		if (option_rows[id].rules & NVMF_OPTION_GUARDS &&
		    (option_rows[id].type == OPTION_TYPE_KEY ? is_key_used(connect, id)
							     : option_value(connect, id, &value)))
			err = option_check_known(connect, id);
	}
	return err;
}
