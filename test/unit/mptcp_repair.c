/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is repaired, and what is left alone: endpoints that subflows live on, and the other side's. */
#include "mptcp/snapshot/coverage.h"
#include "mptcp_planned.h"

/* Addresses that each connection has followed: the kernel makes implicit endpoints for these. */
static int64_t accepted;

/* nvme0 with @n connections over the links of a machine; @dead: connection, link that lacks it. */
static void add_controller(struct nvme_mptcp_snapshot *snap, int n, bool (*is_dead)(int, int))
{
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
	const int links = (int)snap->n_links;

	assert_non_null(ctrl);
	ctrl->name = strdup("nvme0");
	ctrl->transport = strdup("mptcp");
	ctrl->state = strdup("live");
	ctrl->portal = (struct socket_address){ ip("10.1.1.1"), 4420 };
	ctrl->has_portal = true;
	ctrl->expected = n;
	for (int c = 1; c <= n; c++) {
		struct nvme_mptcp_connection *conn =
			array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

		assert_non_null(conn);
		conn->local = (struct socket_address){ ip("10.1.1.2"), (uint16_t)(40000 + c) };
		conn->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
		conn->token = (uint32_t)c;
		conn->has_token = true;
		conn->inode = (uint32_t)c;
		conn->state = STATE_ESTABLISHED;
		conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = accepted;
		for (int l = 1; l <= links; l++) {
			struct nvme_mptcp_subflow *sf;

			if (is_dead(c, l))
				continue;
			sf = array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));
			assert_non_null(sf);
			sf->local = (struct socket_address){ numbered(V4, l), 40000 };
			sf->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
			sf->token = (uint32_t)c;
			sf->has_token = true;
			sf->ifindex = l;
			sf->state = STATE_ESTABLISHED;
			sf->id_local = (int16_t)(l - 1);
		}
	}
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(snapshot_sum(snap), 0);
	assert_int_equal(snapshot_cover(snap, NULL), 0);
}

static bool link3(int c, int l)
{
	return l == 3;
}

static int by_ip(const void *a, const void *b)
{
	const struct local_address *x = a, *y = b;

	return memcmp(&x->ip, &y->ip, sizeof(x->ip));
}

/* A host whose connections lack some subflows; its endpoints have @flags. */
static struct nvme_mptcp_snapshot *lame(int64_t flags, bool (*is_dead)(int, int))
{
	struct nvme_mptcp_snapshot *snap = machine(4);

	qsort(snap->addresses, snap->n_addresses, sizeof(*snap->addresses), by_ip);
	for (int i = 2; i <= 4; i++)
		add_endpoint(snap, i, numbered(V4, i), i, flags);
	accepted = flags == NVME_MPTCP_ENDPOINT_IMPLICIT ? 3 : 0;
	add_controller(snap, 3, is_dead);
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
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
			lame(NVME_MPTCP_ENDPOINT_SUBFLOW, link3);
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
