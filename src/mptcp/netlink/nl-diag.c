// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/sock_diag.h>

#include "nl.h"

struct inet_diag_req_v2 *nl_diag_request(struct nl *nl, int family, int protocol, uint32_t states)
{
	struct inet_diag_req_v2 *req =
		mnl_nlmsg_put_extra_header(nl_request(nl, SOCK_DIAG_BY_FAMILY, 0), sizeof(*req));

	req->sdiag_family = (uint8_t)family;
	req->sdiag_protocol = (uint8_t)protocol;
	req->idiag_states = states;
	return req;
}

void nl_put_diag_ip(const struct in6_addr *ip, __be32 raw[static 4])
{
	if (address_is_v4(ip))
		raw[0] = ip->s6_addr32[3];
	else
		memcpy(raw, ip, sizeof(*ip));
}

static int take_raw_ip(uint8_t family, const __be32 *raw, struct in6_addr *ret)
{
	switch (family) {
	case AF_INET:
		*ret = (struct in6_addr){ .s6_addr32 = { 0, 0, htonl(0xffff), raw[0] } };
		return 0;
	case AF_INET6:
		memcpy(ret, raw, sizeof(*ret));
		return 0;
	}
	return -EBADMSG;
}

int nl_take_diag(const struct nlmsghdr *nlh, struct inet_diag_msg *msg,
		 struct socket_address *local, struct socket_address *remote)
{
	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY || mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return -EBADMSG;
	memcpy(msg, mnl_nlmsg_get_payload(nlh), sizeof(*msg));
	if (take_raw_ip(msg->idiag_family, msg->id.idiag_src, &local->ip) ||
	    take_raw_ip(msg->idiag_family, msg->id.idiag_dst, &remote->ip) ||
	    msg->id.idiag_if > INT32_MAX)
		return -EBADMSG;
	local->port = ntohs(msg->id.idiag_sport);
	remote->port = ntohs(msg->id.idiag_dport);
	return 0;
}
