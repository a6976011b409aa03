// SPDX-License-Identifier: LGPL-2.1-or-later
/* Closes single subflows with SOCK_DESTROY of sock_diag (net/ipv4/tcp_diag.c). */
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>

#include "endpoint-edit.h"

int editor_close_subflow(struct editor *e, const struct socket_address *local,
			 const struct socket_address *remote)
{
	struct inet_diag_req_v2 *req;
	struct nl nl;
	int err = nl_open(&nl, NETLINK_SOCK_DIAG);

	e->is_uncertain = false;
	e->text[0] = '\0';
	if (err)
		return err;
	req = mnl_nlmsg_put_extra_header(nl_request(&nl, SOCK_DESTROY, 0), sizeof(*req));
	req->sdiag_family = address_is_v4(&local->ip) ? AF_INET : AF_INET6;
	req->sdiag_protocol = IPPROTO_TCP;
	req->id.idiag_sport = htons(local->port);
	req->id.idiag_dport = htons(remote->port);
	nl_put_diag_ip(&local->ip, req->id.idiag_src);
	nl_put_diag_ip(&remote->ip, req->id.idiag_dst);
	req->id.idiag_cookie[0] = req->id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	err = nl_talk(&nl, NULL, NULL);
	if (err == -EOPNOTSUPP)
		snprintf(e->text, sizeof(e->text),
			 "this kernel cannot close sockets of others (CONFIG_INET_DIAG_DESTROY)");
	else
		str_copy(e->text, sizeof(e->text), nl.reply.text, strlen(nl.reply.text));
	nl_close(&nl);
	return err == -ENOENT ? 0 : err;
}
