/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of the kernel log: which are the NVMe host driver's, and what they say. */
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"
#include "fabrics/kmsg.h"

static void assert_text(const char *record, const char *text)
{
	char *parsed = NULL;

	assert_int_equal(kmsg_parse(record, strlen(record), &parsed), 0);
	assert_string_equal(parsed, text);
	free(parsed);
}

static void assert_ignored(const char *record, size_t n)
{
	char *parsed = (char *)"untouched";

	assert_int_equal(kmsg_parse(record, n, &parsed), -ENOMSG);
	assert_string_equal(parsed, "untouched");
}

#define IGNORED(record) assert_ignored(record, sizeof(record) - 1)

TEST(test_ours)
{
	assert_text("6,1234,567890,-;nvme nvme0: failed to connect socket: -111\n"
		    " SUBSYSTEM=nvme\n DEVICE=c246:0\n",
		    "nvme nvme0: failed to connect socket: -111");
	assert_text("3,1,2,-,caller=T17;nvme_fabrics: no handler found for transport mptcp.\n",
		    "nvme_fabrics: no handler found for transport mptcp.");
	assert_text("4,1,2,c;nvme_tcp: without newline", "nvme_tcp: without newline");
	assert_text("4,1,2,-;nvme nvme0: subsysnqn \\x1b[31m; a semicolon \n",
		    "nvme nvme0: subsysnqn \\x1b[31m; a semicolon");
	assert_text("4,1,2,-;nvme nvme0: raw \x1b[31m\x80\n", "nvme nvme0: raw \\x1b[31m\\x80");
}

TEST(test_others)
{
	IGNORED("6,1,2,-;nvmet: creating nvm controller 1\n");
	IGNORED("6,1,2,-;eth0: link up\n");
	IGNORED("12,1,2,-;nvme nvme0: written by a program\n"); /* facility user */
	IGNORED("6,1,2,-;nvm");
	IGNORED("6,1,2,-");
	IGNORED("6,1,2,-;");
	IGNORED(";nvme nvme0: no prefix\n");
	IGNORED("x,1,2,-;nvme nvme0: no number\n");
	IGNORED("99999999999999999999,1,2,-;nvme nvme0: huge\n");
	IGNORED("6");
	IGNORED("");
}

TEST(test_instance)
{
	assert_int_equal(kmsg_instance("nvme nvme0: x"), 0);
	assert_int_equal(kmsg_instance("nvme nvme123: x"), 123);
	assert_int_equal(kmsg_instance("nvme nvme: x"), -1);
	assert_int_equal(kmsg_instance("nvme nvme1c2n1: x"), -1);
	assert_int_equal(kmsg_instance("nvme nvme99999999999999999999: x"), -1);
	assert_int_equal(kmsg_instance("nvme_fabrics: x"), -1);
	assert_int_equal(kmsg_instance(""), -1);
}

/* A packet socket hands out one record per read and EAGAIN at the end, as /dev/kmsg does. */
static int log_of(const char *const *records, size_t n)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(send(fds[1], records[i], strlen(records[i]), 0),
				 strlen(records[i]));
	dup2(fds[1], 200);
	close(fds[1]);
	return fds[0];
}

static bool is_nvme7(int instance)
{
	return instance == 7;
}

TEST(test_collect)
{
	static const char *const records[] = {
		"6,1,2,-;eth0: link up\n",
		"4,2,2,-;nvme nvme7: reconnecting\n",
		"3,3,2,-;nvme nvme0: failed to connect socket: -111\n",
		"3,4,2,-;nvme nvme0: failed to connect socket: -111\n",
		"3,5,2,-;nvme_tcp: second\n",
	};
	char *text = NULL;
	int fd = log_of(records, 5);

	assert_int_equal(kmsg_collect(fd, is_nvme7, &text), 0);
	assert_string_equal(text, "nvme nvme0: failed to connect socket: -111; nvme_tcp: second");
	free(text);
	close(fd);
	close(200);
}

TEST(test_collect_last)
{
	static const char *const records[] = {
		"6,1,2,-;nvme_a: 1\n", "6,1,2,-;nvme_a: 2\n", "6,1,2,-;nvme_a: 3\n",
		"6,1,2,-;nvme_a: 4\n", "6,1,2,-;nvme_a: 5\n", "6,1,2,-;nvme_a: 6\n",
	};
	char *text = NULL;
	int fd = log_of(records, 6);

	assert_int_equal(kmsg_collect(fd, NULL, &text), 0);
	assert_string_equal(text, "nvme_a: 3; nvme_a: 4; nvme_a: 5; nvme_a: 6");
	free(text);
	close(fd);
	fd = log_of(NULL, 0);
	assert_int_equal(kmsg_collect(fd, NULL, &text), -ENOMSG);
	close(fd);
	close(200);
	assert_int_equal(kmsg_collect(-1, NULL, &text), -ENOMSG);
}

/* A log that cannot be opened is none: 0 would be standard input. */
TEST(test_no_log)
{
	struct rlimit before;
	int fd;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, before.rlim_max }), 0);
	fd = kmsg_open();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(fd == -EMFILE || fd == -ENOENT || fd == -EACCES || fd == -EPERM);
}
