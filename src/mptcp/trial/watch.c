// SPDX-License-Identifier: LGPL-2.1-or-later
/* Watch a trial connection: its subflows through its socket, its events from the path manager. */
#include <sys/socket.h>

#include "base/pause.h"
#include "trial-state.h"

#define POLL_MS 50
#define QUIET_MS 1200 /* lost announcements are repeated after at least 1 s */
#define MOST_TIMES 3 /* the whole watch, as a multiple of the time for one join */
#define MAX_SUBFLOWS 64
#define SOCKET_BUFFER (1024 * 1024)

/* struct mptcp_subflow_data of linux/mptcp.h and the first bytes of each struct tcp_info. */
struct subflow_states {
	uint32_t header_size;
	uint32_t n;
	uint32_t kernel_size;
	uint32_t user_size;
	struct {
		uint8_t state;
		uint8_t rest[7];
	} subflow[MAX_SUBFLOWS];
};

int64_t trial_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int trial_watch_begin(struct watch *watch)
{
	int size = SOCKET_BUFFER, group, fd;
	int err = pm_open(&watch->nl, &watch->family);

	if (err == -ENOMEM)
		return err;
	if (err || !watch->family.events)
		return 0;
	fd = mnl_socket_get_fd(watch->nl.sock);
	/* Other programs may have many connections. A smaller buffer is acceptable. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	group = (int)watch->family.events;
	watch->listening = !mnl_socket_setsockopt(watch->nl.sock, NETLINK_ADD_MEMBERSHIP, &group,
						  sizeof(group));
	return 0;
}

/* Read the states of the subflows. False if the kernel does not support it or after a fallback. */
static bool ask_states(int fd, struct subflow_states *ret)
{
	socklen_t size = sizeof(*ret);

	memset(ret, 0, sizeof(*ret));
	ret->header_size = offsetof(struct subflow_states, subflow);
	ret->user_size = sizeof(ret->subflow[0]);
	return !getsockopt(fd, SOL_MPTCP, SOCKOPT_TCPINFO, ret, &size) && ret->n <= MAX_SUBFLOWS &&
	       ret->user_size == sizeof(ret->subflow[0]);
}

static bool is_settling(const struct subflow_states *states)
{
	for (uint32_t i = 0; i < states->n; i++)
		if (states->subflow[i].state == STATE_SYN_SENT)
			return true;
	return false;
}

static bool same_states(const struct subflow_states *x, const struct subflow_states *y)
{
	if (x->n != y->n)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->subflow[i].state != y->subflow[i].state)
			return false;
	return true;
}

void trial_watch_subflows(int fd, unsigned int most)
{
	struct subflow_states last = {}, now;
	int64_t begin = trial_clock(), changed = begin, joined = begin;

	for (;;) {
		struct pollfd gone = { .fd = fd };
		int64_t time = trial_clock();

		if (ask_states(fd, &now)) {
			if (!same_states(&last, &now))
				changed = time;
			if (now.n > last.n)
				joined = time;
			last = now;
		}
		if (time - joined >= most || time - begin >= MOST_TIMES * (int64_t)most ||
		    (time - changed >= QUIET_MS && !is_settling(&last)))
			return;
		/* No events are requested, so only the end of the connection wakes it up. */
		if (pause_poll(&gone, POLL_MS) > 0 && (gone.revents & (POLLHUP | POLLERR)))
			return;
	}
}

struct taking {
	const struct watch *watch;
	struct nvme_mptcp_trial *trial;
	uint32_t token;
};

static int keep_event(const struct nlmsghdr *nlh, void *arg)
{
	struct taking *taking = arg;
	struct nvme_mptcp_event ev, *added;
	int err;

	if (nlh->nlmsg_type != taking->watch->family.id)
		return 0;
	err = event_parse(nlh, &ev);
	if (err)
		return err;
	if (ev.token != taking->token)
		return 0;
	added = array_add(&taking->trial->events, &taking->trial->n_events, sizeof(ev));
	if (!added)
		return -ENOMEM;
	*added = ev;
	return 0;
}

int trial_watch_end(struct watch *watch, uint32_t token, struct nvme_mptcp_trial *trial)
{
	struct taking taking = { .watch = watch, .trial = trial, .token = token };
	ssize_t len;

	if (!watch->listening)
		return 0;
	while ((len = nl_receive(&watch->nl, MSG_DONTWAIT)) != -EAGAIN) {
		struct nl_reply reply = { .fn = keep_event, .arg = &taking };

		if (len < 0) {
			watch->lost = true;
			if (len != -ENOBUFS && len != -EMSGSIZE)
				break;
			continue;
		}
		/* Malformed messages are skipped. */
		if (nl_parse(watch->nl.buf, (size_t)len, &reply) == -ENOMEM)
			return -ENOMEM;
	}
	trial->has_events = !watch->lost;
	return 0;
}
