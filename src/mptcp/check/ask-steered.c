// SPDX-License-Identifier: LGPL-2.1-or-later
/* A connection to a portal of this host's relay, to see if the relay gets it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ask.h"
#include "mptcp/netlink/relay-ask.h"

#define STEERED_MS 2000 /* one more SYN leaves, after 1 s */

/* Return 0 once the socket is connected, or -errno. */
static int connect_to(int fd, const struct nvme_mptcp_ctrl *ctrl)
{
	const int family = address_is_v4(&ctrl->portal.ip) ? AF_INET : AF_INET6;
	const struct ip_addr from = { .in6 = ctrl->source }, to = { .in6 = ctrl->portal.ip };
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	struct sockaddr_storage address;
	socklen_t size = address_to_sockaddr(family, &from, 0, &address);
	int err = 0;

	if (ctrl->has_source && bind(fd, (struct sockaddr *)&address, size))
		return -errno;
	size = address_to_sockaddr(family, &to, ctrl->portal.port, &address);
	if (!connect(fd, (struct sockaddr *)&address, size))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	if (poll(&ready, 1, STEERED_MS) <= 0)
		return -ETIMEDOUT;
	size = sizeof(err);
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) ? -errno : -err;
}

/* True if the relay has the other end of the socket, or has ended it because the target refused. */
static bool is_taken(int fd, const struct nvme_mptcp_relay_status *relay)
{
	struct pollfd ended = { .fd = fd, .events = POLLRDHUP };
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	char local[ADDRESS_TEXT];
	struct socket_address at;
	struct ip_addr ip;

	if (getsockname(fd, (struct sockaddr *)&address, &size) ||
	    !address_from_sockaddr((struct sockaddr *)&address, &ip))
		return true;
	at = (struct socket_address){ ip.in6, ask_port_of(fd) };
	address_port_text(&at, local);
	for (size_t i = 0; i < relay->n_connections; i++)
		if (!strcmp(relay->connections[i].peer, local))
			return true;
	for (size_t i = 0; i < relay->n_results; i++)
		if (!strcmp(relay->results[i].peer, local))
			return true;
	return poll(&ended, 1, 0) > 0;
}

enum steered ask_steered(const struct nvme_mptcp_ctrl *ctrl)
{
	const int family = address_is_v4(&ctrl->portal.ip) ? AF_INET : AF_INET6;
	_cleanup_(close) int fd =
		socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	const struct linger at_once = { .l_onoff = 1 };
	struct nvme_mptcp_relay_status *relay;
	enum steered found = STEERED_UNKNOWN;
	int err;

	/* The relay takes connections of root only. */
	if (fd < 0 || geteuid())
		return STEERED_UNKNOWN;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	err = connect_to(fd, ctrl);
	if (err)
		return err == -ETIMEDOUT || err == -ENETUNREACH || err == -EHOSTUNREACH ||
				       err == -EPERM || err == -ECONNREFUSED
			       ? STEERED_NOWHERE
			       : STEERED_UNKNOWN;
	relay = calloc(1, sizeof(*relay));
	if (relay && !relay_ask_now(relay))
		found = is_taken(fd, relay) ? STEERED_TO_RELAY : STEERED_PAST;
	nvme_mptcp_relay_status_free(relay);
	return found;
}
