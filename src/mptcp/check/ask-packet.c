// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parts of packets and ends of paths that probes share. */
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include "ask-path.h"
#include "mptcp/netlink/relay-ask.h"
#include "mptcp/trial/trial-state.h"

#define TCP_OFFSET 12 /* of the data offset, in the upper half */
#define TCP_LEAST 20
#define OPTION_MPTCP 30
#define ADD_ADDR 3 /* subtype */
#define ADD_ADDR_ECHO 1
#define PADDING \
	4 /* no-operations in a row, more than alignment needs: they replace a removed option */

uint16_t ask_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

void ask_put16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

socklen_t ask_put_address(const struct in6_addr *ip, uint16_t port, int ifindex,
			  struct sockaddr_storage *ret)
{
	const struct ip_addr to = {
		.in6 = *ip,
		.scope = IN6_IS_ADDR_LINKLOCAL(ip) ? (uint32_t)ifindex : 0,
	};

	return address_to_sockaddr(address_is_v4(ip) ? AF_INET : AF_INET6, &to, port, ret);
}

int ask_open_bound(const struct path_ends *ends, int type, int protocol)
{
	int family = address_is_v4(&ends->local) ? AF_INET : AF_INET6;
	struct sockaddr_storage address;
	char name[IF_NAMESIZE];
	socklen_t size;
	int fd, err;

	fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	if (fd < 0)
		return -errno;
	size = ask_put_address(&ends->local, 0, ends->ifindex, &address);
	if ((ends->ifindex && if_indextoname((unsigned int)ends->ifindex, name) &&
	     setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name))) ||
	    bind(fd, (struct sockaddr *)&address, size)) {
		err = -errno;
		close(fd);
		return err;
	}
	relay_ask_bypass(fd);
	return fd;
}

struct segment_options ask_read_options(const uint8_t *segment, size_t length)
{
	struct segment_options found = {};
	size_t end = 4U * (segment[TCP_OFFSET] >> 4), row = 0;

	end = end < length ? end : length;
	for (size_t i = TCP_LEAST; i < end && segment[i] != TCPOPT_EOL;) {
		if (segment[i] == TCPOPT_NOP) {
			found.padded |= ++row == PADDING;
			i++;
			continue;
		}
		row = 0;
		if (i + 2 >= end || segment[i + 1] < 2)
			break;
		if (segment[i] == OPTION_MPTCP) {
			found.mptcp = true;
			found.announces |= segment[i + 2] >> 4 == ADD_ADDR &&
					   !(segment[i + 2] & ADD_ADDR_ECHO);
		}
		i += segment[i + 1];
	}
	return found;
}

size_t ask_next_packet(int tap, int64_t end, uint8_t *data, size_t size, struct sockaddr_ll *where)
{
	int64_t left;

	while ((left = end - trial_clock()) > 0) {
		struct pollfd ready = { .fd = tap, .events = POLLIN };
		socklen_t length = sizeof(*where);
		ssize_t n;

		if (poll(&ready, 1, (int)left) <= 0)
			continue;
		n = recvfrom(tap, data, size, 0, (struct sockaddr *)where, &length);
		if (n > 0 && where->sll_pkttype != PACKET_OUTGOING)
			return (size_t)n;
	}
	return 0;
}

uint16_t ask_port_of(int fd)
{
	struct sockaddr_storage address = {};
	socklen_t size = sizeof(address);

	getsockname(fd, (struct sockaddr *)&address, &size);
	/* The port is at the same offset for both families. */
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}
