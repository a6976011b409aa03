/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Socket diagnosis, see net/ipv4/inet_diag.c. */
#pragma once

#include <linux/inet_diag.h>

#include "base/address.h"
#include "nl.h"

void nl_put_diag_ip(const struct in6_addr *ip, __be32 raw[static 4]);

/* Start a request in nl->req for sockets in @states, a bit per state. Return its header. */
struct inet_diag_req_v2 *nl_diag_request(struct nl *nl, int family, int protocol, uint32_t states);

/* Copy the fixed part of a message, which may be unaligned. Return 0 or -EBADMSG. */
int nl_take_diag(const struct nlmsghdr *nlh, struct inet_diag_msg *msg,
		 struct socket_address *local, struct socket_address *remote);
