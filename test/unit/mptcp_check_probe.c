/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules that rest on packets of our own: what each answer of the wire means, and what none means. */
#include <linux/neighbour.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mptcp/check/ask.h"
#include "mptcp_findings.h"

#define KNOWN .known = true
#define SENT KNOWN, .sent = true
#define REFUSED SENT, .refused = true, .reply_link = 3

TEST(joins_that_wait)
{
	static const struct {
		struct probe_result probe_result;
		int neighbour;
		const char *expected;
	} cases[] = {
		{ { KNOWN }, 0, "F10" },
		{ { KNOWN }, NUD_REACHABLE, "F10" },
		{ { KNOWN, .err = ECONNREFUSED }, 0, "F10" },
		{ { SENT, .answered = true, .reply_link = 3 }, 0, "F10" },
		{ { SENT, .answered = true, .reply_link = 1 }, 0, "R05" },
		/* Others' doing, or nobody's here. */
		{ { SENT }, 0, "F01" },
		{ { REFUSED }, 0, "F01" },
		{ { SENT, .unreachable = true }, 0, "F02" },
		{ { SENT, .connected = true, .option_sent = true }, 0, "F03" },
		/* This host takes the option out of what it sends, or out of what it gets. */
		{ { SENT, .connected = true }, 0, "F10" },
		{ { SENT, .connected = true, .option_sent = true, .option_answered = true },
		  0,
		  "F10" },
		{ { KNOWN }, NUD_FAILED, "R08 R08" },
		/* Without the right to watch nothing is known. */
		{ { .known = false }, 0, "F01" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_HOST(cases[i].expected, set_waiting(snap, 3),
			    kernel.probe_result = cases[i].probe_result,
			    kernel.neighbour = cases[i].neighbour);
}

TEST(a_rule_that_forbids_the_way)
{
	EXPECT_HOST("F10", set_waiting(snap, 3), kernel.route_error = -EACCES,
		    kernel.probe_result.known = true);
	EXPECT_HOST("F10", set_waiting(snap, 3), kernel.route_error = -EINVAL,
		    kernel.probe_result.known = true);
}

TEST(nothing_is_sent_if_that_is_wished)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .no_probes = true };

	set_waiting(snap, 3);
	kernel.probe_result.known = true;
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "F01");
}

/* Whoever asks again gets what was seen, and no packet is sent for it. */
TEST(a_way_is_asked_once)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();
	struct check c = { .snap = snap, .ops = &ops };
	const struct path_ends ends = { ip("10.1.3.2"), { ip("10.1.1.1"), 4420 }, 3 };
	const struct path_ends others = { ip("10.1.2.2"), { ip("10.1.1.1"), 4420 }, 2 };
	const struct probe_result *answer;

	kernel.probe_result = (struct probe_result){ SENT, .reply_link = 7 };
	answer = check_probe_path(&c, &ends);
	assert_non_null(answer);
	kernel.probe_result = (struct probe_result){ KNOWN, .reply_link = 8 };
	assert_ptr_equal(check_probe_path(&c, &ends), answer);
	assert_true(answer->sent && answer->reply_link == 7);
	assert_int_equal(check_probe_path(&c, &others)->reply_link, 8);
	c.no_probes = true;
	assert_ptr_equal(check_probe_path(&c, &ends), answer);
	c.n_asked = 0;
	assert_null(check_probe_path(&c, &ends));
}

/* A socket that cannot be bound to its end is none, and leaves none behind. */
TEST(ends_that_are_not_here)
{
	const struct path_ends ends = { ip("192.0.2.77"), { ip("192.0.2.1"), 4420 }, 0 };
	const int before = dup(0);

	assert_true(before >= 0);
	close(before);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ask_open_bound(&ends, SOCK_STREAM, 0), -EADDRNOTAVAIL);
	assert_int_equal(dup(0), before);
	close(before);
}

/* Where no systemd tells what is active, processes do. */
TEST(services_without_a_manager)
{
	char name[32] = "";
	FILE *file = fopen("/proc/self/comm", "r");

	if (!access("/run/systemd/units", F_OK)) {
		fclose(file);
		skip();
	}
	assert_non_null(fgets(name, sizeof(name), file));
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	assert_true(ask_kernel_ops.is_active(NULL, "of-a-test", name));
	name[1] = '\0';
	assert_false(ask_kernel_ops.is_active(NULL, "of-a-test", name));
}

TEST(packets_that_are_too_large)
{
	static const struct {
		int64_t mss, pmtu, echoes;
		const char *expected;
	} cases[] = {
		{ 1448, 1500, 1400, "A12" },
		{ 1448, 1500, 1500, "" },
		/* Who answers no echo at all tells nothing. */
		{ 1448, 1500, 0, "" },
		/* No larger ones are sent there anyway: the other side asked for less, or a router. */
		{ 1348, 1500, 1400, "" },
		{ 1448, 1400, 1400, "A09" },
		{ NVME_MPTCP_UNKNOWN, 1500, 1400, "" },
		/* A socket that has not learned its route's size says 0. */
		{ 1448, 0, 1400, "A12" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_HOST(cases[i].expected, set_value(snap, 3, NVME_MPTCP_MSS, cases[i].mss),
			    set_value(snap, 3, NVME_MPTCP_PMTU, cases[i].pmtu),
			    kernel.echoes = cases[i].echoes);
}

TEST(packets_of_any_size_that_are_lost)
{
	static const struct {
		unsigned int lost_echoes, nth_lost;
		const char *expected;
	} cases[] = {
		{ 1, 3, "A12" },
		{ 9, 2, "A12" },
		{ 0, 2, "" },
		/* A firewall limits echo requests alone, or lets none of them pass. */
		{ 5, 0, "" },
		{ ECHOES, 3, "" },
		/* No connection at all is another matter. */
		{ 5, 1, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_HOST(cases[i].expected, set_value(snap, 3, NVME_MPTCP_MSS, 1448),
			    set_value(snap, 3, NVME_MPTCP_PMTU, 1500), kernel.echoes = 1500,
			    kernel.lost_echoes = cases[i].lost_echoes,
			    kernel.nth_lost = cases[i].nth_lost);
}

/* A round robin to ports that the other end has not joined loses every other packet; small ones that all pass leave the size. */
TEST(packets_that_a_bond_loses)
{
	for (int lost = 0; lost <= 5; lost += 5) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		set_value(snap, 3, NVME_MPTCP_MSS, 1448);
		set_value(snap, 3, NVME_MPTCP_PMTU, 1500);
		link_set_kind(&snap->links[2], "bond", 0);
		snap->links[2].spreads = true;
		kernel.echoes = 800;
		kernel.lost_echoes = (unsigned int)lost;
		kernel.nth_lost = 2;
		EXPECT_HOST_FINDING(snap, .rule = "A12", .severity = NVME_MPTCP_WARNING,
				    .only = true,
				    .part = lost ? "unless the other end joins the same ports"
						 : "loses packets of 1500 bytes",
				    .fixes = { lost ? "ip -d link show dev eth3" : NULL });
	}
}

TEST(packets_that_load_takes_the_place_of)
{
	/* Bytes that each of the two subflows on link 3 received between both snapshots. */
	static const struct {
		int64_t moved;
		const char *expected;
	} cases[] = { { 6000, "A12" }, { 6001, "" }, { 1 << 20, "" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .before = clean_host() };

		snap->taken = c.before->taken + 1000;
		set_value(snap, 3, NVME_MPTCP_MSS, 1448);
		set_value(snap, 3, NVME_MPTCP_PMTU, 1500);
		set_value(c.before, 3, NVME_MPTCP_BYTES_ACKED, 500);
		set_value(snap, 3, NVME_MPTCP_BYTES_ACKED, 500);
		set_value(c.before, 3, NVME_MPTCP_BYTES_RECEIVED, 5000);
		set_value(snap, 3, NVME_MPTCP_BYTES_RECEIVED, 5000 + cases[i].moved);
		kernel.echoes = 1400;
		assert_int_equal(snapshot_join(c.before), 0);
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, cases[i].expected);
	}
}

TEST(an_address_that_both_have)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = {};

	add_address(snap, 3, "10.1.1.1", 128);
	expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST, "A13");
}

/* Of several portals each is looked at, also behind one that is only the target's. */
TEST(an_address_of_the_second_portal)
{
	static const char *const shared[] = { "10.1.1.1", "10.1.7.1" };

	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));
		struct portal portals[] = { { .address = { ip("10.1.1.1"), 4420 } },
					    { .address = { ip("10.1.7.1"), 4420 } } };

		struct check c = { .snap = snap,
				   .findings = findings,
				   .ops = &ops,
				   .role = ON_HOST,
				   .portals = portals,
				   .n_portals = 2 };

		assert_non_null(findings);
		add_address(snap, 3, shared[i], 128);
		rule_address_shared(&c, RULE_A13);
		assert_int_equal(findings->n, 1);
		assert_string_equal(nvme_mptcp_finding_subject(&findings->finding[0]), shared[i]);
		nvme_mptcp_findings_free(findings);
		nvme_mptcp_snapshot_free(snap);
	}
}

TEST(paths_that_have_died_while_idle)
{
	static const struct {
		struct probe_result probe_result;
		int64_t echoes;
		const char *expected;
	} cases[] = {
		{ { SENT }, 0, "C17" },
		{ { KNOWN }, 0, "C17" },
		{ { SENT, .unreachable = true }, 0, "C17" },
		{ { SENT }, 1500, "" },
		/* Only echoes are filtered. */
		{ { SENT, .answered = true, .connected = true }, 0, "" },
		{ { SENT, .refused = true }, 0, "" },
		{ { .known = false }, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_HOST(cases[i].expected, set_value(snap, 3, NVME_MPTCP_MSS, 1448),
			    kernel.probe_result = cases[i].probe_result,
			    kernel.echoes = cases[i].echoes);
}

/* Data that arrives is a better witness, and without packets of our own nothing is known. */
TEST(paths_that_are_not_idle)
{
	for (int probes = 0; probes <= 1; probes++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .no_probes = !probes };

		set_value(snap, 3, NVME_MPTCP_MSS, 1448);
		if (probes) {
			set_value(snap, 0, NVME_MPTCP_BYTES_RECEIVED, 2000);
			c.before = clean_host();
			set_value(c.before, 0, NVME_MPTCP_BYTES_RECEIVED, 1000);
			assert_int_equal(snapshot_join(c.before), 0);
		}
		kernel.probe_result.known = true;
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "");
	}
}

/* What a trial finds of a join by the third link that was closed. */
TEST(reasons_of_no_route_to_host)
{
	static const struct {
		struct probe_result probe_result;
		int neighbour;
		bool no_gateway;
		int64_t err;
		const char *expected;
	} cases[] = {
		{ { SENT, .unreachable = true }, NUD_REACHABLE, false, EHOSTUNREACH, "F02" },
		{ { SENT }, NUD_REACHABLE, false, EHOSTUNREACH, "F02" },
		{ { SENT }, NUD_FAILED, false, EHOSTUNREACH, "R08 R08" },
		{ { SENT }, NUD_FAILED, true, EHOSTUNREACH, "R01 R01" },
		{ { KNOWN, .err = EHOSTUNREACH }, 0, false, EHOSTUNREACH, "F10" },
		{ { REFUSED }, NUD_REACHABLE, false, ECONNREFUSED, "F02" },
		/* Closed by this side, and nothing failed. */
		{ { SENT, .option_sent = true }, 0, false, NVME_MPTCP_UNKNOWN, "F03" },
		{ { SENT }, 0, false, NVME_MPTCP_UNKNOWN, "F10" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_event closed;
		struct nvme_mptcp_trial trial = trial_of_closed_join(snap, cases[i].err, &closed);
		struct check c = { .trial = &trial };

		kernel.probe_result = cases[i].probe_result;
		kernel.neighbour = cases[i].neighbour;
		kernel.no_gateway = cases[i].no_gateway;
		expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST, cases[i].expected);
	}
}
