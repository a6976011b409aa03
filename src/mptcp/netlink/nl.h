/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Netlink requests and answers. Only messages from the kernel are accepted, each length is checked
 * before use, and a dump that the kernel marks as inconsistent is repeated.
 */
#pragma once

#include <linux/inet_diag.h>
#include <netinet/in.h>
#include <libmnl/libmnl.h>

#include "base/base.h"
#include "netns.h"
#include "uapi.h"

/*
 * Called for each message of an answer. -EBADMSG: the message is malformed; it is counted and
 * skipped. Any other -errno ends the answer.
 */
typedef int (*nl_fn)(const struct nlmsghdr *nlh, void *arg);

struct nl_reply {
	uint32_t seq;
	uint32_t portid;
	nl_fn fn;
	void *arg;
	bool interrupted; /* the dump is not a consistent view */
	bool answered; /* the kernel reported the result of the request */
	unsigned int malformed; /* number of ignored messages */
	char text[256]; /* the kernel's error message, or "" */
};

struct nl {
	struct mnl_socket *sock;
	uint32_t seq;
	size_t size; /* of the receive buffer */
	void *buf;
	struct nlmsghdr *req;
	struct nl_reply reply;
};

#define NL_REQUEST_SIZE 1024

/* Open a socket for NETLINK_GENERIC, NETLINK_SOCK_DIAG or NETLINK_ROUTE. Return 0 or -errno. */
int nl_open(struct nl *nl, int protocol);
void nl_close(struct nl *nl);

/* Receive a multicast group, and watch the socket for input. Return 0 or -errno. */
int nl_join(struct nl *nl, unsigned int group);
int nl_watch(struct nl *nl, int epoll);

static inline void nl_close_cleanup(struct nl *nl)
{
	nl_close(nl);
}

/* Start a request in nl->req, which has room for NL_REQUEST_SIZE bytes in total. */
struct nlmsghdr *nl_request(struct nl *nl, uint16_t type, uint16_t flags);

/* Like nl_request(), for generic netlink family @family. */
struct nlmsghdr *nl_genl_request(struct nl *nl, uint16_t family, uint16_t flags, uint8_t command,
				 uint8_t version);

/* Send nl->req and wait for its acknowledgement. Call @fn (may be NULL) for messages before it. */
int nl_talk(struct nl *nl, nl_fn fn, void *arg);

/*
 * Send nl->req as a dump. @restart (may be NULL) discards the results of the previous attempt. If
 * all are interrupted, the last one counts, and nl->reply.interrupted is set.
 */
int nl_dump(struct nl *nl, nl_fn fn, void (*restart)(void *arg), void *arg);

/* Like nl_dump() with a function that resets *@n, the size of an array that @fn fills. */
int nl_dump_array(struct nl *nl, nl_fn fn, size_t *n, void *arg);

/*
 * Receive one datagram from the kernel into nl->buf; drop those of other senders. Return its
 * length, or -errno: -ETIMEDOUT, -EMSGSIZE if it does not fit, -EAGAIN with MSG_DONTWAIT in @flags.
 */
ssize_t nl_receive(struct nl *nl, int flags);

/*
 * Parse the messages of one datagram. Return 1 if more datagrams belong to the answer, 0 if it is
 * complete, or -errno: the kernel's error, or -EBADMSG.
 */
int nl_parse(const void *buf, size_t len, struct nl_reply *reply);

/*
 * Like nl_parse(), for multicasts, which have the sequence number of the request that caused them.
 * Malformed ones are skipped; any other -errno from @fn ends parsing and is returned.
 */
int nl_parse_multicasts(const void *buf, size_t len, nl_fn fn, void *arg);

/* Skip an item of @item bytes and its padding, if it has any, in *@len bytes at *@at. */
void nl_advance(const char **at, size_t *len, size_t item);

/*
 * Sort attributes by type into @tb[0..@max], NULL for absent ones. Types beyond @max, from newer
 * kernels, are skipped. Return 0, or -EBADMSG if a length is invalid.
 */
int nl_attrs(const void *payload, size_t len, const struct nlattr **tb, unsigned int max);
int nl_nested(const struct nlattr *attr, const struct nlattr **tb, unsigned int max);

/* Sort the attributes after the first @header bytes of @nlh; -EBADMSG if the message is shorter. */
int nl_msg_attrs(const struct nlmsghdr *nlh, size_t header, const struct nlattr **tb,
		 unsigned int max);

/* Return 0 and the value, -ENOENT if @attr is NULL, -EBADMSG if its length is wrong. */
int nl_u8(const struct nlattr *attr, uint8_t *ret);
int nl_u16(const struct nlattr *attr, uint16_t *ret);
int nl_u32(const struct nlattr *attr, uint32_t *ret);
int nl_addr4(const struct nlattr *attr, struct in6_addr *ret); /* as v4-mapped */
int nl_addr6(const struct nlattr *attr, struct in6_addr *ret);

/* Return the string in @attr, or NULL if it is not terminated. */
const char *nl_str(const struct nlattr *attr);

/* Socket diagnosis, see net/ipv4/inet_diag.c. */
void nl_put_diag_ip(const struct in6_addr *ip, __be32 raw[static 4]);

/* Start a request in nl->req for sockets in @states, a bit per state. Return its header. */
struct inet_diag_req_v2 *nl_diag_request(struct nl *nl, int family, int protocol, uint32_t states);

/* Copy the fixed part of a message, which may be unaligned. Return 0 or -EBADMSG. */
int nl_take_diag(const struct nlmsghdr *nlh, struct inet_diag_msg *msg,
		 struct socket_address *local, struct socket_address *remote);
