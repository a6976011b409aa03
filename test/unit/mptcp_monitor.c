/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Listening to the path manager: whose connection it is that an event tells of. */
#include <nvme/mptcp.h>

#include "fake_sysfs.h"
#include "mptcp_messages.h"
#include "mptcp_standin.h"

static int begin(void **state)
{
	fake_sysfs_begin();
	fake_subsystem(0, FAKE_NQN);
	/* On either side of the one that is looked for, in whatever order they are read. */
	fake_fabrics(0, 0, "tcp", STANDIN_ADDRESS, FAKE_NQN);
	fake_fabrics(1, 0, "mptcp", STANDIN_ADDRESS, FAKE_NQN);
	fake_fabrics(2, 0, "tcp", STANDIN_ADDRESS, FAKE_NQN);
	standin_sockets = (struct standin_sockets){ .n = STANDIN_CONNECTIONS, .token = 1 };
	return 0;
}

static int end(void **state)
{
	fake_sysfs_end();
	return 0;
}

static void expect_event(nvme_mptcp_monitor_t mon, uint32_t token, const char *ctrl)
{
	nvme_mptcp_event_t ev = NULL;

	standin_event(NVME_MPTCP_EVENT_ESTABLISHED, token);
	assert_int_equal(nvme_mptcp_monitor_next(mon, &ev), 1);
	assert_int_equal(nvme_mptcp_event_type(ev), NVME_MPTCP_EVENT_ESTABLISHED);
	assert_int_equal(nvme_mptcp_event_token(ev), token);
	if (ctrl)
		assert_string_equal(nvme_mptcp_event_ctrl(ev), ctrl);
	else
		assert_null(nvme_mptcp_event_ctrl(ev));
	assert_int_equal(nvme_mptcp_monitor_next(mon, &ev), 0);
}

TEST(controllers_of_other_transports_are_passed_over)
{
	nvme_mptcp_monitor_t mon = NULL;

	assert_int_equal(nvme_mptcp_monitor_open(NULL, &mon), 0);
	for (uint32_t token = 1; token <= STANDIN_CONNECTIONS; token++)
		expect_event(mon, token, "nvme1");
	expect_event(mon, STANDIN_CONNECTIONS + 1, NULL);
	nvme_mptcp_monitor_close(mon);
}

/* Those that are long gone are forgotten in between: no event may miss its controller for that. */
TEST(connections_that_come_and_go_for_weeks)
{
	nvme_mptcp_monitor_t mon = NULL;

	standin_sockets.n = 64;
	assert_int_equal(nvme_mptcp_monitor_open(NULL, &mon), 0);
	for (int i = 0; i < 100; i++) {
		standin_sockets.token += standin_sockets.n;
		expect_event(mon, standin_sockets.token, "nvme1");
		expect_event(mon, standin_sockets.token + standin_sockets.n - 1, "nvme1");
	}
	nvme_mptcp_monitor_close(mon);
}

EACH_TEST(begin, end)
