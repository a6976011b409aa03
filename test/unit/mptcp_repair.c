/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is repaired, and what is left alone: endpoints that subflows live on, and the other side's. */
#include "mptcp/snapshot/coverage.h"
#include "mptcp_planned.h"

/* nvme0 with @n connections over the links of a machine, of which the third has died. */
static void add_controller(struct nvme_mptcp_snapshot *snap, int n)
{
	new_ctrl(snap, "nvme0", "10.1.1.1", 4420, n)->state = strdup("live");
	for (uint32_t token = 1; token <= (uint32_t)n; token++) {
		add_connection(snap, token);
		for (int i = 1; i <= (int)snap->n_links; i++)
			if (i != 3)
				add_subflow(snap, token, i, 40000)->id_local = (int16_t)(i - 1);
	}
	settle(snap);
	assert_int_equal(snapshot_cover(snap, NULL), 0);
}

static int by_ip(const void *a, const void *b)
{
	const struct local_address *x = a, *y = b;

	return memcmp(&x->ip, &y->ip, sizeof(x->ip));
}

/* A host whose connections lack the subflows of a link. */
static struct nvme_mptcp_snapshot *lame(void)
{
	struct nvme_mptcp_snapshot *snap = machine(4);

	qsort(snap->addresses, snap->n_addresses, sizeof(*snap->addresses), by_ip);
	for (int i = 2; i <= 4; i++)
		new_endpoint(snap, i, numbered(V4, i), i, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_controller(snap, 3);
	return snap;
}

/* Controllers that share connections are named one by one, and hosts by no name. */
TEST(gaps_name_their_controllers)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(1);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_REPAIR);
	const char *const names[] = { "nvme0", "nvme1", NULL };
	_cleanup_(free) char *text = NULL;

	plan->independent = true;
	plan_gap(plan, names, "eth2", 1, 2);
	plan_gap(plan, NULL, "eth3", 3, 4);
	assert_int_equal(plan->err, 0);
	assert_string_equal(nvme_mptcp_plan_gap(plan, 0)->subject, "nvme0,nvme1");
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(nvme_mptcp_plan_gap(plan, 0)->ctrls[i], names[i]);
	assert_null(nvme_mptcp_plan_gap(plan, 0)->ctrls[2]);
	assert_string_equal(nvme_mptcp_plan_gap(plan, 1)->subject, "hosts");
	assert_null(nvme_mptcp_plan_gap(plan, 1)->ctrls);
	text = nvme_mptcp_plan_to_json(plan, false);
	assert_non_null(strstr(text, "\"controllers\":[\"nvme0\",\"nvme1\"]"));
	assert_non_null(strstr(text, "\"controllers\":[]"));
	assert_non_null(strstr(text, "\"link\":\"eth2\",\"missing\":1,\"connections\":2}"));
	assert_non_null(strstr(text, "\"link\":\"eth3\",\"missing\":3,\"connections\":4}"));
}

TEST(repair_knows_who_has_no_room)
{
	for (int full = 3; full >= 2; full--) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = lame();
		struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

		for (int i = 0; i < full; i++) {
			snap->connections[i].value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] = 2;
			snap->connections[i].value[NVME_MPTCP_CONN_SUBFLOWS_MAX] = 2;
		}
		assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
		assert_true(has_note(plan, full == 3 ? "3 of the connections have as many"
						     : "2 of the connections have as many"));
		assert_true(has_note(plan, "ip mptcp limits set subflows 8"));
		/* Others have. */
		assert_int_equal(plan->n_steps, full == 3 ? 0 : 1);
	}
}

/* Nothing that the target does again is of use to a host that follows no announcement. */
TEST(repair_knows_who_follows_announcements)
{
	for (int accepted = 0; accepted <= 4; accepted += 4) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = lame();
		struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

		snap->n_endpoints = 0;
		snap->limit_add_addr_accepted = accepted;
		FOR_EACH(conn, snap->connections, snap->n_connections)
			conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = 3;
		assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
		assert_true(has_note(plan, accepted ? "nvme mptcp repair --role target"
						    : "nvme mptcp setup --role host --apply"));
	}
}
