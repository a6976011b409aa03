// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find out if two links are on one wire: a broadcast sent over one arrives at the other. */
#include <net/if_arp.h>
#include <netinet/if_ether.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include "ask.h"

#define WIRE_MS 200

int ask_open_arp(int ifindex, struct sockaddr_ll *ret)
{
	struct sockaddr_ll link = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ARP),
		.sll_ifindex = ifindex,
	};
	socklen_t size = sizeof(*ret);
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (!bind(fd, (struct sockaddr *)&link, sizeof(link)) &&
	    !getsockname(fd, (struct sockaddr *)ret, &size) && ret->sll_halen == ETH_ALEN)
		return fd;
	close(fd);
	return -1;
}

static bool comes_in(int fd, const struct sockaddr_ll *from)
{
	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		struct sockaddr_ll where = {};
		socklen_t size = sizeof(where);
		struct ether_arp arp;

		if (poll(&ready, 1, WIRE_MS) <= 0)
			return false;
		if (recvfrom(fd, &arp, sizeof(arp), 0, (struct sockaddr *)&where, &size) ==
			    sizeof(arp) &&
		    where.sll_pkttype != PACKET_OUTGOING &&
		    !memcmp(arp.arp_sha, from->sll_addr, ETH_ALEN))
			return true;
	}
}

bool ask_same_broadcast_domain(struct check *c, int one, int other, const struct in6_addr *local,
			       const struct in6_addr *remote)
{
	struct sockaddr_ll from = {}, at = {}, all;
	_cleanup_(close) int out = ask_open_arp(one, &from);
	_cleanup_(close) int in = ask_open_arp(other, &at);
	struct ether_arp arp = {
		.ea_hdr = { htons(ARPHRD_ETHER), htons(ETH_P_IP), ETH_ALEN, 4,
			    htons(ARPOP_REQUEST) },
	};

	(void)c;
	if (out < 0 || in < 0 || !address_is_v4(local) || !address_is_v4(remote))
		return false;
	memcpy(arp.arp_sha, from.sll_addr, ETH_ALEN);
	memcpy(arp.arp_spa, &local->s6_addr32[3], 4);
	memcpy(arp.arp_tpa, &remote->s6_addr32[3], 4);
	all = from;
	memset(all.sll_addr, 0xff, ETH_ALEN);
	return sendto(out, &arp, sizeof(arp), 0, (struct sockaddr *)&all, sizeof(all)) ==
		       sizeof(arp) &&
	       comes_in(in, &from);
}
