/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recorded.h"
#include "portal-method.h"

static const char *port_or_default(const char *transport, const char *trsvcid, bool is_discovery)
{
	return trsvcid && *trsvcid ? trsvcid
				   : nvmf_transport_default_trsvcid(transport, is_discovery);
}

static nvme_mptcp_recorder_t begin(const char *transport, const char *traddr, const char *trsvcid,
				   const struct input_waiter *waiter)
{
	const struct nvme_mptcp_record_args args = {
		.transport = transport,
		.traddr = traddr,
		.trsvcid = trsvcid,
		.warn = waiter->warn,
		.arg = waiter->arg,
		.args_size = sizeof(args),
	};

	return nvme_mptcp_record_begin(&args);
}

/* True if it is connected already. The library checks this only after a needless socket dump. */
static bool is_connected_already(nvme_host_t h, nvme_ctrl_t c, bool is_discovery)
{
	return !is_discovery && !nvme_ctrl_get_config(c)->duplicate_connect &&
	       nvmf_find_connected(h, c);
}

static void warn_caller(const struct input_waiter *waiter, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warn_caller(const struct input_waiter *waiter, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!waiter->warn)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	waiter->warn(text, waiter->arg);
}

static bool is_relayed(const char *transport, bool tls, const struct relayed_portal *portal,
		       const char *host_iface, const struct input_waiter *waiter)
{
	const enum portal_method way = portal_method(transport, tls, portal, host_iface);

	if (way == METHOD_RELAY_UNBOUND_ONLY)
		warn_caller(waiter,
			    "%s, port %s: the relay cannot carry connections that are bound to an "
			    "interface (host_iface %s); use an address of that interface instead "
			    "(host_traddr)",
			    portal->traddr, portal->trsvcid, host_iface);
	return way == METHOD_RELAY;
}

static void warn_relayed(const struct input_waiter *waiter, const struct relayed_portal *portal,
			 bool is_for_tls)
{
	warn_caller(
		waiter,
		"%s, port %s: this kernel has no %s; connecting with tcp, which the relay carries over "
		"MPTCP",
		portal->traddr, portal->trsvcid,
		is_for_tls ? "TLS over the transport mptcp" : "transport mptcp");
}

/* If the relay reset the kernel's connection, use the relay's error as the reason. */
static void explain_with_relay(nvme_host_t h, nvme_ctrl_t c, const struct relayed_portal *portal)
{
	const int code = errno;
	int err;

	if (code == ENVME_CONNECT_WRITE &&
	    !nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_SUBFLOWS) &&
	    portal_is_relayed(portal, &err) && err)
		nvmf_explain_connect(h, c, err);
	else
		errno = code;
}

int input_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct input_waiter *waiter)
{
	const struct nvme_fabrics_config *cfg = nvme_ctrl_get_config(c);
	const char *transport = nvme_ctrl_get_transport(c);
	const char *nqn = nvme_ctrl_get_subsysnqn(c);
	const bool is_discovery =
		nvme_ctrl_is_discovery_ctrl(c) || (nqn && !strcmp(nqn, NVME_DISC_SUBSYS_NAME));
	const struct relayed_portal portal = {
		.traddr = nvme_ctrl_get_traddr(c),
		.trsvcid = port_or_default(transport, nvme_ctrl_get_trsvcid(c), is_discovery),
		.is_name_allowed = true,
	};
	const bool is_taken =
		is_relayed(transport, cfg->tls || cfg->concat, &portal, cfg->host_iface, waiter);
	const bool is_for_tls = is_taken && !nvmf_needs_relay(transport, false);
	const bool is_relayed_now = is_taken && !nvmf_ctrl_set_relayed(c, true);
	nvme_mptcp_recorder_t recorder = NULL;
	int ret, err;

	transport = nvme_ctrl_get_transport(c);
	if ((is_relayed_now || nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS)) &&
	    !is_connected_already(h, c, is_discovery)) {
		if (is_relayed_now)
			warn_relayed(waiter, &portal, is_for_tls);
		recorder = begin(transport, portal.traddr, portal.trsvcid, waiter);
	}
	ret = nvmf_add_ctrl(h, c, NULL);
	nvme_mptcp_record_end(recorder, ret ? NULL : nvme_ctrl_get_name(c));
	if (!ret)
		return 0;
	explain_with_relay(h, c, &portal);
	err = errno;
	if (is_relayed_now)
		nvmf_ctrl_set_relayed(c, false);
	errno = err;
	return ret;
}

/* Fields of entries that did not come from the library need not be NUL-terminated. */
static void field_text(char *text, const char *field, size_t size)
{
	size_t n = strnlen(field, size);

	while (n && field[n - 1] == ' ')
		n--;
	memcpy(text, field, n);
	text[n] = '\0';
}

static bool wants_tls(const struct nvmf_disc_log_entry *e, const struct nvmf_options *options)
{
	const __u8 treq = e->treq & (NVMF_TREQ_REQUIRED | NVMF_TREQ_NOT_REQUIRED);

	return (options && (options->cfg.tls || options->cfg.concat)) ||
	       (treq == NVMF_TREQ_REQUIRED && e->tsas.tcp.sectype != NVMF_TCP_SECTYPE_NONE);
}

/* A failed entry leaves no controller; create one to build the sentence from. */
static void explain_entry(nvme_host_t h, const struct nvmf_disc_log_entry *e, const char *transport,
			  const struct relayed_portal *portal)
{
	const int code = errno;
	nvme_ctrl_t c = nvme_create_ctrl(nvme_host_get_root(h), e->subnqn, transport,
					 portal->traddr, NULL, NULL, portal->trsvcid);

	errno = code;
	if (!c)
		return;
	explain_with_relay(h, c, portal);
	nvme_free_ctrl(c);
}

nvme_ctrl_t input_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				const struct nvmf_options *options, bool *discover,
				const struct input_waiter *waiter)
{
	char traddr[sizeof(e->traddr) + 1], trsvcid[sizeof(e->trsvcid) + 1];
	const char *transport = nvmf_trtype_str(e->trtype);
	struct relayed_portal portal = { .traddr = traddr };
	struct nvmf_disc_log_entry relayed;
	nvme_mptcp_recorder_t recorder;
	nvme_ctrl_t c;

	field_text(traddr, e->traddr, sizeof(e->traddr));
	field_text(trsvcid, e->trsvcid, sizeof(e->trsvcid));
	portal.trsvcid = port_or_default(transport, trsvcid, e->subtype == NVME_NQN_DISC);
	if (is_relayed(transport, wants_tls(e, options), &portal,
		       options ? options->cfg.host_iface : NULL, waiter)) {
		warn_relayed(waiter, &portal, !nvmf_needs_relay(transport, false));
		relayed = *e;
		relayed.trtype = NVMF_TRTYPE_TCP;
		e = &relayed;
		transport = nvmf_trtype_str(e->trtype);
	}
	recorder = begin(transport, traddr, portal.trsvcid, waiter);
	c = nvmf_connect_entry(h, e, options, discover);
	nvme_mptcp_record_end(recorder, c ? nvme_ctrl_get_name(c) : NULL);
	if (!c)
		explain_entry(h, e, transport, &portal);
	return c;
}
