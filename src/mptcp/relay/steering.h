/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A relay's listeners and rules, by their parts. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include <nvme/mptcp/relay.h>

#include "base/address.h"
#include "base/array.h"
#include "base/failure.h"
#include "base/str.h"
#include "mptcp/netlink/nl.h"

/*
 * Marks, a routing table and a rule's priority that belong to the relay. A steered packet carries
 * RELAY_MARK, which routes it to lo; what the relay sends carries RELAY_OWN_MARK and is left alone.
 */
#define RELAY_MARK 0x4e4d5001U
#define RELAY_OWN_MARK 0x4e4d5002U
#define RELAY_TABLE 44200
#define RELAY_PRIORITY 950

/* Where the packet filter hands steered connections to. They need not be addresses of lo. */
#define RELAY_TARGET_V4 "127.77.0.1"
#define RELAY_HOST_V4 "127.77.0.2"
#define RELAY_V6 "::1"
#define RELAY_HOST_PORT 4421

enum relay_kind {
	RELAY_HOST, /* steered to us by rules */
	RELAY_ADDRESS, /* to a loopback address that stands for a portal */
	RELAY_TARGET, /* taken by tproxy */
	RELAY_REDIRECT, /* taken by redirect, since nvmet has the port on all addresses */
};

struct relay_listener {
	enum relay_kind kind;
	int fd;
	int family;
	struct socket_address at; /* where it listens */
	struct socket_address
		portal; /* RELAY_ADDRESS: where it leads; of the others the port alone */
};

/* Both ends of a connection of this machine. */
struct relay_ends {
	struct socket_address local, remote;
};

struct nvme_mptcp_relay {
	struct socket_address *portals;
	size_t n_portals;
	struct relay_ends *direct; /* connections to portals that are not steered */
	size_t n_direct;
	uint16_t *ports;
	size_t n_ports;
	char (*links)[IFNAMSIZ];
	size_t n_links;
	bool by_address;
	int send_buffer;

	struct relay_listener *listeners;
	size_t n_listeners;
	char **notices;
	size_t n_notices;
	char *rules;
	struct relay_filter *filter;
	bool has_routes;
	struct nl diag; /* asks whose a connection is */
	int control; /* listens for those who ask; -1: nobody can */
	char *control_path;
	int *left; /* open sockets of the program that was executed before; see handover.c */
	size_t n_left;
	unsigned int round; /* how often it was executed anew */
	int lock; /* one relay in each network namespace; -1: not taken */
};

/* portals.c: what args and configuration ask for. 0 or -errno with a sentence. */
int relay_parse(struct nvme_mptcp_relay *relay, const struct nvme_mptcp_relay_args *args);

/* "192.0.2.1", "192.0.2.1:4420", "[2001:db8::1]:4420". 0, or -EINVAL with a sentence. */
int relay_parse_portal(const char *text, struct socket_address *ret);

/* The loopback address that stands for a portal: 127 and the last three bytes of its address. */
struct socket_address relay_address_for(const struct socket_address *portal);

/* The port that takes the place of @port where nvmet has that on all addresses. */
uint16_t relay_redirect_port(uint16_t port);

/*
 * nft-rules.c: the table of the packet filter, for nft_run_cmd_from_buffer(), and the routes for people; "" if
 * none is needed. 0 or -ENOMEM.
 */
int relay_rules_text(const struct nvme_mptcp_relay *relay, bool with_routes, char **ret);
/* Are there any of IPv4, or of IPv6? */
bool relay_has_portals(const struct nvme_mptcp_relay *relay, bool is_v4);

/* nft-table.c: a table that belongs to this process. 0 or -errno with a sentence. */
int relay_filter_open(const char *table, struct relay_filter **ret);
void relay_filter_close(struct relay_filter *filter);

/* mark-route.c: the rule and the route for steered packets. 0 or -errno with a sentence. */
int relay_routes_add(const struct nvme_mptcp_relay *relay);
void relay_routes_remove(void);

/* listeners.c: 0 or -errno with a sentence. */
int relay_listen(struct nvme_mptcp_relay *relay);
/* What is to listen, before it does; their descriptors are -1. 0 or -ENOMEM. */
int relay_plan_listeners(struct nvme_mptcp_relay *relay);
/* A notice for people. 0 or -ENOMEM. */
int relay_note(struct nvme_mptcp_relay *relay, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* peer-uid.c: whose is the other end of a connection within this machine? 0, -ENOENT or -errno. */
int relay_owner(struct nl *diag, int family, const struct socket_address *local,
		const struct socket_address *remote, uint32_t *uid);

/* Does the relay serve this address and port? */
bool relay_is_portal(const struct nvme_mptcp_relay *relay, const struct socket_address *at);

/* direct.c: connections to portals that there are now, into relay->direct. 0 or -errno with a sentence. */
int relay_find_direct(struct nvme_mptcp_relay *relay);

/* handover.c: a listening socket that was left and is bound to @name, or -1. */
int relay_take_left(struct nvme_mptcp_relay *relay, const struct sockaddr *name, socklen_t size,
		    int protocol);
/* The others, with the owner of the rules that were. */
void relay_close_left(struct nvme_mptcp_relay *relay);

/* control.c */
void relay_control_close(struct nvme_mptcp_relay *relay);

/* listeners.c: addresses for the kernel and back. */
socklen_t relay_sockaddr(const struct socket_address *at, struct sockaddr_storage *ret);
int relay_from_sockaddr(const struct sockaddr_storage *from, struct socket_address *ret);
