// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which of the path manager's events are a reason for the keeper to look again. */
#include <sys/epoll.h>

#include <nvme/mptcp.h>

#include "fake_sysfs.h"
#include "mptcp/monitor/notice.h"
#include "mptcp/plan/keep-own.h"
#include "mptcp_messages.h"
#include "mptcp_standin.h"

#define OTHERS 77 /* a token that no controller's connection has */

static struct notice heard; /* what is read next */
static unsigned int stirred;

int __wrap_notice_open(const char *netns, struct notices *ret);
int __wrap_notice_read(struct notices *n, void (*fn)(const struct notice *notice, void *arg),
		       void *arg);
void __wrap_keep_debounce_note(struct keep_debounce *quiet, int64_t now);

int __wrap_notice_open(const char *netns, struct notices *ret)
{
	*ret = (struct notices){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
	return ret->epoll < 0 ? -errno : 0;
}

int __wrap_notice_read(struct notices *n, void (*fn)(const struct notice *notice, void *arg),
		       void *arg)
{
	fn(&heard, arg);
	return 0;
}

void __wrap_keep_debounce_note(struct keep_debounce *quiet, int64_t now)
{
	stirred++;
}

static int begin_without_controller(void **state)
{
	const struct nvme_mptcp_keeper_args where = { .args_size = sizeof(where) };
	nvme_mptcp_keeper_t keeper = NULL;

	if (nvme_mptcp_keeper_look(&where, &keeper) || nvme_mptcp_keeper_listen(keeper) < 0)
		return -1;
	*state = keeper;
	return 0;
}

static int begin(void **state)
{
	fake_sysfs_begin();
	fake_subsystem(0, FAKE_NQN);
	fake_fabrics(0, 0, "mptcp", STANDIN_ADDRESS, FAKE_NQN);
	return begin_without_controller(state);
}

static int end(void **state)
{
	nvme_mptcp_keeper_close(*state);
	fake_sysfs_end();
	return 0;
}

static void look_as(nvme_mptcp_keeper_t keeper, enum nvme_mptcp_role role)
{
	static const char *const traddrs[] = { STANDIN_PORTAL, NULL };
	const struct nvme_mptcp_keep_args args = { .traddrs = traddrs,
						   .args_size = sizeof(args),
						   .role = role };
	nvme_mptcp_plan_t plan = NULL;

	assert_int_equal(nvme_mptcp_keeper_plan(keeper, &args, &plan), 0);
	nvme_mptcp_plan_free(plan);
}

static void look_once(nvme_mptcp_keeper_t keeper)
{
	look_as(keeper, NVME_MPTCP_ROLE_HOST);
}

/* Is it a reason that this happened to a connection? A port that is 0 is not told. */
static bool is_reason(nvme_mptcp_keeper_t keeper, enum nvme_mptcp_event_type type, int64_t token,
		      uint16_t local, uint16_t remote)
{
	stirred = 0;
	heard = (struct notice){ .kind = NOTICE_EVENT,
				 .event = { .type = type,
					    .token = token,
					    .has_local = local,
					    .local = { .port = local },
					    .has_remote = remote,
					    .remote = { .port = remote } } };
	assert_int_equal(nvme_mptcp_keeper_read(keeper), 0);
	return stirred;
}

TEST(before_the_first_look_all_are)
{
	assert_true(is_reason(*state, NVME_MPTCP_EVENT_ESTABLISHED, OTHERS, 50000, 443));
	assert_true(is_reason(*state, NVME_MPTCP_EVENT_CLOSED, OTHERS, 0, 0));
}

TEST(the_controllers_are)
{
	look_once(*state);
	for (uint32_t i = 0; i < STANDIN_CONNECTIONS; i++)
		assert_true(is_reason(*state, NVME_MPTCP_EVENT_CLOSED, standin_sockets.token + i, 0,
				      0));
	/* One that is not known yet is, by the portal's port. */
	assert_true(is_reason(*state, NVME_MPTCP_EVENT_ESTABLISHED, OTHERS, 50000, 4420));
	assert_true(is_reason(*state, NVME_MPTCP_EVENT_ESTABLISHED, OTHERS, 4420, 50000));
	assert_true(
		is_reason(*state, NVME_MPTCP_EVENT_LISTENER_CREATED, NVME_MPTCP_UNKNOWN, 80, 0));
	assert_true(is_reason(*state, NVME_MPTCP_EVENT_LISTENER_CLOSED, NVME_MPTCP_UNKNOWN, 80, 0));
}

/* They come and go by the thousands. */
TEST(those_of_other_programs_are_not)
{
	look_once(*state);
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_ESTABLISHED, OTHERS, 50000, 443));
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_ESTABLISHED, OTHERS, 443, 50000));
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_SUBFLOW_CLOSED, OTHERS, 50000, 0));
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_ANNOUNCED, OTHERS, 0, 443));
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_CLOSED, OTHERS, 0, 0));
}

/* Connections of the kernel without a controller here are those of hosts. */
TEST(those_of_hosts_are_on_a_target)
{
	end(state);
	fake_sysfs_begin();
	assert_int_equal(begin_without_controller(state), 0);
	look_as(*state, NVME_MPTCP_ROLE_HOST);
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_CLOSED, standin_sockets.token, 0, 0));
	look_as(*state, NVME_MPTCP_ROLE_TARGET);
	assert_true(is_reason(*state, NVME_MPTCP_EVENT_CLOSED, standin_sockets.token, 0, 0));
	assert_false(is_reason(*state, NVME_MPTCP_EVENT_CLOSED, OTHERS, 0, 0));
}

EACH_TEST(begin, end)
