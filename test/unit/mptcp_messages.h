/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Netlink messages as the kernel would send them, and as it never would. */
#pragma once

#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>

#include "unit.h"
#include "mptcp/netlink/nl.h"
#include "mptcp/snapshot/pm.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/netlink/uapi.h"

#define SEQ 7
#define PORTID 4242
#define FAMILY_ID 0x1c

/* A datagram under construction. */
struct datagram {
	_Alignas(8) char data[16384];
	size_t len;
};

static inline struct nlmsghdr *put_header(struct datagram *d, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(d->data + d->len);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = SEQ;
	nlh->nlmsg_pid = PORTID;
	return nlh;
}

static inline void finish(struct datagram *d, const struct nlmsghdr *nlh)
{
	d->len += MNL_ALIGN(nlh->nlmsg_len);
}

static inline struct nlmsghdr *put_genl(struct datagram *d, uint8_t command)
{
	struct nlmsghdr *nlh = put_header(d, FAMILY_ID, NLM_F_MULTI);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	genl->cmd = command;
	genl->version = PM_VERSION;
	return nlh;
}

static inline void put_done(struct datagram *d, uint16_t flags, int32_t error)
{
	struct nlmsghdr *nlh = put_header(d, NLMSG_DONE, NLM_F_MULTI | flags);

	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(error)), &error, sizeof(error));
	finish(d, nlh);
}

static inline void put_ip4(struct nlmsghdr *nlh, uint16_t type, const char *address)
{
	struct in_addr ip;

	assert_int_equal(inet_pton(AF_INET, address, &ip), 1);
	mnl_attr_put(nlh, type, sizeof(ip), &ip);
}

static inline void put_ip6(struct nlmsghdr *nlh, uint16_t type, const char *address)
{
	struct in6_addr ip;

	assert_int_equal(inet_pton(AF_INET6, address, &ip), 1);
	mnl_attr_put(nlh, type, sizeof(ip), &ip);
}

/* Each byte of a socket's cookie. */
#define DIAG_COOKIE 5

static inline struct inet_diag_msg *put_diag(struct nlmsghdr *nlh, uint8_t family,
					     const char *local, uint16_t sport, const char *remote,
					     uint16_t dport)
{
	struct inet_diag_msg *msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));

	msg->idiag_family = family;
	msg->idiag_state = STATE_ESTABLISHED;
	msg->id.idiag_sport = htons(sport);
	msg->id.idiag_dport = htons(dport);
	assert_int_equal(inet_pton(family, local, msg->id.idiag_src), 1);
	assert_int_equal(inet_pton(family, remote, msg->id.idiag_dst), 1);
	memset(msg->id.idiag_cookie, DIAG_COOKIE, sizeof(msg->id.idiag_cookie));
	return msg;
}
