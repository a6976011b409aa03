// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is missing on which link, and the rules that print it. */
#include <arpa/inet.h>

#include "unit.h"
#include "mptcp_machine.h"

static void cover(struct nvme_mptcp_snapshot *snap)
{
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(snapshot_sum(snap), 0);
	assert_int_equal(snapshot_cover(snap, NULL), 0);
}

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

/* Without an endpoint, what one connection has another one ought to have. */
TEST(others_use_it)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();

	snap->n_endpoints = 0;
	change(snap, 1, 2, CLOSED);
	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "eth1 2/0/0, eth2 1/1/0, eth3 2/0/0");
}

TEST(fallback_is_not_missed)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();

	snap->connections[1].fallback = 1;
	change(snap, 2, 3, CLOSED);
	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "eth1 1/0/0, eth2 1/0/0, eth3 1/0/0");
}

TEST(one_wire)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();

	link_set_kind(&snap->links[2], "vlan", 2);
	link_sort_out(snap);
	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "eth1 2/0/0, eth2 0/0/2");
}

/* What was not to be seen is not missing. */
TEST(unseen)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();

	snap->n_subflows = 0;
	problem_set(snap, NVME_MPTCP_SUBFLOWS, EPERM, "not allowed");
	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "");
}

/* An endpoint of the other family has nothing to do with these connections. */
TEST(other_family)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();

	add_link(snap, 4);
	add_endpoint(snap, 3, "fd00:4::2", 4, NVME_MPTCP_ENDPOINT_SUBFLOW);
	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "eth1 2/0/0, eth2 2/0/0, eth3 2/0/0");
}

/*
 * Two arrays with networks of their own, both of which announced an address: nvme0 by eth1 and eth2,
 * nvme1 by eth3 and eth4. The kernel made an endpoint for each join, and knows of no array.
 */
static struct nvme_mptcp_snapshot *two_arrays(void)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));

	ctrl->name = strdup("nvme1");
	ctrl->transport = strdup("mptcp");
	ctrl->subsysnqn = strdup("other");
	ctrl->state = strdup("live");
	ctrl->expected = 1;
	ctrl->portal = (struct socket_address){ ip("10.1.3.1"), 4420 };
	ctrl->has_portal = true;
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

	cover(snap);
	expect_coverage(&snap->ctrls[0].set, "eth1 2/0/0, eth2 2/0/0");
	expect_coverage(&snap->ctrls[1].set, "eth3 1/0/0, eth4 1/0/0");
	nvme_mptcp_snapshot_free(snap);
	/* What one has lost in all its connections is not the other's. */
	snap = two_arrays();
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

/* Every connection lost the same one, and a kernel that would try again is not told to. */
static void expect_severity(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_severity severity)
{
	struct check c = {};
	struct nvme_mptcp_findings *findings =
		run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
	nvme_mptcp_finding_t f = nvme_mptcp_finding_next(findings, NULL);

	assert_non_null(f);
	assert_string_equal(nvme_mptcp_finding_rule(f), "C14");
	assert_int_equal(nvme_mptcp_finding_severity(f), severity);
	assert_null(nvme_mptcp_finding_next(findings, f));
	end_rules(&c, findings, snap);
}

/* One of 200 bytes of subflows by the third link is sent again, over a round trip of 140 ms. */
static void lose_on_a_long_way(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_subflows; i++) {
		snap->subflows[i].value[NVME_MPTCP_MIN_RTT_US] = 140000;
		if (snap->subflows[i].ifindex != 3)
			continue;
		snap->subflows[i].value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
		snap->subflows[i].value[NVME_MPTCP_BYTES_RETRANS] = (10 << 20) / 200;
	}
}

TEST(rules)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	/* Announced, and gone on one connection: no other rule knows of it. */
	snap->n_endpoints = 0;
	count(snap, "MPTcpExt", "AddAddr", 4);
	for (size_t i = 0; i < 2; i++)
		snap->connections[i].value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 0;
	change(snap, 2, 3, CLOSED);
	expect(snap, "C13");
	/* The same on a controller that is not live is its state's. */
	snap = clean_host();
	change(snap, 2, 3, CLOSED);
	free(snap->ctrls[0].state);
	snap->ctrls[0].state = strdup("connecting");
	expect(snap, "N02");
	/* A VLAN beside the link that it lies on. */
	snap = clean_host();
	link_set_kind(&snap->links[2], "vlan", 2);
	link_sort_out(snap);
	expect(snap, "C14");
	/* Asked for. */
	snap = clean_host();
	link_set_kind(&snap->links[2], "vlan", 2);
	link_sort_out(snap);
	snap->endpoints[0].flags |= NVME_MPTCP_ENDPOINT_FULLMESH;
	expect(snap, "C14");
	/* Several carry more where packets are lost on a long way; no other advice to have several. */
	snap = clean_host();
	link_set_kind(&snap->links[2], "vlan", 2);
	link_sort_out(snap);
	expect_severity(snap, NVME_MPTCP_WARNING);
	snap = clean_host();
	link_set_kind(&snap->links[2], "vlan", 2);
	link_sort_out(snap);
	lose_on_a_long_way(snap);
	expect_severity(snap, NVME_MPTCP_INFO);
}

/* The sentence of the only finding, which is C13. */
static void expect_sentence(struct nvme_mptcp_snapshot *snap, const char *expected)
{
	struct check c = {};
	struct nvme_mptcp_findings *findings =
		run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);

	assert_string_equal(nvme_mptcp_finding_why(first(findings, "C13", NVME_MPTCP_WARNING)),
			    expected);
	end_rules(&c, findings, snap);
}

/* @n connections that had followed announcements lost the subflow by the third link, or all. */
static struct nvme_mptcp_snapshot *lost(uint32_t n, bool all)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->n_endpoints = 0;
	count(snap, "MPTcpExt", "AddAddr", 4);
	for (size_t i = 0; i < 2; i++) {
		snap->connections[i].value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 0;
		if (all)
			snap->connections[i].value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = 2;
	}
	for (uint32_t token = 3 - n; token <= 2; token++)
		for (int link = all ? 2 : 3; link <= 3; link++)
			change(snap, token, link, CLOSED);
	return snap;
}

/* The commands of C13 where a connection lost the subflow to an address that the target announced. */
TEST(no_repair_of_what_others_use)
{
	for (uint32_t n = 1; n <= 2; n++) {
		struct nvme_mptcp_snapshot *snap = lost(n, n == 2);
		struct check c = {};
		struct nvme_mptcp_findings *findings;
		nvme_mptcp_finding_t found;

		findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
		found = first(findings, "C13", NVME_MPTCP_WARNING);
		if (n == 1) {
			/* The target refuses a repair that closes the other connection's. */
			assert_int_equal(found->n_fixes, 0);
			assert_non_null(strstr(found->why, "no command is safe"));
		} else {
			assert_int_equal(found->n_fixes, 1);
		}
		end_rules(&c, findings, snap);
	}
}

/* Missing subflows of a link are counted over all controllers. */
TEST(several_controllers_lack_a_link)
{
	struct nvme_mptcp_snapshot *snap = lost(1, false);
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
	struct nvme_mptcp_findings *findings;
	struct check c = {};
	nvme_mptcp_finding_t f;

	ctrl->name = strdup("nvme1");
	ctrl->transport = strdup("mptcp");
	ctrl->subsysnqn = strdup("other");
	ctrl->state = strdup("live");
	ctrl->expected = 2;
	ctrl->portal = (struct socket_address){ ip("10.1.1.1"), 4421 };
	ctrl->has_portal = true;
	for (uint32_t token = 3; token <= 4; token++) {
		add_connection(snap, token);
		snap->connections[token - 1].remote = ctrl->portal;
		snap->connections[token - 1].value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 0;
		for (int link = 1; link <= 3; link++)
			add_subflow(snap, token, link);
	}
	change(snap, 3, 3, CLOSED);
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
	f = first(findings, "C13", NVME_MPTCP_WARNING);
	assert_non_null(strstr(nvme_mptcp_finding_why(f),
			       "2 connections of nvme0 and others have no subflow on link eth3"));
	expect_fact(f, "missing", 2);
	expect_fact(f, "controllers", 2);
	end_rules(&c, findings, snap);
}

TEST(sentences)
{
	expect_sentence(lost(1, false),
			"1 connection of nvme0 has no subflow on link eth3, which could "
			"carry one: other connections use it. The target would have to announce "
			"its address again, which closes the subflows of other connections "
			"there: no command is safe while they work. New connections get a "
			"subflow on each link");
	expect_sentence(lost(2, true),
			"Controller nvme0: 2 connections followed addresses that the "
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
		{ { 1, 1, 1 }, { 1, 2, 1 }, "eth2 1/0/0, eth3 0/1/0" },
		{ { 1, 1, 3 }, { 1, 1, 2 }, "eth2 0/1/0, eth3 1/0/0" },
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
