// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A TCP connection between the ends of a join, watched below this machine's firewall: the packets
 * that leave and arrive show on which side of the firewall packets or options are lost.
 */
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/neighbour.h>

#include "ask-path.h"
#include "rules.h"
#include "mptcp/netlink/relay-ask.h"
#include "mptcp/trial/trial-state.h"

#define UNSENT_MS 1500 /* the second SYN leaves after 1 s; a busy machine may delay the first */
#define SLICE_MS 50
#define AT_ONCE_MS 150 /* less than a router waits for a neighbour's answer */
#define ASK_TIMES 2 /* a connection may end just before the kernel asks for the next hop */
#define HOP_MS 300
#define MAX_HOPS 8
/*
 * A router gives up on a neighbour after 3 s. Linux then sends an ICMP error only after 2 s without
 * packets for that neighbour: the SYNs of one connection, 1 s apart, get none after the first few.
 */
#define QUIET_MS 1800 /* in addition to WAY_MS */
#define ROUTER_MS 1200
#define WAITING_MS 7000 /* pending SYNs are at least 2 s apart by then */
#define MAX_LONG_WAITS 2 /* probes that may wait that long */
#define IP4_TTL 8
#define IP6_HOPS 7
#define PORTS_OFFSET 2 /* of the destination port */
/*
 * Linux copies the traffic class of the SYN to the RST of a closed port but not to that of a packet
 * filter. If a closed port's RST has it, the network preserves it.
 */
#define MARK IPTOS_LOWDELAY
#define MARK_MASK 0xfc /* without the ECN bits */

#define TCP_FLAGS 13
#define TCP_LEAST 20

/* Filter in the kernel: other programs may send many packets. */
int ask_open_capture(bool v4, uint16_t port)
{
	const uint32_t protocol = v4 ? IP4_PROTOCOL : IP6_PROTOCOL;
	const uint8_t icmp = v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_ARP, v4 ? 9 : 0, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, v4 ? ETH_P_IP : ETH_P_IPV6, 0, 9),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, protocol),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, icmp, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 6),
		v4 ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0)
		   : (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, IP6_HEADER),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, PORTS_OFFSET),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 2, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 256),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_ll all = {
		.sll_family = AF_PACKET,
		/* The kernel shows outgoing packets only to sockets for ETH_P_ALL. */
		.sll_protocol = htons(ETH_P_ALL),
	};
	const int on = 1;
	int err;

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) &&
	    !setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) &&
	    !bind(fd, (struct sockaddr *)&all, sizeof(all)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static bool is_expiry(const struct packet *packet)
{
	return packet->payload[0] == (packet->v4 ? ICMP_TIMXCEED : ICMP6_TIME_EXCEEDED);
}

/* True if an ICMP error is about @port or a join of the same addresses: routers send few errors. */
static bool is_about(const struct packet *packet, const struct path_ends *ends, uint16_t port)
{
	const uint8_t type = packet->v4 ? ICMP_UNREACH : ICMP6_DST_UNREACH;
	struct in6_addr local, remote;
	struct packet inner;

	if (packet->length <= 8 || (packet->payload[0] != type && !is_expiry(packet)) ||
	    !ask_take_packet(packet->payload + 8, packet->length - 8, packet->v4, &inner) ||
	    inner.protocol != IPPROTO_TCP || inner.length < 4)
		return false;
	local = ask_packet_address(&inner, false);
	remote = ask_packet_address(&inner, true);
	return ask_get16(inner.payload) == port ||
	       (address_equal(&local, &ends->local) && address_equal(&remote, &ends->remote.ip) &&
		ask_get16(inner.payload + PORTS_OFFSET) == ends->remote.port);
}

static unsigned int class_of(const struct packet *packet)
{
	return packet->v4 ? packet->ip[1] : (unsigned int)(ask_get16(packet->ip) >> 4 & 0xff);
}

/* True if a packet filter rejected the packet; other codes mean no route or no reply. */
static bool is_of_filter(const struct packet *packet)
{
	switch (packet->payload[1]) {
	case ICMP_UNREACH_PORT:
		return packet->v4;
	case ICMP_UNREACH_NET_PROHIB:
	case ICMP_UNREACH_HOST_PROHIB:
	case ICMP_UNREACH_FILTER_PROHIB:
		return packet->v4;
	case ICMP6_DST_UNREACH_ADMIN:
	case ICMP6_DST_UNREACH_NOPORT:
		return !packet->v4;
	}
	return false;
}

static bool is_of_routes(const struct packet *packet)
{
	return packet->payload[1] == (packet->v4 ? ICMP_UNREACH_NET : ICMP6_DST_UNREACH_NOROUTE);
}

/* Note a SYN that this host sends to itself. */
static void note_looped(const struct packet *packet, bool leaves, uint16_t port,
			struct probe_result *ret)
{
	if (!leaves || packet->protocol != IPPROTO_TCP || packet->length < TCP_LEAST ||
	    ask_get16(packet->payload) != port || !(packet->payload[TCP_FLAGS] & TH_SYN) ||
	    (packet->payload[TCP_FLAGS] & TH_ACK))
		return;
	ret->looped = true;
	if (!ret->sent) {
		ret->sent_to.ip = ask_packet_address(packet, true);
		ret->sent_to.port = ask_get16(packet->payload + PORTS_OFFSET);
	}
}

static void note_packet(const struct packet *packet, const struct sockaddr_ll *where,
			const struct path_ends *ends, uint16_t port, struct probe_result *ret)
{
	bool leaves = where->sll_pkttype == PACKET_OUTGOING;
	struct segment_options options = {};

	/* Loopback packets were on no wire. */
	if (where->sll_hatype == ARPHRD_LOOPBACK) {
		note_looped(packet, leaves, port, ret);
		return;
	}
	if (where->sll_pkttype == PACKET_OTHERHOST) {
		ret->misaddressed |= packet->protocol == IPPROTO_TCP;
		return;
	}
	if (packet->protocol == IPPROTO_ICMPV6 &&
	    packet->length >= sizeof(struct nd_neighbor_solicit) &&
	    !memcmp(packet->payload + ND_TARGET, &ends->remote.ip, sizeof(ends->remote.ip))) {
		ret->hop_solicited |= leaves && packet->payload[0] == ND_NEIGHBOR_SOLICIT;
		ret->hop_advertised |= !leaves && packet->payload[0] == ND_NEIGHBOR_ADVERT;
	}
	if (packet->protocol != IPPROTO_TCP) {
		if (leaves || !is_about(packet, ends, port))
			return;
		ret->unreachable = true;
		ret->expired = is_expiry(packet);
		ret->filtered = !ret->expired && is_of_filter(packet);
		ret->no_route = !ret->expired && is_of_routes(packet);
		ret->from = ask_packet_address(packet, false);
		return;
	}
	if (packet->length < TCP_LEAST)
		return;
	if (packet->payload[TCP_FLAGS] & (TH_SYN | TH_RST))
		options = ask_read_options(packet->payload, packet->length);
	if (leaves) {
		if (ask_get16(packet->payload) != port || !(packet->payload[TCP_FLAGS] & TH_SYN))
			return;
		/* The upper one of stacked devices comes first. */
		if (!ret->sent) {
			ret->sent_link = where->sll_ifindex;
			ret->sent_from = ask_packet_address(packet, false);
			ret->sent_to.ip = ask_packet_address(packet, true);
			ret->sent_to.port = ask_get16(packet->payload + PORTS_OFFSET);
			ret->sent_ttl = packet->ip[packet->v4 ? IP4_TTL : IP6_HOPS];
		}
		ret->sent = true;
		ret->sent_below = where->sll_ifindex;
		ret->option_sent |= options.mptcp;
	} else if (ask_get16(packet->payload + PORTS_OFFSET) == port) {
		ret->refused |= packet->payload[TCP_FLAGS] & TH_RST;
		ret->ttl = packet->ip[packet->v4 ? IP4_TTL : IP6_HOPS];
		ret->closed |= (packet->payload[TCP_FLAGS] & TH_RST) &&
			       (class_of(packet) & MARK_MASK) == MARK;
		ret->answered |= packet->payload[TCP_FLAGS] & TH_SYN;
		ret->reply_link = where->sll_ifindex;
		ret->option_answered |= (packet->payload[TCP_FLAGS] & TH_SYN) && options.mptcp;
		ret->option_refused |= (packet->payload[TCP_FLAGS] & TH_RST) && options.mptcp;
		ret->padded |= options.padded;
	}
}

/* Note requests for the far end's hardware address that leave, and replies that arrive. */
static void note_arp(const uint8_t *data, size_t length, const struct sockaddr_ll *where,
		     const struct path_ends *ends, struct probe_result *ret)
{
	const bool leaves = where->sll_pkttype == PACKET_OUTGOING;
	struct ether_arp arp;

	if (length < sizeof(arp) || where->sll_pkttype == PACKET_OTHERHOST)
		return;
	memcpy(&arp, data, sizeof(arp));
	if (memcmp(leaves ? arp.arp_tpa : arp.arp_spa, &ends->remote.ip.s6_addr32[3], 4))
		return;
	ret->hop_solicited |= leaves && arp.arp_op == htons(ARPOP_REQUEST);
	ret->hop_advertised |= !leaves && arp.arp_op == htons(ARPOP_REPLY);
}

void ask_read_capture(int tap, const struct path_ends *ends, uint16_t port,
		      struct probe_result *ret)
{
	const bool v4 = address_is_v4(&ends->local);
	uint8_t data[256];

	for (;;) {
		struct sockaddr_ll where = {};
		uint16_t tag;
		ssize_t n = ask_read_packet(tap, data, sizeof(data), &where, &tag);
		struct packet packet;

		if (n < 0)
			return;
		/* The link that the SYN left by gets packets of a VLAN, which it does not take. */
		if (tag && ret->sent && where.sll_ifindex == ret->sent_link &&
		    where.sll_pkttype != PACKET_OUTGOING) {
			if (ask_is_from_there(data, (size_t)n, where.sll_protocol, ends))
				ret->tag = tag;
			continue;
		}
		if (where.sll_protocol == htons(ETH_P_ARP))
			note_arp(data, (size_t)n, &where, ends, ret);
		else if (ask_take_packet(data, (size_t)n, v4, &packet))
			note_packet(&packet, &where, ends, port, ret);
	}
}

/* Watch until connected, refused, or timed out; the timeout is longer while nothing has been sent. */
static void watch_connect(int fd, int tap, const struct path_ends *ends, int answer_ms,
			  struct probe_result *ret)
{
	int64_t begin = trial_clock();
	uint16_t port = ask_port_of(fd);
	socklen_t size = sizeof(ret->err);

	while (!ret->connected && !ret->err && !ret->unreachable &&
	       trial_clock() - begin < (ret->sent ? answer_ms : UNSENT_MS)) {
		struct pollfd ready = { .fd = fd, .events = POLLOUT };

		if (poll(&ready, 1, SLICE_MS) > 0 && ready.revents) {
			if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &ret->err, &size))
				ret->err = errno;
			ret->connected = !ret->err;
		}
		ask_read_capture(tap, ends, port, ret);
	}
	/* Read packets that arrived after the last poll. */
	ask_read_capture(tap, ends, port, ret);
	ret->at_once = ret->unreachable && trial_clock() - begin < AT_ONCE_MS;
}

static int set_class(int fd, bool v4)
{
	const int value = MARK;

	return setsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TOS : IPV6_TCLASS, &value,
			  sizeof(value));
}

static int set_hops(int fd, bool v4, int hops)
{
	return setsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TTL : IPV6_UNICAST_HOPS,
			  &hops, sizeof(hops));
}

int ask_try_way(const struct path_ends *ends, int hops, int answer_ms, struct probe_result *ret)
{
	const struct linger at_once = { .l_onoff = 1 };
	bool v4 = address_is_v4(&ends->local);
	struct sockaddr_storage address;
	_cleanup_(close) int tap = -1;
	_cleanup_(close) int fd = ask_open_bound(ends, SOCK_STREAM, IPPROTO_TCP);
	socklen_t size;

	*ret = (struct probe_result){};
	if (fd < 0)
		return fd;
	tap = ask_open_capture(v4, ask_port_of(fd));
	if (tap < 0)
		return tap;
	size = ask_put_address(&ends->remote.ip, ends->remote.port, ends->ifindex, &address);
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) || set_class(fd, v4) ||
	    set_hops(fd, v4, hops))
		return -errno;
	if (connect(fd, (struct sockaddr *)&address, size) && errno != EINPROGRESS)
		ret->err = errno;
	else
		watch_connect(fd, tap, ends, answer_ms, ret);
	ret->known = true;
	return 0;
}

/* True if the path leaves over a link without the source address: only a reply counts then. */
static bool is_crossed(const struct check *c, const struct path_ends *ends)
{
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, &ends->local);

	return link && ends->ifindex && link->ifindex != ends->ifindex &&
	       !(link->flags & IFF_LOOPBACK);
}

/* True if a router may still send an ICMP error for a SYN without a reply. */
static bool may_hear_router(struct check *c, const struct path_ends *ends,
			    const struct probe_result *way)
{
	struct route_answer route = {};

	return way->sent && !way->connected && !way->answered && !way->unreachable && !way->err &&
	       c->n_asked <= MAX_LONG_WAITS && !is_crossed(c, ends) &&
	       !c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, &route) &&
	       route.gateway;
}

/* True if a join between the same addresses is pending, except the finished trial's. */
static bool has_waiting_join(const struct check *c, const struct path_ends *ends)
{
	const struct nvme_mptcp_connection *over = c->trial ? c->trial->conn : NULL;

	FOR_EACH(sf, c->snap->subflows, c->snap->n_subflows)
		if (sf->state == STATE_SYN_SENT && sf->connection != over &&
		    address_equal(&sf->local.ip, &ends->local) &&
		    address_equal(&sf->remote.ip, &ends->remote.ip))
			return true;
	return false;
}

static bool copy_heard(const struct check *c, const struct path_ends *ends,
		       struct probe_result *ret)
{
	for (size_t i = 0; i < c->n_heard; i++) {
		const struct probe_result *heard = &c->heard[i].answer;

		if (!address_equal(&c->heard[i].ends.local, &ends->local) ||
		    !address_equal(&c->heard[i].ends.remote.ip, &ends->remote.ip))
			continue;
		ret->unreachable = true;
		ret->expired = heard->expired;
		ret->filtered = heard->filtered;
		ret->no_route = heard->no_route;
		ret->from = heard->from;
		return true;
	}
	return false;
}

/* Note an ICMP error for each pending join that it is about: one wait serves all of them. */
static void note_pending(struct check *c, const struct packet *packet,
			 const struct sockaddr_ll *where)
{
	FOR_EACH(sf, c->snap->subflows, c->snap->n_subflows) {
		const struct path_ends ends = { sf->local.ip, sf->remote, sf->ifindex };
		struct probe_result answer = {};

		if (sf->state != STATE_SYN_SENT || c->n_heard == MAX_HEARD ||
		    address_is_v4(&sf->local.ip) != packet->v4 || copy_heard(c, &ends, &answer))
			continue;
		note_packet(packet, where, &ends, 0, &answer);
		if (answer.unreachable)
			c->heard[c->n_heard++] = (struct heard){ ends, answer };
	}
}

static void read_errors(struct check *c, int tap, const struct path_ends *ends,
			struct probe_result *ret)
{
	uint8_t data[256];

	for (;;) {
		struct sockaddr_ll where = {};
		uint16_t tag;
		ssize_t n = ask_read_packet(tap, data, sizeof(data), &where, &tag);
		struct packet packet;

		if (n < 0)
			return;
		if (!ask_take_packet(data, (size_t)n, address_is_v4(&ends->local), &packet) ||
		    packet.protocol == IPPROTO_TCP)
			continue;
		note_pending(c, &packet, &where);
		note_packet(&packet, &where, ends, 0, ret);
	}
}

/* Wait for ICMP errors about pending joins or an earlier SYN. */
static void wait_for_icmp(struct check *c, const struct path_ends *ends, int most_ms,
			  struct probe_result *ret)
{
	const struct timespec slice = { .tv_nsec = SLICE_MS * 1000000L };
	const int64_t begin = trial_clock();
	_cleanup_(close) int tap = -1;

	if (copy_heard(c, ends, ret))
		return;
	tap = ask_open_capture(address_is_v4(&ends->local), 0);
	while (tap >= 0 && !ret->unreachable && trial_clock() - begin < most_ms) {
		nanosleep(&slice, NULL);
		read_errors(c, tap, ends, ret);
	}
	c->waited += trial_clock() - begin;
	ret->after_wait = ret->unreachable && !has_waiting_join(c, ends);
}

/* Return how long to wait: an earlier wait for pending joins counts. */
static int waiting_time(const struct check *c, const struct path_ends *ends)
{
	const int64_t left = WAITING_MS - c->waited;

	return !has_waiting_join(c, ends) || left < QUIET_MS ? QUIET_MS : (int)left;
}

/* Find the last router reached: each router reports a packet whose hop limit it exhausts. */
static void count_hops(const struct path_ends *ends, struct probe_result *ret)
{
	ret->traced = true;
	for (int hops = 1; hops <= MAX_HOPS; hops++) {
		struct probe_result answer;

		if (ask_try_way(ends, hops, HOP_MS, &answer) || !answer.expired)
			return;
		ret->last = answer.from;
		ret->hops = (unsigned int)hops;
	}
}

/* True if the neighbour was asked for in vain. The kernel drops such entries when it has many. */
static bool is_silent(struct check *c, const struct route_answer *route, const struct in6_addr *ip,
		      const struct probe_result *way)
{
	int state = c->ops->neighbour(c, route->ifindex, ip);

	if (state == -ENOENT)
		return way->hop_solicited && !way->sent;
	return state > 0 && (state & (NUD_FAILED | NUD_INCOMPLETE));
}

/* Find out if this machine's firewall drops ARP or neighbour discovery of the next hop. */
static int find_dropped_discovery(struct check *c, const struct path_ends *ends,
				  struct probe_result *ret)
{
	const struct nvme_mptcp_link *link;
	struct probe_result again = *ret;
	struct route_answer route = {};
	struct path_ends near = *ends;
	int err = 0;

	if (ret->sent || ret->unreachable ||
	    c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, &route) ||
	    (route.gateway && !address_is_v4(&route.hop)))
		return 0;
	if (route.gateway)
		near.remote.ip = route.hop;
	link = link_by_index(c->snap, route.ifindex);
	/* A bridge or bond gets what arrives at its ports. */
	if (!link || !link_is_alive(link) || (link->master && !link->in_vrf) ||
	    !is_silent(c, &route, &near.remote.ip, ret))
		return 0;
	/* The kernel may have given up on the neighbour; this makes it ask again. */
	again.hop_solicited &= !route.gateway;
	for (int i = 0; i < ASK_TIMES && !err && !again.hop_solicited; i++)
		err = ask_try_way(&near, -1, WAY_MS, &again);
	if (!route.gateway)
		*ret = again;
	ret->hop_filtered = !err && !again.sent && (!again.hop_solicited || again.hop_advertised) &&
			    is_silent(c, &route, &near.remote.ip, &again);
	ret->hop_advertised = again.hop_advertised;
	return err;
}

int ask_probe_path(struct check *c, const struct path_ends *ends, struct probe_result *ret)
{
	struct path_ends other = *ends;
	struct probe_result closed;
	int err;

	if (ends->option)
		return ask_option(ends, ret);
	err = ask_try_way(ends, -1, WAY_MS, ret);
	if (!err)
		err = find_dropped_discovery(c, ends, ret);
	if (!err && may_hear_router(c, ends, ret)) {
		wait_for_icmp(c, ends, waiting_time(c, ends), ret);
		if (!ret->unreachable)
			err = ask_try_way(ends, -1, ROUTER_MS, ret);
		if (!err && !ret->unreachable && !ret->answered)
			count_hops(ends, ret);
	}
	other.remote.port = CLOSED_PORT;
	if (!err && ret->refused && !ret->closed && !ask_try_way(&other, -1, WAY_MS, &closed)) {
		ret->rejected = closed.closed;
		ret->nearer = closed.closed && closed.ttl < ret->ttl;
	}
	return err;
}
