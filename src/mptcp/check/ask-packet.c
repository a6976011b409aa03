// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parts of packets and ends of paths that probes share. */
#include <errno.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
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
#define VLAN_ID 0xfff /* in a tag */
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

bool ask_take_packet(const uint8_t *data, size_t length, bool v4, struct packet *ret)
{
	size_t header = IP6_HEADER;

	if (v4 && length)
		header = 4U * (data[0] & 0xf);
	if (length < header || header < 20)
		return false;
	*ret = (struct packet){
		.ip = data,
		.payload = data + header,
		.length = length - header,
		.protocol = data[v4 ? IP4_PROTOCOL : IP6_PROTOCOL],
		.v4 = v4,
	};
	return true;
}

struct in6_addr ask_packet_address(const struct packet *packet, bool is_far)
{
	struct in6_addr ip = { .s6_addr32 = { 0, 0, htonl(0xffff), 0 } };

	if (packet->v4)
		memcpy(&ip.s6_addr32[3], packet->ip + (is_far ? 16 : 12), 4);
	else
		memcpy(&ip, packet->ip + (is_far ? 24 : 8), sizeof(ip));
	return ip;
}

ssize_t ask_read_packet(int tap, uint8_t *data, size_t length, struct sockaddr_ll *where,
			uint16_t *tag)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct iovec to = { data, length };
	struct msghdr msg = {
		.msg_name = where,
		.msg_namelen = sizeof(*where),
		.msg_iov = &to,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct tpacket_auxdata about;
	const ssize_t n = recvmsg(tap, &msg, 0);
	const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);

	*tag = 0;
	if (!head || head->cmsg_level != SOL_PACKET || head->cmsg_type != PACKET_AUXDATA ||
	    head->cmsg_len < CMSG_LEN(sizeof(about)))
		return n;
	memcpy(&about, CMSG_DATA(head), sizeof(about));
	if (about.tp_status & TP_STATUS_VLAN_VALID)
		*tag = about.tp_vlan_tci & VLAN_ID;
	return n;
}

bool ask_is_from_there(const uint8_t *data, size_t length, uint16_t protocol,
		       const struct path_ends *ends)
{
	const bool v4 = address_is_v4(&ends->remote.ip);
	struct packet packet;
	struct in6_addr from;

	if (protocol == htons(ETH_P_ARP))
		return length >= sizeof(struct ether_arp) &&
		       !memcmp(data + offsetof(struct ether_arp, arp_spa),
			       &ends->remote.ip.s6_addr32[3], 4);
	if (!ask_take_packet(data, length, v4, &packet))
		return false;
	from = ask_packet_address(&packet, false);
	return address_equal(&from, &ends->remote.ip) ||
	       (packet.protocol == IPPROTO_ICMPV6 &&
		packet.length >= sizeof(struct nd_neighbor_solicit) &&
		packet.payload[0] == ND_NEIGHBOR_SOLICIT &&
		!memcmp(packet.payload + ND_TARGET, &ends->local, sizeof(ends->local)));
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
