/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The transport table as the library itself sees it. Every fact about a transport stands in
 * its row; code asks the row and never compares names.
 */
#pragma once

#include <stdbool.h>

#include "transport.h"

/* How the address of an existing controller is compared with a requested one. */
enum transport_match {
	MATCH_STRINGS, /* case-insensitive strings, compared where both sides have a value */
	MATCH_IP_LOOSE, /* the same, but traddr and host_traddr as IP addresses */
	MATCH_IP_STRICT, /* traddr and trsvcid must agree; host side by src_addr and interface */
};

#define TRANSPORT_NO_TRTYPE (-1)

struct transport {
	const char *name;
	int trtype; /* enum nvmf_trtype, or TRANSPORT_NO_TRTYPE */
	const char *io_port;
	const char *discovery_port;
	const char *module;
	/* Transport that nvme mptcp relay carries over it, where the kernel does not have it; NULL: none. */
	const char *relayed_as;
	unsigned int traits; /* enum nvmf_transport_trait */
	/*
	 * Without NVMF_TRANSPORT_TLS: its module has it if it shows the parameter of its
	 * handshake, as that of tcp does.
	 */
	bool tls_by_module;
	unsigned int adrfams; /* 1 << enum nvmf_addr_family, of discovery log entries */
	enum transport_match match;
	enum nvmf_tsas_kind tsas;
};

/* Never NULL: a name that is not in the table gets a row without traits and with a NULL name. */
const struct transport *transport_by_name(const char *name);

/* The rows one by one: the first after NULL, NULL after the last. */
const struct transport *transport_next(const struct transport *after);

/* NULL if no row has this transport type. */
const struct transport *transport_by_trtype(int trtype);

static inline bool transport_has(const struct transport *transport, unsigned int traits)
{
	return (transport->traits & traits) == traits;
}

/* May some kernel encrypt it? Whether the running one does, fabrics_has_tls() finds out. */
static inline bool transport_may_have_tls(const struct transport *transport)
{
	return transport_has(transport, NVMF_TRANSPORT_TLS) || transport->tls_by_module;
}

/* The kernel's loop target gives 255, which no address family is, unless it is given another. */
#define ADRFAM_ANY (~0U)

static inline bool transport_takes_adrfam(const struct transport *transport, unsigned int adrfam)
{
	return transport->adrfams == ADRFAM_ANY ||
	       (adrfam < 32 && (transport->adrfams & (1U << adrfam)));
}
