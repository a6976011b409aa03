/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transport table inside the library. */
#pragma once

#include <stdbool.h>

#include "transport.h"

/* How to compare the address of an existing controller with a requested one. */
enum transport_match {
	MATCH_STRINGS, /* case-insensitive strings, compared if both sides have a value */
	MATCH_IP_LOOSE, /* likewise, but traddr and host_traddr are IP addresses */
	MATCH_IP_STRICT, /* traddr and trsvcid must match; host side by src_addr and interface */
};

#define TRANSPORT_NO_TRTYPE (-1)

struct transport {
	const char *name;
	int trtype; /* enum nvmf_trtype, or TRANSPORT_NO_TRTYPE */
	const char *io_port;
	const char *discovery_port;
	const char *module;
	/* Transport that nvme mptcp relay uses if the kernel does not have this one, or NULL. */
	const char *relayed_as;
	unsigned int traits; /* enum nvmf_transport_trait */
	/* The module supports TLS if it has the parameter of the TLS handshake, like nvme-tcp. */
	bool tls_by_module;
	unsigned int
		adrfams; /* address families in discovery log entries, 1 << enum nvmf_addr_family */
	enum transport_match match;
	enum nvmf_tsas_kind tsas;
};

/* Return the row of a transport, never NULL: unknown ones get a row without name and traits. */
const struct transport *transport_by_name(const char *name);

/* Return the row after @after, the first one for NULL; NULL after the last one. */
const struct transport *transport_next(const struct transport *after);

/* Return the row with this transport type, or NULL. */
const struct transport *transport_by_trtype(int trtype);

static inline bool transport_has(const struct transport *transport, unsigned int traits)
{
	return (transport->traits & traits) == traits;
}

/* True if some kernels support TLS for it. fabrics_has_tls() checks the running kernel. */
static inline bool transport_may_have_tls(const struct transport *transport)
{
	return transport_has(transport, NVMF_TRANSPORT_TLS) || transport->tls_by_module;
}

/* The kernel's loop target reports 255, no address family, unless another one is configured. */
#define ADRFAM_ANY (~0U)

static inline bool transport_takes_adrfam(const struct transport *transport, unsigned int adrfam)
{
	return transport->adrfams == ADRFAM_ANY ||
	       (adrfam < 32 && (transport->adrfams & (1U << adrfam)));
}
