/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Netlink requests and answers. Only the kernel is believed, every length is checked before use,
 * and a dump that the kernel marks inconsistent is repeated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <libmnl/libmnl.h>

#include "base/cleanup.h"

/*
 * Called for each message of an answer. -EBADMSG: the message is malformed, which is counted, and
 * the answer goes on. Any other -errno ends it.
 */
typedef int (*nl_fn)(const struct nlmsghdr *nlh, void *arg);

struct nl_reply {
	uint32_t seq;
	uint32_t portid;
	nl_fn fn;
	void *arg;
	bool interrupted; /* the dump is not a consistent view */
	bool answered; /* the kernel reported how the request ended */
	unsigned int malformed; /* messages that were ignored */
	char text[256]; /* the kernel's words about an error, or "" */
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

/* @protocol: NETLINK_GENERIC, NETLINK_SOCK_DIAG, NETLINK_ROUTE. 0 or -errno. */
int nl_open(struct nl *nl, int protocol);
void nl_close(struct nl *nl);

static inline void nl_close_cleanup(struct nl *nl)
{
	nl_close(nl);
}

/* A new request in nl->req, with room for NL_REQUEST_SIZE bytes in all. */
struct nlmsghdr *nl_request(struct nl *nl, uint16_t type, uint16_t flags);

/* The same for generic netlink family @family. */
struct nlmsghdr *nl_genl_request(struct nl *nl, uint16_t family, uint16_t flags, uint8_t command,
				 uint8_t version);

/* Sends nl->req and waits for its acknowledgement; @fn, if any, sees the messages before it. */
int nl_talk(struct nl *nl, nl_fn fn, void *arg);

/*
 * Sends nl->req as a dump. @restart drops what an interrupted attempt brought; after a few of them
 * the last one counts, and nl->reply.interrupted is set.
 */
int nl_dump(struct nl *nl, nl_fn fn, void (*restart)(void *arg), void *arg);

/*
 * One datagram of the kernel in nl->buf; anybody else's is dropped. Its length, or -errno:
 * -ETIMEDOUT, -EMSGSIZE if it does not fit; -EAGAIN with MSG_DONTWAIT in @flags.
 */
ssize_t nl_receive(struct nl *nl, int flags);

/*
 * Goes through the messages of one datagram. 1: more datagrams belong to the answer; 0: it is
 * complete; -errno: the kernel's error, or -EBADMSG.
 */
int nl_parse(const void *buf, size_t len, struct nl_reply *reply);

/*
 * The same of multicasts, which carry the sequence number of the request that caused them. Malformed ones are left
 * out; any other -errno of @fn ends it, and is returned.
 */
int nl_parse_multicasts(const void *buf, size_t len, nl_fn fn, void *arg);

/*
 * Sorts attributes by type into @tb[0..@max], NULL where one is absent; types beyond @max belong to
 * newer kernels and are left out. -EBADMSG if a length does not fit.
 */
int nl_attrs(const void *payload, size_t len, const struct nlattr **tb, unsigned int max);
int nl_nested(const struct nlattr *attr, const struct nlattr **tb, unsigned int max);

/* The attributes behind @header bytes of @nlh; -EBADMSG if the message is shorter than that. */
int nl_msg_attrs(const struct nlmsghdr *nlh, size_t header, const struct nlattr **tb,
		 unsigned int max);

/* 0 and the value, -ENOENT if @attr is NULL, -EBADMSG if its length is not that of the type. */
int nl_u8(const struct nlattr *attr, uint8_t *ret);
int nl_u16(const struct nlattr *attr, uint16_t *ret);
int nl_u32(const struct nlattr *attr, uint32_t *ret);
int nl_addr4(const struct nlattr *attr, struct in6_addr *ret); /* as v4-mapped */
int nl_addr6(const struct nlattr *attr, struct in6_addr *ret);

/* A terminated string inside @attr, or NULL. */
const char *nl_str(const struct nlattr *attr);
