/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of a relay, by source file. */
#pragma once

#include <net/if.h>

#include "mptcp/netlink/nl.h"
#include "mptcp/netlink/relay-ask.h"

/*
 * Packet marks, routing table and rule priority of the relay. A steered packet carries RELAY_MARK,
 * which routes it to lo; packets of the relay carry RELAY_OWN_MARK and are not steered.
 */
#define RELAY_MARK 0x4e4d5001U
#define RELAY_TABLE 44200
#define RELAY_PRIORITY 950 /* at most: no other rule may come first */

/*
 * Addresses to which the packet filter directs steered connections. They need not be configured on
 * lo.
 */
#define RELAY_TARGET_V4 "127.77.0.1"
#define RELAY_HOST_V4 "127.77.0.2"
#define RELAY_V6 "::1"
#define RELAY_HOST_PORT 4421

enum relay_kind {
	RELAY_HOST, /* connections that rules steer to the relay */
	RELAY_ADDRESS, /* connections to a loopback address that represents a portal */
	RELAY_TARGET, /* connections to a target that tproxy takes */
	RELAY_REDIRECT, /* connections redirected to another port: nvmet uses all addresses */
};

struct relay_listener {
	enum relay_kind kind;
	int fd;
	int family;
	struct socket_address at; /* listening address */
	/* Destination for RELAY_ADDRESS; only the port for RELAY_TARGET and RELAY_REDIRECT. */
	struct socket_address portal;
};

/* Addresses of a connection of this machine. */
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
	struct nl rules_changed; /* reports changes of routing rules; closed: no routes */
	struct nl diag; /* finds the users of connections */
	int control; /* listens for status requests; -1: none */
	char *control_path;
	int *inherited_fds; /* sockets of the program before a reload; see handover.c */
	size_t n_inherited;
	unsigned int round; /* number of reloads */
	int lock; /* one relay per network namespace; -1: not held */
};

/* portals.c: read arguments and configuration. Return 0 or -errno with an error message. */
int relay_parse(struct nvme_mptcp_relay *relay, const struct nvme_mptcp_relay_args *args);

/*
 * Parse "192.0.2.1", "192.0.2.1:4420" or "[2001:db8::1]:4420"; a zone is left out. Return 0, or
 * -EINVAL with an error message.
 */
int relay_parse_portal(const char *text, struct socket_address *ret);

/* Return the loopback address for a portal: 127 and the last three bytes of its address. */
struct socket_address relay_loopback_address(const struct socket_address *portal);

/* Return the port that replaces @port if nvmet has it on all addresses. */
uint16_t relay_redirect_port(uint16_t port);

/*
 * nft-rules.c: print the nftables table for nft_run_cmd_from_buffer() and, with @with_routes,
 * commands that add the routes, for display; "" if none is needed. Return 0 or -ENOMEM.
 */
int relay_rules_text(const struct nvme_mptcp_relay *relay, bool with_routes, char **ret);
/* True if there are portals of IPv4, or of IPv6. */
bool relay_has_portals(const struct nvme_mptcp_relay *relay, bool is_v4);

/*
 * nft-table.c: create a table that belongs to this process. Return 0 or -errno with an error
 * message.
 */
int relay_filter_open(const char *table, struct relay_filter **ret);
void relay_filter_close(struct relay_filter *filter);

/*
 * mark-route.c: add the rule and the route for steered packets, and remove what an earlier relay
 * left that this one does not need. Return 0 or -errno with an error message.
 */
int relay_routes_set(const struct nvme_mptcp_relay *relay);
void relay_routes_remove(void);
/* Receive changes of routing rules; restore rule and route after them. Return 0 or -errno. */
int relay_routes_watch(struct nl *nl);
int relay_routes_follow(const struct nvme_mptcp_relay *relay, struct nl *nl);

/* listeners.c: open the planned listeners. Return 0 or -errno with an error message. */
int relay_listen(struct nvme_mptcp_relay *relay);
/*
 * Try to open the listeners that @running does not have, and close them again. Return 0 or -errno
 * with an error message.
 */
int relay_try_listeners(struct nvme_mptcp_relay *relay, const struct nvme_mptcp_relay *running);
/* Plan the listeners; their descriptors are -1. Return 0 or -ENOMEM. */
int relay_plan_listeners(struct nvme_mptcp_relay *relay);
/* Plan redirection, with a notice, for ports that are in use on all addresses. */
int relay_plan_redirects(struct nvme_mptcp_relay *relay);
/* Add a notice for the user. Return 0 or -ENOMEM. */
int relay_note(struct nvme_mptcp_relay *relay, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * peer-uid.c: get the user of the other end of a connection within this machine. Return 0, -ENOENT
 * if there is no such socket, or other -errno.
 */
int relay_peer_uid(struct nl *diag, int family, const struct socket_address *local,
		   const struct socket_address *remote, uint32_t *uid);

/* True if the relay serves this address and port. */
bool relay_is_portal(const struct nvme_mptcp_relay *relay, const struct socket_address *at);

/*
 * direct.c: store the present connections to portals in relay->direct. Return 0 or -errno with an
 * error message.
 */
int relay_find_direct(struct nvme_mptcp_relay *relay);

/*
 * handover.c: take an inherited listening socket that is bound to @name. Return its descriptor, or
 * -1.
 */
int relay_take_inherited(struct nvme_mptcp_relay *relay, const struct sockaddr *name,
			 socklen_t size, int protocol);
/* Close the remaining inherited sockets, including the owner of the previous rules. */
void relay_close_inherited(struct nvme_mptcp_relay *relay);

/* control.c */
void relay_control_close(struct nvme_mptcp_relay *relay);

/* listeners.c: convert an address to and from the form of the kernel. */
socklen_t relay_sockaddr(const struct socket_address *at, struct sockaddr_storage *ret);
int relay_from_sockaddr(const struct sockaddr_storage *from, struct socket_address *ret);
