/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of transports for programs. They come from one table in the library, so that programs
 * need no list of transport names.
 */
#ifndef NVME_TRANSPORT_H
#define NVME_TRANSPORT_H

#include <stdbool.h>
#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvmf_transport_trait - features of a transport
 * @NVMF_TRANSPORT_FABRICS:	Connected through /dev/nvme-fabrics (pcie is not)
 * @NVMF_TRANSPORT_IP:		traddr is an IP address or a host name to resolve
 * @NVMF_TRANSPORT_TRADDR:	traddr is required
 * @NVMF_TRANSPORT_TRSVCID:	trsvcid names a port
 * @NVMF_TRANSPORT_HOST_TRADDR:	host_traddr is honoured
 * @NVMF_TRANSPORT_HOST_IFACE:	host_iface is honoured
 * @NVMF_TRANSPORT_SRC_ADDR:	The kernel reports src_addr in the sysfs address attribute
 * @NVMF_TRANSPORT_DIGESTS:	Header and data digests
 * @NVMF_TRANSPORT_TLS:		TLS, also concatenated with DH-HMAC-CHAP, if the kernel lists the
 *				option. For transports without this trait, the loaded module decides
 * @NVMF_TRANSPORT_TOS:		Type of service of the queue sockets
 * @NVMF_TRANSPORT_LOSS_TMO:	ctrl_loss_tmo and fast_io_fail_tmo are accepted
 * @NVMF_TRANSPORT_DIM:		Explicit registration with a discovery controller
 * @NVMF_TRANSPORT_SUBFLOWS:	One connection may use several links
 */
enum nvmf_transport_trait {
	NVMF_TRANSPORT_FABRICS = 1 << 0,
	NVMF_TRANSPORT_IP = 1 << 1,
	NVMF_TRANSPORT_TRADDR = 1 << 2,
	NVMF_TRANSPORT_TRSVCID = 1 << 3,
	NVMF_TRANSPORT_HOST_TRADDR = 1 << 4,
	NVMF_TRANSPORT_HOST_IFACE = 1 << 5,
	NVMF_TRANSPORT_SRC_ADDR = 1 << 6,
	NVMF_TRANSPORT_DIGESTS = 1 << 7,
	NVMF_TRANSPORT_TLS = 1 << 8,
	NVMF_TRANSPORT_TOS = 1 << 9,
	NVMF_TRANSPORT_LOSS_TMO = 1 << 10,
	NVMF_TRANSPORT_DIM = 1 << 11,
	NVMF_TRANSPORT_SUBFLOWS = 1 << 12,
};

/**
 * enum nvmf_tsas_kind - layout of the transport specific address subtype
 * @NVMF_TSAS_NONE: Nothing defined
 * @NVMF_TSAS_TCP:  &union nvmf_tsas.tcp, a security type
 * @NVMF_TSAS_RDMA: &union nvmf_tsas.rdma, queue pair, provider and connection management types
 */
enum nvmf_tsas_kind {
	NVMF_TSAS_NONE,
	NVMF_TSAS_TCP,
	NVMF_TSAS_RDMA,
};

/**
 * nvmf_transport_is_known() - check whether the library knows a transport
 * @transport: Name as in /sys and on the command line, or NULL
 *
 * Return: true if the library knows the transport.
 */
bool nvmf_transport_is_known(const char *transport);

/**
 * nvmf_transport_names() - the fabrics transports, for messages
 *
 * Return: A static string such as "tcp, mptcp, rdma, fc, loop".
 */
const char *nvmf_transport_names(void);

/**
 * nvmf_transport_has() - check whether a transport has a trait
 * @transport: Name, or NULL
 * @trait:     One trait, or several of them or-ed together
 *
 * Return: true if the transport is known and has all of @trait.
 */
bool nvmf_transport_has(const char *transport, unsigned int trait);

/**
 * nvmf_transport_default_trsvcid() - default port of a transport
 * @transport: Name, or NULL
 * @discovery: true: the port of discovery controllers
 *
 * Return: A static decimal string, or NULL if the transport has no default.
 */
const char *nvmf_transport_default_trsvcid(const char *transport, bool discovery);

/**
 * nvmf_transport_module() - the host's kernel module for a transport
 * @transport: Name, or NULL
 *
 * Return: A static module name, or NULL if the transport is not known.
 */
const char *nvmf_transport_module(const char *transport);

/**
 * nvmf_trtype_tsas_kind() - which part of union nvmf_tsas an entry uses
 * @trtype: Transport type of a discovery log entry, see &enum nvmf_trtype
 *
 * Return: The kind; NVMF_TSAS_NONE for unknown types.
 */
enum nvmf_tsas_kind nvmf_trtype_tsas_kind(__u8 trtype);

#ifdef __cplusplus
}
#endif

#endif /* NVME_TRANSPORT_H */
