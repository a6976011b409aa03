/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Error messages of failed connects: the address, the meaning of errno, the kernel's messages,
 * advice. errno alone is ambiguous: a missing subsystem is EIO, a missing transport EINVAL.
 */
#include "config.h"
#include "shared/mask.h"
#include "private.h"

/* Maximum length of a quoted value; longer ones would hide the rest of the message. */
#define SHOWN_MAX 256

char *connect_escape(const char *s)
{
	size_t len = s ? strlen(s) : 0;

	return str_escape_control(s ? s : "", len > SHOWN_MAX ? SHOWN_MAX : len);
}

char *connect_address_text(const struct nvme_ctrl *c)
{
	_cleanup_(free) char *traddr = connect_escape(c->traddr);
	_cleanup_(free) char *trsvcid = connect_escape(c->trsvcid);
	const char *service = str_is_unset(c->trsvcid) ? "" : or_unknown(trsvcid);
	struct ip_addr addr;
	bool brackets;

	if (str_is_unset(c->traddr))
		return connect_escape(str_is_unset(c->transport_name) ? c->subsysnqn
								      : c->transport_name);
	brackets = *service && !address_parse(c->traddr, &addr) && strchr(c->traddr, ':') &&
		   *c->traddr != '[';
	return str_format("%s%s%s%s%s", brackets ? "[" : "", or_unknown(traddr),
			  brackets ? "]" : "", *service ? ":" : "", service);
}

/* Store the reason. Do not log it: callers print it. */
static void store_reason(struct nvme_host *h, struct nvme_ctrl *c, char *reason)
{
	if (h)
		str_set(&h->connect_error, reason);
	free(c->connect_error);
	c->connect_error = reason;
}

int connect_error_set(struct nvme_host *h, struct nvme_ctrl *c, int code, const char *fmt, ...)
{
	char *reason;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&reason, fmt, args) < 0)
		reason = NULL;
	va_end(args);
	store_reason(h, c, reason);
	return -code;
}

void connect_error_clear(struct nvme_host *h, struct nvme_ctrl *c)
{
	if (h)
		str_set(&h->connect_error, NULL);
	if (c)
		str_set(&c->connect_error, NULL);
}

int connect_error_open(struct nvme_host *h, struct nvme_ctrl *c, int err)
{
	const char *module = c->transport->module;

	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return connect_error_set(h, c, ENVME_CONNECT_OPEN,
					 "cannot open %s: %s (is the kernel module loaded? "
					 "modprobe nvme-fabrics%s%s)",
					 NVMF_DEVICE, strerror(err), module ? "; modprobe " : "",
					 module ? module : "");
	default:
		return connect_error_set(h, c, ENVME_CONNECT_OPEN, "cannot open %s: %s%s",
					 NVMF_DEVICE, strerror(err),
					 err == EACCES || err == EPERM ? " (connecting needs root)"
								       : "");
	}
}

/* Map an errno of write() to the error codes of libnvme 1.16. */
static int code_of(int err)
{
	static const struct {
		int err, code;
	} codes[] = {
		{ EALREADY, ENVME_CONNECT_ALREADY },
		{ EINVAL, ENVME_CONNECT_INVAL },
		{ EADDRINUSE, ENVME_CONNECT_ADDRINUSE },
		{ ENODEV, ENVME_CONNECT_NODEV },
		{ EOPNOTSUPP, ENVME_CONNECT_OPNOTSUPP },
		{ ECONNREFUSED, ENVME_CONNECT_CONNREFUSED },
		{ EADDRNOTAVAIL, ENVME_CONNECT_ADDRNOTAVAIL },
		{ ENOKEY, ENVME_CONNECT_NOKEY },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].err == err)
			return codes[i].code;
	return ENVME_CONNECT_WRITE;
}

static bool log_contains(const char *log, const char *words)
{
	return log && strstr(log, words);
}

/* Describe the error for users. Mapped errors have their own text. */
static const char *meaning_of(int err, const char *log)
{
	int code = code_of(err);

	if (log_contains(log, "authentication"))
		return "authentication failed";
	if (code != ENVME_CONNECT_WRITE)
		return nvme_errno_to_string(code);
	switch (err) {
	case ETIMEDOUT:
	case EAGAIN:
	case EINPROGRESS:
		return "connection timed out";
	case EHOSTUNREACH:
		return "host unreachable";
	case ENETUNREACH:
		return "network unreachable";
	case ECONNRESET:
	case EPIPE:
		return "connection closed by the target";
	case EIO:
		return "the target refused the connection";
	default:
		return strerror(err);
	}
}

static bool transport_missing(const struct transport *transport, int err, const char *log)
{
	if (log_contains(log, "no handler found for transport"))
		return true;
	return err == EINVAL && !log && transport_has(transport, NVMF_TRANSPORT_SUBFLOWS) &&
	       !sysfs_has_module(transport->module);
}

static bool has_secret(const struct connect *connect)
{
	return !str_is_unset(connect->h->dhchap_key) || !str_is_unset(connect->c->dhchap_key);
}

/* Return advice for the kernel's log message; NULL if there is none. */
static char *advice_by_log(const struct connect *connect, const char *log)
{
	const struct nvme_ctrl *c = connect->c;
	_cleanup_(free) char *nqn = connect_escape(c->subsysnqn);
	_cleanup_(free) char *hostnqn = connect_escape(connect->h->hostnqn);

	if (log_contains(log, "subsysnqn"))
		return str_format(
			"the target has no subsystem %s on this port; its discovery log lists "
			"what it offers",
			or_unknown(nqn));
	if (log_contains(log, "is not allowed, hostnqn") || log_contains(log, "Parameter, hostnqn"))
		return str_format(
			"subsystem %s does not allow host %s; the target's administrator can "
			"add it",
			or_unknown(nqn), or_unknown(hostnqn));
	if (log_contains(log, "found same hostid") || log_contains(log, "found same hostnqn"))
		return str_format(
			"each host NQN must be used with one host identifier, and existing "
			"connections use another pair");
	if (log_contains(log, "invalid parameter"))
		return str_format("the kernel's %s transport does not support this option",
				  c->transport->name);
	if (log_contains(log, "authentication") && has_secret(connect))
		return str_format("do the DH-HMAC-CHAP secrets match those on the target?");
	if (log_contains(log, "authentication"))
		return str_format(
			"the target requires it; specify the DH-HMAC-CHAP secret that the target "
			"uses for host %s (dhchap_secret)",
			or_unknown(hostnqn));
	return NULL;
}

static char *advice_by_errno(const struct connect *connect, int err)
{
	const struct nvme_ctrl *c = connect->c;
	_cleanup_(free) char *nqn = connect_escape(c->subsysnqn);
	_cleanup_(free) char *hostnqn = connect_escape(connect->h->hostnqn);
	_cleanup_(free) char *host_traddr = connect_escape(c->options.cfg.host_traddr);
	_cleanup_(free) char *host_iface = connect_escape(c->options.cfg.host_iface);

	switch (err) {
	case ECONNREFUSED:
		return str_format("is a port with trtype %s enabled there?", c->transport->name);
	case ECONNRESET:
	case EPIPE:
		return str_format("is it a port with trtype %s?", c->transport->name);
	case ETIMEDOUT:
	case EAGAIN:
	case EINPROGRESS:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return str_format(
			"is the address right, is the link up, and is there a route without a "
			"firewall in between?");
	case EALREADY:
		return str_format("to subsystem %s; duplicate_connect allows another connection",
				  or_unknown(nqn));
	case ENODEV:
		return c->options.cfg.host_iface
			       ? str_format("is host_iface %s an interface of this host?",
					    or_unknown(host_iface))
			       : NULL;
	case EADDRNOTAVAIL:
		return c->options.cfg.host_traddr
			       ? str_format("is host_traddr %s an address of this host?",
					    or_unknown(host_traddr))
			       : NULL;
	case ENOKEY:
		return str_format("for host %s and subsystem %s in the keyring",
				  or_unknown(hostnqn), or_unknown(nqn));
	case EPROTONOSUPPORT:
	case ENOPROTOOPT:
		return transport_has(c->transport, NVMF_TRANSPORT_SUBFLOWS)
			       ? str_format("MPTCP is switched off or not built in; "
					    "sysctl net.mptcp.enabled=1")
			       : NULL;
	default:
		return NULL;
	}
}

/* Return advice for an ambiguous errno when the kernel log cannot be read. */
static char *advice_without_log(const struct connect *connect, int err)
{
	_cleanup_(free) char *nqn = connect_escape(connect->c->subsysnqn);
	_cleanup_(free) char *hostnqn = connect_escape(connect->h->hostnqn);

	if (err == EIO)
		return str_format("does it have subsystem %s, and does it allow host %s?",
				  or_unknown(nqn), or_unknown(hostnqn));
	if (err == EINVAL)
		return str_format("the kernel log has the reason");
	return NULL;
}

static int no_transport(struct connect *connect, int code, const char *log)
{
	const struct transport *transport = connect->c->transport;
	const char *quote = log ? "; kernel: " : "";
	/* Suggest the relay, which gives tcp several links without this transport. */
	const char *other = transport_has(transport, NVMF_TRANSPORT_SUBFLOWS)
				    ? ". Without it, " NVME_MPTCP_COMMAND
				      " relay carries tcp over several links"
				    : "";

	return connect_fail(connect, code, "this kernel has no %s transport (modprobe %s)%s%s%s",
			    transport->name, transport->module, other, quote, log ? log : "");
}

/* Return the kernel's message with secrets masked; NULL if there is no message. */
static char *without_secrets(const struct connect *connect, const char *words)
{
	const char *const secrets[] = {
		connect->h->dhchap_key,
		connect->c->dhchap_key,
		connect->c->dhchap_ctrl_key,
		connect->c->tls_key,
	};

	return words ? mask_secrets(words, secrets, sizeof(secrets) / sizeof(secrets[0])) : NULL;
}

/* True for the default discovery port: few targets use it, as every I/O port answers discovery. */
static bool is_discovery_port(const struct nvme_ctrl *c)
{
	const struct transport *row = c->transport;

	return row->discovery_port && row->io_port && strcmp(row->discovery_port, row->io_port) &&
	       c->trsvcid && !strcmp(c->trsvcid, row->discovery_port);
}

int connect_error_write(struct connect *connect, int err, const char *kernel_log)
{
	int code = code_of(err);
	_cleanup_(free) char *log = without_secrets(connect, kernel_log);
	_cleanup_(free) char *where = NULL;
	_cleanup_(free) char *hint = NULL;

	log_info(connect->c->r, "Failed to write to %s: %s", NVMF_DEVICE, strerror(err));
	if (transport_missing(connect->c->transport, err, log))
		return no_transport(connect, code, log);

	where = connect_address_text(connect->c);
	hint = advice_by_log(connect, log);
	if (!hint)
		hint = advice_by_errno(connect, err);
	if (!hint && !log)
		hint = advice_without_log(connect, err);
	if (err == ECONNREFUSED && is_discovery_port(connect->c))
		return connect_fail(connect, code,
				    "%s: %s. Discovery uses port %s; for the I/O port try "
				    "-s %s.%s%s",
				    or_unknown(where), meaning_of(err, log),
				    connect->c->transport->discovery_port,
				    connect->c->transport->io_port, log ? " Kernel: " : "",
				    log ? log : "");
	return connect_fail(connect, code, "%s: %s%s%s%s%s%s", or_unknown(where),
			    meaning_of(err, log), hint ? " (" : "", hint ? hint : "",
			    hint ? ")" : "", log ? "; kernel: " : "", log ? log : "");
}

int nvmf_explain_connect(nvme_host_t h, nvme_ctrl_t c, int err)
{
	struct connect connect = { .h = h, .c = c };

	return failure_errno(connect_error_write(&connect, err, NULL));
}

GETTER(const char *, nvmf_ctrl_get_connect_error, nvme_ctrl_t, connect_error);
GETTER(const char *, nvmf_host_get_connect_error, nvme_host_t, connect_error);
