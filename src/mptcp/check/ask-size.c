// SPDX-License-Identifier: LGPL-2.1-or-later
/* Path MTU probe: echo requests of full size that must not be fragmented. */
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define ROUNDS 3
#define ROUND_MS 300
#define SMALL 64
#define LARGEST 65535
#define SMALL_ID 1
#define LARGE_ID 2
#define FIRST_ID 10 /* of those that are counted */
#define PAUSE_MS 10 /* between them */
#define LEAVE_MS 100

static size_t ip_header(const struct size_probe *probe)
{
	return address_is_v4(&probe->ends.local) ? 20 : 40;
}

/* Open a raw ICMP socket, bound to the near end and connected to the far one; -1 on failure. */
static int open_echo(const struct path_ends *ends)
{
	bool v4 = address_is_v4(&ends->local);
	int never = v4 ? IP_PMTUDISC_PROBE : IPV6_PMTUDISC_PROBE;
	int level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	int fd = ask_open_bound(ends, SOCK_RAW, v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);
	struct sockaddr_storage address;
	socklen_t size;

	if (fd < 0)
		return -1;
	size = ask_put_address(&ends->remote.ip, 0, ends->ifindex, &address);
	if (!setsockopt(fd, level, v4 ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER, &never,
			sizeof(never)) &&
	    !connect(fd, (struct sockaddr *)&address, size))
		return fd;
	close(fd);
	return -1;
}

/* Fields of struct icmphdr for an echo, which both families share. */
enum echo_field {
	ECHO_TYPE = 0,
	ECHO_CHECKSUM = 2,
	ECHO_ID = 4,
	ECHO_SEQUENCE = 6,
	ECHO_HEADER = 8,
};

static uint16_t id_of(const struct size_probe *probe)
{
	return (uint16_t)(getpid() ^ probe->fd << 8);
}

static void send_echo(struct size_probe *probe, uint16_t sequence, size_t length, uint8_t *data)
{
	bool v4 = address_is_v4(&probe->ends.local);

	memset(data, 0, length);
	data[ECHO_TYPE] = v4 ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
	ask_put16(data + ECHO_ID, id_of(probe));
	ask_put16(data + ECHO_SEQUENCE, sequence);
	/* The kernel computes it for IPv6. */
	if (v4)
		ask_put16(data + ECHO_CHECKSUM, ask_checksum(0, data, length));
	if (send(probe->fd, data, length, 0) < 0 && errno == EMSGSIZE)
		probe->told = true;
}

/* Return the number of the request that a packet replies to; -1 if it is no such reply. */
static int reply_sequence(const struct size_probe *probe, const uint8_t *data, size_t length)
{
	bool v4 = address_is_v4(&probe->ends.local);
	/* IPv4 raw sockets include the IP header. */
	size_t header = v4 && length ? 4U * (data[0] & 0xf) : 0;
	const uint8_t *echo = data + header;

	if (length < header + ECHO_HEADER ||
	    echo[ECHO_TYPE] != (v4 ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY) ||
	    ask_get16(echo + ECHO_ID) != id_of(probe))
		return -1;
	return ask_get16(echo + ECHO_SEQUENCE);
}

static void take_reply(struct size_probe *probe, const uint8_t *data, size_t length)
{
	const int sequence = reply_sequence(probe, data, length);

	if (sequence == SMALL_ID) {
		if (!probe->small)
			probe->rtt_ms = trial_clock() - probe->sent_ms;
		probe->small = true;
	}
	probe->large |= sequence == LARGE_ID;
}

static void take_echoes(struct size_probe *probe, uint8_t *data)
{
	ssize_t n;

	while ((n = recv(probe->fd, data, LARGEST, 0)) >= 0)
		take_reply(probe, data, (size_t)n);
	probe->told |= errno == EMSGSIZE;
}

static bool is_settled(const struct size_probe *probe)
{
	return probe->fd < 0 || probe->large || probe->told;
}

/* Send unanswered requests again and wait. False once all results are known. */
static bool run_round(struct size_probe *probe, size_t n, uint8_t *data)
{
	struct pollfd ready[SIZES];
	bool waits = false;

	for (size_t i = 0; i < n; i++) {
		if (is_settled(&probe[i]))
			continue;
		if (!probe[i].small)
			probe[i].sent_ms = trial_clock();
		send_echo(&probe[i], SMALL_ID, SMALL, data);
		send_echo(&probe[i], LARGE_ID, (size_t)probe[i].mtu - ip_header(&probe[i]), data);
	}
	for (int waited = 0; waited < ROUND_MS; waited += ROUND_MS / 10) {
		waits = false;
		for (size_t i = 0; i < n; i++) {
			ready[i] = (struct pollfd){ is_settled(&probe[i]) ? -1 : probe[i].fd,
						    POLLIN, 0 };
			waits |= ready[i].fd >= 0;
		}
		if (!waits)
			return false;
		poll(ready, n, ROUND_MS / 10);
		for (size_t i = 0; i < n; i++)
			if (ready[i].fd >= 0)
				take_echoes(&probe[i], data);
	}
	return waits;
}

/* True if the packet is the large request, on its way out. */
static bool is_large_leaving(const struct size_probe *probe, const uint8_t *data, size_t length)
{
	const size_t header = address_is_v4(&probe->ends.local) ? 4U * (data[0] & 0xf) : 40;
	const uint8_t *echo = data + header;

	return length >= header + ECHO_HEADER && ask_get16(echo + ECHO_ID) == id_of(probe) &&
	       ask_get16(echo + ECHO_SEQUENCE) == LARGE_ID;
}

/* Send the large request again, and watch if it leaves. */
static bool is_kept(struct size_probe *probe, uint8_t *data)
{
	_cleanup_(close) int tap = ask_open_capture(address_is_v4(&probe->ends.local), 0);
	const int64_t end = trial_clock() + LEAVE_MS;

	if (tap < 0)
		return false;
	send_echo(probe, LARGE_ID, (size_t)probe->mtu - ip_header(probe), data);
	while (trial_clock() < end) {
		struct pollfd ready = { .fd = tap, .events = POLLIN };
		struct sockaddr_ll where = {};
		socklen_t size = sizeof(where);
		ssize_t length;

		if (poll(&ready, 1, LEAVE_MS / 10) <= 0)
			continue;
		length = recvfrom(tap, data, LARGEST, 0, (struct sockaddr *)&where, &size);
		if (length > 0 && where.sll_pkttype == PACKET_OUTGOING &&
		    where.sll_protocol != htons(ETH_P_ARP) &&
		    is_large_leaving(probe, data, (size_t)length))
			return false;
	}
	return true;
}

/* Read replies until @end, or until all are there. */
static void count_echoes(struct size_probe *probe, size_t n, uint32_t *seen, int64_t end,
			 uint8_t *data)
{
	bool waits = true;

	while (waits && trial_clock() < end) {
		struct pollfd ready[SIZES];

		waits = false;
		for (size_t i = 0; i < n; i++) {
			const bool all = probe[i].fd < 0 || seen[i] == (1U << ECHOES) - 1;

			ready[i] = (struct pollfd){ all ? -1 : probe[i].fd, POLLIN, 0 };
			waits |= !all;
		}
		if (waits)
			poll(ready, n, PAUSE_MS);
		for (size_t i = 0; i < n; i++) {
			ssize_t length;

			while (ready[i].fd >= 0 &&
			       (length = recv(ready[i].fd, data, LARGEST, 0)) >= 0) {
				const int sequence =
					reply_sequence(&probe[i], data, (size_t)length);

				if (sequence >= FIRST_ID && sequence < FIRST_ID + (int)ECHOES)
					seen[i] |= 1U << (sequence - FIRST_ID);
			}
		}
	}
}

void ask_losses(struct check *c, struct size_probe *probe, size_t n)
{
	_cleanup_(free) uint8_t *data = malloc(LARGEST);
	uint32_t seen[SIZES] = {};

	if (!data) {
		c->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++)
		probe[i].fd = open_echo(&probe[i].ends);
	for (uint16_t sequence = 0; sequence < ECHOES; sequence++) {
		for (size_t i = 0; i < n; i++)
			if (probe[i].fd >= 0)
				send_echo(&probe[i], FIRST_ID + sequence, SMALL, data);
		count_echoes(probe, n, seen, trial_clock() + PAUSE_MS, data);
	}
	count_echoes(probe, n, seen, trial_clock() + ROUND_MS, data);
	for (size_t i = 0; i < n; i++) {
		probe[i].echoes = (unsigned int)__builtin_popcount(seen[i]);
		if (probe[i].fd >= 0)
			close(probe[i].fd);
	}
}

/* True if a request gets a reply. */
static bool is_answered(struct size_probe *probe, uint16_t sequence, size_t length, uint8_t *data)
{
	const int64_t end = trial_clock() + ROUND_MS;
	bool *answered = sequence == LARGE_ID ? &probe->large : &probe->small;

	*answered = false;
	send_echo(probe, sequence, length, data);
	while (!*answered && !probe->told && trial_clock() < end) {
		struct pollfd ready = { .fd = probe->fd, .events = POLLIN };

		poll(&ready, 1, ROUND_MS / 10);
		take_echoes(probe, data);
	}
	return *answered;
}

/*
 * A firewall that limits the rate of echo requests lets one pass after a while, and a small one
 * right after a large one if the limit is not the reason.
 */
static void confirm(struct size_probe *probe, uint8_t *data)
{
	const struct timespec pause = { .tv_sec = 1, .tv_nsec = 100 * 1000000 };
	const size_t large = (size_t)probe->mtu - ip_header(probe);

	nanosleep(&pause, NULL);
	if (!is_answered(probe, LARGE_ID, large, data) && !probe->told)
		is_answered(probe, SMALL_ID, SMALL, data);
}

void ask_sizes(struct check *c, struct size_probe *probe, size_t n)
{
	_cleanup_(free) uint8_t *data = malloc(LARGEST);

	if (!data) {
		c->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++)
		probe[i].fd = open_echo(&probe[i].ends);
	for (int round = 0; round < ROUNDS && run_round(probe, n, data); round++)
		;
	for (size_t i = 0; i < n; i++) {
		if (!is_settled(&probe[i]) && probe[i].small)
			confirm(&probe[i], data);
		probe[i].kept =
			!is_settled(&probe[i]) && probe[i].small && is_kept(&probe[i], data);
	}
	for (size_t i = 0; i < n; i++)
		if (probe[i].fd >= 0)
			close(probe[i].fd);
}
