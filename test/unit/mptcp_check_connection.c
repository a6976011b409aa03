/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about connections and targets: one fault gives its finding and no other. */
#include "mptcp_findings.h"

/* Joins by the third link wait for an answer of the second one's address. */
static void join_elsewhere(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex == 3)
			snap->subflows[i].remote.ip = ip("10.1.2.1");
	set_waiting(snap, 3);
	kernel.no_gateway = true;
}

#define FIN_WAIT1 4

TEST(connection_faults)
{
	const int64_t mesh = NVME_MPTCP_ENDPOINT_FULLMESH;

	EXPECT_HOST("C02", snap->subflows[0].flags = NVME_MPTCP_SUBFLOW_MCAP_LOC);
	/* Two connections, one way: one finding. */
	EXPECT_HOST("F01", set_waiting(snap, 3));
	EXPECT_HOST("R01 R01", join_elsewhere(snap));
	/* Its endpoint waits for announcements, so that no route to the portal is asked of it. */
	EXPECT_HOST("R01 R03", join_elsewhere(snap),
		    snap->endpoints[0].flags = snap->endpoints[1].flags = mesh);
	EXPECT_HOST("A07", snap->links[2].flags = IFF_UP, set_waiting(snap, 3));
	/* One queue's acknowledgements are late, and not those of the other on the same link. */
	EXPECT_HOST("", snap->subflows[2].value[NVME_MPTCP_RTT_US] = 100000);
	EXPECT_HOST("C07", set_value(snap, 3, NVME_MPTCP_RTT_US, 100000));
	/* It was measured while something was busy: the link answers at once now. */
	EXPECT_HOST("", set_value(snap, 3, NVME_MPTCP_RTT_US, 100000),
		    set_value(snap, 3, NVME_MPTCP_MSS, 1448), kernel.echoes = 1500);
	/* It closes, and the endpoint of its address has no other. */
	EXPECT_HOST("C05", snap->subflows[snap->n_subflows - 1].state = FIN_WAIT1);
	/* One has a subflow more than the other, and nothing is missing. */
	EXPECT_HOST("C06 C14", add_subflow(snap, 1, 2)->local.port++);
}

/* What starts a subflow again: this host's endpoint, or the target, which announces the address. */
TEST(who_repairs_a_missing_subflow)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->subflows[snap->n_subflows - 1].state = FIN_WAIT1;
	EXPECT_HOST_FINDING(snap, .rule = "C05", .any_severity = true, .only = true,
			    .fixes = { "nvme mptcp repair" }, .side = NVME_MPTCP_ROLE_HOST);
	/* The endpoint of another link starts nothing here. */
	snap = clean_host();
	snap->n_endpoints = 1;
	snap->subflows[snap->n_subflows - 1].state = FIN_WAIT1;
	snap->subflows[2].remote.ip = ip("10.1.3.1");
	EXPECT_HOST_FINDING(snap, .rule = "C13", .any_severity = true, .only = true,
			    .part = "no command is safe", .fixes = { "" });
}

TEST(controller_faults)
{
	EXPECT_HOST("N02", set_state(&snap->ctrls[0], "connecting"));
	EXPECT_HOST("N04", snap->ctrls[0].expected = 3);
	/* What is in this namespace says nothing about the controller, nor where it is. */
	EXPECT_HOST("N04", snap->ctrls[0].portal.port = 4421);
	EXPECT_HOST("N09", snap->ctrls[0].portal.port = 4421,
		    snap->ctrls[0].is_served = snap->ctrls[0].is_bypassed = true);
	EXPECT_HOST("N05", snap->ctrls[0].host_iface = strdup("eth1"),
		    snap->connections[0].ifindex = snap->connections[1].ifindex = 1,
		    snap->endpoints[0].ifindex = 0);
	EXPECT_HOST("N03", snap->ctrls[0].expected = 1,
		    add_ctrl(snap, "nvme1", NULL, 1, "10.1.1.1", 4420));
}

/* Beside connections of its own: what is another namespace's is a note, unless it is asked for. */
TEST(one_of_two_in_another_namespace)
{
	static const char *const names[] = { "nvme1", NULL };

	for (int asked = 0; asked <= 1; asked++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_ctrl *ctrl;
		struct check c = { .ctrls = asked ? names : NULL };
		nvme_mptcp_findings_t findings;
		bool found = false;

		ctrl = add_ctrl(snap, "nvme1", NULL, 1, "10.1.1.1", 4421);
		ctrl->source = ip("10.1.1.2");
		ctrl->has_source = true;
		kernel.other_netns = "storage";
		findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
		nvme_mptcp_for_each_finding(findings, f) {
			if (strcmp(nvme_mptcp_finding_rule(f), "N07"))
				continue;
			assert_int_equal(nvme_mptcp_finding_severity(f),
					 asked ? NVME_MPTCP_ERROR : NVME_MPTCP_INFO);
			found = true;
		}
		assert_true(found);
		end_rules(&c, findings, snap);
	}
}

/* Two connections of one host, of which the second has @subflows. */
static void connect_host(struct nvme_mptcp_snapshot *snap, int subflows)
{
	for (uint32_t token = 1; token <= 2; token++) {
		struct nvme_mptcp_connection *conn = add_connection(snap, token);

		conn->local = (struct socket_address){ ip("10.1.1.2"), 4420 };
		conn->remote = (struct socket_address){ ip("10.1.1.1"), (uint16_t)(40000 + token) };
		for (int i = 1; i <= (token == 1 ? 3 : subflows); i++) {
			struct nvme_mptcp_subflow *sf = add_subflow(snap, token, i);

			sf->local.port = 4420;
			sf->remote.port = (uint16_t)(40000 + 10 * token + (uint32_t)i);
		}
	}
}

/* All announcements but one were confirmed, the last one after @timeout seconds at most. */
static void confirm(struct nvme_mptcp_snapshot *snap, int subflows, const char *timeout)
{
	connect_host(snap, subflows);
	replace(snap, "add_addr_timeout", timeout);
	count(snap, "MPTcpExt", "AddAddrTx", subflows + 2);
	count(snap, "MPTcpExt", "EchoAdd", subflows + 1);
}

TEST(target_faults)
{
	static const struct {
		const char *group, *name, *expected;
	} counters[] = {
		{ "TcpExt", "SyncookiesSent", "K10" },
		{ "MPTcpExt", "MismatchPortSynRx", "T10" },
		{ "MPTcpExt", "MPJoinNoTokenFound", "T10" },
		{ "MPTcpExt", "MPJoinAckHMacFailure", "T10" },
		{ "MPTcpExt", "MPCapableEndpAttempt", "T10" },
	};

	/* A port of its own makes the kernel listen there itself. */
	EXPECT_TARGET("", snap->listeners[0].local.ip = ip("10.1.2.2"),
		      c.nvmet.ports[0].address.ip = ip("10.1.2.2"),
		      snap->endpoints[0].port = snap->endpoints[1].port = 4421);
	EXPECT_TARGET("T14", snap->n_listeners = 0, enable_port(&c, "nqn"));
	/* Endpoints here announce nothing for it, and need not. */
	EXPECT_TARGET("T14", snap->n_listeners = 0, enable_port(&c, "nqn"), snap->n_endpoints = 0);
	EXPECT_TARGET("T15", confirm(snap, 2, "120"));
	EXPECT_TARGET("", confirm(snap, 2, "2"));
	EXPECT_TARGET("", confirm(snap, 3, "120"));
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		EXPECT_TARGET(counters[i].expected,
			      count(snap, counters[i].group, counters[i].name, 1));
}

/* An endpoint that takes the place of a lost initial subflow needs room for one more, once. */
TEST(a_lost_initial_subflow_needs_room_for_another)
{
	static const struct {
		int64_t extra; /* as many as the limit */
		bool lacks_room;
	} cases[] = { { 2, true }, { 3, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_findings *findings;
		struct check c = {};
		bool lacks_room = false;

		add_endpoint(snap, 3, "10.1.1.2", 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
		snap->limit_subflows = cases[i].extra;
		set_conn_value(snap, NVME_MPTCP_CONN_EXTRA_SUBFLOWS, cases[i].extra);
		set_conn_value(snap, NVME_MPTCP_CONN_SUBFLOWS_MAX, cases[i].extra);
		/* What came in its place leads to another address of the target. */
		for (size_t j = 0; j < snap->n_subflows; j++)
			if (snap->subflows[j].ifindex == 1)
				snap->subflows[j].remote.ip = ip("10.1.2.1");
		findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
		nvme_mptcp_for_each_finding(findings, f)
			lacks_room |= !strcmp(nvme_mptcp_finding_rule(f), "H05");
		assert_int_equal(lacks_room, cases[i].lacks_room);
		end_rules(&c, findings, snap);
	}
}

TEST(the_worst_come_first)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_findings *findings;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;
	struct check c = {};

	replace(snap, "scheduler", "burst");
	snap->endpoints[1].ifindex = 2;
	end_subflows(snap, 3);
	findings = run_rules_of_endpoints(&c, snap, NVME_MPTCP_ROLE_HOST);
	f = first(findings, "H08", NVME_MPTCP_ERROR);
	assert_string_equal(nvme_mptcp_finding_subject(f), "endpoint 2 (10.1.3.2)");
	assert_int_equal(nvme_mptcp_finding_kind(f), NVME_MPTCP_SUBJECT_ENDPOINT);
	assert_string_equal(nvme_mptcp_finding_object(f, 0), "2");
	assert_string_equal(nvme_mptcp_finding_object(f, 1), "10.1.3.2");
	assert_null(nvme_mptcp_finding_object(f, 2));
	assert_string_equal(nvme_mptcp_finding_fix(f, 1, &side),
			    "ip mptcp endpoint add 10.1.3.2 dev eth3 id 2 subflow");
	assert_int_equal(side, NVME_MPTCP_ROLE_HOST);
	assert_null(nvme_mptcp_finding_fix(f, 2, &side));
	f = nvme_mptcp_finding_next(findings, f);
	assert_string_equal(nvme_mptcp_finding_rule(f), "K08");
	assert_null(nvme_mptcp_finding_next(findings, f));
	end_rules(&c, findings, snap);
}

/* Sockets that are denied show only where no subflow could be made. */
TEST(sockets_of_subflows_denied)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_findings *findings;
	struct check c = {};
	size_t n = 0;

	snap->subflows[1] = snap->subflows[3];
	snap->n_subflows = 2;
	count(snap, "MPTcpExt", "MPJoinSynTxCreatSkErr", 3);
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
	nvme_mptcp_for_each_finding(findings, f) {
		if (strcmp(nvme_mptcp_finding_rule(f), "K11") != 0)
			continue;
		assert_int_equal(nvme_mptcp_finding_severity(f), NVME_MPTCP_WARNING);
		expect_text(f, "MPJoinSynTxCreatSkErr", "3");
		n++;
	}
	assert_int_equal(n, 1);
	end_rules(&c, findings, snap);
}
