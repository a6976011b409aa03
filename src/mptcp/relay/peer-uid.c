// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whose a connection within this machine is, by socket diagnosis: net/ipv4/inet_diag.c. */
#include <errno.h>
#include <string.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>

#include "steering.h"

static void put_raw_ip(int family, const struct in6_addr *ip, __be32 raw[static 4])
{
	if (family == AF_INET)
		memcpy(raw, &ip->s6_addr32[3], sizeof(*raw));
	else
		memcpy(raw, ip, sizeof(*ip));
}

static int take_uid(const struct nlmsghdr *nlh, void *arg)
{
	struct inet_diag_msg msg;

	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY || mnl_nlmsg_get_payload_len(nlh) < sizeof(msg))
		return -EBADMSG;
	memcpy(&msg, mnl_nlmsg_get_payload(nlh), sizeof(msg));
	*(int64_t *)arg = msg.idiag_uid;
	return 0;
}

int relay_owner(struct nl *diag, int family, const struct socket_address *local,
		const struct socket_address *remote, uint32_t *uid)
{
	struct inet_diag_req_v2 req = {
		.sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = ~0U,
		/* Seen from its other end. */
		.id = { .idiag_sport = htons(remote->port),
			.idiag_dport = htons(local->port),
			.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
	};
	int64_t found = -1;
	int err;

	put_raw_ip(family, &remote->ip, req.id.idiag_src);
	put_raw_ip(family, &local->ip, req.id.idiag_dst);
	memcpy(mnl_nlmsg_put_extra_header(nl_request(diag, SOCK_DIAG_BY_FAMILY, 0), sizeof(req)),
	       &req, sizeof(req));
	err = nl_talk(diag, take_uid, &found);
	if (!err && found < 0)
		err = -ENOENT;
	if (!err)
		*uid = (uint32_t)found;
	return err;
}
