/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <linux/fib_rules.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "mptcp_no_socket.h"
#include "mptcp_standin.h"

/* Numbers that no socket of this machine has. */
#define INODE 0xffffff00

#define EVENTS_ID 10

static const char *const links[STANDIN_LINKS] = { "lo", "standin1", "standin2" };
static const char *const own[STANDIN_LINKS] = { "127.0.0.1", "10.1.1.2", "10.1.2.2" };
static const char *const peer[STANDIN_LINKS] = { "127.0.0.1", "10.1.1.1", "10.1.2.1" };

void (*standin_garble)(void *data, size_t length);
struct standin_sockets standin_sockets = { .n = STANDIN_CONNECTIONS, .token = 1 };
unsigned int standin_mtu;
int standin_route_errno;

static struct datagram answer;
static struct datagram event; /* that nobody has received yet */
static uint32_t answer_seq;

static void put_ack(struct datagram *d)
{
	struct nlmsghdr *nlh = put_header(d, NLMSG_ERROR, NLM_F_CAPPED);

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct nlmsgerr));
	finish(d, nlh);
}

static void put_family(struct datagram *d)
{
	struct nlmsghdr *nlh = put_header(d, GENL_ID_CTRL, 0);
	struct nlattr *groups, *group;

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY_ID);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, EVENTS_ID);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, PM_EVENTS);
	mnl_attr_nest_end(nlh, group);
	mnl_attr_nest_end(nlh, groups);
	finish(d, nlh);
}

static void put_limits(struct datagram *d)
{
	struct nlmsghdr *nlh = put_genl(d, PM_GET_LIMITS);

	mnl_attr_put_u32(nlh, PM_ATTR_SUBFLOWS, 8);
	mnl_attr_put_u32(nlh, PM_ATTR_RCV_ADD_ADDRS, 8);
	finish(d, nlh);
}

static void put_endpoints(struct datagram *d)
{
	for (uint8_t i = 1; i <= STANDIN_ENDPOINTS; i++) {
		struct nlmsghdr *nlh = put_genl(d, PM_GET_ADDR);
		struct nlattr *nest = mnl_attr_nest_start(nlh, PM_ATTR_ADDR);

		mnl_attr_put_u16(nlh, PM_ADDR_FAMILY, AF_INET);
		mnl_attr_put_u8(nlh, PM_ADDR_ID, i);
		put_ip4(nlh, PM_ADDR_ADDR4, own[i]);
		mnl_attr_put_u32(nlh, PM_ADDR_FLAGS, NVME_MPTCP_ENDPOINT_SUBFLOW);
		mnl_attr_nest_end(nlh, nest);
		finish(d, nlh);
	}
}

static void put_connections(struct datagram *d)
{
	for (uint32_t i = 0; i < standin_sockets.n; i++) {
		struct nlmsghdr *nlh = put_header(d, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI);
		struct inet_diag_msg *msg = put_diag(nlh, AF_INET, STANDIN_SOURCE,
						     (uint16_t)(40000 + i), STANDIN_PORTAL, 4420);
		struct mptcp_info_wire info = { .token = standin_sockets.token + i, .subflows = 1 };

		msg->idiag_inode = INODE + i;
		mnl_attr_put(nlh, DIAG_INFO, sizeof(info), &info);
		finish(d, nlh);
	}
}

static void put_subflows(struct datagram *d)
{
	for (uint32_t i = 0; i < STANDIN_SUBFLOWS; i++) {
		struct nlmsghdr *nlh = put_header(d, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI);
		struct nlattr *ulp, *nest;

		put_diag(nlh, AF_INET, own[1 + i % 2], (uint16_t)(40000 + i), peer[1 + i % 2],
			 4420);
		ulp = mnl_attr_nest_start(nlh, DIAG_ULP_INFO);
		nest = mnl_attr_nest_start(nlh, ULP_MPTCP);
		mnl_attr_put_u32(nlh, SUBFLOW_TOKEN_LOC, standin_sockets.token + i / 2);
		mnl_attr_put_u32(nlh, SUBFLOW_FLAGS, i % 2 ? 0x48 : 0x43);
		mnl_attr_put_u8(nlh, SUBFLOW_ID_LOC, (uint8_t)(i % 2));
		mnl_attr_put_u8(nlh, SUBFLOW_ID_REM, (uint8_t)(i % 2));
		mnl_attr_nest_end(nlh, nest);
		mnl_attr_nest_end(nlh, ulp);
		finish(d, nlh);
	}
}

static void put_links(struct datagram *d)
{
	for (int i = 0; i < STANDIN_LINKS; i++) {
		struct nlmsghdr *nlh = put_header(d, RTM_NEWLINK, NLM_F_MULTI);
		struct ifinfomsg *msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));

		msg->ifi_index = i + 1;
		msg->ifi_flags = IFF_UP | IFF_RUNNING | IFF_LOWER_UP | (i ? 0 : IFF_LOOPBACK);
		mnl_attr_put_strz(nlh, IFLA_IFNAME, links[i]);
		if (standin_mtu)
			mnl_attr_put_u32(nlh, IFLA_MTU, standin_mtu);
		finish(d, nlh);
	}
}

static void put_addresses(struct datagram *d)
{
	for (int i = 0; i < STANDIN_LINKS; i++) {
		struct nlmsghdr *nlh = put_header(d, RTM_NEWADDR, NLM_F_MULTI);
		struct ifaddrmsg *msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));

		msg->ifa_family = AF_INET;
		msg->ifa_index = (unsigned int)i + 1;
		msg->ifa_prefixlen = 24;
		msg->ifa_scope = i ? RT_SCOPE_UNIVERSE : RT_SCOPE_HOST;
		put_ip4(nlh, IFA_LOCAL, own[i]);
		finish(d, nlh);
	}
}

/* The link whose address this is. */
static uint32_t link_with(const char *const addresses[], const struct nlattr *attr)
{
	struct in6_addr ip = {};
	char text[ADDRESS_TEXT];
	uint32_t i = 0;

	assert_int_equal(nl_addr4(attr, &ip), 0);
	address_text(&ip, text);
	while (i < STANDIN_LINKS && strcmp(addresses[i], text) != 0)
		i++;
	return i + 1;
}

/* Each address has its own way out, and each peer its own way in. */
static void put_route(struct datagram *d, const struct nlmsghdr *request)
{
	struct nlmsghdr *nlh = put_header(d, RTM_NEWROUTE, 0);
	const struct nlattr *tb[RTA_OIF + 1];
	uint32_t ifindex = 0;

	assert_int_equal(nl_msg_attrs(request, sizeof(struct rtmsg), tb, RTA_OIF), 0);
	if (tb[RTA_OIF])
		assert_int_equal(nl_u32(tb[RTA_OIF], &ifindex), 0);
	else if (tb[RTA_SRC])
		ifindex = link_with(own, tb[RTA_SRC]);
	else
		ifindex = link_with(peer, tb[RTA_DST]);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct rtmsg));
	mnl_attr_put_u32(nlh, RTA_OIF, ifindex);
	finish(d, nlh);
}

/* By the last link to everywhere, as a default route of IPv4 is dumped: it has no destination. */
static void put_routes(struct datagram *d)
{
	struct nlmsghdr *nlh = put_header(d, RTM_NEWROUTE, NLM_F_MULTI);
	struct rtmsg *msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));

	msg->rtm_family = AF_INET;
	msg->rtm_table = RT_TABLE_MAIN;
	msg->rtm_type = RTN_UNICAST;
	put_ip4(nlh, RTA_GATEWAY, peer[STANDIN_LINKS - 1]);
	mnl_attr_put_u32(nlh, RTA_OIF, STANDIN_LINKS);
	finish(d, nlh);
}

static void put_rules(struct datagram *d)
{
	struct nlmsghdr *nlh = put_header(d, RTM_NEWRULE, NLM_F_MULTI);
	struct fib_rule_hdr *msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));

	msg->family = AF_INET;
	msg->table = RT_TABLE_MAIN;
	msg->action = FR_ACT_TO_TBL;
	finish(d, nlh);
}

static void put_sockets(struct datagram *d, const struct nlmsghdr *request)
{
	const struct inet_diag_req_v2 *req = mnl_nlmsg_get_payload(request);

	if (req->sdiag_family == AF_INET)
		req->sdiag_protocol == IPPROTO_TCP ? put_subflows(d) : put_connections(d);
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *request = buf;
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(request);

	answer.len = 0;
	answer_seq = request->nlmsg_seq;
	switch (request->nlmsg_type) {
	case GENL_ID_CTRL:
		put_family(&answer);
		break;
	case FAMILY_ID:
		genl->cmd == PM_GET_LIMITS ? put_limits(&answer) : put_endpoints(&answer);
		break;
	case RTM_GETLINK:
		put_links(&answer);
		break;
	case RTM_GETADDR:
		put_addresses(&answer);
		break;
	case RTM_GETROUTE:
		if (request->nlmsg_flags & NLM_F_DUMP)
			put_routes(&answer);
		else if (!standin_route_errno)
			put_route(&answer, request);
		if (!standin_route_errno || request->nlmsg_flags & NLM_F_DUMP)
			break;
		errno = standin_route_errno;
		return -1;
	case RTM_GETRULE:
		put_rules(&answer);
		break;
	case SOCK_DIAG_BY_FAMILY:
		put_sockets(&answer, request);
		break;
	default:
		errno = EOPNOTSUPP;
		return -1;
	}
	if (request->nlmsg_flags & NLM_F_DUMP)
		put_done(&answer, 0, 0);
	else
		put_ack(&answer);
	return (ssize_t)len;
}

void standin_event(unsigned int type, uint32_t token)
{
	struct nlmsghdr *nlh;

	event.len = 0;
	nlh = put_genl(&event, (uint8_t)type);
	/* To all who listen, and no answer. */
	nlh->nlmsg_seq = nlh->nlmsg_pid = 0;
	mnl_attr_put_u32(nlh, PM_EVENT_TOKEN, token);
	mnl_attr_put_u16(nlh, PM_EVENT_FAMILY, AF_INET);
	put_ip4(nlh, PM_EVENT_DADDR4, STANDIN_PORTAL);
	mnl_attr_put_u16(nlh, PM_EVENT_DPORT, htons(4420));
	finish(&event, nlh);
}

static ssize_t receive_event(struct msghdr *msg)
{
	size_t length = event.len;

	if (!length) {
		errno = EAGAIN;
		return -1;
	}
	assert_true(length <= msg->msg_iov->iov_len);
	memcpy(msg->msg_iov->iov_base, event.data, length);
	memset(msg->msg_name, 0, msg->msg_namelen);
	msg->msg_flags = 0;
	event.len = 0;
	return (ssize_t)length;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	size_t at = 0;

	assert_int_equal(fd, -1);
	/* Answers are waited for. */
	if (flags & MSG_DONTWAIT)
		return receive_event(msg);
	/* The end of an answer may have been changed. */
	if (standin_garble && !answer.len) {
		errno = ENOBUFS;
		return -1;
	}
	assert_true(answer.len && answer.len <= msg->msg_iov->iov_len);
	memcpy(msg->msg_iov->iov_base, answer.data, answer.len);
	while (at < answer.len) {
		struct nlmsghdr *nlh = (void *)((char *)msg->msg_iov->iov_base + at);

		nlh->nlmsg_seq = answer_seq;
		at += MNL_ALIGN(nlh->nlmsg_len);
	}
	if (standin_garble)
		standin_garble(msg->msg_iov->iov_base, answer.len);
	memset(msg->msg_name, 0, msg->msg_namelen);
	msg->msg_flags = 0;
	at = answer.len;
	answer.len = 0;
	return (ssize_t)at;
}
