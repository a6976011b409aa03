/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans on the kernel's path manager, whose answers get lost: all is done, nothing else gone. */
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mptcp/netlink/netns.h"
#include "mptcp_planned.h"

#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW
#define BACKUP NVME_MPTCP_ENDPOINT_BACKUP

static unsigned int received, lost_from, lost_until; /* answers, counted from 1 */

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, msg, flags);

	received++;
	if (received < lost_from || received >= lost_until)
		return n;
	errno = ENOBUFS;
	return -1;
}

/* Requests to change limits of the test's network namespace. */
static unsigned int limit_requests;
static uint64_t own_netns;

ssize_t __real_mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t length);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t length);

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t length)
{
	const struct nlmsghdr *request = buf;
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(request);

	if (request->nlmsg_type > NLMSG_MIN_TYPE && request->nlmsg_type != GENL_ID_CTRL &&
	    genl->cmd == PM_SET_LIMITS && netns_cookie() == own_netns)
		limit_requests++;
	return __real_mnl_socket_sendto(nl, buf, length);
}

static struct nvme_mptcp_snapshot *take(void)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	assert_non_null(snap);
	assert_int_equal(pm_read(snap), 0);
	assert_int_equal(snap->problem[NVME_MPTCP_ENDPOINTS].err, 0);
	assert_int_equal(snap->problem[NVME_MPTCP_LIMITS].err, 0);
	return snap;
}

static const struct nvme_mptcp_endpoint *at(const struct nvme_mptcp_snapshot *snap,
					    const char *address)
{
	for (size_t i = 0; i < snap->n_endpoints; i++)
		if (!strcmp(snap->endpoints[i].address, address))
			return &snap->endpoints[i];
	return NULL;
}

static void assert_there(const struct nvme_mptcp_snapshot *snap, const char *address, int id,
			 int64_t flags)
{
	const struct nvme_mptcp_endpoint *ep = at(snap, address);

	if (!ep) {
		fail_msg("%s is gone", address);
		return;
	}
	assert_int_equal(ep->flags, flags);
	if (id)
		assert_int_equal(ep->id, id);
}

static struct endpoint_spec spec_of(const char *address, uint8_t id, int64_t flags)
{
	return (struct endpoint_spec){ .ip = ip(address), .id = id, .flags = flags };
}

/* Three endpoints that other programs made, and the limits of a kernel that was just booted. */
static void begin_with(struct editor *e)
{
	const struct pm_limits limits = { 2, 0 };
	_cleanup_(nvme_mptcp_snapshot_free) struct nvme_mptcp_snapshot *snap = take();
	struct endpoint_spec spec;

	for (size_t i = 0; i < snap->n_endpoints; i++) {
		endpoint_spec_of(snap, &snap->endpoints[i], &spec);
		assert_int_equal(e->remove(e, &spec), 0);
	}
	assert_int_equal(e->set_limits(e, &limits), 0);
	for (uint8_t i = 1; i <= 3; i++) {
		spec = spec_of("10.1.1.2", i, SUBFLOW | BACKUP);
		spec.ip = numbered(V4, i);
		assert_int_equal(e->add(e, &spec), 0);
	}
}

static struct nvme_mptcp_plan *make_plan(const struct nvme_mptcp_snapshot *snap)
{
	const struct endpoint_spec first = spec_of("10.1.1.2", 1, SUBFLOW | BACKUP);
	const struct endpoint_spec second = spec_of("10.1.2.2", 2, SUBFLOW | BACKUP);
	const struct endpoint_spec announced = spec_of("10.1.2.2", 2, NVME_MPTCP_ENDPOINT_SIGNAL);
	const struct endpoint_spec third = spec_of("10.1.3.2", 3, SUBFLOW | BACKUP);
	const struct endpoint_spec plain = spec_of("10.1.3.2", 3, SUBFLOW);
	const struct endpoint_spec added = spec_of("10.1.4.2", 0, SUBFLOW);
	const struct pm_limits old = { 2, 0 }, new = { 8, 4 };
	struct nvme_mptcp_plan *plan =
		plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_SUBFLOW);

	assert_non_null(plan);
	plan_limits_step(plan, &old, &new, "why");
	plan_step(plan, STEP_DELETE, &first, NULL, "why");
	plan_step(plan, STEP_REPLACE, &second, &announced, "why");
	plan_step(plan, STEP_FLAGS, &third, &plain, "why");
	plan_step(plan, STEP_ADD, NULL, &added, "why");
	return plan;
}

/* Was an answer lost? */
static bool follow_while_lost(struct editor *e, unsigned int first, unsigned int n)
{
	_cleanup_(nvme_mptcp_snapshot_free) struct nvme_mptcp_snapshot *before = NULL,
								       *after = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	unsigned int answers;

	begin_with(e);
	before = take();
	plan = make_plan(before);
	received = 0;
	lost_from = first;
	lost_until = first + n;
	assert_int_equal(plan_execute(plan, e), 0);
	answers = received;
	lost_from = lost_until = 0;
	for (size_t i = 0; i < plan->n_steps; i++)
		assert_int_equal(plan->steps[i].state, NVME_MPTCP_STEP_DONE);
	after = take();
	assert_int_equal(after->n_endpoints, 3);
	assert_null(at(after, "10.1.1.2"));
	assert_there(after, "10.1.2.2", 2, NVME_MPTCP_ENDPOINT_SIGNAL);
	assert_there(after, "10.1.3.2", 3, SUBFLOW);
	assert_there(after, "10.1.4.2", 0, SUBFLOW);
	assert_int_equal(after->limit_subflows, 8);
	assert_int_equal(after->limit_add_addr_accepted, 4);
	return first <= answers;
}

static int open_editor(void **state)
{
	static struct editor e;

	if (unshare(CLONE_NEWNET) || editor_open(&e))
		return 0;
	own_netns = netns_cookie();
	e.pause_ms = 0;
	*state = &e;
	return 0;
}

static int close_editor(void **state)
{
	if (*state)
		editor_close(*state);
	return 0;
}

/* One answer at a time, and then those by which it is found out what happened. */
TEST(lost_answers_change_nothing)
{
	if (!*state)
		skip();
	for (unsigned int n = 1; n <= 2; n++) {
		unsigned int first = 1;

		while (follow_while_lost(*state, first, n))
			first++;
		assert_true(first > 10);
	}
}

/* Nothing is heard of the kernel any more: no step is reported as done that was not. */
TEST(silence_is_no_success)
{
	_cleanup_(nvme_mptcp_snapshot_free) struct nvme_mptcp_snapshot *snap = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	if (!*state)
		skip();
	begin_with(*state);
	snap = take();
	plan = make_plan(snap);
	received = 0;
	lost_from = 1;
	lost_until = UINT32_MAX;
	assert_int_equal(plan_execute(plan, *state), -ENOBUFS);
	lost_from = lost_until = 0;
	assert_int_equal(plan->steps[0].state, NVME_MPTCP_STEP_FAILED);
	assert_non_null(strstr(plan->steps[0].error, "the kernel's reply was lost"));
	for (size_t i = 1; i < plan->n_steps; i++)
		assert_int_equal(plan->steps[i].state, NVME_MPTCP_STEP_PLANNED);
	nvme_mptcp_snapshot_free(snap);
	snap = take();
	/* It was undone, although nobody could tell whether that was necessary. */
	assert_int_equal(snap->limit_subflows, 2);
	assert_int_equal(snap->n_endpoints, 3);
}

TEST(planning_asks_for_no_limits)
{
	_cleanup_(nvme_mptcp_snapshot_free) struct nvme_mptcp_snapshot *snap = NULL;
	struct plan_known known = {};

	if (!*state)
		skip();
	snap = take();
	limit_requests = 0;
	assert_int_equal(plan_query_kernel(snap, &known), 0);
	assert_int_equal(known.capability_err, 0);
	assert_true(known.limit_max >= LIMIT_GUARANTEED);
	assert_int_equal(limit_requests, 0);
}

ALL_TESTS(open_editor, close_editor)
