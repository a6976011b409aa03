// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A hand-made SYN, with or without the MPTCP option: the kernel sends none with MP_CAPABLE while
 * MPTCP is suspended, none with MP_JOIN for an unknown connection, and none to a chosen hardware
 * address. The kernel answers the SYN/ACK with a reset.
 */
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define ANSWER_MS 500
#define SLICE_MS 20
#define LEAST 20 /* bytes of a TCP header */
#define MSS_SIZE 4
#define CAPABLE_SIZE 4
#define JOIN_SIZE 12
#define CHECKSUM 16 /* offset in the header */
#define FLAGS 13
#define SYN_MOST 64

/* Build the segment without its checksum. Returns its size. */
static size_t make_syn(const struct path_ends *ends, uint16_t port, uint8_t syn[static SYN_MOST])
{
	static const uint8_t mss[MSS_SIZE] = { 2, MSS_SIZE, 0x05, 0xb4 };
	/* Version 1, HMAC-SHA256. */
	static const uint8_t capable[CAPABLE_SIZE] = { 30, CAPABLE_SIZE, 0x01, 0x01 };
	/* Address identifier 1; the token and random number that follow belong to no connection. */
	static const uint8_t join[4] = { 30, JOIN_SIZE, 0x10, 1 };
	size_t size = LEAST + MSS_SIZE;

	memset(syn, 0, SYN_MOST);
	ask_put16(syn, port);
	ask_put16(syn + 2, ends->remote.port);
	getrandom(syn + 4, 4, 0);
	syn[FLAGS] = TH_SYN;
	ask_put16(syn + 14, 0xfaf0);
	memcpy(syn + LEAST, mss, sizeof(mss));
	if (ends->option == OPTION_CAPABLE) {
		memcpy(syn + size, capable, sizeof(capable));
		size += CAPABLE_SIZE;
	} else if (ends->option == OPTION_JOIN) {
		memcpy(syn + size, join, sizeof(join));
		getrandom(syn + size + sizeof(join), JOIN_SIZE - sizeof(join), 0);
		size += JOIN_SIZE;
	}
	syn[12] = (uint8_t)(size / 4 << 4);
	return size;
}

static uint32_t add_up(uint32_t sum, const uint8_t *data, size_t length)
{
	for (size_t i = 0; i + 1 < length; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	return length % 2 ? sum + ((uint32_t)data[length - 1] << 8) : sum;
}

uint16_t ask_checksum(uint32_t sum, const uint8_t *data, size_t length)
{
	sum = add_up(sum, data, length);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* For IPv4 only: the kernel computes it for IPv6. */
static void put_checksum(const struct path_ends *ends, uint8_t *syn, size_t size)
{
	uint32_t sum = (uint32_t)size + IPPROTO_TCP;

	sum = add_up(sum, (const uint8_t *)&ends->local.s6_addr32[3], 4);
	sum = add_up(sum, (const uint8_t *)&ends->remote.ip.s6_addr32[3], 4);
	ask_put16(syn + CHECKSUM, ask_checksum(sum, syn, size));
}

/* Build an IPv4 packet with the SYN for a packet socket. Returns its size. */
static size_t put_packet(const struct path_ends *ends, uint16_t port, uint8_t *packet)
{
	struct iphdr *ip = (struct iphdr *)(void *)packet;
	uint8_t *syn = packet + sizeof(*ip);
	size_t size = make_syn(ends, port, syn);

	put_checksum(ends, syn, size);
	size += sizeof(*ip);
	*ip = (struct iphdr){
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tot_len = htons((uint16_t)size),
		.ttl = IPDEFTTL,
		.protocol = IPPROTO_TCP,
		.saddr = ends->local.s6_addr32[3],
		.daddr = ends->remote.ip.s6_addr32[3],
	};
	ip->check = htons(ask_checksum(0, packet, sizeof(*ip)));
	return size;
}

/* The same for IPv6. */
static size_t put_packet6(const struct path_ends *ends, uint16_t port, uint8_t *packet)
{
	struct ip6_hdr *ip = (struct ip6_hdr *)(void *)packet;
	uint8_t *syn = packet + sizeof(*ip);
	const size_t size = make_syn(ends, port, syn);
	uint32_t sum = (uint32_t)size + IPPROTO_TCP;

	sum = add_up(sum, ends->local.s6_addr, sizeof(ends->local));
	sum = add_up(sum, ends->remote.ip.s6_addr, sizeof(ends->remote.ip));
	ask_put16(syn + CHECKSUM, ask_checksum(sum, syn, size));
	*ip = (struct ip6_hdr){ .ip6_src = ends->local, .ip6_dst = ends->remote.ip };
	ip->ip6_flow = htonl(6U << 28);
	ip->ip6_plen = htons((uint16_t)size);
	ip->ip6_nxt = IPPROTO_TCP;
	ip->ip6_hlim = IPDEFTTL;
	return sizeof(*ip) + size;
}

/* Read what this machine's TCP receives behind its firewall. IPv4 sockets include the IP header. */
static void take_arrived(int fd, bool v4, uint16_t port, struct probe_result *ret)
{
	uint8_t data[256];
	ssize_t n;

	while ((n = recv(fd, data, sizeof(data), 0)) > 0) {
		const size_t header = v4 ? 4U * (data[0] & 0xf) : 0;
		const uint8_t *segment = data + header;

		if ((size_t)n < header + LEAST || segment[2] != port >> 8 ||
		    segment[3] != (port & 0xff) || !(segment[FLAGS] & TH_SYN))
			continue;
		ret->connected = true;
		ret->option_arrived |= ask_read_options(segment, (size_t)n - header).mptcp;
	}
}

static int send_syn(int fd, const struct path_ends *ends, uint16_t port)
{
	const bool v4 = address_is_v4(&ends->local);
	struct sockaddr_storage address;
	const int offset = CHECKSUM;
	uint8_t syn[SYN_MOST];
	size_t size = make_syn(ends, port, syn);
	socklen_t length = ask_put_address(&ends->remote.ip, 0, ends->ifindex, &address);

	if (v4)
		put_checksum(ends, syn, size);
	else if (setsockopt(fd, IPPROTO_IPV6, IPV6_CHECKSUM, &offset, sizeof(offset)))
		return -errno;
	/* EPERM: this machine's firewall drops it, so it is on no wire. */
	if (sendto(fd, syn, size, 0, (struct sockaddr *)&address, length) < 0 && errno != EPERM)
		return -errno;
	return 0;
}

#define IP4_HEADER 24 /* with the IP option */
#define STAMP_SIZE 4
#define MOST_ROUTERS 4 /* of which reports are asked for without knowing their number */
#define STAMP_HOPS 15 /* greatest overflow count; the next machine sends an error */
#define UNKNOWN_OPTION 0x9e /* RFC 8200, 4.2: discard and send an ICMP error */
#define ICMP_HEADER 8

/* Estimate how many routers the reply passed, from the usual initial values. */
static int count_hops(uint8_t ttl)
{
	return (ttl > 128 ? 255 : ttl > 64 ? 128 : 64) - ttl;
}

/*
 * Build a packet with an IP option that routers pass on but the target reports: a full list of time
 * stamps whose overflow counter each router increments and that reaches its maximum before the
 * target.
 */
static size_t make_packet(const struct path_ends *ends, uint16_t port, int hops,
			  uint8_t packet[static IP4_HEADER + 64])
{
	const uint8_t header[IP4_HEADER] = {
		[0] = 4 << 4 | IP4_HEADER / 4,
		[8] = IPDEFTTL,
		[9] = IPPROTO_TCP,
		[20] = IPOPT_TIMESTAMP,
		[21] = STAMP_SIZE,
		[22] = STAMP_SIZE + 1,
		[23] = (uint8_t)((STAMP_HOPS - hops) << 4),
	};
	size_t size = make_syn(ends, port, packet + IP4_HEADER);

	put_checksum(ends, packet + IP4_HEADER, size);
	memcpy(packet, header, sizeof(header));
	memcpy(packet + 12, &ends->local.s6_addr32[3], 4);
	memcpy(packet + 16, &ends->remote.ip.s6_addr32[3], 4);
	return IP4_HEADER + size;
}

/* @hops: routers on the way, which matters with IPv4. */
static int send_complaint(const struct path_ends *ends, uint16_t port, int hops)
{
	static const uint8_t unknown[8] = { 0, 0, UNKNOWN_OPTION, 4 };
	const bool v4 = address_is_v4(&ends->local);
	_cleanup_(close) int fd = ask_open_bound(ends, SOCK_RAW, v4 ? IPPROTO_RAW : IPPROTO_TCP);
	struct sockaddr_storage address;
	uint8_t packet[IP4_HEADER + 64];
	socklen_t length = ask_put_address(&ends->remote.ip, 0, ends->ifindex, &address);
	size_t size;

	if (fd < 0)
		return fd;
	if (!v4)
		return setsockopt(fd, IPPROTO_IPV6, IPV6_DSTOPTS, unknown, sizeof(unknown))
			       ? -errno
			       : send_syn(fd, ends, port);
	if (hops >= STAMP_HOPS)
		return -ENETUNREACH;
	size = make_packet(ends, port, hops, packet);
	return sendto(fd, packet, size, 0, (struct sockaddr *)&address, length) < 0 ? -errno : 0;
}

/* Return the TCP segment that an ICMP parameter problem quotes; NULL if it is another message. */
static const uint8_t *quoted_segment(const uint8_t *icmp, size_t length, bool v4, size_t *ret)
{
	const uint8_t type = v4 ? ICMP_PARAMETERPROB : ICMP6_PARAM_PROB;
	const uint8_t *inner = icmp + ICMP_HEADER;
	size_t header = sizeof(struct ip6_hdr);

	if (length < ICMP_HEADER + sizeof(struct ip6_hdr) || icmp[0] != type)
		return NULL;
	if (v4)
		header = 4U * (inner[0] & 0xf);
	else if (inner[6] == IPPROTO_DSTOPTS && length > ICMP_HEADER + header + 1)
		header += 8U * (inner[header + 1] + 1U);
	if (length < ICMP_HEADER + header + LEAST)
		return NULL;
	*ret = length - ICMP_HEADER - header;
	return inner + header;
}

static void take_complaint(int fd, const struct path_ends *ends, uint16_t port,
			   struct probe_result *ret)
{
	const bool v4 = address_is_v4(&ends->local);
	uint8_t data[1024];
	struct sockaddr_storage where;
	socklen_t size = sizeof(where);
	ssize_t n;

	for (; (n = recvfrom(fd, data, sizeof(data), 0, (struct sockaddr *)&where, &size)) > 0;
	     size = sizeof(where)) {
		const size_t header = v4 ? 4U * (data[0] & 0xf) : 0;
		const uint8_t *segment = NULL;
		struct ip_addr from = {};
		size_t length;

		if ((size_t)n > header)
			segment = quoted_segment(data + header, (size_t)n - header, v4, &length);
		if (!segment || segment[0] != port >> 8 || segment[1] != (port & 0xff))
			continue;
		address_from_sockaddr((const struct sockaddr *)&where, &from);
		if (ends->option == OPTION_REPORT && !address_equal(&from.in6, &ends->remote.ip))
			continue;
		ret->from = from.in6;
		ret->quoted = true;
		ret->quoted_option = ask_read_options(segment, length).mptcp;
	}
}

/*
 * Find out what arrives at the far end: its ICMP error quotes the packet. @least, @most: how many
 * routers there may be.
 */
static void ask_quote(const struct path_ends *ends, uint16_t port, int least, int most,
		      struct probe_result *ret)
{
	const bool v4 = address_is_v4(&ends->local);
	/* The error may arrive over any link. */
	const struct path_ends any = { ends->local, ends->remote,
				       ends->option == OPTION_REPORT ? 0 : ends->ifindex };
	_cleanup_(close) int fd =
		ask_open_bound(&any, SOCK_RAW, v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);
	int64_t begin = trial_clock();

	for (int hops = least; fd >= 0 && hops <= most; hops++)
		if (send_complaint(ends, port, hops))
			return;
	while (fd >= 0 && !ret->quoted && trial_clock() - begin < ANSWER_MS) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		if (poll(&ready, 1, SLICE_MS) > 0)
			take_complaint(fd, ends, port, ret);
	}
}

int ask_option(const struct path_ends *ends, struct probe_result *ret)
{
	const bool v4 = address_is_v4(&ends->local);
	/* Reserves the port without listening on it. */
	_cleanup_(close) int keeper = ask_open_bound(ends, SOCK_STREAM, IPPROTO_TCP);
	_cleanup_(close) int fd = ask_open_bound(ends, SOCK_RAW, IPPROTO_TCP);
	_cleanup_(close) int tap = -1;
	int64_t begin = trial_clock();
	uint16_t port;
	int err;

	*ret = (struct probe_result){};
	if (keeper < 0 || fd < 0)
		return keeper < 0 ? keeper : fd;
	port = ask_port_of(keeper);
	if (ends->option == OPTION_REPORT) {
		ask_quote(ends, port, 0, v4 ? MOST_ROUTERS : 0, ret);
		ret->known = true;
		return 0;
	}
	tap = ask_open_capture(v4, port);
	if (tap < 0)
		return tap;
	err = send_syn(fd, ends, port);
	if (err)
		return err;
	while (!ret->connected && !ret->refused && !ret->unreachable &&
	       trial_clock() - begin < ANSWER_MS) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		poll(&ready, 1, SLICE_MS);
		take_arrived(fd, v4, port, ret);
		ask_read_capture(tap, ends, port, ret);
	}
	ret->known = true;
	if (ret->option_sent && ret->answered && !ret->option_answered &&
	    ends->option == OPTION_CAPABLE)
		ask_quote(ends, port, count_hops(ret->ttl), count_hops(ret->ttl), ret);
	return 0;
}

int ask_probe_via_mac(struct check *c, const struct path_ends *ends, const struct hardware *to,
		      struct probe_result *ret)
{
	_cleanup_(close) int tap = -1;
	_cleanup_(close) int fd = ask_open_bound(ends, SOCK_STREAM, IPPROTO_TCP);
	const int64_t end = trial_clock() + ANSWER_MS;
	const bool v4 = address_is_v4(&ends->local);
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(v4 ? ETH_P_IP : ETH_P_IPV6),
		.sll_ifindex = ends->ifindex,
		.sll_halen = sizeof(to->byte),
	};
	struct route_answer route = {};
	uint8_t packet[sizeof(struct ip6_hdr) + SYN_MOST];
	size_t size;

	*ret = (struct probe_result){};
	if (fd < 0)
		return fd;
	if (!at.sll_ifindex) {
		if (c->ops->route(c, &ends->local, 0, &ends->remote.ip, &route))
			return -EOPNOTSUPP;
		at.sll_ifindex = route.ifindex;
	}
	memcpy(at.sll_addr, to->byte, sizeof(to->byte));
	tap = ask_open_capture(v4, ask_port_of(fd));
	if (tap < 0)
		return tap;
	size = v4 ? put_packet(ends, ask_port_of(fd), packet)
		  : put_packet6(ends, ask_port_of(fd), packet);
	if (sendto(tap, packet, size, 0, (struct sockaddr *)&at, sizeof(at)) < 0)
		return -errno;
	while (!ret->answered && !ret->refused && trial_clock() < end) {
		struct pollfd ready = { .fd = tap, .events = POLLIN };

		(void)poll(&ready, 1, SLICE_MS);
		ask_read_capture(tap, ends, ask_port_of(fd), ret);
	}
	ret->known = true;
	return 0;
}
