/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The meaning of an endpoint, defined only here: how the kernel uses its flags, whether it is
 * usable, and its text form. From Linux 6.18, net/mptcp/pm_kernel.c (pm_netlink.c before 6.17):
 *
 *	subflow		starts a subflow by itself, to the address that was connected to
 *	fullmesh	starts one to each announced address, with subflow even by itself
 *	laminar		starts one to one announced address, if no endpoint is fullmesh
 *	signal		is announced; excludes fullmesh, and is required for a port
 *	backup		its subflows carry data only if no other subflow can
 *	implicit	created by the kernel for a source address; starts and announces nothing
 */
#pragma once

#include "base/address.h"
#include <nvme/mptcp.h>

struct nvme_mptcp_connection;
struct nvme_mptcp_endpoint;
struct nvme_mptcp_link;
struct nvme_mptcp_snapshot;
struct nvme_mptcp_subflow;

/*
 * Number of endpoints that every kernel can hold, and the maximum of many kernels
 * (MPTCP_PM_ADDR_MAX, net/mptcp/protocol.h). Kernels with a larger table also accept larger limits.
 */
#define ENDPOINT_TABLE 8

/* Maximum number of endpoints in any kernel: ids have 8 bits, and 0 is not one. */
#define ENDPOINT_IDS 255

/* True if the table is full: with ENDPOINT_TABLE endpoints, unless limits show a larger table. */
bool endpoint_table_is_full(const struct nvme_mptcp_snapshot *snap);

/* True if the flags are known and @flag is set. */
bool endpoint_has(const struct nvme_mptcp_endpoint *ep, enum nvme_mptcp_endpoint_flag flag);

/* True if @ep starts a subflow without an announcement: counted in mptcp_info.local_addr_max. */
bool endpoint_starts_by_itself(const struct nvme_mptcp_endpoint *ep);
/* True if the kernel starts a subflow from @ep to an announced address. */
bool endpoint_starts_when_announced(const struct nvme_mptcp_endpoint *ep);
/* True if either of the above holds. */
bool endpoint_starts_subflows(const struct nvme_mptcp_endpoint *ep);
bool endpoint_announces(const struct nvme_mptcp_endpoint *ep);

/* True if the initial subflow of @conn has the endpoint's address, which then adds no subflow. */
bool endpoint_is_initial(const struct nvme_mptcp_endpoint *ep,
			 const struct nvme_mptcp_connection *conn);

/* True if @ep and @ip have the same family: subflows cannot join a connection of the other. */
bool endpoint_has_family(const struct nvme_mptcp_endpoint *ep, const struct in6_addr *ip);

/* True if the endpoint's address is on a link that is alive: its own device if it has one. */
bool endpoint_is_usable(const struct nvme_mptcp_endpoint *ep);

/* True if the address is on another link than the device, other than a loopback or dummy. */
bool endpoint_is_misplaced(const struct nvme_mptcp_endpoint *ep);

/* Return the link that its subflows should use; NULL if it has neither device nor address. */
const struct nvme_mptcp_link *endpoint_carrier(const struct nvme_mptcp_endpoint *ep);

/* True if the kernel closes @sf when the endpoint is deleted. */
bool endpoint_has_subflow(const struct nvme_mptcp_endpoint *ep,
			  const struct nvme_mptcp_subflow *sf);

/*
 * Count the connections, of all programs in the network namespace, that have a subflow on one of
 * the @n endpoints and would have none that carries data if these were deleted together. Renewing
 * or replacing an endpoint deletes it. *@first (unless @first is NULL) is the first such connection
 * that is known. The result means nothing without snapshot_shows_subflows().
 */
size_t endpoint_count_ended(const struct nvme_mptcp_snapshot *snap,
			    const struct nvme_mptcp_endpoint *const *eps, size_t n,
			    const struct nvme_mptcp_connection **first);

/* True if deleting this endpoint alone ends a connection. */
bool endpoint_is_last_for(const struct nvme_mptcp_snapshot *snap,
			  const struct nvme_mptcp_endpoint *ep);

/* Count the subflows, of all connections, that carry data and that deleting the endpoint closes. */
size_t endpoint_count_carrying(const struct nvme_mptcp_snapshot *snap,
			       const struct nvme_mptcp_endpoint *ep);

/*
 * Like endpoint_carrier(), but NULL if the endpoint has no device and its address is on a loopback
 * or dummy: its subflows then follow the routes, which may have several next hops.
 */
const struct nvme_mptcp_link *endpoint_egress_link(const struct nvme_mptcp_endpoint *ep);

/* Flags that the kernel changes in place (MPTCP_PM_CMD_SET_FLAGS); others need a new endpoint. */
#define ENDPOINT_FLAGS_LIVE (NVME_MPTCP_ENDPOINT_BACKUP | NVME_MPTCP_ENDPOINT_FULLMESH)

/* Why the kernel refuses a combination of flags and port. */
enum endpoint_conflict {
	ENDPOINT_CONFLICT_NONE,
	ENDPOINT_CONFLICT_MESH, /* signal and fullmesh */
	ENDPOINT_CONFLICT_PORT, /* a port without signal */
};

enum endpoint_conflict endpoint_conflict(int64_t flags, unsigned int port);

/* Adapt @flags to a host, which starts subflows, or a target, which announces addresses. */
int64_t endpoint_flags_for_host(int64_t flags);
int64_t endpoint_flags_for_target(int64_t flags);

/* Names of MPTCP_PM_ADDR_FLAG_*, from bit 0. */
#define ENDPOINT_FLAGS 6
extern const char *const endpoint_flag_names[ENDPOINT_FLAGS];

/* Return the flag that ip-mptcp(8) and config.json call @word; 0 if none can be set. */
int64_t endpoint_flag_by_name(const char *word);

/* A requested endpoint. */
struct endpoint_spec {
	struct in6_addr ip;
	int64_t flags;
	int ifindex; /* 0: none */
	uint16_t port; /* 0: none */
	uint8_t id; /* 0: the kernel chooses it, or the endpoint is found by its address */
	char device[16]; /* name of ifindex, or "" */
};

/* Fill @ret from an existing endpoint. */
void endpoint_spec_of(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_endpoint *ep,
		      struct endpoint_spec *ret);

/*
 * Format as an argument of "ip mptcp endpoint add", such as "192.0.2.1 dev eth1 id 3 signal backup
 * port 4420".
 */
#define ENDPOINT_SPEC_TEXT 216
void endpoint_spec_text(const struct endpoint_spec *spec, char text[static ENDPOINT_SPEC_TEXT]);
