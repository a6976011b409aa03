/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about joins, announcements and data on the way: what grew between two samples tells. */
#include "mptcp/trial/trial-state.h"
#include "mptcp_findings.h"

struct growth {
	const char *group, *name;
	int64_t by;
};

/* A host on which these counters have grown, from 5 each. */
static void expect_growth(const struct growth *growth, size_t n, const char *expected)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .before = clean_host() };

	for (size_t i = 0; i < n; i++) {
		count(c.before, growth[i].group, growth[i].name, 5);
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
	/* One sample proves nothing of the kind. */
	EXPECT_HOST("", count(snap, "MPTcpExt", "MPCapableFallbackSYNACK", 1),
		    count(snap, "MPTcpExt", "MPJoinSynTx", 2),
		    count(snap, "MPTcpExt", "MPRstTx", 2), count(snap, "Tcp", "AttemptFails", 2));
}

TEST(packets_that_are_taken_for_invalid)
{
	for (int troubled = 0; troubled < 2; troubled++) {
		for (int liberal = 0; liberal < 2; liberal++) {
			struct nvme_mptcp_snapshot *snap = clean_host();
			struct check c = { .before = clean_host() };

			count(c.before, "conntrack", "invalid", 1);
			count(snap, "conntrack", "invalid", 4);
			kernel.be_liberal = liberal;
			if (troubled)
				snap->subflows[2].value[NVME_MPTCP_TIMEOUTS] = 1;
			expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO,
				    troubled && !liberal ? "F06" : "");
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
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_TARGET(cases[i].expected, replace(snap, "add_addr_timeout", "2"),
			      count(snap, "MPTcpExt", "AddAddrTx", cases[i].sent),
			      count(snap, "MPTcpExt", "AddAddrTxDrop", cases[i].unsent),
			      count(snap, "MPTcpExt", "EchoAdd", cases[i].echoed));
	/* A kernel without that counter says nothing. */
	EXPECT_TARGET("", count(snap, "MPTcpExt", "AddAddrTx", 3));
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
		for (size_t i = 0; i < snap->n_subflows; i++)
			snap->subflows[i].local.port = (uint16_t)snap->subflows[i].token;
		set_waiting(snap, 3);
		snap->ctrls[0].expected = last;
		kernel.asked = 0;
		expect(snap, "F01");
		asked[many] = kernel.asked;
	}
	assert_int_equal(asked[0], asked[1]);
}

TEST(subflows_that_are_left_aside)
{
	EXPECT("C04", { "MPTcpExt", "SubflowStale", 1 });
	EXPECT("", { "MPTcpExt", "SubflowStale", 0 });
	EXPECT_HOST("C04", count(snap, "MPTcpExt", "SubflowStale", 2),
		    snap->subflows[1].value[NVME_MPTCP_TIMEOUTS] = 3);
	/* A time-out alone happens. */
	EXPECT_HOST("", snap->subflows[1].value[NVME_MPTCP_TIMEOUTS] = 1);
}

TEST(answers_without_proof)
{
	EXPECT("C08", { "MPTcpExt", "MPJoinSynAckHMacFailure", 1 });
	EXPECT("", { "MPTcpExt", "MPJoinSynAckHMacFailure", 0 });
}

/* What C07 says of a slow link whose subflow sends a tenth again. */
static void expect_slow_or_lossy(int64_t cwnd, int64_t rtt_us, const char *why)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_subflow *sf = &snap->subflows[1];

	sf->value[NVME_MPTCP_BYTES_SENT] = 10 << 20;
	sf->value[NVME_MPTCP_BYTES_RETRANS] = 1 << 20;
	sf->value[NVME_MPTCP_MIN_RTT_US] = 1000;
	sf->value[NVME_MPTCP_RTT_US] = rtt_us;
	sf->value[NVME_MPTCP_CWND] = cwnd;
	sf->value[NVME_MPTCP_DELIVERY_RATE] = 1000;
	snap->subflows[0].value[NVME_MPTCP_DELIVERY_RATE] = 4000;
	EXPECT_HOST_FINDING(snap, .rule = "C07", .any_severity = true, .part = why);
}

/* A queue that overflows takes a window that fills it, and waits; loss keeps the window small. */
TEST(a_slow_link_or_one_that_loses_packets)
{
	expect_slow_or_lossy(40, 5000, "when its queue is full: it is slow");
	expect_slow_or_lossy(4, 5000, "loses more than one packet in twenty");
	expect_slow_or_lossy(40, 1050, "loses more than one packet in twenty");
}

TEST(a_link_that_loses_packets)
{
	static const struct {
		int64_t sent, one_of, min_rtt_us;
		const char *expected;
	} cases[] = {
		{ 10 << 20, 10, NVME_MPTCP_UNKNOWN, "C07" },
		{ 1000, 2, NVME_MPTCP_UNKNOWN, "" },
		/* One of 200: nothing on a short way, and what decides on a long one. */
		{ 10 << 20, 200, 140000, "C07" },
		{ 10 << 20, 200, 200, "" },
		{ 10 << 20, 2000, 140000, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_subflow *sf = &snap->subflows[1];

		set_value(snap, 0, NVME_MPTCP_MIN_RTT_US, cases[i].min_rtt_us);
		sf->value[NVME_MPTCP_BYTES_SENT] = cases[i].sent;
		sf->value[NVME_MPTCP_BYTES_RETRANS] = cases[i].sent / cases[i].one_of;
		expect(snap, cases[i].expected);
	}
}

TEST(buffers_that_are_too_small)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .before = clean_host() };

	EXPECT("C12", { "MPTcpExt", "NoDSSInWindow", 9 });
	EXPECT("C12", { "MPTcpExt", "MPTCPRetrans", 9 });
	/* TCP itself lost something: that is another matter. */
	EXPECT("", { "MPTcpExt", "MPTCPRetrans", 9 }, { "Tcp", "RetransSegs", 1 });
	EXPECT("", { "MPTcpExt", "NoDSSInWindow", 0 });
	/* A single one is an acknowledgement that came late. */
	EXPECT("", { "MPTcpExt", "MPTCPRetrans", 1 });

	/* Whose buffer it is. */
	count(c.before, "MPTcpExt", "MPTCPRetrans", 1);
	count(snap, "MPTcpExt", "MPTCPRetrans", 9);
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, .rule = "C12", .any_severity = true,
		       .fixes = { "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 33554432\"" },
		       .side = NVME_MPTCP_ROLE_TARGET);
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
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .before = clean_host() };

	prepare_pace(pace, c.before, snap);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, expected);
}

#define EXPECT_PACE(expected, ...) \
	do { \
		struct pace pace = unequal; \
		__VA_ARGS__; \
		expect_pace(&pace, expected); \
	} while (0)

TEST(links_of_unequal_rates)
{
	expect_pace(&unequal, "C15");
	/* Drops come in bursts, and the buffer is still as small. */
	EXPECT_PACE("C15", pace.dropped_before = 9, pace.dropped = 0);
	EXPECT_PACE("", pace.dropped_before = 9, pace.dropped = 0, pace.tcp_rmem = 33554432);
	/* A few commands were sent again while data came. */
	EXPECT_PACE("", pace.dropped = 0, pace.resent = 9);
	/* Nothing moves; a backup; nothing was dropped; no link waits longer; all carry alike. */
	EXPECT_PACE("C12", pace.moved = 200);
	EXPECT_PACE("C12", pace.backup = true);
	EXPECT_PACE("", pace.dropped = 0);
	EXPECT_PACE("C12", pace.rtt_us[2] = 150000);
	EXPECT_PACE("C12", pace.bytes[2] = 3 << 20);
	/* Every link has a queue, and what arrives tells them apart; a subflow that is younger. */
	EXPECT_PACE("C15", pace.rtt_us[2] = 150000, pace.grown[0] = pace.grown[1] = 400 << 10,
		    pace.grown[2] = 100 << 10);
	EXPECT_PACE("C12", pace.rtt_us[2] = 150000, pace.grown[0] = pace.grown[1] = 400 << 10,
		    pace.grown[2] = 390 << 10);
}

/* What C15 advises a host: by whether it reads or writes, and the sizes of its buffer. */
static void expect_advice(bool sends, int64_t initial, int64_t tcp_rmem, const char *command,
			  const char *gain)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct pace pace = unequal;
	struct check c = { .before = clean_host() };

	pace.sends = sends;
	pace.tcp_rmem = tcp_rmem;
	pace.dropped = sends ? 0 : 9;
	pace.resent = sends ? 2 : 0;
	prepare_pace(&pace, c.before, snap);
	kernel.rmem_numbers[1] = initial;
	/* The bytes are what the slow subflow carried beside the others, as it was measured. */
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, .rule = "C15", .any_severity = true,
		       .part = gain, .fixes = { command }, .side = NVME_MPTCP_ROLE_HOST,
		       .evidence = { { "bytes", "1048576" } });
}

TEST(advice_for_links_of_unequal_rates)
{
	expect_advice(false, 0, 6291456, "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 33554432\"",
		      "A larger receive buffer");
	expect_advice(false, 0, 33554432, "ip mptcp endpoint change id 2 backup",
		      "A larger receive buffer");
	expect_advice(true, 0, 6291456, "ip mptcp endpoint change id 2 backup",
		      "a larger receive buffer does not");
	/* The initial size is the administrator's. */
	expect_advice(false, 262144, 6291456,
		      "sysctl -w net.ipv4.tcp_rmem=\"4096 262144 33554432\"",
		      "A larger receive buffer");
}

TEST(links_of_unequal_rates_that_are_sent_by)
{
#define SENDS pace.sends = true, pace.dropped = 0, pace.resent = 2
	EXPECT_PACE("C15", SENDS);
	/* Nothing was sent again; as much gets through as the links deliver; alike, or far away. */
	EXPECT_PACE("", SENDS, pace.resent = 0);
	EXPECT_PACE("", SENDS, pace.moved = 2 << 20);
	EXPECT_PACE("", SENDS, pace.rate[2] = 1000000);
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
	struct nvme_mptcp_snapshot *snap = clean_host();
	enum nvme_mptcp_connection_value moved =
		writes->receives ? NVME_MPTCP_CONN_BYTES_RECEIVED : NVME_MPTCP_CONN_BYTES_ACKED;
	struct check c = { .before = clean_host() };

	snap->taken = c.before->taken + 1000;
	c.before->connections[0].value[moved] = 8 << 20;
	snap->connections[0].value[moved] = (8 << 20) + writes->moved;
	for (size_t i = 0; i < 3; i++) {
		struct nvme_mptcp_subflow *then = &c.before->subflows[i], *now = &snap->subflows[i];

		then->value[NVME_MPTCP_UNACKED] = writes->then[i];
		now->value[NVME_MPTCP_UNACKED] = writes->now[i];
		then->value[NVME_MPTCP_MSS] = now->value[NVME_MPTCP_MSS] = 1448;
		then->value[NVME_MPTCP_BYTES_NOTSENT] = now->value[NVME_MPTCP_BYTES_NOTSENT] = 0;
	}
	count(c.before, "Tcp", "RetransSegs", 5);
	count(snap, "Tcp", "RetransSegs", 5 + writes->lost);
	assert_int_equal(snapshot_join(c.before), 0);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, expected);
}

#define EXPECT_WRITES(expected, ...) \
	do { \
		struct writes writes = waiting; \
		__VA_ARGS__; \
		expect_writes(&writes, expected); \
	} while (0)

TEST(writes_that_wait_for_the_slowest_link)
{
	expect_writes(&waiting, "C16");
	/* Once is chance; reads; hardly a load; something was lost, which is another matter. */
	EXPECT_WRITES("", writes.then[1] = writes.then[2] = 200);
	EXPECT_WRITES("", writes.receives = true);
	EXPECT_WRITES("", writes.moved = 200 << 10);
	EXPECT_WRITES("", writes.lost = 3);
	/* One write of 128 KiB at a time has nothing for the others. */
	EXPECT_WRITES("", writes.then[0] = writes.now[1] = 91);
}

/* A trial of the clean host that made @established of three subflows. */
static struct nvme_mptcp_trial trial_of(const struct nvme_mptcp_snapshot *snap, int established)
{
	static char reason[] = "nobody said why";

	return (struct nvme_mptcp_trial){ .outcome = NVME_MPTCP_TRIAL_MPTCP,
					  .reason = reason,
					  .portal = snap->ctrls[0].portal,
					  .conn = &snap->connections[0],
					  .expected = 3,
					  .established = established,
					  .announced = established == 1 };
}

TEST(trials_that_come_to_little)
{
	static const struct {
		enum nvme_mptcp_trial_outcome outcome;
		int err, established;
		const char *expected;
	} cases[] = {
		{ NVME_MPTCP_TRIAL_NO_CONNECTION, ECONNREFUSED, 0, "C09" },
		{ NVME_MPTCP_TRIAL_NO_TARGET, 0, 0, "C10" },
		{ NVME_MPTCP_TRIAL_MPTCP, 0, 1, "C11" },
		{ NVME_MPTCP_TRIAL_MPTCP, 0, 3, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_trial trial = trial_of(snap, cases[i].established);
		struct check c = { .trial = &trial };

		trial.outcome = cases[i].outcome;
		trial.err = cases[i].err;
		if (trial.outcome != NVME_MPTCP_TRIAL_MPTCP) {
			trial.conn = NULL;
			trial.expected = 0;
		}
		expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_AUTO, cases[i].expected);
	}
}

/* Where nothing explains it, what the target announced is what to begin with. */
TEST(a_trial_that_nothing_explains)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_trial trial = trial_of(snap, 1);
	struct check c = { .trial = &trial };

	EXPECT_FINDING(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_AUTO, .rule = "C11",
		       .severity = NVME_MPTCP_WARNING, .evidence = { { "announced", "1" } });
}

TEST(a_trial_overruns_no_buffer)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_trial trial = trial_of(snap, 3);
	struct check c = { .trial = &trial, .before = clean_host() };

	count(c.before, "MPTcpExt", "MPTCPRetrans", 1);
	count(snap, "MPTcpExt", "MPTCPRetrans", 9);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "");
}
