// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find which machines have an address. An ARP probe without a sender's address changes no neighbour
 * table of other machines; those that have the address answer it, and Linux proxy ARP does not.
 * This kernel still updates its own entries from the replies.
 */
#include <ifaddrs.h>
#include <netinet/in.h>
#include <net/if_arp.h>
#include <netinet/if_ether.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include "ask.h"
#include "mptcp/trial/trial-state.h"

#define OWNERS_MS 300
#define ARP_LINKS 16

/* ARP sockets, one for each link. */
struct arp_links {
	struct pollfd fd[ARP_LINKS];
	struct sockaddr_ll at[ARP_LINKS];
	size_t n;
};

/* Return the index of the link's socket, ARP_LINKS if it has none. */
static size_t socket_of(struct arp_links *links, int ifindex)
{
	for (size_t i = 0; i < links->n; i++)
		if (links->at[i].sll_ifindex == ifindex)
			return links->fd[i].fd < 0 ? ARP_LINKS : i;
	if (links->n == ARP_LINKS)
		return ARP_LINKS;
	links->at[links->n] = (struct sockaddr_ll){};
	links->fd[links->n] = (struct pollfd){
		.fd = ask_open_arp(ifindex, &links->at[links->n]),
		.events = POLLIN,
	};
	links->at[links->n].sll_ifindex = ifindex;
	return links->fd[links->n++].fd < 0 ? ARP_LINKS : links->n - 1;
}

/* Set a hardware address that no card has, next to one that a card has. */
static void make_up(const uint8_t *own, uint8_t *ret)
{
	memcpy(ret, own, ETH_ALEN);
	ret[0] ^= 2; /* administered locally, or not */
	ret[ETH_ALEN - 1] ^= 0x5a;
}

/*
 * @made_up: have the answer sent to a hardware address that no card has. A switch would not deliver
 * the answer of a card with this link's hardware address.
 */
static void ask_for(struct arp_links *links, const struct owner *owner, bool made_up)
{
	const size_t i = socket_of(links, owner->ifindex);
	struct ether_arp arp = {
		.ea_hdr = { htons(ARPHRD_ETHER), htons(ETH_P_IP), ETH_ALEN, 4,
			    htons(ARPOP_REQUEST) },
	};
	struct sockaddr_ll all;

	if (i == ARP_LINKS || !address_is_v4(&owner->ip))
		return;
	all = links->at[i];
	if (made_up) {
		struct packet_mreq also = { .mr_ifindex = owner->ifindex,
					    .mr_type = PACKET_MR_UNICAST,
					    .mr_alen = ETH_ALEN };

		make_up(all.sll_addr, arp.arp_sha);
		memcpy(also.mr_address, arp.arp_sha, ETH_ALEN);
		(void)setsockopt(links->fd[i].fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &also,
				 sizeof(also));
	} else {
		memcpy(arp.arp_sha, all.sll_addr, ETH_ALEN);
	}
	memcpy(arp.arp_spa, &owner->from.s6_addr32[3], 4);
	memcpy(arp.arp_tpa, &owner->ip.s6_addr32[3], 4);
	if (owner->to)
		memcpy(all.sll_addr, owner->to->byte, ETH_ALEN);
	else
		memset(all.sll_addr, 0xff, ETH_ALEN);
	(void)sendto(links->fd[i].fd, &arp, sizeof(arp), 0, (struct sockaddr *)&all, sizeof(all));
}

bool ask_is_own_hardware(const struct ifaddrs *own, const uint8_t *hardware)
{
	for (; own; own = own->ifa_next) {
		const struct sockaddr_ll *at = (const struct sockaddr_ll *)(void *)own->ifa_addr;

		if (at && at->sll_family == AF_PACKET && at->sll_halen == ETH_ALEN &&
		    !memcmp(at->sll_addr, hardware, ETH_ALEN))
			return true;
	}
	return false;
}

static void note_owner(struct owner *owner, const uint8_t *hardware)
{
	for (size_t i = 0; i < owner->n; i++)
		if (!memcmp(owner->by[i].byte, hardware, ETH_ALEN))
			return;
	if (owner->n < OWNERS)
		memcpy(owner->by[owner->n++].byte, hardware, ETH_ALEN);
}

static bool is_own_address(const struct ifaddrs *own, const struct in6_addr *ip)
{
	for (; own; own = own->ifa_next)
		if (own->ifa_addr && own->ifa_addr->sa_family == AF_INET &&
		    ((const struct sockaddr_in *)(void *)own->ifa_addr)->sin_addr.s_addr ==
			    ip->s6_addr32[3])
			return true;
	return false;
}

static bool is_answer_for(const struct owner *owner, const struct sockaddr_ll *where,
			  const struct ether_arp *arp)
{
	return owner->ifindex == where->sll_ifindex && address_is_v4(&owner->ip) &&
	       !memcmp(arp->arp_spa, &owner->ip.s6_addr32[3], 4);
}

/* @at: this link, if an answer that another machine sends from its hardware address counts. */
static void read_arp(const struct ifaddrs *own, const struct sockaddr_ll *at, int fd,
		     struct owner *all, size_t n)
{
	for (;;) {
		struct sockaddr_ll where = {};
		socklen_t size = sizeof(where);
		struct ether_arp arp;

		if (recvfrom(fd, &arp, sizeof(arp), 0, (struct sockaddr *)&where, &size) !=
		    sizeof(arp))
			return;
		if (where.sll_pkttype == PACKET_OUTGOING)
			continue;
		for (size_t i = 0; i < n; i++) {
			if (!is_answer_for(&all[i], &where, &arp))
				continue;
			if (!ask_is_own_hardware(own, arp.arp_sha)) {
				const bool is_here =
					!at || !memcmp(arp.arp_tha, at->sll_addr, ETH_ALEN);

				all[i].is_astray = !is_here && (!all[i].n || all[i].is_astray);
				note_owner(&all[i], arp.arp_sha);
			} else if (at && !memcmp(at->sll_addr, arp.arp_sha, ETH_ALEN) &&
				   !is_own_address(own, &all[i].ip))
				all[i].is_twin = true;
		}
	}
}

/* Read replies until the time is up: later ones may be from other machines with the address. */
static void gather(struct arp_links *links, const struct ifaddrs *own, bool made_up,
		   struct owner *all, size_t n)
{
	const int64_t end = trial_clock() + OWNERS_MS;
	int64_t left;

	while ((left = end - trial_clock()) > 0 && poll(links->fd, links->n, (int)left) > 0)
		for (size_t i = 0; i < links->n; i++)
			if (links->fd[i].revents)
				read_arp(own, made_up ? &links->at[i] : NULL, links->fd[i].fd, all,
					 n);
}

/* True if no reply has arrived: a busy machine may be slow, and a card may have our hardware address. */
static bool is_late(const struct ifaddrs *own, const struct owner *owner)
{
	return !owner->n && address_is_v4(&owner->ip) && IN6_IS_ADDR_UNSPECIFIED(&owner->from) &&
	       !owner->to && !is_own_address(own, &owner->ip);
}

void ask_owners(struct check *c, struct owner *all, size_t n)
{
	struct arp_links links = {};
	struct ifaddrs *own = NULL;
	bool any = false, late = false, six = false;

	for (size_t i = 0; i < n; i++)
		if (ask_entry(c, all[i].ifindex, &all[i].ip, &all[i].entry))
			all[i].entry = (struct neighbour){};
	if (getifaddrs(&own))
		return;
	for (size_t i = 0; i < n; i++) {
		ask_for(&links, &all[i], false);
		six |= !address_is_v4(&all[i].ip);
	}
	if (six)
		ask_owners6(own, all, n);
	for (size_t i = 0; i < links.n; i++)
		any |= links.fd[i].fd >= 0;
	if (any)
		gather(&links, own, false, all, n);
	for (size_t i = 0; any && i < n; i++)
		late |= is_late(own, &all[i]);
	for (size_t i = 0; late && i < n; i++)
		if (is_late(own, &all[i])) {
			ask_for(&links, &all[i], false);
			ask_for(&links, &all[i], true);
		}
	if (late)
		gather(&links, own, true, all, n);
	for (size_t i = 0; i < links.n; i++)
		if (links.fd[i].fd >= 0)
			close(links.fd[i].fd);
	freeifaddrs(own);
}

bool ask_once_told(struct check *c, const struct path_ends *ends, int ifindex)
{
	struct owner far = { .ifindex = ifindex, .ip = ends->remote.ip, .from = ends->local };
	struct probe_result answer;

	if (!address_is_v4(&ends->local))
		return false;
	ask_owners(c, &far, 1);
	return far.n && !ask_try_way(ends, -1, WAY_MS, &answer) &&
	       (answer.answered || answer.refused);
}
