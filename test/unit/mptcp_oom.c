/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every allocation of taking a snapshot and of writing it as JSON fails once: what is in the
 * snapshot then is right, and what is missing is among its problems. What is worked out from a
 * snapshot, findings and plans, is the same as ever or not there at all.
 */
#include <errno.h>
#include <limits.h>

#include <libnvme.h>
#include <nvme/mptcp.h>

#include "fail_alloc.h"
#include "fake_sysfs.h"
#include "mptcp/check/ask.h"
#include "mptcp/plan/keep-plan.h"
#include "mptcp_messages.h"
#include "mptcp_standin.h"

#define NQN "nqn.2024-01.org.example:a"

static nvme_root_t r;

static int begin(void **state)
{
	struct fake_ctrl ctrl = {
		.transport = "mptcp",
		.address = "traddr=" STANDIN_PORTAL ",trsvcid=4420,src_addr=" STANDIN_SOURCE,
		.subsysnqn = NQN,
		.hostnqn = FAKE_HOSTNQN,
		.hostid = FAKE_HOSTID,
	};

	char queues[STANDIN_CONNECTIONS * 64], *at = queues;

	for (int i = 0; i < STANDIN_CONNECTIONS; i++)
		at += snprintf(at, 64, "%d " STANDIN_SOURCE ":%d " STANDIN_PORTAL ":4420\n", i,
			       40000 + i);
	fake_sysfs_begin();
	fake_subsystem(0, NQN);
	fake_ctrl(&ctrl);
	fake_attr(queues, "sys/devices/virtual/nvme-fabrics/ctl/nvme0/queue_addrs");
	nvme_init_default_logging(NULL, -1, false, false);
	r = nvme_create_root(NULL, -1);
	return r && !nvme_scan_topology(r, NULL, NULL) ? 0 : -1;
}

static int end(void **state)
{
	fail_alloc_end();
	nvme_free_tree(r);
	fake_sysfs_end();
	return 0;
}

static bool has_problem(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part)
{
	return nvme_mptcp_snapshot_errno(snap, part) == ENOMEM;
}

/* All of it, or less with a reason. */
static bool check(nvme_mptcp_snapshot_t snap)
{
	const struct nvme_mptcp_ctrl *ctrl;
	bool all = true;

	assert_int_equal(snap->n_links, STANDIN_LINKS);
	assert_int_equal(snap->n_endpoints, STANDIN_ENDPOINTS);
	assert_int_equal(snap->n_connections, STANDIN_CONNECTIONS);
	assert_int_equal(snap->n_subflows, STANDIN_SUBFLOWS);
	assert_int_equal(snap->n_orphans, 0);
	assert_int_equal(snap->limit_subflows, 8);
	for (int part = 0; part < NVME_MPTCP_PARTS; part++)
		all &= !has_problem(snap, (enum nvme_mptcp_part)part);

	assert_int_equal(snap->n_ctrls, 1);
	ctrl = &snap->ctrls[0];
	/* Unknown if /sys could not be read. */
	all &= ctrl->expected == 5;
	assert_true(ctrl->expected == 5 || ctrl->expected == NVME_MPTCP_UNKNOWN);
	if (has_problem(snap, NVME_MPTCP_OWNERS))
		return false;
	assert_true(ctrl->shows_queues);
	assert_int_equal(ctrl->n_queues, STANDIN_CONNECTIONS);
	assert_int_equal(ctrl->set.count, STANDIN_CONNECTIONS);
	assert_int_equal(ctrl->set.subflows, STANDIN_SUBFLOWS);
	assert_int_equal(ctrl->set.n_usage, 2);
	return all;
}

static bool take_once(void)
{
	nvme_mptcp_snapshot_t snap = NULL;
	bool all = false;
	int ret;

	fail_alloc_begin();
	ret = nvme_mptcp_snapshot_take(r, NULL, &snap);
	if (ret)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (ret)
		assert_null(snap);
	else
		all = check(snap);
	nvme_mptcp_snapshot_free(snap);
	return all;
}

static void test_take(void **state)
{
	fail_alloc_each(take_once);
}

/* As the monitor and the keeper do, who have no tree. */
static bool take_without_tree_once(void)
{
	const unsigned int failures = nvme_memory_failures();
	nvme_mptcp_snapshot_t snap = NULL;
	bool all = false;
	int err;

	fail_alloc_begin();
	err = snapshot_take_sysfs(NULL, &snap);
	fail_alloc_end();
	if (err) {
		assert_int_equal(err, -ENOMEM);
		assert_null(snap);
	} else if (snap->n_ctrls) {
		all = check(snap);
	} else {
		/* One whose attributes cannot be read may be of another transport. */
		assert_true(nvme_memory_failures() > failures);
	}
	nvme_mptcp_snapshot_free(snap);
	return all;
}

static void test_take_without_tree(void **state)
{
	fail_alloc_each(take_without_tree_once);
}

/* Entering one takes privileges: what the stand-in has is in the initial one as well. */
int __real_netns_run(const char *netns, int (*fn)(void *arg), void *arg);
int __wrap_netns_run(const char *netns, int (*fn)(void *arg), void *arg);

int __wrap_netns_run(const char *netns, int (*fn)(void *arg), void *arg)
{
	if (!netns)
		return __real_netns_run(netns, fn, arg);
	return strcmp(netns, "/proc/1/ns/net") ? -EPERM : fn(arg);
}

/* Processes may end between the two calls that open what they have open. */
static void test_processes_that_end(void **state)
{
	nvme_mptcp_snapshot_t snap = NULL;

	for (const int *err = (const int[]){ ENOENT, ESRCH, 0 }; *err; err++) {
		fail_fdopendir(*err);
		assert_int_equal(nvme_mptcp_snapshot_take(r, NULL, &snap), 0);
		fail_fdopendir(0);
		assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_OWNERS), 0);
		assert_int_equal(snap->n_connections, STANDIN_CONNECTIONS);
		nvme_mptcp_snapshot_free(snap);
	}
}

static nvme_mptcp_snapshot_t snapshot;

static bool json_once(void)
{
	char *text;

	fail_alloc_begin();
	text = nvme_mptcp_snapshot_to_json(snapshot, ~0U, NULL);
	if (!text)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (text)
		assert_non_null(strstr(text, "\"connections_found\""));
	free(text);
	return text;
}

static void test_json(void **state)
{
	assert_int_equal(nvme_mptcp_snapshot_take(r, NULL, &snapshot), 0);
	fail_alloc_each(json_once);
	nvme_mptcp_snapshot_free(snapshot);
}

typedef char *(*work_out_t)(void);

static work_out_t work_out;
static char *expected;

static bool work_out_once(void)
{
	char *text;

	fail_alloc_begin();
	text = work_out();
	if (!text)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (text)
		assert_string_equal(text, expected);
	free(text);
	return text;
}

static void check_working_out(work_out_t how)
{
	assert_int_equal(nvme_mptcp_snapshot_take(r, NULL, &snapshot), 0);
	work_out = how;
	expected = how();
	assert_non_null(expected);
	fail_alloc_each(work_out_once);
	free(expected);
	nvme_mptcp_snapshot_free(snapshot);
}

static char *findings(void)
{
	struct nvme_mptcp_check_args args = { .snap = snapshot, .args_size = sizeof(args) };
	nvme_mptcp_findings_t found;
	char *text;
	int err;

	if (nvme_mptcp_check(&args, &found))
		return NULL;
	text = nvme_mptcp_findings_to_json(found, true);
	err = errno;
	nvme_mptcp_findings_free(found);
	errno = err;
	return text;
}

static void test_check(void **state)
{
	check_working_out(findings);
}

/* A namespace that could not be looked into must not be taken for one that has no such socket. */
static char *other_namespace(void)
{
	const struct nvme_mptcp_connection *conn = &snapshot->connections[0];
	struct nvme_mptcp_snapshot here = {};
	struct check c = { .snap = &here };
	char name[NAME_MAX + 1] = "none";

	ask_kernel_ops.netns_of(&c, &conn->remote, &conn->local.ip, name, sizeof(name));
	if (!c.err)
		return strdup(name);
	errno = -c.err;
	return NULL;
}

static void test_other_namespace(void **state)
{
	check_working_out(other_namespace);
}

static char *plan_text(nvme_mptcp_plan_t plan, char *(*to_text)(nvme_mptcp_plan_t plan))
{
	char *text = to_text(plan);
	int err = errno;

	nvme_mptcp_plan_free(plan);
	errno = err;
	return text;
}

static char *plan_json(nvme_mptcp_plan_t plan)
{
	return nvme_mptcp_plan_to_json(plan, true);
}

/* The machine has two endpoints already, so this changes them. */
static char *setup_with(enum nvme_mptcp_role role, char *(*to_text)(nvme_mptcp_plan_t plan))
{
	struct nvme_mptcp_setup_args args = {
		.snap = snapshot, .args_size = sizeof(args), .role = role, .replace = true
	};
	nvme_mptcp_plan_t plan;

	return nvme_mptcp_setup(&args, &plan) ? NULL : plan_text(plan, to_text);
}

static char *setup_host(void)
{
	return setup_with(NVME_MPTCP_ROLE_HOST, plan_json);
}

static char *setup_target(void)
{
	return setup_with(NVME_MPTCP_ROLE_TARGET, plan_json);
}

static char *setup_config(void)
{
	return setup_with(NVME_MPTCP_ROLE_HOST, nvme_mptcp_plan_to_config);
}

static void test_setup(void **state)
{
	check_working_out(setup_host);
	check_working_out(setup_target);
	check_working_out(setup_config);
}

static char *repair(void)
{
	struct nvme_mptcp_repair_args args = { .snap = snapshot,
					       .args_size = sizeof(args),
					       .role = NVME_MPTCP_ROLE_HOST };
	nvme_mptcp_plan_t plan;

	return nvme_mptcp_repair(&args, &plan) ? NULL : plan_text(plan, plan_json);
}

static void test_repair(void **state)
{
	check_working_out(repair);
}

/* A round of what only looks: devices that are there are planned for, others are waited for. */
static char *keep_with(const char *const *devices)
{
	static const char *const traddrs[] = { STANDIN_PORTAL, NULL };
	struct nvme_mptcp_keep_args args = { .traddrs = traddrs,
					     .devices = devices,
					     .args_size = sizeof(args),
					     .role = NVME_MPTCP_ROLE_HOST };
	struct keep_own own = { 0 };
	struct plan_known known = { .is_known = true };
	const struct keep_lock lock = { .fd = -1 };
	struct keep_round round = {
		.args = &args, .snap = snapshot, .own = &own, .known = &known, .lock = &lock
	};
	int err = keep_plan(&round);
	char *text;

	if (!err)
		assert_non_null(round.plan);
	else
		assert_null(round.plan);
	errno = -err;
	text = err ? NULL : plan_text(round.plan, plan_json);
	err = errno;
	keep_own_clear(&own);
	errno = err;
	return text;
}

static char *keep_all(void)
{
	return keep_with(NULL);
}

static char *keep_some(void)
{
	static const char *const devices[] = { "standin2", "nosuch0", NULL };

	return keep_with(devices);
}

/* A whole round: what fails leaves the plan as it was. */
static char *keeper_round(void)
{
	static const char *const traddrs[] = { STANDIN_PORTAL, NULL };
	const struct nvme_mptcp_keep_args args = { .traddrs = traddrs,
						   .args_size = sizeof(args),
						   .role = NVME_MPTCP_ROLE_HOST };
	struct nvme_mptcp_plan untouched;
	nvme_mptcp_plan_t plan = &untouched;
	const struct nvme_mptcp_keeper_args where = { .args_size = sizeof(where) };
	nvme_mptcp_keeper_t keeper;
	char *text = NULL;
	int err;

	if (nvme_mptcp_keeper_look(&where, &keeper))
		return NULL;
	if (!nvme_mptcp_keeper_plan(keeper, &args, &plan))
		text = plan_text(plan, plan_json);
	else
		assert_ptr_equal(plan, &untouched);
	err = errno;
	nvme_mptcp_keeper_close(keeper);
	errno = err;
	return text;
}

static char *keep_none(void)
{
	static const char *const devices[] = { "nosuch0", NULL };

	return keep_with(devices);
}

static void test_keep(void **state)
{
	check_working_out(keep_all);
	check_working_out(keep_some);
	check_working_out(keep_none);
	check_working_out(keeper_round);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_take),
		TEST(test_take_without_tree),
		TEST(test_processes_that_end),
		TEST(test_json),
		TEST(test_check),
		TEST(test_other_namespace),
		TEST(test_setup),
		TEST(test_repair),
		TEST(test_keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
