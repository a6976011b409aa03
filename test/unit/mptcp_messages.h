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

#ifndef PLUGINS_MPTCP_H /* which has it as well */
DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);
#endif

static inline struct in6_addr ip(const char *text)
{
	struct in6_addr result = { .s6_addr32 = { 0, 0, htonl(0xffff), 0 } };

	if (inet_pton(AF_INET, text, &result.s6_addr32[3]) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, &result), 1);
	return result;
}

/* Gives each socket its place, as taking a snapshot does. */
static inline void settle(struct nvme_mptcp_snapshot *snap)
{
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(snapshot_sum(snap), 0);
}

/* Parts of snapshots, with what all tests want of them. */
static inline struct nvme_mptcp_ctrl *new_ctrl(struct nvme_mptcp_snapshot *snap, const char *name,
					       const char *traddr, uint16_t port, int64_t expected)
{
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));

	assert_non_null(ctrl);
	ctrl->name = strdup(name);
	ctrl->transport = strdup("mptcp");
	ctrl->portal = (struct socket_address){ ip(traddr), port };
	ctrl->has_portal = true;
	ctrl->expected = expected;
	return ctrl;
}

static inline struct nvme_mptcp_connection *new_connection(struct nvme_mptcp_snapshot *snap,
							   const char *local, const char *remote,
							   uint16_t port, uint32_t token)
{
	struct nvme_mptcp_connection *conn =
		array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

	assert_non_null(conn);
	conn->local = (struct socket_address){ ip(local), (uint16_t)(40000 + token) };
	conn->remote = (struct socket_address){ ip(remote), port };
	conn->token = conn->inode = token;
	conn->has_token = true;
	conn->state = STATE_ESTABLISHED;
	return conn;
}

static inline struct nvme_mptcp_endpoint *new_endpoint(struct nvme_mptcp_snapshot *snap, int id,
						       struct in6_addr address, int ifindex,
						       int64_t flags)
{
	struct nvme_mptcp_endpoint *ep =
		array_add(&snap->endpoints, &snap->n_endpoints, sizeof(*ep));

	assert_non_null(ep);
	ep->id = (uint8_t)id;
	ep->ip = address;
	ep->ifindex = ifindex;
	ep->flags = flags;
	address_text(&ep->ip, ep->address);
	return ep;
}

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

/* @parse refuses the message wherever it is cut off, and never reads beyond its end. */
#define ASSERT_REFUSED_IF_CUT(nlh, parse, ret) \
	do { \
		for (uint32_t length = sizeof(*(nlh)); length < (nlh)->nlmsg_len; length++) { \
			_cleanup_(free) struct nlmsghdr *cut = malloc(length); \
			memcpy(cut, nlh, length); \
			cut->nlmsg_len = length; \
			assert_int_equal(parse(cut, ret), -EBADMSG); \
		} \
	} while (0)

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
