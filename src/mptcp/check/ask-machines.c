// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find which machines answer on a link: an IPv6 echo request to all of them needs no address, and an
 * echo request in a broadcast frame needs no hardware address. Find which ones have an IPv6 address.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "ask.h"
#include "mptcp/trial/trial-state.h"

#define ANSWER_MS 400

static int send_echo(int ifindex, uint16_t id)
{
	const struct sockaddr_in6 all = {
		.sin6_family = AF_INET6,
		.sin6_addr = { .s6_addr = { 0xff, 2, [15] = 1 } },
		.sin6_scope_id = (uint32_t)ifindex,
	};
	const struct icmp6_hdr echo = { .icmp6_type = ICMP6_ECHO_REQUEST, .icmp6_id = htons(id) };
	_cleanup_(close) int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
	const int off = 0;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &ifindex, sizeof(ifindex)) ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, &off, sizeof(off)) ||
	    sendto(fd, &echo, sizeof(echo), 0, (const struct sockaddr *)&all, sizeof(all)) < 0)
		return -errno;
	return 0;
}

static bool is_reply(const uint8_t *data, size_t length, uint16_t id)
{
	const uint8_t *icmp = data + sizeof(struct ip6_hdr);

	return length >= sizeof(struct ip6_hdr) + sizeof(struct icmp6_hdr) && data[0] >> 4 == 6 &&
	       data[6] == IPPROTO_ICMPV6 && icmp[0] == ICMP6_ECHO_REPLY &&
	       ask_get16(icmp + 4) == id;
}

static size_t note(struct hardware *all, size_t n, const uint8_t *hardware)
{
	for (size_t i = 0; i < n; i++)
		if (!memcmp(all[i].byte, hardware, ETH_ALEN))
			return n;
	if (n < MACHINES)
		memcpy(all[n++].byte, hardware, ETH_ALEN);
	return n;
}

int ask_machines(struct check *c, int ifindex, struct hardware ret[static MACHINES])
{
	_cleanup_(close) int tap = ask_open_capture(false, 0);
	const uint16_t id = (uint16_t)(getpid() ^ ifindex << 8);
	const int64_t end = trial_clock() + ANSWER_MS;
	struct ifaddrs *own = NULL;
	struct sockaddr_ll where = {};
	uint8_t data[128];
	size_t n = 0, got;
	int err;

	(void)c;
	if (tap < 0)
		return tap;
	err = send_echo(ifindex, id);
	if (err || getifaddrs(&own))
		return err ? err : -errno;
	while ((got = ask_next_packet(tap, end, data, sizeof(data), &where)))
		if (where.sll_ifindex == ifindex && where.sll_halen == ETH_ALEN &&
		    is_reply(data, got, id) && !ask_is_own_hardware(own, where.sll_addr))
			n = note(ret, n, where.sll_addr);
	freeifaddrs(own);
	return (int)n;
}

#define PING_SIZE 16
#define ID_AT 4 /* in the ICMP header */
#define CHECKSUM_AT 2
#define IP4_HEADER 20
#define ND_TARGET offsetof(struct nd_neighbor_solicit, nd_ns_target) /* also in advertisements */

/* Put the header in front of an ICMPv6 message, and its checksum into it. Returns the packet's size. */
static size_t put_ipv6(const struct in6_addr *from, const struct in6_addr *to, uint8_t hops,
		       size_t length, uint8_t packet[static 96])
{
	const size_t header = sizeof(struct ip6_hdr);
	uint32_t sum = (uint32_t)length + IPPROTO_ICMPV6;

	packet[0] = 6 << 4;
	ask_put16(packet + 4, (uint16_t)length);
	packet[6] = IPPROTO_ICMPV6;
	packet[7] = hops;
	memcpy(packet + 8, from, sizeof(*from));
	memcpy(packet + 24, to, sizeof(*to));
	for (size_t i = 8; i < header; i += 2)
		sum += ask_get16(packet + i);
	ask_put16(packet + header + CHECKSUM_AT, ask_checksum(sum, packet + header, length));
	return header + length;
}

/* Build an echo request. Returns its size. */
static size_t put_echo(const struct path_ends *ends, uint16_t id, uint8_t packet[static 96])
{
	const bool v4 = address_is_v4(&ends->remote.ip);
	uint8_t *icmp = packet + (v4 ? IP4_HEADER : sizeof(struct ip6_hdr));

	memset(packet, 0, 96);
	icmp[0] = v4 ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
	ask_put16(icmp + ID_AT, id);
	if (!v4)
		return put_ipv6(&ends->local, &ends->remote.ip, IPDEFTTL, PING_SIZE, packet);
	packet[0] = 4 << 4 | IP4_HEADER / 4;
	ask_put16(packet + 2, IP4_HEADER + PING_SIZE);
	packet[8] = IPDEFTTL;
	packet[9] = IPPROTO_ICMP;
	memcpy(packet + 12, &ends->local.s6_addr32[3], 4);
	memcpy(packet + 16, &ends->remote.ip.s6_addr32[3], 4);
	ask_put16(packet + 10, ask_checksum(0, packet, IP4_HEADER));
	ask_put16(icmp + CHECKSUM_AT, ask_checksum(0, icmp, PING_SIZE));
	return IP4_HEADER + PING_SIZE;
}

static bool is_echo_of(const uint8_t *data, size_t length, bool v4, uint16_t id)
{
	const size_t header = v4 ? 4U * (data[0] & 0xf) : sizeof(struct ip6_hdr);

	return length >= header + PING_SIZE &&
	       data[v4 ? 9 : 6] == (v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6) &&
	       data[header] == (v4 ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY) &&
	       ask_get16(data + header + ID_AT) == id;
}

int ask_echo_on_link(struct check *c, const struct path_ends *ends)
{
	const bool v4 = address_is_v4(&ends->remote.ip);
	_cleanup_(close) int tap = ask_open_capture(v4, 0);
	const int64_t end = trial_clock() + ANSWER_MS;
	const uint16_t id = (uint16_t)(getpid() ^ ends->ifindex << 8 ^ 0x5500);
	struct sockaddr_ll all = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(v4 ? ETH_P_IP : ETH_P_IPV6),
		.sll_ifindex = ends->ifindex,
		.sll_halen = ETH_ALEN,
	};
	struct sockaddr_ll where = {};
	uint8_t data[256];
	size_t size = put_echo(ends, id, data);

	(void)c;
	memset(all.sll_addr, 0xff, ETH_ALEN);
	if (tap < 0)
		return tap;
	if (sendto(tap, data, size, 0, (struct sockaddr *)&all, sizeof(all)) < 0)
		return -errno;
	while ((size = ask_next_packet(tap, end, data, sizeof(data), &where)))
		if (is_echo_of(data, size, v4, id))
			return 1;
	return 0;
}

/*
 * Send a neighbour solicitation without a source address, as duplicate address detection does: it
 * changes no neighbour table.
 */
static void solicit(int fd, const struct owner *owner)
{
	struct in6_addr to = { .s6_addr = { 0xff, 2, [11] = 1, [12] = 0xff } }, from = {};
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IPV6),
		.sll_ifindex = owner->ifindex,
		.sll_halen = ETH_ALEN,
		.sll_addr = { 0x33, 0x33 },
	};
	uint8_t packet[96] = {};
	uint8_t *icmp = packet + sizeof(struct ip6_hdr);

	memcpy(&to.s6_addr[13], &owner->ip.s6_addr[13], 3);
	memcpy(at.sll_addr + 2, &to.s6_addr32[3], 4);
	icmp[0] = ND_NEIGHBOR_SOLICIT;
	memcpy(icmp + ND_TARGET, &owner->ip, sizeof(owner->ip));
	(void)sendto(fd, packet,
		     put_ipv6(&from, &to, 255, sizeof(struct nd_neighbor_solicit), packet), 0,
		     (struct sockaddr *)&at, sizeof(at));
}

void ask_owners6(const struct ifaddrs *own, struct owner *all, size_t n)
{
	const int64_t end = trial_clock() + ANSWER_MS;
	_cleanup_(close) int tap = ask_open_capture(false, 0);
	const uint8_t *icmp;
	struct sockaddr_ll where = {};
	uint8_t data[128];
	size_t got;

	for (size_t i = 0; tap >= 0 && i < n; i++)
		if (!address_is_v4(&all[i].ip))
			solicit(tap, &all[i]);
	icmp = data + sizeof(struct ip6_hdr);
	while (tap >= 0 && (got = ask_next_packet(tap, end, data, sizeof(data), &where)))
		for (size_t i = 0; i < n; i++)
			if (got >= sizeof(struct ip6_hdr) + sizeof(struct nd_neighbor_advert) &&
			    where.sll_ifindex == all[i].ifindex && where.sll_halen == ETH_ALEN &&
			    icmp[0] == ND_NEIGHBOR_ADVERT &&
			    !memcmp(icmp + ND_TARGET, &all[i].ip, sizeof(all[i].ip)) &&
			    !ask_is_own_hardware(own, where.sll_addr) && all[i].n < OWNERS)
				all[i].n = note(all[i].by, all[i].n, where.sll_addr);
}
