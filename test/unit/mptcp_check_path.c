/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about joins, announcements and data on the way: what grew between two samples tells. */
#include <errno.h>

#include "mptcp/trial/trial-state.h"
#include "mptcp_machine.h"

struct growth {
	const char *group, *name;
	int64_t by;
};

/* A host on which these counters have grown, from 5 each. */
static void expect_growth(const struct growth *growth, size_t n, const char *expected)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = clean_host();
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .before = before };

	for (size_t i = 0; i < n; i++) {
		count(before, growth[i].group, growth[i].name, 5);
		count(snap, growth[i].group, growth[i].name, 5 + growth[i].by);
	}
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, expected);
}

#define EXPECT(expected, ...) \
	expect_growth((const struct growth[]){ __VA_ARGS__ }, \
		      sizeof((const struct growth[]){ __VA_ARGS__ }) / sizeof(struct growth), \
		      expected)

TEST(options_that_are_removed)
{
	EXPECT("F03", { "MPTcpExt", "MPJoinSynTx", 2 }, { "MPTcpExt", "MPJoinSynAckRx", 0 },
	       { "MPTcpExt", "MPRstTx", 2 });
	EXPECT("F03", { "MPTcpExt", "MPJoinSynAckNoMPJoin", 1 });
	EXPECT("", { "MPTcpExt", "MPRstTx", 2 });
	EXPECT("F04", { "MPTcpExt", "MPCapableFallbackSYNACK", 1 });
	EXPECT("", { "MPTcpExt", "MPCapableFallbackSYNACK", 0 });
	EXPECT("F05", { "MPTcpExt", "MPCapableSYNTXDrop", 1 });
	EXPECT("F07", { "MPTcpExt", "DSSCorruptionReset", 1 });
}

TEST(options_that_were_removed_long_ago)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	/* One sample proves nothing of the kind. */
	count(snap, "MPTcpExt", "MPCapableFallbackSYNACK", 1);
	count(snap, "MPTcpExt", "MPJoinSynTx", 2);
	count(snap, "MPTcpExt", "MPRstTx", 2);
	count(snap, "Tcp", "AttemptFails", 2);
	expect(snap, "");
}

TEST(packets_that_are_taken_for_invalid)
{
	for (int troubled = 0; troubled < 2; troubled++) {
		for (int liberal = 0; liberal < 2; liberal++) {
			nvme_mptcp_snapshot_t before = clean_host();
			struct nvme_mptcp_snapshot *snap = clean_host();
			struct check c = { .before = before };

			count(before, "conntrack", "invalid", 1);
			count(snap, "conntrack", "invalid", 4);
			kernel.be_liberal = liberal;
			if (troubled)
				snap->subflows[2].value[NVME_MPTCP_TIMEOUTS] = 1;
			expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO,
				    troubled && !liberal ? "F06" : "");
			nvme_mptcp_snapshot_free(before);
		}
	}
}

TEST(announcements_that_get_lost)
{
	static const struct {
		int64_t sent, unsent, echoed;
		const char *expected;
	} cases[] = {
		{ 3, 0, 0, "F08" },
		{ 0, 2, 0, "F08" },
		{ 3, 0, 1, "" },
		{ 0, 0, 0, "" },
	};
	struct nvme_mptcp_snapshot *snap;
	struct check c = {};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		c = (struct check){};
		snap = clean_target(&c);
		replace(snap, "add_addr_timeout", "2");
		count(snap, "MPTcpExt", "AddAddrTx", cases[i].sent);
		count(snap, "MPTcpExt", "AddAddrTxDrop", cases[i].unsent);
		count(snap, "MPTcpExt", "EchoAdd", cases[i].echoed);
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, cases[i].expected);
	}
	/* A kernel without that counter says nothing. */
	c = (struct check){};
	snap = clean_target(&c);
	count(snap, "MPTcpExt", "AddAddrTx", 3);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, "");
}

/* Ten thousand connections take the same few ways, and the kernel is asked for these only. */
TEST(questions_do_not_grow_with_connections)
{
	size_t asked[2];

	for (int many = 0; many < 2; many++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		uint32_t last = many ? 10000 : 2;

		for (uint32_t token = 3; token <= last; token++) {
			add_connection(snap, token);
			for (int i = 1; i <= 3; i++)
				add_subflow(snap, token, i);
		}
		for (size_t i = 0; i < snap->n_subflows; i++) {
			snap->subflows[i].local.port = (uint16_t)snap->subflows[i].token;
			if (snap->subflows[i].ifindex != 3)
				continue;
			snap->subflows[i].state = STATE_SYN_SENT;
			snap->subflows[i].value[NVME_MPTCP_TIMEOUTS] = 2;
		}
		snap->ctrls[0].expected = last;
		kernel.asked = 0;
		expect(snap, "F01");
		asked[many] = kernel.asked;
	}
	assert_int_equal(asked[0], asked[1]);
}

TEST(subflows_that_are_left_aside)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	EXPECT("C04", { "MPTcpExt", "SubflowStale", 1 });
	EXPECT("", { "MPTcpExt", "SubflowStale", 0 });
	count(snap, "MPTcpExt", "SubflowStale", 2);
	snap->subflows[1].value[NVME_MPTCP_TIMEOUTS] = 3;
	expect(snap, "C04");
	/* A time-out alone happens. */
	snap = clean_host();
	snap->subflows[1].value[NVME_MPTCP_TIMEOUTS] = 1;
	expect(snap, "");
}

TEST(answers_without_proof)
{
	EXPECT("C08", { "MPTcpExt", "MPJoinSynAckHMacFailure", 1 });
	EXPECT("", { "MPTcpExt", "MPJoinSynAckHMacFailure", 0 });
}

/* What C07 says of a slow link whose subflow sends a tenth again. */
static void expect_slow_or_lossy(int64_t cwnd, const char *why)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_subflow *sf = &snap->subflows[1];
	struct nvme_mptcp_findings *findings;
	struct check c = { 0 };
	nvme_mptcp_finding_t f;

	sf->value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
	sf->value[NVME_MPTCP_BYTES_RETRANS] = 1 << 20;
	sf->value[NVME_MPTCP_MIN_RTT_US] = 1000;
	sf->value[NVME_MPTCP_RTT_US] = 5000;
	sf->value[NVME_MPTCP_CWND] = cwnd;
	sf->value[NVME_MPTCP_DELIVERY_RATE] = 1000;
	snap->subflows[0].value[NVME_MPTCP_DELIVERY_RATE] = 4000;
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
	f = nvme_mptcp_finding_next(findings, NULL);
	assert_non_null(f);
	assert_string_equal(nvme_mptcp_finding_rule(f), "C07");
	assert_non_null(strstr(nvme_mptcp_finding_why(f), why));
	end_rules(&c, findings, snap);
}

/* A queue that overflows takes a window that fills it; loss keeps the window small. */
TEST(a_slow_link_or_one_that_loses_packets)
{
	expect_slow_or_lossy(40, "rather than faulty");
	expect_slow_or_lossy(4, "loses more than one packet in twenty");
}

TEST(a_link_that_loses_packets)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->subflows[1].value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
	snap->subflows[1].value[NVME_MPTCP_BYTES_RETRANS] = 1 << 20;
	expect(snap, "C07");
	snap = clean_host();
	snap->subflows[1].value[NVME_MPTCP_BYTES_SENT] = 1000;
	snap->subflows[1].value[NVME_MPTCP_BYTES_RETRANS] = 500;
	expect(snap, "");
}

TEST(a_long_way_that_loses_a_little)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_subflow *sf = &snap->subflows[1];

	/* One of 200: nothing on a short way, and what decides on a long one. */
	sf->value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
	sf->value[NVME_MPTCP_BYTES_RETRANS] = (10 << 20) / 200;
	for (size_t i = 0; i < snap->n_subflows; i++)
		snap->subflows[i].value[NVME_MPTCP_MIN_RTT_US] = 140000;
	expect(snap, "C07");
	snap = clean_host();
	sf = &snap->subflows[1];
	sf->value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
	sf->value[NVME_MPTCP_BYTES_RETRANS] = (10 << 20) / 200;
	for (size_t i = 0; i < snap->n_subflows; i++)
		snap->subflows[i].value[NVME_MPTCP_MIN_RTT_US] = 200;
	expect(snap, "");
	/* As far, and one of 2000. */
	snap = clean_host();
	sf = &snap->subflows[1];
	sf->value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
	sf->value[NVME_MPTCP_BYTES_RETRANS] = (10 << 20) / 2000;
	for (size_t i = 0; i < snap->n_subflows; i++)
		snap->subflows[i].value[NVME_MPTCP_MIN_RTT_US] = 140000;
	expect(snap, "");
}

TEST(buffers_that_are_too_small)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	nvme_mptcp_snapshot_t before = clean_host();
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));
	struct check c = { .before = before, .snap = snap, .findings = findings, .ops = &ops };
	nvme_mptcp_finding_t f;
	enum nvme_mptcp_role side;

	EXPECT("C12", { "MPTcpExt", "NoDSSInWindow", 9 });
	EXPECT("C12", { "MPTcpExt", "MPTCPRetrans", 9 });
	/* TCP itself lost something: that is another matter. */
	EXPECT("", { "MPTcpExt", "MPTCPRetrans", 9 }, { "Tcp", "RetransSegs", 1 });
	EXPECT("", { "MPTcpExt", "NoDSSInWindow", 0 });
	/* A single one is an acknowledgement that came late. */
	EXPECT("", { "MPTcpExt", "MPTCPRetrans", 1 });

	/* Whose buffer it is. */
	count(before, "MPTcpExt", "MPTCPRetrans", 1);
	count(snap, "MPTcpExt", "MPTCPRetrans", 9);
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(check_prepare(&c, NULL, NULL, NVME_MPTCP_ROLE_HOST), 0);
	assert_int_equal(check_run(&c), 0);
	f = nvme_mptcp_finding_next(findings, NULL);
	assert_string_equal(nvme_mptcp_finding_rule(f), "C12");
	assert_string_equal(nvme_mptcp_finding_fix(f, 0, &side),
			    "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 33554432\"");
	assert_int_equal(side, NVME_MPTCP_ROLE_TARGET);
	end_rules(&c, findings, snap);
	nvme_mptcp_snapshot_free(before);
}

/* The bytes, waiting and rates of three subflows of a connection; the last one is the slow link's. */
struct pace {
	int64_t bytes[3], grown[3], rtt_us[3], rate[3];
	int64_t moved; /* between both snapshots */
	int64_t dropped, dropped_before; /* NoDSSInWindow */
	int64_t resent; /* MPTCPRetrans */
	bool sends; /* else it receives */
	bool backup; /* of the last subflow */
	int64_t tcp_rmem;
};

static const struct pace unequal = {
	.bytes = { 4 << 20, 4 << 20, 1 << 20 },
	.rtt_us = { 125000, 42000, 360000 },
	.rate = { 1200000, 1200000, 300000 },
	.moved = 600 << 10,
	.dropped = 9,
	.tcp_rmem = 6291456,
};

/* Two samples, a second apart, of which only the first connection has load. */
static void prepare_pace(const struct pace *pace, nvme_mptcp_snapshot_t before,
			 struct nvme_mptcp_snapshot *snap)
{
	enum nvme_mptcp_connection_value moved =
		pace->sends ? NVME_MPTCP_CONN_BYTES_ACKED : NVME_MPTCP_CONN_BYTES_RECEIVED;
	enum nvme_mptcp_subflow_value bytes =
		pace->sends ? NVME_MPTCP_BYTES_ACKED : NVME_MPTCP_BYTES_RECEIVED;

	kernel.tcp_rmem = pace->tcp_rmem;
	snap->taken = before->taken + 1000;
	before->connections[0].value[moved] = 8 << 20;
	snap->connections[0].value[moved] = (8 << 20) + pace->moved;
	for (size_t i = 0; i < 3; i++) {
		snap->subflows[i].value[bytes] = pace->bytes[i];
		before->subflows[i].value[bytes] = pace->bytes[i] - pace->grown[i];
		snap->subflows[i].value[NVME_MPTCP_RTT_US] = pace->rtt_us[i];
		snap->subflows[i].value[NVME_MPTCP_MIN_RTT_US] = 200;
		snap->subflows[i].value[NVME_MPTCP_DELIVERY_RATE] = pace->rate[i];
	}
	if (pace->backup)
		snap->subflows[2].flags |= NVME_MPTCP_SUBFLOW_BKUP_LOC;
	count(before, "MPTcpExt", "NoDSSInWindow", pace->dropped_before);
	count(snap, "MPTcpExt", "NoDSSInWindow", pace->dropped_before + pace->dropped);
	count(before, "MPTcpExt", "MPTCPRetrans", 5);
	count(snap, "MPTcpExt", "MPTCPRetrans", 5 + pace->resent);
	assert_int_equal(snapshot_join(before), 0);
}

static void expect_pace(const struct pace *pace, const char *expected)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = clean_host();
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .before = before };

	prepare_pace(pace, before, snap);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, expected);
}

TEST(links_of_unequal_rates)
{
	struct pace pace = unequal;

	expect_pace(&pace, "C15");
	/* Drops come in bursts, and the buffer is still as small. */
	pace.dropped_before = 9;
	pace.dropped = 0;
	expect_pace(&pace, "C15");
	pace.tcp_rmem = 33554432;
	expect_pace(&pace, "");
	/* A few commands were sent again while data came. */
	pace.tcp_rmem = 6291456;
	pace.dropped_before = 0;
	pace.resent = 9;
	expect_pace(&pace, "");
	/* Nothing moves; a backup; nothing was dropped; no link waits longer; all carry alike. */
	pace = unequal;
	pace.moved = 200;
	expect_pace(&pace, "C12");
	pace = unequal;
	pace.backup = true;
	expect_pace(&pace, "C12");
	pace = unequal;
	pace.dropped = 0;
	expect_pace(&pace, "");
	pace = unequal;
	pace.rtt_us[2] = 150000;
	expect_pace(&pace, "C12");
	/* Every link has a queue, and what arrives tells them apart; a subflow that is younger. */
	pace.grown[0] = pace.grown[1] = 400 << 10;
	pace.grown[2] = 100 << 10;
	expect_pace(&pace, "C15");
	pace.grown[2] = 390 << 10;
	expect_pace(&pace, "C12");
	pace = unequal;
	pace.bytes[2] = 3 << 20;
	expect_pace(&pace, "C12");
}

/* What C15 advises a host: by whether it reads or writes, and how large its buffer is. */
static void expect_advice(bool sends, int64_t tcp_rmem, const char *command, const char *gain)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = clean_host();
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct pace pace = unequal;
	struct check c = { .before = before };
	struct nvme_mptcp_findings *findings;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;

	pace.sends = sends;
	pace.tcp_rmem = tcp_rmem;
	pace.dropped = sends ? 0 : 9;
	pace.resent = sends ? 2 : 0;
	prepare_pace(&pace, before, snap);
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
	f = nvme_mptcp_finding_next(findings, NULL);
	assert_non_null(f);
	assert_string_equal(nvme_mptcp_finding_rule(f), "C15");
	assert_string_equal(nvme_mptcp_finding_fix(f, 0, &side), command);
	assert_int_equal(side, NVME_MPTCP_ROLE_HOST);
	assert_non_null(strstr(nvme_mptcp_finding_why(f), gain));
	/* What the slow subflow carried beside the others, as it was measured. */
	expect_fact(f, "bytes", pace.bytes[2]);
	end_rules(&c, findings, snap);
}

TEST(advice_for_links_of_unequal_rates)
{
	expect_advice(false, 6291456, "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 33554432\"",
		      "A larger receive buffer");
	expect_advice(false, 33554432, "ip mptcp endpoint change id 2 backup",
		      "A larger receive buffer");
	expect_advice(true, 6291456, "ip mptcp endpoint change id 2 backup",
		      "a larger receive buffer does not");
}

TEST(links_of_unequal_rates_that_are_sent_by)
{
	struct pace pace = unequal;

	pace.sends = true;
	pace.dropped = 0;
	pace.resent = 2;
	expect_pace(&pace, "C15");
	/* Nothing was sent again; as much gets through as the links deliver; alike, or far away. */
	pace.resent = 0;
	expect_pace(&pace, "");
	pace.resent = 2;
	pace.moved = 2 << 20;
	expect_pace(&pace, "");
	pace.moved = unequal.moved;
	pace.rate[2] = 1000000;
	expect_pace(&pace, "");
}

/* Segments of 1448 bytes in flight on the subflows of the first connection, in two samples. */
struct writes {
	int64_t then[3], now[3];
	int64_t moved, lost; /* bytes, and segments that are sent again, between both */
	bool receives;
};

static const struct writes waiting = {
	.then = { 235, 0, 1 },
	.now = { 1, 240, 0 },
	.moved = 3 << 20,
};

static void expect_writes(const struct writes *writes, const char *expected)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = clean_host();
	struct nvme_mptcp_snapshot *snap = clean_host();
	enum nvme_mptcp_connection_value moved =
		writes->receives ? NVME_MPTCP_CONN_BYTES_RECEIVED : NVME_MPTCP_CONN_BYTES_ACKED;
	struct check c = { .before = before };

	snap->taken = before->taken + 1000;
	before->connections[0].value[moved] = 8 << 20;
	snap->connections[0].value[moved] = (8 << 20) + writes->moved;
	for (size_t i = 0; i < 3; i++) {
		before->subflows[i].value[NVME_MPTCP_UNACKED] = writes->then[i];
		snap->subflows[i].value[NVME_MPTCP_UNACKED] = writes->now[i];
		before->subflows[i].value[NVME_MPTCP_MSS] = 1448;
		snap->subflows[i].value[NVME_MPTCP_MSS] = 1448;
		before->subflows[i].value[NVME_MPTCP_BYTES_NOTSENT] = 0;
		snap->subflows[i].value[NVME_MPTCP_BYTES_NOTSENT] = 0;
	}
	count(before, "Tcp", "RetransSegs", 5);
	count(snap, "Tcp", "RetransSegs", 5 + writes->lost);
	assert_int_equal(snapshot_join(before), 0);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, expected);
}

TEST(writes_that_wait_for_the_slowest_link)
{
	struct writes writes = waiting;

	expect_writes(&writes, "C16");
	/* Once is chance; reads; hardly a load; something was lost, which is another matter. */
	writes.then[1] = writes.then[2] = 200;
	expect_writes(&writes, "");
	writes = waiting;
	writes.receives = true;
	expect_writes(&writes, "");
	writes = waiting;
	writes.moved = 200 << 10;
	expect_writes(&writes, "");
	writes = waiting;
	writes.lost = 3;
	expect_writes(&writes, "");
	/* One write of 128 KiB at a time has nothing for the others. */
	writes = waiting;
	writes.then[0] = writes.now[1] = 91;
	expect_writes(&writes, "");
}

TEST(trials_that_come_to_little)
{
	struct nvme_mptcp_trial trials[] = {
		{ .outcome = NVME_MPTCP_TRIAL_NO_CONNECTION, .err = ECONNREFUSED },
		{ .outcome = NVME_MPTCP_TRIAL_NO_TARGET },
		{ .outcome = NVME_MPTCP_TRIAL_MPTCP,
		  .expected = 3,
		  .established = 1,
		  .announced = 1 },
		{ .outcome = NVME_MPTCP_TRIAL_MPTCP, .expected = 3, .established = 3 },
	};
	static const char *const expected[] = { "C09", "C10", "C11", "" };
	char reason[] = "nobody said why";

	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .trial = &trials[i] };

		trials[i].reason = reason;
		trials[i].portal = snap->ctrls[0].portal;
		trials[i].conn = trials[i].expected ? &snap->connections[0] : NULL;
		expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_AUTO, expected[i]);
	}
}

/* Where nothing explains it, what the target announced is what to begin with. */
TEST(a_trial_that_nothing_explains)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	char reason[] = "nobody said why";
	struct nvme_mptcp_trial trial = {
		.outcome = NVME_MPTCP_TRIAL_MPTCP,
		.reason = reason,
		.portal = snap->ctrls[0].portal,
		.conn = &snap->connections[0],
		.expected = 3,
		.established = 1,
		.announced = 1,
	};
	struct check c = { .trial = &trial };
	struct nvme_mptcp_findings *findings =
		run_rules(&c, snap, &ops, "10.1.1.1", NVME_MPTCP_ROLE_AUTO);
	nvme_mptcp_finding_t f = first(findings, "C11", NVME_MPTCP_WARNING);

	expect_fact(f, "announced", 1);
	end_rules(&c, findings, snap);
}

TEST(a_trial_overruns_no_buffer)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	nvme_mptcp_snapshot_t before = clean_host();
	char reason[] = "nobody said why";
	struct nvme_mptcp_trial trial = {
		.outcome = NVME_MPTCP_TRIAL_MPTCP,
		.reason = reason,
		.portal = snap->ctrls[0].portal,
		.conn = &snap->connections[0],
		.expected = 3,
		.established = 3,
	};
	struct check c = { .trial = &trial, .before = before };

	count(before, "MPTcpExt", "MPTCPRetrans", 1);
	count(snap, "MPTcpExt", "MPTCPRetrans", 9);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "");
	nvme_mptcp_snapshot_free(before);
}
