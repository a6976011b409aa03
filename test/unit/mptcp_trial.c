/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trial connections over loopback, to a thread that answers as the test says. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mptcp/trial/pdu.h"
#include "mptcp/trial/trial-state.h"
#include "mptcp_messages.h"

#define PATIENCE_MS 400
#define WATCH_MS 200

static const uint8_t icresp[PDU_IC_SIZE] = { 0x01, 0, 128, 0, 128 };

struct server {
	pthread_t thread;
	int fd;
	uint16_t port;
	const void *answer;
	size_t length;
	bool closes; /* without an answer */
	uint8_t got[PDU_IC_SIZE];
	size_t n_got;
};

static void *serve(void *arg)
{
	struct server *server = arg;
	int fd = accept(server->fd, NULL, NULL);
	char more[64];

	if (fd < 0)
		return NULL;
	while (server->n_got < sizeof(server->got)) {
		ssize_t n = recv(fd, server->got + server->n_got,
				 sizeof(server->got) - server->n_got, 0);

		if (n <= 0)
			break;
		server->n_got += (size_t)n;
	}
	if (server->length)
		send(fd, server->answer, server->length, MSG_NOSIGNAL);
	while (!server->closes && recv(fd, more, sizeof(more), 0) > 0)
		;
	close(fd);
	return NULL;
}

/* Listens; skips the test where the kernel has no such sockets. */
static void start(struct server *server, int family, int protocol)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *address = family == AF_INET ? (void *)&in : (void *)&in6;
	socklen_t size = family == AF_INET ? sizeof(in) : sizeof(in6);

	server->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, protocol);
	if (server->fd < 0 || bind(server->fd, address, size)) {
		print_message("skipped: no MPTCP sockets here: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(listen(server->fd, 8), 0);
	assert_int_equal(getsockname(server->fd, address, &size), 0);
	server->port = ntohs(family == AF_INET ? in.sin_port : in6.sin6_port);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop(struct server *server)
{
	shutdown(server->fd, SHUT_RDWR);
	close(server->fd);
	pthread_join(server->thread, NULL);
}

static nvme_mptcp_trial_t try(const char *traddr, uint16_t port)
{
	struct nvme_mptcp_trial_args args = { .args_size = sizeof(args),
					      .traddr = traddr,
					      .timeout_ms = PATIENCE_MS,
					      .watch_ms = WATCH_MS };
	nvme_mptcp_trial_t trial = NULL;
	char trsvcid[8];

	snprintf(trsvcid, sizeof(trsvcid), "%u", port);
	args.trsvcid = trsvcid;
	assert_int_equal(nvme_mptcp_try(&args, &trial), 0);
	return trial;
}

/* Whether what the kernel knows of a socket can be read: not in qemu-user. */
static bool is_readable(void)
{
	_cleanup_(close) int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);
	char info[512];
	socklen_t size = sizeof(info);

	return !getsockopt(fd, SOL_MPTCP, 1, info, &size); /* MPTCP_INFO */
}

TEST(a_target_over_mptcp)
{
	static const struct {
		int family;
		const char *traddr, *ip;
	} ways[] = {
		{ AF_INET, "127.0.0.1", "127.0.0.1" },
		{ AF_INET, "::ffff:127.0.0.1", "127.0.0.1" },
		{ AF_INET6, "::1", "[::1]" },
	};

	if (!is_readable())
		skip();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct server server = { .answer = icresp, .length = sizeof(icresp) };
		uint8_t request[PDU_IC_SIZE];
		nvme_mptcp_trial_t trial;
		char expected[32];

		start(&server, ways[i].family, IPPROTO_MPTCP);
		trial = try(ways[i].traddr, server.port);
		stop(&server);
		pdu_icreq(request);
		assert_int_equal(server.n_got, sizeof(request));
		assert_memory_equal(server.got, request, sizeof(request));
		snprintf(expected, sizeof(expected), "%s:%u", ways[i].ip, server.port);
		assert_string_equal(nvme_mptcp_trial_portal(trial), expected);
		assert_int_equal(nvme_mptcp_trial_outcome(trial), NVME_MPTCP_TRIAL_MPTCP);
		assert_null(nvme_mptcp_trial_reason(trial));
		assert_non_null(nvme_mptcp_trial_snapshot(trial));
		if (nvme_mptcp_trial_connection(trial)) {
			assert_true(trial->established >= 1);
			assert_true(nvme_mptcp_trial_expected(trial) >= trial->established);
		}
		assert_null(nvme_mptcp_trial_announced_address(trial, 1000));
		nvme_mptcp_trial_free(trial);
	}
}

TEST(a_target_over_plain_tcp)
{
	struct server server = { .answer = icresp, .length = sizeof(icresp) };
	nvme_mptcp_trial_t trial;

	start(&server, AF_INET, IPPROTO_TCP);
	trial = try("127.0.0.1", server.port);
	stop(&server);
	assert_int_equal(nvme_mptcp_trial_outcome(trial), NVME_MPTCP_TRIAL_FALLBACK);
	assert_int_equal(nvme_mptcp_trial_expected(trial), NVME_MPTCP_UNKNOWN);
	assert_non_null(strstr(nvme_mptcp_trial_reason(trial), "plain TCP"));
	nvme_mptcp_trial_free(trial);
}

TEST(what_is_no_target)
{
	static const struct {
		const char *answer;
		size_t length;
		bool closes;
		const char *said;
	} cases[] = {
		{ NULL, 0, false, "no reply arrives" },
		{ NULL, 0, true, "closed the connection" },
		{ (const char *)icresp, 100, false, "no reply arrives" },
		{ (const char *)icresp, 100, true, "closed the connection" },
		{ "HTTP/1.1 400 Bad Request\r\n", 26, true, "\"HTTP/1.1 400 Bad\"" },
		{ "\x00", 1, true, "\"\\x00\"" },
		{ "\x15\x03\x03\x00\x02\x02\x28", 7, true, "TLS" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct server server = { .answer = cases[i].answer,
					 .length = cases[i].length,
					 .closes = cases[i].closes };
		nvme_mptcp_trial_t trial;
		int64_t begin = trial_clock();

		start(&server, AF_INET, IPPROTO_MPTCP);
		trial = try("127.0.0.1", server.port);
		assert_true(trial_clock() - begin < 10 * PATIENCE_MS);
		stop(&server);
		assert_int_equal(nvme_mptcp_trial_outcome(trial), NVME_MPTCP_TRIAL_NO_TARGET);
		if (!strstr(nvme_mptcp_trial_reason(trial), cases[i].said))
			fail_msg("case %zu: %s", i, nvme_mptcp_trial_reason(trial));
		nvme_mptcp_trial_free(trial);
	}
}

TEST(nobody_listens)
{
	struct server server = {};
	nvme_mptcp_trial_t trial;

	start(&server, AF_INET, IPPROTO_MPTCP);
	stop(&server);
	trial = try("127.0.0.1", server.port);
	assert_int_equal(nvme_mptcp_trial_outcome(trial), NVME_MPTCP_TRIAL_NO_CONNECTION);
	assert_int_equal(trial->err, ECONNREFUSED);
	assert_null(nvme_mptcp_trial_connection(trial));
	nvme_mptcp_trial_free(trial);
}

TEST(wrong_questions)
{
	struct nvme_mptcp_trial_args args = { .args_size = sizeof(args), .traddr = "127.0.0.1" };
	nvme_mptcp_trial_t trial = NULL;

	args.traddr = "localhost";
	assert_int_equal(nvme_mptcp_try(&args, &trial), -1);
	assert_int_equal(errno, EINVAL);
	args.traddr = NULL;
	assert_int_equal(nvme_mptcp_try(&args, &trial), -1);
	args.traddr = "127.0.0.1";
	args.trsvcid = "0";
	assert_int_equal(nvme_mptcp_try(&args, &trial), -1);
	assert_int_equal(errno, EINVAL);
	args.trsvcid = "4420";
	args.netns = "there-is-no-such-namespace";
	assert_int_equal(nvme_mptcp_try(&args, &trial), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(trial);
	nvme_mptcp_trial_free(NULL);
	assert_string_equal(nvme_mptcp_trial_outcome_name(7), "unknown");
	assert_string_equal(nvme_mptcp_trial_outcome_name(NVME_MPTCP_TRIAL_FALLBACK), "fallback");
}
