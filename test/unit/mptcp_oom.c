/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every allocation of taking a snapshot and of writing it as JSON fails once: what is in the
 * snapshot then is right, and what is missing is among its problems.
 */
#include <errno.h>

#include <libnvme.h>
#include <nvme/mptcp.h>

#include "fail_alloc.h"
#include "fake_sysfs.h"
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

	fake_sysfs_begin();
	fake_subsystem(0, NQN);
	fake_ctrl(&ctrl);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_take), TEST(test_json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
