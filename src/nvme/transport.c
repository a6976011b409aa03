/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transports of NVMe, one row each. Code queries the row and never compares names. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "transport-private.h"

#define IO_PORT "4420" /* IANA nvme */
#define DISCOVERY_PORT "8009" /* IANA nvme-disc */

#define ADRFAM(family) (1U << NVMF_ADDR_FAMILY_##family)
#define ADRFAM_IP (ADRFAM(IP4) | ADRFAM(IP6))

#define TRAITS_IP \
	(NVMF_TRANSPORT_FABRICS | NVMF_TRANSPORT_IP | NVMF_TRANSPORT_TRADDR | \
	 NVMF_TRANSPORT_TRSVCID | NVMF_TRANSPORT_HOST_TRADDR | NVMF_TRANSPORT_HOST_IFACE | \
	 NVMF_TRANSPORT_TOS | NVMF_TRANSPORT_LOSS_TMO)

#define TRAITS_TCP \
	(TRAITS_IP | NVMF_TRANSPORT_SRC_ADDR | NVMF_TRANSPORT_DIGESTS | NVMF_TRANSPORT_DIM)

static const struct transport transports[] = {
	{
		.name = "tcp",
		.trtype = NVMF_TRTYPE_TCP,
		.io_port = IO_PORT,
		.discovery_port = DISCOVERY_PORT,
		.module = "nvme-tcp",
		.traits = TRAITS_TCP | NVMF_TRANSPORT_TLS,
		.adrfams = ADRFAM_IP,
		.match = MATCH_IP_STRICT,
		.tsas = NVMF_TSAS_TCP,
	},
	{
		.name = "mptcp",
		.trtype = NVMF_TRTYPE_MPTCP,
		.io_port = IO_PORT,
		.discovery_port = DISCOVERY_PORT,
		.module = "nvme-mptcp",
		.relayed_as = "tcp",
		.traits = TRAITS_TCP | NVMF_TRANSPORT_SUBFLOWS,
		.tls_by_module = true,
		.adrfams = ADRFAM_IP,
		.match = MATCH_IP_STRICT,
		.tsas = NVMF_TSAS_TCP,
	},
	{
		.name = "rdma",
		.trtype = NVMF_TRTYPE_RDMA,
		.io_port = IO_PORT,
		.discovery_port = IO_PORT,
		.module = "nvme-rdma",
		.traits = TRAITS_IP,
		.adrfams = ADRFAM_IP,
		.match = MATCH_IP_LOOSE,
		.tsas = NVMF_TSAS_RDMA,
	},
	{
		.name = "fc",
		.trtype = NVMF_TRTYPE_FC,
		.module = "nvme-fc",
		.traits = NVMF_TRANSPORT_FABRICS | NVMF_TRANSPORT_TRADDR |
			  NVMF_TRANSPORT_HOST_TRADDR | NVMF_TRANSPORT_TOS | NVMF_TRANSPORT_LOSS_TMO,
		.adrfams = ADRFAM(FC),
		.match = MATCH_STRINGS,
	},
	{
		.name = "loop",
		.trtype = NVMF_TRTYPE_LOOP,
		.module = "nvme-loop",
		.traits = NVMF_TRANSPORT_FABRICS,
		.adrfams = ADRFAM_ANY,
		.match = MATCH_STRINGS,
	},
	{
		.name = "pcie",
		.trtype = TRANSPORT_NO_TRTYPE,
		.module = "nvme",
		.match = MATCH_STRINGS,
	},
	{
		.name = "apple-nvme",
		.trtype = TRANSPORT_NO_TRTYPE,
		.module = "nvme-apple",
		.match = MATCH_STRINGS,
	},
};

#define N_TRANSPORTS (sizeof(transports) / sizeof(transports[0]))

/* Row for transports that this table does not have: they are listed, but never connected. */
static const struct transport unknown = {
	.trtype = TRANSPORT_NO_TRTYPE,
	.match = MATCH_STRINGS,
};

const struct transport *transport_by_name(const char *name)
{
	if (!name)
		return &unknown;
	for (size_t i = 0; i < N_TRANSPORTS; i++)
		if (!strcmp(transports[i].name, name))
			return &transports[i];
	return &unknown;
}

const struct transport *transport_next(const struct transport *after)
{
	const struct transport *next = after ? after + 1 : transports;

	return next < transports + N_TRANSPORTS ? next : NULL;
}

const struct transport *transport_by_trtype(int trtype)
{
	if (trtype == TRANSPORT_NO_TRTYPE)
		return NULL;
	for (size_t i = 0; i < N_TRANSPORTS; i++)
		if (transports[i].trtype == trtype)
			return &transports[i];
	return NULL;
}

bool nvmf_transport_is_known(const char *transport)
{
	return transport_by_name(transport)->name;
}

static char fabrics[128]; /* names of the fabrics transports */

static void list_fabrics(void)
{
	size_t length = 0;

	for (size_t i = 0; i < N_TRANSPORTS; i++)
		if (transport_has(&transports[i], NVMF_TRANSPORT_FABRICS) &&
		    length < sizeof(fabrics))
			length += (size_t)snprintf(fabrics + length, sizeof(fabrics) - length,
						   "%s%s", length ? ", " : "", transports[i].name);
}

const char *nvmf_transport_names(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, list_fabrics);
	return fabrics;
}

bool nvmf_transport_has(const char *transport, unsigned int trait)
{
	return transport_has(transport_by_name(transport), trait);
}

const char *nvmf_transport_default_trsvcid(const char *transport, bool discovery)
{
	const struct transport *row = transport_by_name(transport);

	return discovery ? row->discovery_port : row->io_port;
}

const char *nvmf_transport_module(const char *transport)
{
	return transport_by_name(transport)->module;
}

enum nvmf_tsas_kind nvmf_trtype_tsas_kind(__u8 trtype)
{
	const struct transport *row = transport_by_trtype(trtype);

	return row ? row->tsas : NVMF_TSAS_NONE;
}
