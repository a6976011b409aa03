/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of the numbers in a discovery log entry, as programs print them. */
#include <stddef.h>

#include "../fabrics.h"
#include "../transport-private.h"

#define UNRECOGNIZED "unrecognized"

struct name {
	unsigned int value;
	const char *text;
};

#define name_of(names, value) find_name(names, sizeof(names) / sizeof((names)[0]), value)

static const char *find_name(const struct name *names, size_t n, unsigned int value)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].value == value)
			return names[i].text;
	return UNRECOGNIZED;
}

const char *nvmf_trtype_str(__u8 trtype)
{
	const struct transport *transport = transport_by_trtype(trtype);

	return transport ? transport->name : UNRECOGNIZED;
}

const char *nvmf_adrfam_str(__u8 adrfam)
{
	static const struct name names[] = {
		{ NVMF_ADDR_FAMILY_PCI, "pci" },	  { NVMF_ADDR_FAMILY_IP4, "ipv4" },
		{ NVMF_ADDR_FAMILY_IP6, "ipv6" },	  { NVMF_ADDR_FAMILY_IB, "infiniband" },
		{ NVMF_ADDR_FAMILY_FC, "fibre-channel" },
	};

	return name_of(names, adrfam);
}

const char *nvmf_subtype_str(__u8 subtype)
{
	static const struct name names[] = {
		{ NVME_NQN_DISC, "discovery subsystem referral" },
		{ NVME_NQN_NVME, "nvme subsystem" },
		{ NVME_NQN_CURR, "current discovery subsystem" },
	};

	return name_of(names, subtype);
}

const char *nvmf_treq_str(__u8 treq)
{
#define NO_SQFLOW ", sq flow control disable supported"
	static const struct name names[] = {
		{ NVMF_TREQ_NOT_SPECIFIED, "not specified" },
		{ NVMF_TREQ_REQUIRED, "required" },
		{ NVMF_TREQ_NOT_REQUIRED, "not required" },
		{ NVMF_TREQ_NOT_SPECIFIED | NVMF_TREQ_DISABLE_SQFLOW, "not specified" NO_SQFLOW },
		{ NVMF_TREQ_REQUIRED | NVMF_TREQ_DISABLE_SQFLOW, "required" NO_SQFLOW },
		{ NVMF_TREQ_NOT_REQUIRED | NVMF_TREQ_DISABLE_SQFLOW, "not required" NO_SQFLOW },
	};

	return name_of(names, treq);
}

const char *nvmf_eflags_str(__u16 eflags)
{
	enum { DUP = NVMF_DISC_EFLAGS_DUPRETINFO };
	enum { EPC = NVMF_DISC_EFLAGS_EPCSD };
	enum { NO_CDC = NVMF_DISC_EFLAGS_NCC };
#define DUP_TEXT "duplicate discovery information"
#define EPC_TEXT "explicit discovery connections"
#define NO_CDC_TEXT "no cdc connectivity"
	static const struct name names[] = {
		{ NVMF_DISC_EFLAGS_NONE, "none" },
		{ EPC, EPC_TEXT },
		{ DUP, DUP_TEXT },
		{ EPC | DUP, EPC_TEXT ", " DUP_TEXT },
		{ NO_CDC, NO_CDC_TEXT },
		{ EPC | NO_CDC, EPC_TEXT ", " NO_CDC_TEXT },
		{ DUP | NO_CDC, DUP_TEXT ", " NO_CDC_TEXT },
		{ EPC | DUP | NO_CDC, EPC_TEXT ", " DUP_TEXT ", " NO_CDC_TEXT },
	};

	return name_of(names, eflags);
}

const char *nvmf_sectype_str(__u8 sectype)
{
	static const struct name names[] = {
		{ NVMF_TCP_SECTYPE_NONE, "none" },
		{ NVMF_TCP_SECTYPE_TLS, "tls" },
		{ NVMF_TCP_SECTYPE_TLS13, "tls13" },
	};

	return name_of(names, sectype);
}

const char *nvmf_prtype_str(__u8 prtype)
{
	static const struct name names[] = {
		{ NVMF_RDMA_PRTYPE_NOT_SPECIFIED, "not specified" },
		{ NVMF_RDMA_PRTYPE_IB, "infiniband" },
		{ NVMF_RDMA_PRTYPE_ROCE, "roce" },
		{ NVMF_RDMA_PRTYPE_ROCEV2, "roce-v2" },
		{ NVMF_RDMA_PRTYPE_IWARP, "iwarp" },
	};

	return name_of(names, prtype);
}

const char *nvmf_qptype_str(__u8 qptype)
{
	static const struct name names[] = {
		{ NVMF_RDMA_QPTYPE_CONNECTED, "connected" },
		{ NVMF_RDMA_QPTYPE_DATAGRAM, "datagram" },
	};

	return name_of(names, qptype);
}

const char *nvmf_cms_str(__u8 cms)
{
	static const struct name names[] = {
		{ NVMF_RDMA_CMS_RDMA_CM, "rdma-cm" },
	};

	return name_of(names, cms);
}
