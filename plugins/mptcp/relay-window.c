// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MPTCP needs a send buffer of twice the sum of its paths' bandwidths times the longest round-trip
 * time (RFC 6182, section 5.3), because data acknowledged on a short path stays in the buffer until
 * the long path has caught up. The kernel doubles the size that is set, so the product itself is
 * set.
 *
 * Only the delivery rate and the minimum round-trip time are used. Full queues in the network raise
 * neither, so a larger buffer never leads to an even larger one. If the buffer is the limit, up to
 * twice the size that was set is in flight, so the size grows each second until the links are full.
 *
 * On slow links the buffer also adds delay: write commands wait behind data, and until they arrive
 * the target cannot request their data, so some links idle. Fast links get the whole size, since a
 * smaller buffer wakes the writer more often.
 *
 * The kernel's minimum round-trip time expires after five minutes; queues that are always full
 * would then raise it. Here the minimum is kept for the life of the subflow.
 */
#include <linux/mptcp.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include "relay-window.h"

#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

/* Ignore paths that carry less than 1/SMALL_PART of the bytes. */
#define SMALL_PART 64
/*
 * On slow links, the minimum size is reduced to the data of 1/QUEUE_PARTS second, but not below
 * SLOWEST. The delivered bytes of the last second are used, not the delivery rate: the kernel keeps
 * the highest rate of a subflow that had nothing to send.
 */
#define QUEUE_PARTS 32
#define SLOWEST ((size_t)64 << 10)

/* Size of struct tcp_info up to tcpi_delivery_rate, which every kernel with MPTCP has. */
#define INFO_SIZE offsetof(struct tcp_info, tcpi_busy_time)

struct path_answer {
	struct mptcp_subflow_data head;
	char info[WINDOW_PATHS][INFO_SIZE];
};

/*
 * True if @paths are the subflows of the last reading. MPTCP_TCPINFO does not identify subflows,
 * but a byte count that decreased belongs to another one.
 */
static bool is_as_before(const struct relay_window *w, const struct window_path *paths,
			 unsigned int n)
{
	bool is_same = n == w->n;

	for (unsigned int i = 0; is_same && i < n; i++)
		is_same = paths[i].acked >= w->paths[i].acked;
	return is_same;
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static size_t smaller_of(size_t a, uint64_t b)
{
	return a < b ? a : (size_t)b;
}

size_t relay_window_size(struct relay_window *w, const struct window_path *paths, unsigned int n,
			 size_t now, size_t least)
{
	const size_t most = least > WINDOW_MAX ? least : WINDOW_MAX;
	const bool is_known = is_as_before(w, paths, n);
	uint64_t moved = 0, rate = 0, rtt = 0, wanted;

	for (unsigned int i = 0; is_known && i < n; i++)
		moved += paths[i].acked - w->paths[i].acked;
	for (unsigned int i = 0; i < n; i++) {
		const struct window_path before = w->paths[i];

		w->paths[i] = paths[i];
		if (!is_known)
			continue;
		if (before.min_rtt < paths[i].min_rtt)
			w->paths[i].min_rtt = before.min_rtt;
		if (paths[i].acked - before.acked <= moved / SMALL_PART)
			continue;
		rate += paths[i].rate;
		if (w->paths[i].min_rtt > rtt)
			rtt = w->paths[i].min_rtt;
	}
	w->n = n;
	if (moved)
		least = smaller_of(least, larger_of(moved / QUEUE_PARTS, SLOWEST));
	wanted = rate ? rate / 1000 * rtt / 1000 : now;
	wanted = wanted < least ? least : wanted > most ? most : wanted;
	/* Rates vary, so small changes are ignored. */
	return wanted > now + now / 4 || wanted + wanted / 2 < now ? (size_t)wanted : now;
}

static struct window_path read_window_path(const struct tcp_info *info)
{
	return (struct window_path){ .acked = info->tcpi_bytes_acked,
				     .rate = info->tcpi_delivery_rate,
				     .min_rtt = info->tcpi_min_rtt };
}

/*
 * Read the paths and return their number. A connection that fell back has one, read from TCP_INFO.
 */
static unsigned int ask_window_paths(int fd, struct window_path paths[static WINDOW_PATHS])
{
	struct path_answer answer = { .head = { .size_subflow_data = sizeof(answer.head),
						.size_user = INFO_SIZE } };
	struct tcp_info info = {};
	socklen_t size = sizeof(answer), info_size = sizeof(info);
	unsigned int n;

	if (getsockopt(fd, SOL_MPTCP, MPTCP_TCPINFO, &answer, &size)) {
		if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_size))
			return 0;
		paths[0] = read_window_path(&info);
		return 1;
	}
	n = answer.head.num_subflows < WINDOW_PATHS ? answer.head.num_subflows : WINDOW_PATHS;
	for (unsigned int i = 0; i < n; i++) {
		memcpy(&info, answer.info[i], INFO_SIZE);
		paths[i] = read_window_path(&info);
	}
	return n;
}

void relay_window_follow(struct relay_window *w, int fd, size_t least)
{
	struct window_path paths[WINDOW_PATHS];
	const unsigned int n = ask_window_paths(fd, paths);
	int size = 0;
	socklen_t length = sizeof(size);
	size_t now, wanted;

	if (!n || getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length) || size <= 0)
		return;
	now = (size_t)size / 2;
	wanted = relay_window_size(w, paths, n, now, least);
	if (wanted == now)
		return;
	size = (int)wanted;
	/* Without CAP_NET_ADMIN, net.core.wmem_max is the limit. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}
