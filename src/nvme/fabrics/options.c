/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The line that is written to /dev/nvme-fabrics: options between commas, in the order of libnvme
 * 1.16. The kernel splits it at commas and newlines without any quoting, so a value that holds one
 * would set options that nobody asked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/cleanup.h"
#include "base/log-private.h"
#include "base/str.h"
#include "../util.h"
#include "private.h"

/* What becomes of an option that the transport or the kernel does not take. */
enum drop {
	DROP_NOTICE, /* left out, and said so */
	DROP_DEBUG, /* left out quietly: a tuning knob */
	DROP_NEVER, /* an error: leaving it out would weaken the connection */
};

/* Secrets of all hash lengths: DHHC-1:xx:<base64 of key and CRC>: is 103 bytes at most. */
#define SECRET_MAX 255

struct rule {
	unsigned short max; /* longest value */
	unsigned short trait; /* what the transport must have, see enum nvmf_transport_trait */
	enum drop drop; /* if the kernel does not list it */
	bool secret;
};

static const struct rule rules[N_OPTIONS] = {
	[OPTION_NQN] = { .max = NVMF_NQN_SIZE },
	[OPTION_TRANSPORT] = { .max = 31 },
	[OPTION_TRADDR] = { .max = NVMF_TRADDR_SIZE - 1 },
	[OPTION_HOST_TRADDR] = { .max = NVMF_TRADDR_SIZE - 1, .trait = NVMF_TRANSPORT_HOST_TRADDR },
	[OPTION_HOST_IFACE] = { .max = IFNAMSIZ - 1, .trait = NVMF_TRANSPORT_HOST_IFACE },
	[OPTION_TRSVCID] = { .max = NVMF_TRSVCID_SIZE - 1, .trait = NVMF_TRANSPORT_TRSVCID },
	[OPTION_HOSTNQN] = { .max = NVMF_NQN_SIZE },
	[OPTION_HOSTID] = { .max = NVME_UUID_LEN_STRING - 1 },
	[OPTION_DISCOVERY] = { .drop = DROP_DEBUG },
	[OPTION_DHCHAP_SECRET] = { .max = SECRET_MAX, .drop = DROP_NEVER, .secret = true },
	[OPTION_DHCHAP_CTRL_SECRET] = { .max = SECRET_MAX, .drop = DROP_NEVER, .secret = true },
	[OPTION_NR_IO_QUEUES] = { .drop = DROP_DEBUG },
	[OPTION_NR_WRITE_QUEUES] = { .drop = DROP_DEBUG },
	[OPTION_NR_POLL_QUEUES] = { .drop = DROP_DEBUG },
	[OPTION_QUEUE_SIZE] = { .drop = DROP_DEBUG },
	[OPTION_KEEP_ALIVE_TMO] = { .drop = DROP_DEBUG },
	[OPTION_RECONNECT_DELAY] = { .drop = DROP_DEBUG },
	[OPTION_CTRL_LOSS_TMO] = { .drop = DROP_DEBUG },
	[OPTION_FAST_IO_FAIL_TMO] = { .drop = DROP_DEBUG },
	[OPTION_TOS] = { .drop = DROP_DEBUG },
	[OPTION_TCLASS] = { .drop = DROP_DEBUG },
	[OPTION_KEYRING] = { .trait = NVMF_TRANSPORT_TLS, .drop = DROP_NEVER },
	[OPTION_TLS_KEY] = { .trait = NVMF_TRANSPORT_TLS, .drop = DROP_NEVER },
	[OPTION_DUPLICATE_CONNECT] = { .drop = DROP_DEBUG },
	[OPTION_DISABLE_SQFLOW] = { .drop = DROP_DEBUG },
	[OPTION_HDR_DIGEST] = { .trait = NVMF_TRANSPORT_DIGESTS, .drop = DROP_NEVER },
	[OPTION_DATA_DIGEST] = { .trait = NVMF_TRANSPORT_DIGESTS, .drop = DROP_NEVER },
	[OPTION_TLS] = { .trait = NVMF_TRANSPORT_TLS, .drop = DROP_NEVER },
	[OPTION_CONCAT] = { .trait = NVMF_TRANSPORT_TLS, .drop = DROP_NEVER },
};

/* The line while it is built; after the first error nothing is added any more. */
struct builder {
	struct connect *connect;
	int err;
};

static void refuse(struct builder *b, enum fabrics_option id, const char *why)
{
	b->err = connect_error_set(b->connect->h, b->connect->c, ENVME_CONNECT_INVAL, "%s: %s",
				   option_name(id), why);
}

static void refuse_value(struct builder *b, enum fabrics_option id, const char *value,
			 const char *why)
{
	_cleanup_(free) char *text = NULL;

	if (rules[id].secret) {
		refuse(b, id, why);
		return;
	}
	text = shown(value);
	b->err = connect_error_set(b->connect->h, b->connect->c, ENVME_CONNECT_INVAL,
				   "%s \"%s\": %s", option_name(id), or_unknown(text), why);
}

/* What a person can do who asked a transport for what it does not have. */
static const char *way_out(unsigned int trait)
{
	switch (trait) {
	case NVMF_TRANSPORT_TLS:
		return "has no TLS; use a transport that has, or leave it out to connect in clear";
	case NVMF_TRANSPORT_DIGESTS:
		return "has no digests; leave it out to connect without";
	default:
		return "does not take it; leave it out";
	}
}

/* Does the transport take the option, and the kernel? If not, it is left out or an error. */
static bool is_taken(struct builder *b, enum fabrics_option id)
{
	const struct nvme_ctrl *c = b->connect->c;

	if (!transport_has(c->transport, rules[id].trait)) {
		b->err = connect_error_set(b->connect->h, b->connect->c, ENVME_CONNECT_INVAL,
					   "%s: transport %s %s", option_name(id),
					   c->transport->name, way_out(rules[id].trait));
		return false;
	}
	if (option_is_known(b->connect->options, id))
		return true;

	switch (rules[id].drop) {
	case DROP_NOTICE:
		log_notice(c->r, "option \"%s\" ignored", option_name(id));
		break;
	case DROP_DEBUG:
		log_debug(c->r, "option \"%s\" ignored", option_name(id));
		break;
	case DROP_NEVER:
		refuse(b, id,
		       "this kernel's nvme-fabrics does not know the option; "
		       "it is too old or built without");
		break;
	}
	return false;
}

static void append(struct builder *b, enum fabrics_option id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void append(struct builder *b, enum fabrics_option id, const char *fmt, ...)
{
	struct connect *connect = b->connect;
	size_t room = sizeof(connect->line) - connect->len;
	va_list args;
	int head, tail;

	head = snprintf(connect->line + connect->len, room, "%s%s", connect->len ? "," : "",
			option_name(id));
	if (head < 0 || (size_t)head >= room)
		goto too_long;
	connect->len += (size_t)head;
	room -= (size_t)head;

	va_start(args, fmt);
	tail = vsnprintf(connect->line + connect->len, room, fmt, args);
	va_end(args);
	if (tail < 0 || (size_t)tail >= room)
		goto too_long;
	connect->len += (size_t)tail;
	return;
too_long:
	refuse(b, id, "all options together are longer than the 4095 bytes that the kernel takes");
}

static bool is_printable(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < 0x20 || *value == 0x7f)
			return false;
	return true;
}

static bool is_valid(struct builder *b, enum fabrics_option id, const char *value)
{
	char why[64];

	if (strlen(value) > rules[id].max) {
		snprintf(why, sizeof(why), "%zu bytes long, at most %u are allowed", strlen(value),
			 rules[id].max);
		refuse_value(b, id, value, why);
	} else if (strchr(value, ',')) {
		refuse_value(b, id, value, "a comma would start another option");
	} else if (!is_printable(value)) {
		refuse_value(b, id, value, "control characters are not allowed");
	}
	return !b->err;
}

static void add_text(struct builder *b, enum fabrics_option id, const char *value)
{
	struct connect *connect = b->connect;

	if (b->err || str_is_unset(value) || !is_valid(b, id, value) || !is_taken(b, id))
		return;
	append(b, id, "=%s", value);
	if (!b->err && rules[id].secret) {
		size_t len = strlen(value);

		connect->secrets[connect->n_secrets].at = connect->len - len;
		connect->secrets[connect->n_secrets++].len = len;
	}
}

static void add_flag(struct builder *b, enum fabrics_option id, bool set)
{
	if (!b->err && set && is_taken(b, id))
		append(b, id, "%s", "");
}

/* @min: the smallest value that is handed over; below it the kernel's default applies. */
static void add_number(struct builder *b, enum fabrics_option id, int value, int min)
{
	if (!b->err && value >= min && is_taken(b, id))
		append(b, id, "=%d", value);
}

static void add_serial(struct builder *b, enum fabrics_option id, long serial)
{
	if (!b->err && serial && is_taken(b, id))
		append(b, id, "=0x%08" PRIx32, (uint32_t)serial);
}

/*
 * What the user wants of TLS, before any key is looked up: TLS by a pre-shared key and TLS by a key
 * that authentication makes exclude each other, and keys need a transport and a kernel for them.
 */
static void check_security(struct builder *b)
{
	const struct nvme_ctrl *c = b->connect->c;
	bool has_key = !str_is_unset(c->tls_key) || c->cfg.tls_key;
	bool has_keyring = !str_is_unset(c->keyring) || c->cfg.keyring;

	if (b->err)
		return;
	if (!c->cfg.tls && !c->cfg.concat && transport_has(c->transport, NVMF_TRANSPORT_TLS)) {
		if (has_key)
			log_notice(c->r, "tls_key is not used without tls");
		return;
	}
	if ((has_key && !is_taken(b, OPTION_TLS_KEY)) ||
	    (has_keyring && !is_taken(b, OPTION_KEYRING)))
		return;

	if (c->cfg.tls && c->cfg.concat)
		refuse(b, OPTION_CONCAT, "cannot be combined with tls; ask for one of them");
	else if (c->cfg.concat && str_is_unset(b->connect->h->dhchap_key) &&
		 str_is_unset(c->dhchap_key))
		refuse(b, OPTION_CONCAT,
		       "needs a DH-HMAC-CHAP secret of the host "
		       "(dhchap_secret), from which the TLS key is made");
}

/* What must be there, and what the transport's row says about the address. */
static void check_target(struct builder *b)
{
	struct nvme_host *h = b->connect->h;
	struct nvme_ctrl *c = b->connect->c;
	_cleanup_(free) char *name = shown(c->transport_name);
	long port;

	if (str_is_unset(c->subsysnqn)) {
		refuse(b, OPTION_NQN, "no subsystem NQN given");
	} else if (str_is_unset(c->transport_name)) {
		b->err = connect_error_set(h, c, ENVME_CONNECT_TARG,
					   "no transport given; one of %s is needed",
					   nvmf_transport_names());
	} else if (!c->transport->name) {
		b->err = connect_error_set(h, c, ENVME_CONNECT_INVAL,
					   "transport \"%s\" is unknown; it must be one of %s",
					   or_unknown(name), nvmf_transport_names());
	} else if (!transport_has(c->transport, NVMF_TRANSPORT_FABRICS)) {
		b->err = connect_error_set(h, c, ENVME_CONNECT_INVAL,
					   "transport %s is not connected; it must be one of %s",
					   or_unknown(name), nvmf_transport_names());
	} else if (transport_has(c->transport, NVMF_TRANSPORT_TRADDR) && str_is_unset(c->traddr)) {
		b->err = connect_error_set(h, c, ENVME_CONNECT_AARG,
					   "no transport address (traddr) given, which transport "
					   "%s needs",
					   or_unknown(name));
	} else if (transport_has(c->transport, NVMF_TRANSPORT_IP) && !str_is_unset(c->trsvcid) &&
		   str_parse_int(c->trsvcid, 1, UINT16_MAX, &port)) {
		refuse_value(b, OPTION_TRSVCID, c->trsvcid, "not a port number (1 to 65535)");
	}
}

static bool is_ipv6(const char *traddr)
{
	struct ip_addr addr;

	return traddr && !address_parse(traddr, &addr) && !address_is_v4(&addr.in6);
}

static void add_target(struct builder *b)
{
	const struct nvme_host *h = b->connect->h;
	const struct nvme_ctrl *c = b->connect->c;

	add_text(b, OPTION_NQN, c->subsysnqn);
	add_text(b, OPTION_TRANSPORT, c->transport_name);
	add_text(b, OPTION_TRADDR, b->connect->traddr ? b->connect->traddr : c->traddr);
	add_text(b, OPTION_HOST_TRADDR,
		 b->connect->host_traddr ? b->connect->host_traddr : c->cfg.host_traddr);
	add_text(b, OPTION_HOST_IFACE, c->cfg.host_iface);
	add_text(b, OPTION_TRSVCID, c->trsvcid);
	add_text(b, OPTION_HOSTNQN, h->hostnqn);
	add_text(b, OPTION_HOSTID, str_is_unset(h->hostid) ? b->connect->hostid : h->hostid);
	add_flag(b, OPTION_DISCOVERY,
		 c->discovery_ctrl && strcmp(c->subsysnqn, NVME_DISC_SUBSYS_NAME) != 0);
}

static void add_io_options(struct builder *b)
{
	const struct nvme_host *h = b->connect->h;
	const struct nvme_ctrl *c = b->connect->c;

	add_text(b, OPTION_DHCHAP_SECRET,
		 str_is_unset(h->dhchap_key) ? c->dhchap_key : h->dhchap_key);
	add_text(b, OPTION_DHCHAP_CTRL_SECRET, c->dhchap_ctrl_key);
	add_number(b, OPTION_NR_IO_QUEUES, c->cfg.nr_io_queues, 1);
	add_number(b, OPTION_NR_WRITE_QUEUES, c->cfg.nr_write_queues, 1);
	add_number(b, OPTION_NR_POLL_QUEUES, c->cfg.nr_poll_queues, 1);
	add_number(b, OPTION_QUEUE_SIZE, c->cfg.queue_size, 1);
}

static void add_options(struct builder *b)
{
	const struct connect *connect = b->connect;
	const struct nvme_ctrl *c = connect->c;
	const char *traddr = connect->traddr ? connect->traddr : c->traddr;

	add_number(b, OPTION_KEEP_ALIVE_TMO, c->cfg.keep_alive_tmo, 1);
	add_number(b, OPTION_RECONNECT_DELAY, c->cfg.reconnect_delay, 1);
	/* Set on every controller, so left out where they make no sense instead of refused. */
	if (transport_has(c->transport, NVMF_TRANSPORT_LOSS_TMO)) {
		add_number(b, OPTION_CTRL_LOSS_TMO, c->cfg.ctrl_loss_tmo, -1);
		add_number(b, OPTION_FAST_IO_FAIL_TMO, c->cfg.fast_io_fail_tmo, 1);
	}
	if (transport_has(c->transport, NVMF_TRANSPORT_TOS)) {
		add_number(b, OPTION_TOS, c->cfg.tos, 0);
		/* Where the kernel has it, it is what IPv6 needs instead of tos. */
		if (option_is_known(connect->options, OPTION_TCLASS) && is_ipv6(traddr))
			add_number(b, OPTION_TCLASS, c->cfg.tos, 0);
	}
	add_serial(b, OPTION_KEYRING, connect->keyring);
	add_serial(b, OPTION_TLS_KEY, connect->tls_key);
	add_flag(b, OPTION_DUPLICATE_CONNECT, c->cfg.duplicate_connect);
	add_flag(b, OPTION_DISABLE_SQFLOW, c->cfg.disable_sqflow);
	add_flag(b, OPTION_HDR_DIGEST, c->cfg.hdr_digest);
	add_flag(b, OPTION_DATA_DIGEST, c->cfg.data_digest);
	add_flag(b, OPTION_TLS, c->cfg.tls);
	add_flag(b, OPTION_CONCAT, c->cfg.concat);
}

int connect_string_build(struct connect *connect)
{
	struct builder b = { .connect = connect };

	connect->len = 0;
	connect->n_secrets = 0;
	check_target(&b);
	check_security(&b);
	if (b.err)
		return b.err;
	add_target(&b);
	if (!connect->c->discovery_ctrl)
		add_io_options(&b);
	add_options(&b);
	return b.err;
}

char *connect_string_shown(const struct connect *connect)
{
	char *line = strndup(connect->line, connect->len);

	for (unsigned int i = 0; line && i < connect->n_secrets; i++)
		memset(line + connect->secrets[i].at, '*', connect->secrets[i].len);
	return line;
}
