/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A netlink socket that is none: what is sent and received is up to who includes this. */
#pragma once

#include "mptcp_messages.h"

/* libmnl knows what is in it; here, it is just not NULL. */
static char sock;
static int no_socket_errno; /* why it cannot be opened, 0: it can */

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	errno = no_socket_errno;
	return no_socket_errno ? NULL : (struct mnl_socket *)&sock;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	return 0;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	return 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	return -1;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	return PORTID;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	return 0;
}
