// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find out if a target announces addresses to a new connection, and what happens to the
 * announcement. An announcement (ADD_ADDR) is a packet without data. If it is dropped, the target
 * repeats it only after minutes; but a gap in the IP identifiers of an IPv4 socket shows that a
 * packet is missing.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include "rules.h"
#include "mptcp/netlink/uapi.h"
#include "mptcp/trial/trial-state.h"

#define PARTS 2 /* of ICReq, to see identifiers before and after an announcement */
#define ICREQ_SIZE 128
#define TRIES 3
#define LOST 2 /* of these */
#define PART_MS 300
#define CONNECT_MS 1000
#define MAX_PACKETS 32
#define MAX_MISSING 4 /* larger gaps mean that identifiers are not sequential */
#define IP4_ID 4
#define IP4_PROTOCOL 9
#define LEAST 20
#define FLAGS 13

/* Packets that arrived from the target, and the kernel's state. */
struct seen {
	uint16_t id[MAX_PACKETS];
	size_t n;
	bool announces, followed;
};

static void take_numbers(const uint8_t *data, size_t length, uint16_t port, struct seen *seen)
{
	const size_t header = length ? 4U * (data[0] & 0xf) : 0;
	const uint8_t *segment = data + header;

	if (length < header + LEAST || data[IP4_PROTOCOL] != IPPROTO_TCP ||
	    ask_get16(segment + 2) != port || (segment[FLAGS] & (TH_SYN | TH_RST)))
		return;
	seen->announces |= ask_read_options(segment, length - header).announces;
	if (seen->n < MAX_PACKETS)
		seen->id[seen->n++] = ask_get16(data + IP4_ID);
}

static void watch_numbers(int tap, uint16_t port, int ms, struct seen *seen)
{
	const int64_t end = trial_clock() + ms;
	struct sockaddr_ll where = {};
	uint8_t data[256];
	size_t n;

	while ((n = ask_next_packet(tap, end, data, sizeof(data), &where)))
		take_numbers(data, n, port, seen);
}

/* Return the number of missing identifiers; -1 if identifiers are not sequential. */
static int missing_numbers(const struct seen *seen)
{
	int missing = 0;

	for (size_t i = 1; i < seen->n; i++) {
		const uint16_t step = (uint16_t)(seen->id[i] - seen->id[i - 1]);

		if (!step || step > MAX_MISSING + 1)
			return -1;
		missing += step - 1;
	}
	return seen->n < PARTS ? -1 : missing;
}

/* Connect and send an ICReq in parts. Acknowledgements suffice, without a reply. */
static int converse(const struct path_ends *ends, struct seen *seen)
{
	static const uint8_t icreq[ICREQ_SIZE] = { 0, 0, ICREQ_SIZE, 0, ICREQ_SIZE };
	const struct linger at_once = { .l_onoff = 1 };
	_cleanup_(close) int fd = ask_open_bound(ends, SOCK_STREAM, IPPROTO_MPTCP);
	_cleanup_(close) int tap = -1;
	struct sockaddr_storage address;
	struct mptcp_info_wire info = {};
	socklen_t length = sizeof(info);
	socklen_t size =
		ask_put_address(&ends->remote.ip, ends->remote.port, ends->ifindex, &address);
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	tap = ask_open_capture(true, ask_port_of(fd));
	if (tap < 0)
		return tap;
	if ((connect(fd, (struct sockaddr *)&address, size) && errno != EINPROGRESS) ||
	    poll(&ready, 1, CONNECT_MS) <= 0)
		return -ETIMEDOUT;
	for (size_t i = 0; i < PARTS; i++) {
		if (send(fd, icreq + i * (ICREQ_SIZE / PARTS), ICREQ_SIZE / PARTS, MSG_NOSIGNAL) <
		    0)
			return -errno;
		watch_numbers(tap, ask_port_of(fd), PART_MS, seen);
	}
	seen->followed =
		!getsockopt(fd, SOL_MPTCP, SOCKOPT_INFO, &info, &length) && info.add_addr_accepted;
	return 0;
}

enum announced ask_announced(struct check *c, const struct path_ends *ends)
{
	int lost = 0;

	(void)c;
	if (!address_is_v4(&ends->local))
		return ANNOUNCED_UNKNOWN;
	for (size_t i = 0; i < TRIES; i++) {
		struct seen seen = {};
		int missing = converse(ends, &seen) ? -1 : missing_numbers(&seen);

		if (seen.announces)
			return seen.followed ? ANNOUNCED_FOLLOWED : ANNOUNCED_ARRIVES;
		if (!missing)
			return ANNOUNCED_NONE;
		/* One lost packet may be chance. */
		lost += missing > 0;
		if (lost == LOST)
			return ANNOUNCED_LOST;
	}
	return ANNOUNCED_UNKNOWN;
}
