/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an endpoint means, decided here and nowhere else: what the kernel does with its flags, whether
 * it can be used, and how it is written. Linux 6.18, net/mptcp/pm_kernel.c (before 6.17
 * pm_netlink.c):
 *
 *	subflow		starts a subflow by itself, to the address that was connected to
 *	fullmesh	answers each announced address; with subflow, and by itself, goes to all of them
 *	laminar		answers one announced address, if no endpoint is fullmesh
 *	signal		is announced; excludes fullmesh, and alone may have a port
 *	backup		what it starts or announces carries data only if nothing else can
 *	implicit	the kernel's own note of a source address: starts and announces nothing
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
 * As many as every kernel holds, and many no more (MPTCP_PM_ADDR_MAX, net/mptcp/protocol.h). The larger
 * table came with greater limits.
 */
#define ENDPOINT_TABLE 8

/* Identifiers have eight bits, and none is 0: no table holds more. */
#define ENDPOINT_IDS 255

/* Are there so many endpoints, and is nothing seen that only kernels with a larger table have? */
bool endpoint_table_is_full(const struct nvme_mptcp_snapshot *snap);

/* Is @flag known, and set? */
bool endpoint_has(const struct nvme_mptcp_endpoint *ep, enum nvme_mptcp_endpoint_flag flag);

/* Without being asked; also what the kernel counts as local_addr_max in struct mptcp_info. */
bool endpoint_starts_by_itself(const struct nvme_mptcp_endpoint *ep);
/* To an address that the peer announces. */
bool endpoint_starts_when_announced(const struct nvme_mptcp_endpoint *ep);
/* In one of these ways. */
bool endpoint_starts_subflows(const struct nvme_mptcp_endpoint *ep);
bool endpoint_announces(const struct nvme_mptcp_endpoint *ep);

/* Does @conn start from its address anyway? Then it gives @conn no further subflow. */
bool endpoint_is_initial(const struct nvme_mptcp_endpoint *ep,
			 const struct nvme_mptcp_connection *conn);

/* Is it of the family of @ip? Subflows of one family do not join a connection of the other. */
bool endpoint_fits(const struct nvme_mptcp_endpoint *ep, const struct in6_addr *ip);

/* Does its address stand on a link that can carry something, and on its own device? */
bool endpoint_is_usable(const struct nvme_mptcp_endpoint *ep);

/* Has another link than its own device its address? Not where that is a loopback or a dummy. */
bool endpoint_is_misplaced(const struct nvme_mptcp_endpoint *ep);

/* The link that its subflows leave by, or should; NULL if it has neither device nor address. */
const struct nvme_mptcp_link *endpoint_carrier(const struct nvme_mptcp_endpoint *ep);

/* Does the kernel close the subflow if the endpoint is deleted? */
bool endpoint_has_subflow(const struct nvme_mptcp_endpoint *ep,
			  const struct nvme_mptcp_subflow *sf);

/*
 * Connections of all programs of the network namespace that would have no subflow that carries data
 * any more if these @n endpoints were deleted together, and have a subflow on one of them now. The
 * first connection that is known in @first, if that is not NULL. Renewing and replacing an endpoint deletes it. Where the
 * snapshot does not show subflows (snapshot_shows_subflows()), the result is meaningless.
 */
size_t endpoint_count_ended(const struct nvme_mptcp_snapshot *snap,
			    const struct nvme_mptcp_endpoint *const *eps, size_t n,
			    const struct nvme_mptcp_connection **first);

/* The same of one endpoint: does deleting it end any connection? */
bool endpoint_is_last_for(const struct nvme_mptcp_snapshot *snap,
			  const struct nvme_mptcp_endpoint *ep);

/*
 * Subflows that deleting an endpoint closes, of all connections: those that are established, or those
 * of them that carry data.
 */
size_t endpoint_count_living(const struct nvme_mptcp_snapshot *snap,
			     const struct nvme_mptcp_endpoint *ep);
size_t endpoint_count_closed(const struct nvme_mptcp_snapshot *snap,
			     const struct nvme_mptcp_endpoint *ep);

/*
 * The same, but NULL where a loopback or a dummy has its address and it has no device: then its subflows
 * leave by the routes, which may have several next hops.
 */
const struct nvme_mptcp_link *endpoint_exit(const struct nvme_mptcp_endpoint *ep);

/* Flags that the kernel changes in place (MPTCP_PM_CMD_SET_FLAGS); others take a new endpoint. */
#define ENDPOINT_FLAGS_LIVE (NVME_MPTCP_ENDPOINT_BACKUP | NVME_MPTCP_ENDPOINT_FULLMESH)

/* Why the kernel refuses flags and a port together. */
enum endpoint_conflict {
	ENDPOINT_CONFLICT_NONE,
	ENDPOINT_CONFLICT_MESH, /* signal and fullmesh */
	ENDPOINT_CONFLICT_PORT, /* a port that is not announced */
};

enum endpoint_conflict endpoint_conflict(int64_t flags, unsigned int port);

/* The same flags made fit for a host, which starts subflows, or a target, which announces. */
int64_t endpoint_flags_for_host(int64_t flags);
int64_t endpoint_flags_for_target(int64_t flags);

/* MPTCP_PM_ADDR_FLAG_*, from bit 0. */
#define ENDPOINT_FLAGS 6
extern const char *const endpoint_flag_names[ENDPOINT_FLAGS];

/* The flag that ip-mptcp(8) and config.json call @word, 0 if there is none that may be set. */
int64_t endpoint_flag_by_name(const char *word);

/* An endpoint as it is asked for. */
struct endpoint_spec {
	struct in6_addr ip;
	int64_t flags;
	int ifindex; /* 0: none */
	uint16_t port; /* 0: none */
	uint8_t id; /* 0: the kernel chooses, or it is found by its address */
	char device[16]; /* name of ifindex, or "" */
};

/* The endpoint as it is. */
void endpoint_spec_of(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_endpoint *ep,
		      struct endpoint_spec *ret);

/* "192.0.2.1 dev eth1 id 3 signal backup port 4420", as "ip mptcp endpoint add" takes it. */
#define ENDPOINT_SPEC_TEXT 216
void endpoint_spec_text(const struct endpoint_spec *spec, char text[static ENDPOINT_SPEC_TEXT]);
