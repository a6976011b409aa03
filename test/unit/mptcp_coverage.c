// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is missing on which link, and the rules that print it. */
#include "mptcp_findings.h"

/* "eth1 2/0/0": connections covered, missing and superfluous on each link, in their order. */
static void expect_coverage(nvme_mptcp_set_t set, const char *expected)
{
	char got[256] = "";
	size_t n = 0;

	nvme_mptcp_for_each_coverage(set, coverage) {
		nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);

		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s %zu/%zu/%zu", n ? ", " : "",
				      link ? nvme_mptcp_link_name(link) : "?",
				      nvme_mptcp_coverage_count(coverage, NVME_MPTCP_COVERED),
				      nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING),
				      nvme_mptcp_coverage_count(coverage, NVME_MPTCP_SUPERFLUOUS));
	}
	assert_string_equal(got, expected);
}

#define CLOSED 7 /* TCP_CLOSE */

static void change(struct nvme_mptcp_snapshot *snap, uint32_t token, int i, uint8_t state)
{
	size_t n = 0;

	while (n < snap->n_subflows &&
	       (snap->subflows[n].token != token || snap->subflows[n].ifindex != i))
		n++;
	assert_true(n < snap->n_subflows);
	snap->subflows[n].state = state;
}

/* The third link is a VLAN on the second one. */
static void share_a_wire(struct nvme_mptcp_snapshot *snap)
{
	link_set_kind(&snap->links[2], "vlan", 2);
	link_classify(snap);
}

/* A clean host on which this is changed, and the coverage of its controller. */
#define EXPECT_COVERAGE(expected, ...) \
	do { \
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host(); \
		__VA_ARGS__; \
		cover(snap); \
		expect_coverage(&snap->ctrls[0].set, expected); \
	} while (0)

TEST(subflows_that_are_missing)
{
	/* Without an endpoint, what one connection has another one ought to have. */
	EXPECT_COVERAGE("eth1 2/0/0, eth2 1/1/0, eth3 2/0/0", snap->n_endpoints = 0,
			change(snap, 1, 2, CLOSED));
	/* Of a fallback nothing is. */
	EXPECT_COVERAGE("eth1 1/0/0, eth2 1/0/0, eth3 1/0/0", snap->connections[1].fallback = 1,
			change(snap, 2, 3, CLOSED));
	EXPECT_COVERAGE("eth1 2/0/0, eth2 0/0/2", share_a_wire(snap));
	/* What was not to be seen is not missing. */
	EXPECT_COVERAGE("", snap->n_subflows = 0,
			problem_set(snap, NVME_MPTCP_SUBFLOWS, EPERM, "not allowed"));
	/* An endpoint of the other family has nothing to do with these connections. */
	EXPECT_COVERAGE("eth1 2/0/0, eth2 2/0/0, eth3 2/0/0", add_link(snap, 4),
			add_endpoint(snap, 3, "fd00:4::2", 4, NVME_MPTCP_ENDPOINT_SUBFLOW));
}

/*
 * Two arrays with networks of their own, both of which announced an address: nvme0 by eth1 and eth2,
 * nvme1 by eth3 and eth4. The kernel made an endpoint for each join, and knows of no array.
 */
static struct nvme_mptcp_snapshot *two_arrays(void)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	add_ctrl(snap, "nvme1", "other", 1, "10.1.3.1", 4420);
	add_link(snap, 4);
	snap->n_endpoints = snap->n_subflows = 0;
	add_endpoint(snap, 1, "10.1.2.2", 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	add_endpoint(snap, 2, "10.1.4.2", 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	add_connection(snap, 3);
	snap->connections[2].local.ip = ip("10.1.3.2");
	snap->connections[2].remote.ip = ip("10.1.3.1");
	for (uint32_t token = 1; token <= 3; token++) {
		snap->connections[token - 1].value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 0;
		snap->connections[token - 1].value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = 1;
		add_subflow(snap, token, token < 3 ? 1 : 3);
		add_subflow(snap, token, token < 3 ? 2 : 4);
	}
	return snap;
}

TEST(arrays_are_told_apart)
{
	struct nvme_mptcp_snapshot *snap = two_arrays();

	/* What one has lost in all its connections is not the other's. */
	change(snap, 1, 2, CLOSED);
	change(snap, 2, 2, CLOSED);
	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "eth1 2/0/0, eth2 0/2/0");
	expect_coverage(&snap->ctrls[1].set, "eth3 1/0/0, eth4 1/0/0");
	nvme_mptcp_snapshot_free(snap);
	/* It lost one to an address whose link another controller uses: its own array's, or not. */
	for (int same = 0; same < 2; same++) {
		snap = two_arrays();
		if (same) {
			free(snap->ctrls[1].subsysnqn);
			snap->ctrls[1].subsysnqn = strdup("nqn");
		}
		snap->connections[2].value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = 2;
		cover(snap);
		expect_coverage(&snap->ctrls[0].set, "eth1 2/0/0, eth2 2/0/0");
		expect_coverage(&snap->ctrls[1].set, same ? "eth2 0/1/0, eth3 1/0/0, eth4 1/0/0"
							  : "eth3 1/0/0, eth4 1/0/0");
		nvme_mptcp_snapshot_free(snap);
	}
}

/* @n connections that had followed announcements lost the subflow by the third link, or all. */
static struct nvme_mptcp_snapshot *lost(uint32_t n, bool all)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->n_endpoints = 0;
	count(snap, "MPTcpExt", "AddAddr", 4);
	set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_MAX, 0);
	if (all)
		set_conn_value(snap, NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED, 2);
	for (uint32_t token = 3 - n; token <= 2; token++)
		for (int link = all ? 2 : 3; link <= 3; link++)
			change(snap, token, link, CLOSED);
	return snap;
}

TEST(rules)
{
	struct nvme_mptcp_snapshot *host = clean_host();

	/* Announced, and gone on one connection: no other rule knows of it. */
	expect(lost(1, false), "C13");
	/* The same on a controller that is not live is its state's. */
	EXPECT_HOST("N02", change(snap, 2, 3, CLOSED), set_state(&snap->ctrls[0], "connecting"));
	/* A VLAN beside the link that it lies on; asked for. */
	EXPECT_HOST("C14", share_a_wire(snap));
	EXPECT_HOST("C14", share_a_wire(snap),
		    snap->endpoints[0].flags |= NVME_MPTCP_ENDPOINT_FULLMESH);
	/* Several carry more where packets are lost on a long way; no other advice to have several. */
	share_a_wire(host);
	EXPECT_HOST_FINDING(host, .rule = "C14", .severity = NVME_MPTCP_WARNING, .only = true);
	host = clean_host();
	share_a_wire(host);
	set_value(host, 0, NVME_MPTCP_MIN_RTT_US, 140000);
	set_value(host, 3, NVME_MPTCP_BYTES_SENT, 10 << 20);
	set_value(host, 3, NVME_MPTCP_BYTES_RETRANS, (10 << 20) / 200);
	EXPECT_HOST_FINDING(host, .rule = "C14", .severity = NVME_MPTCP_INFO, .only = true);
}

/* Missing subflows of a link are counted over all controllers. */
TEST(several_controllers_lack_a_link)
{
	struct nvme_mptcp_snapshot *snap = lost(1, false);
	struct nvme_mptcp_ctrl *ctrl = add_ctrl(snap, "nvme1", "other", 2, "10.1.1.1", 4421);

	for (uint32_t token = 3; token <= 4; token++) {
		struct nvme_mptcp_connection *conn = add_connection(snap, token);

		conn->remote = ctrl->portal;
		conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 0;
		for (int link = 1; link <= 3; link++)
			add_subflow(snap, token, link);
	}
	change(snap, 3, 3, CLOSED);
	EXPECT_HOST_FINDING(
		snap, .rule = "C13", .severity = NVME_MPTCP_WARNING,
		.part = "2 connections of nvme0 and others have no subflow on link eth3",
		.evidence = { { "missing", "2" }, { "controllers", "2" } });
}

TEST(sentences_and_commands)
{
	/* The target refuses a repair that closes the other connection's. */
	EXPECT_HOST_FINDING(
		lost(1, false), .rule = "C13", .severity = NVME_MPTCP_WARNING, .fixes = { "" },
		.why = "1 connection of nvme0 has no subflow on link eth3, which could "
		       "carry one: other connections use it. The target would have to announce "
		       "its address again, which closes the subflows of other connections "
		       "there: no command is safe while they work. New connections get a "
		       "subflow on each link");
	EXPECT_HOST_FINDING(lost(2, true), .rule = "C13", .severity = NVME_MPTCP_WARNING,
			    .n_fixes = 1,
			    .why = "Controller nvme0: 2 connections followed addresses that the "
				   "target announced, and are down to one subflow. The links of "
				   "the others are no longer known");
}

/* A connection to a target's port on eth1; subflow i + 1 is to eth@locals[i], and answers by eth@links[i]. */
static void serve(struct nvme_mptcp_snapshot *snap, const int locals[3], const int links[3])
{
	add_connection(snap, 1);
	snap->connections[0].local.port = 4420;
	snap->connections[0].remote.port = 40000;
	for (int i = 0; i < 3; i++) {
		struct nvme_mptcp_subflow *sf = add_subflow(snap, 1, i + 1);
		char text[32];

		snprintf(text, sizeof(text), "10.1.%d.2", locals[i]);
		sf->local = (struct socket_address){ ip(text), 4420 };
		sf->remote.port = (uint16_t)(40000 + i);
		sf->ifindex = links[i];
		sf->link = NULL;
	}
}

/* Announcements that no host follows are not missing; those that hosts follow are, whatever answers by the link. */
TEST(a_host_that_starts_subflows)
{
	static const struct {
		int locals[3], links[3];
		const char *expected;
	} cases[] = {
		{ { 1, 1, 1 }, { 1, 2, 3 }, "eth2 1/0/0, eth3 1/0/0" },
		{ { 1, 2, 3 }, { 1, 2, 3 }, "eth2 1/0/0, eth3 1/0/0" },
		{ { 1, 1, 1 }, { 1, 2, 1 }, "eth2 1/0/0, eth3 0/0/0" },
		{ { 1, 1, 3 }, { 1, 1, 2 }, "eth2 0/0/0, eth3 1/0/0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct check c = {};
		nvme_mptcp_snapshot_t snap = clean_target(&c);

		serve(snap, cases[i].locals, cases[i].links);
		cover(snap);
		expect_coverage(&snap->other, cases[i].expected);
		nvme_mptcp_snapshot_free(snap);
		target_clear(&c.nvmet);
	}
}
