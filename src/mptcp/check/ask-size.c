// SPDX-License-Identifier: LGPL-2.1-or-later
/* Path MTU probe: echo requests of full size that must not be fragmented. */
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define ROUNDS 3
#define ROUND_MS 300
#define SMALL 64
#define LARGEST 65535
#define SMALL_ID 1
#define LARGE_ID 2

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

static void take_reply(struct size_probe *probe, const uint8_t *data, size_t length)
{
	bool v4 = address_is_v4(&probe->ends.local);
	/* IPv4 raw sockets include the IP header. */
	size_t header = v4 && length ? 4U * (data[0] & 0xf) : 0;
	const uint8_t *echo = data + header;

	if (length < header + ECHO_HEADER ||
	    echo[ECHO_TYPE] != (v4 ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY) ||
	    ask_get16(echo + ECHO_ID) != id_of(probe))
		return;
	if (ask_get16(echo + ECHO_SEQUENCE) == SMALL_ID) {
		if (!probe->small)
			probe->rtt_ms = trial_clock() - probe->sent_ms;
		probe->small = true;
	}
	probe->large |= ask_get16(echo + ECHO_SEQUENCE) == LARGE_ID;
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
	for (size_t i = 0; i < n; i++)
		if (probe[i].fd >= 0)
			close(probe[i].fd);
}
