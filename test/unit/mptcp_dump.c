/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dumps of a kernel that is busy, out of memory, interrupted, or not the only one that sends. */
#include <sys/socket.h>

#include "mptcp_no_socket.h"

#define MANY 1000

/* What happens at one call of recvmsg(): an error, or a datagram of one endpoint and an end. */
struct turn {
	int err;
	uint16_t flags; /* of the messages */
	uint32_t from; /* port that it comes from */
	uint32_t seq_before; /* so many requests ago is what it answers */
	int endpoints;
	bool ends;
	bool truncated;
	int dump_error;
};

static const struct turn *turns;
static size_t n_turns, at, n_requests;
static int send_errors;
static size_t room;
static uint32_t seq;

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	if (send_errors) {
		send_errors--;
		errno = EINTR;
		return -1;
	}
	seq = ((const struct nlmsghdr *)buf)->nlmsg_seq;
	n_requests++;
	return (ssize_t)len;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	const struct turn *turn = &turns[at < n_turns - 1 ? at : n_turns - 1];
	struct sockaddr_nl *from = msg->msg_name;
	struct datagram d = {};

	assert_in_range(++at, 1, MANY);
	room = msg->msg_iov->iov_len;
	if (turn->err) {
		errno = turn->err;
		return -1;
	}
	for (int i = 0; i < turn->endpoints; i++) {
		struct nlmsghdr *nlh = put_genl(&d, PM_GET_ADDR);

		nlh->nlmsg_flags |= turn->flags;
		finish(&d, nlh);
	}
	if (turn->ends)
		put_done(&d, turn->flags, turn->dump_error);
	for (size_t i = 0; i < d.len;) {
		struct nlmsghdr *nlh = (void *)(d.data + i);

		nlh->nlmsg_seq = seq - turn->seq_before;
		i += MNL_ALIGN(nlh->nlmsg_len);
	}
	memcpy(msg->msg_iov->iov_base, d.data, d.len);
	*from = (struct sockaddr_nl){ .nl_family = AF_NETLINK, .nl_pid = turn->from };
	msg->msg_namelen = sizeof(*from);
	msg->msg_flags = turn->truncated ? MSG_TRUNC : 0;
	return (ssize_t)d.len;
}

static struct {
	int endpoints, restarts;
} seen;
static struct nl_reply reply;

static int take(const struct nlmsghdr *nlh, void *arg)
{
	seen.endpoints++;
	return 0;
}

static void restart(void *arg)
{
	seen.endpoints = 0;
	seen.restarts++;
}

/* The last turn goes on for ever. */
static int dump(const struct turn *script, size_t n)
{
	_cleanup_(nl_close) struct nl nl = {};
	int err;

	turns = script;
	n_turns = n;
	at = n_requests = 0;
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(nl_open(&nl, NETLINK_GENERIC), 0);
	nl_genl_request(&nl, FAMILY_ID, 0, PM_GET_ADDR, PM_VERSION);
	err = nl_dump(&nl, take, restart, NULL);
	reply = nl.reply;
	return err;
}

#define DUMP(script) dump(script, sizeof(script) / sizeof(*(script)))

TEST(inconsistent_dumps_are_repeated)
{
	static const struct turn script[] = {
		{ .endpoints = 3, .flags = NLM_F_DUMP_INTR, .ends = true },
		{ .endpoints = 2 },
		{ .flags = NLM_F_DUMP_INTR, .ends = true },
		{ .endpoints = 1, .ends = true },
	};

	assert_int_equal(DUMP(script), 0);
	assert_int_equal(n_requests, 3);
	assert_int_equal(seen.restarts, 3);
	assert_int_equal(seen.endpoints, 1);
	assert_false(reply.interrupted);
	assert_int_equal(reply.malformed, 0);
}

/* Something that never stands still is shown as it was last, and said to be like that. */
TEST(repeating_ends)
{
	static const struct turn script[] = {
		{ .endpoints = 4, .flags = NLM_F_DUMP_INTR, .ends = true },
	};

	assert_int_equal(DUMP(script), 0);
	assert_in_range(n_requests, 2, 20);
	assert_int_equal(seen.endpoints, 4);
	assert_true(reply.interrupted);
}

TEST(lost_messages_are_asked_for_again)
{
	static const struct turn script[] = {
		{ .endpoints = 2 },
		{ .err = ENOBUFS },
		{ .endpoints = 2, .seq_before = 1 }, /* the rest of what was given up */
		{ .ends = true, .seq_before = 1 },
		{ .endpoints = 3 },
		{ .endpoints = 1, .ends = true },
	};
	static const struct turn always[] = { { .err = ENOBUFS } };

	assert_int_equal(DUMP(script), 0);
	assert_int_equal(n_requests, 2);
	assert_int_equal(seen.endpoints, 4);
	assert_int_equal(DUMP(always), -ENOBUFS);
	assert_in_range(n_requests, 2, 20);
}

TEST(a_dump_that_still_runs_is_waited_for)
{
	static const struct turn script[] = {
		{ .ends = true, .dump_error = -EBUSY },
		{ .endpoints = 1, .ends = true },
	};

	assert_int_equal(DUMP(script), 0);
	assert_int_equal(seen.endpoints, 1);
}

TEST(signals_do_not_disturb)
{
	static const struct turn script[] = {
		{ .err = EINTR },
		{ .endpoints = 1 },
		{ .err = EINTR },
		{ .endpoints = 1, .ends = true },
	};

	send_errors = 3;
	assert_int_equal(DUMP(script), 0);
	assert_int_equal(n_requests, 1);
	assert_int_equal(seen.endpoints, 2);
}

TEST(silence_ends)
{
	static const struct turn script[] = { { .endpoints = 1 }, { .err = EAGAIN } };

	assert_int_equal(DUMP(script), -ETIMEDOUT);
}

TEST(only_the_kernel_is_believed)
{
	static const struct turn script[] = {
		{ .from = 99, .endpoints = 5, .ends = true },
		{ .from = PORTID, .endpoints = 5, .ends = true },
		{ .endpoints = 1, .ends = true },
	};

	assert_int_equal(DUMP(script), 0);
	assert_int_equal(seen.endpoints, 1);
}

TEST(large_messages_get_room)
{
	static const struct turn script[] = {
		{ .endpoints = 1, .truncated = true },
		{ .endpoints = 2, .ends = true, .seq_before = 1 },
		{ .endpoints = 3, .ends = true },
	};
	static const struct turn always[] = { { .endpoints = 1, .truncated = true } };
	size_t first;

	assert_int_equal(DUMP(script), 0);
	assert_int_equal(seen.endpoints, 3);
	first = room;
	assert_int_equal(DUMP(always), -EMSGSIZE);
	assert_true(room > first);
	assert_in_range(room, 1 << 20, 1 << 24);
}
