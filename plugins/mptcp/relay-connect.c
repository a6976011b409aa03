// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attempts of a relay to connect. A host's relay tries MPTCP. If there is no reply, it tries plain
 * TCP, since a middlebox may drop SYNs with the MPTCP option. If that connects, the target may as
 * well have returned just now: MPTCP gets one more attempt, and the TCP connection is used only if
 * that has no reply either. The kernel could do all this with one socket, but without the last
 * attempt: it would then suspend MPTCP for an hour, for all programs
 * (mptcp_active_detect_blackhole()).
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "relay-pump.h"

/*
 * Timeout of one attempt in ms: two SYNs, as of nvme-tcp. After 3 s the kernel would send a SYN
 * without the option. All three attempts are over before nvme-tcp gives up, after 10 s.
 */
#define ATTEMPT_MS 2000
/* The same for a portal where SYNs with the option had no reply: enough to notice that they have. */
#define KNOWN_MS 300
/* The same for a target's relay, whose only attempt is a TCP connection to nvmet. */
#define TARGET_MS 8000

void relay_connect_begin(struct relay_pump *pump, struct relay_conn *c)
{
	const bool is_known =
		!c->is_target && relay_outcomes_is_plain(pump->args.outcomes, c->portal);

	c->deadline = keep_clock_ms() + (c->is_target ? TARGET_MS
					 : is_known   ? KNOWN_MS
						      : ATTEMPT_MS);
	c->attempt = RELAY_FIRST;
	c->plain = -1;
}

int relay_connect_watch(struct relay_conn *c, int i)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET,
		.data.ptr = &c->side[i],
	};

	return epoll_ctl(c->worker->epoll, EPOLL_CTL_ADD, c->side[i].fd, &event) ? -errno : 0;
}

static void note_outcome(const struct relay_conn *c, int err)
{
	relay_outcomes_note(c->worker->pump->args.outcomes, c->portal, c->peer, err);
}

/* Replace side[1] by @fd, and watch that. Return 0 or -errno. */
static int set_side(struct relay_conn *c, int fd, enum relay_attempt attempt)
{
	c->side[1].fd = fd;
	c->side[1].is_urgent = false;
	c->attempt = attempt;
	c->deadline = keep_clock_ms() + ATTEMPT_MS;
	return relay_connect_watch(c, 1);
}

static int new_socket(struct relay_conn *c, bool is_mptcp)
{
	const nvme_mptcp_relay_t relay = c->worker->pump->args.relay;

	if (!relay) {
		errno = ECANCELED;
		return -1;
	}
	return nvme_mptcp_relay_connect(relay, c->portal, c->peer, is_mptcp);
}

static int try_tcp(struct relay_conn *c)
{
	const bool is_known = relay_outcomes_is_plain(c->worker->pump->args.outcomes, c->portal);
	const int fd = new_socket(c, false);

	if (fd < 0)
		return errno == ECANCELED ? -ETIMEDOUT : -errno;
	relay_reset_socket(c->side[1].fd);
	return set_side(c, fd, is_known ? RELAY_PLAIN : RELAY_SECOND);
}

/* Connected over TCP: set that socket aside, and try MPTCP once more. */
static int try_mptcp_again(struct relay_conn *c)
{
	const int fd = new_socket(c, true);

	if (fd < 0)
		return -errno;
	epoll_ctl(c->worker->epoll, EPOLL_CTL_DEL, c->side[1].fd, NULL);
	c->plain = c->side[1].fd;
	return set_side(c, fd, RELAY_THIRD);
}

/* MPTCP has failed once more: use the TCP connection. Watching it causes another event. */
static int use_plain(struct relay_conn *c)
{
	const int fd = c->plain;

	relay_reset_socket(c->side[1].fd);
	c->plain = -1;
	return set_side(c, fd, RELAY_PLAIN);
}

/*
 * Return the events of side[1] now: those that epoll reported may belong to the socket of an
 * earlier attempt.
 */
static int read_events(const struct relay_conn *c)
{
	struct pollfd p = { .fd = c->side[1].fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0 ? p.revents : 0;
}

int relay_connect_result(struct relay_conn *c)
{
	const int events = read_events(c);
	int err = 0, next = 1;
	socklen_t size = sizeof(err);

	if (!events)
		return -EINPROGRESS;
	if (getsockopt(c->side[1].fd, SOL_SOCKET, SO_ERROR, &err, &size))
		err = errno;
	if (!err && (events & POLLHUP))
		err = ECONNRESET;
	if (err && c->attempt == RELAY_THIRD)
		next = use_plain(c);
	else if (!err && c->attempt == RELAY_SECOND)
		next = try_mptcp_again(c);
	if (!next)
		return -EINPROGRESS;
	if (next < 0)
		err = -next;
	relay_connect_end(c);
	note_outcome(c, !err && c->attempt == RELAY_PLAIN ? EPROTONOSUPPORT : err);
	return -err;
}

int relay_connect_expired(struct relay_conn *c)
{
	int err = -ETIMEDOUT;

	if (c->attempt == RELAY_THIRD)
		err = use_plain(c);
	else if (c->attempt == RELAY_FIRST && !c->is_target)
		err = try_tcp(c);
	if (err)
		note_outcome(c, -err);
	return err;
}

void relay_connect_end(struct relay_conn *c)
{
	if (c->plain >= 0)
		relay_reset_socket(c->plain);
	c->plain = -1;
}
