/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses in socket diagnosis messages, see net/ipv4/inet_diag.c. */
#pragma once

#include <linux/inet_diag.h>

#include "base/address.h"
#include "nl.h"

void nl_put_diag_ip(const struct in6_addr *ip, __be32 raw[static 4]);

/*
 * Copy the fixed part of a message, which may not be aligned for the struct. Return 0 or -EBADMSG.
 */
int nl_take_diag(const struct nlmsghdr *nlh, struct inet_diag_msg *msg,
		 struct socket_address *local, struct socket_address *remote);
