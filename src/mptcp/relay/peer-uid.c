// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the user of a connection within this machine with sock_diag (net/ipv4/inet_diag.c). */
#include <linux/sock_diag.h>

#include "steering.h"

static int take_uid(const struct nlmsghdr *nlh, void *arg)
{
	struct socket_address local, remote;
	struct inet_diag_msg msg;

	if (nl_take_diag(nlh, &msg, &local, &remote))
		return -EBADMSG;
	*(int64_t *)arg = msg.idiag_uid;
	return 0;
}

int relay_peer_uid(struct nl *diag, int family, const struct socket_address *local,
		   const struct socket_address *remote, uint32_t *uid)
{
	struct inet_diag_req_v2 req = {
		.sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = ~0U,
		/* As seen from the other end. */
		.id = { .idiag_sport = htons(remote->port),
			.idiag_dport = htons(local->port),
			.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
	};
	int64_t found = -1;
	int err;

	nl_put_diag_ip(&remote->ip, req.id.idiag_src);
	nl_put_diag_ip(&local->ip, req.id.idiag_dst);
	memcpy(mnl_nlmsg_put_extra_header(nl_request(diag, SOCK_DIAG_BY_FAMILY, 0), sizeof(req)),
	       &req, sizeof(req));
	err = nl_talk(diag, take_uid, &found);
	if (!err && found < 0)
		err = -ENOENT;
	if (!err)
		*uid = (uint32_t)found;
	return err;
}
