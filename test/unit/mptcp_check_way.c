/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules that rest on packets of our own: what each answer of the wire means, and what none means. */
#include <errno.h>
#include <linux/neighbour.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mptcp/check/ask.h"
#include "mptcp_machine.h"

/* A host whose joins by the third link wait for an answer. */
static struct nvme_mptcp_snapshot *waiting_host(void)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	for (size_t i = 0; i < snap->n_subflows; i++) {
		if (snap->subflows[i].ifindex != 3)
			continue;
		snap->subflows[i].state = STATE_SYN_SENT;
		snap->subflows[i].value[NVME_MPTCP_TIMEOUTS] = 2;
	}
	return snap;
}

TEST(joins_that_wait)
{
	static const struct {
		struct way_answer way;
		int neighbour;
		const char *expected;
	} cases[] = {
		{ { .known = true }, 0, "F10" },
		{ { .known = true }, NUD_REACHABLE, "F10" },
		{ { .known = true, .err = ECONNREFUSED }, 0, "F10" },
		{ { .known = true, .sent = true, .answered = true, .came_by = 3 }, 0, "F10" },
		{ { .known = true, .sent = true, .answered = true, .came_by = 1 }, 0, "R05" },
		/* Others' doing, or nobody's here. */
		{ { .known = true, .sent = true }, 0, "F01" },
		{ { .known = true, .sent = true, .refused = true, .came_by = 3 }, 0, "F01" },
		{ { .known = true, .sent = true, .unreachable = true }, 0, "F02" },
		{ { .known = true, .sent = true, .connected = true, .option_sent = true },
		  0,
		  "F03" },
		/* This host takes the option out of what it sends, or out of what it gets. */
		{ { .known = true, .sent = true, .connected = true }, 0, "F10" },
		{ { .known = true,
		    .sent = true,
		    .connected = true,
		    .option_sent = true,
		    .option_answered = true },
		  0,
		  "F10" },
		{ { .known = true }, NUD_FAILED, "R08 R08" },
		/* Without the right to watch nothing is known. */
		{ { .known = false }, 0, "F01" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = waiting_host();

		kernel.way = cases[i].way;
		kernel.neighbour = cases[i].neighbour;
		expect(snap, cases[i].expected);
	}
}

TEST(a_rule_that_forbids_the_way)
{
	static const int errors[] = { -EACCES, -EINVAL };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		struct nvme_mptcp_snapshot *snap = waiting_host();

		kernel.route_error = errors[i];
		kernel.way.known = true;
		expect(snap, "F10");
	}
}

TEST(nothing_is_sent_if_that_is_wished)
{
	struct nvme_mptcp_snapshot *snap = waiting_host();
	struct check c = { .no_probes = true };

	kernel.way.known = true;
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "F01");
}

/* Whoever asks again gets what was seen, and no packet is sent for it. */
TEST(a_way_is_asked_once)
{
	struct nvme_mptcp_snapshot *snap = waiting_host();
	struct check c = { .snap = snap, .ops = &ops };
	const struct way_ends ends = { ip("10.1.3.2"), { ip("10.1.1.1"), 4420 }, 3 };
	const struct way_ends others = { ip("10.1.2.2"), { ip("10.1.1.1"), 4420 }, 2 };
	const struct way_answer *first;

	kernel.way = (struct way_answer){ .known = true, .sent = true, .came_by = 7 };
	first = check_ask_way(&c, &ends);
	assert_non_null(first);
	kernel.way = (struct way_answer){ .known = true, .came_by = 8 };
	assert_ptr_equal(check_ask_way(&c, &ends), first);
	assert_true(first->sent && first->came_by == 7);
	assert_int_equal(check_ask_way(&c, &others)->came_by, 8);
	c.no_probes = true;
	assert_ptr_equal(check_ask_way(&c, &ends), first);
	c.n_asked = 0;
	assert_null(check_ask_way(&c, &ends));
	nvme_mptcp_snapshot_free(snap);
}

/* A socket that cannot be bound to its end is none, and leaves none behind. */
TEST(ends_that_are_not_here)
{
	const struct way_ends ends = { ip("192.0.2.77"), { ip("192.0.2.1"), 4420 }, 0 };
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		for (size_t j = 0; j < snap->n_subflows; j++) {
			if (snap->subflows[j].ifindex != 3)
				continue;
			snap->subflows[j].value[NVME_MPTCP_MSS] = cases[i].mss;
			snap->subflows[j].value[NVME_MPTCP_PMTU] = cases[i].pmtu;
		}
		kernel.echoes = cases[i].echoes;
		expect(snap, cases[i].expected);
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
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = clean_host();
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .before = before };

		snap->taken = before->taken + 1000;
		for (size_t j = 0; j < snap->n_subflows; j++) {
			if (snap->subflows[j].ifindex != 3)
				continue;
			snap->subflows[j].value[NVME_MPTCP_MSS] = 1448;
			snap->subflows[j].value[NVME_MPTCP_PMTU] = 1500;
			before->subflows[j].value[NVME_MPTCP_BYTES_ACKED] = 500;
			snap->subflows[j].value[NVME_MPTCP_BYTES_ACKED] = 500;
			before->subflows[j].value[NVME_MPTCP_BYTES_RECEIVED] = 5000;
			snap->subflows[j].value[NVME_MPTCP_BYTES_RECEIVED] = 5000 + cases[i].moved;
		}
		kernel.echoes = 1400;
		assert_int_equal(snapshot_join(before), 0);
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

/* A host whose path by the third link answers no echo. */
static struct nvme_mptcp_snapshot *silent_host(void)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex == 3)
			snap->subflows[i].value[NVME_MPTCP_MSS] = 1448;
	return snap;
}

TEST(paths_that_have_died_while_idle)
{
	static const struct {
		struct way_answer way;
		int64_t echoes;
		const char *expected;
	} cases[] = {
		{ { .known = true, .sent = true }, 0, "C17" },
		{ { .known = true }, 0, "C17" },
		{ { .known = true, .sent = true, .unreachable = true }, 0, "C17" },
		{ { .known = true, .sent = true }, 1500, "" },
		/* Only echoes are filtered. */
		{ { .known = true, .sent = true, .answered = true, .connected = true }, 0, "" },
		{ { .known = true, .sent = true, .refused = true }, 0, "" },
		{ { .known = false }, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = silent_host();

		kernel.way = cases[i].way;
		kernel.echoes = cases[i].echoes;
		expect(snap, cases[i].expected);
	}
}

/* Data that arrives is a better witness, and without packets of our own nothing is known. */
TEST(paths_that_are_not_idle)
{
	struct nvme_mptcp_snapshot *snap = silent_host(), *before = silent_host();
	struct check c = { .before = before };

	kernel.way.known = true;
	for (size_t i = 0; i < snap->n_subflows; i++) {
		before->subflows[i].value[NVME_MPTCP_BYTES_RECEIVED] = 1000;
		snap->subflows[i].value[NVME_MPTCP_BYTES_RECEIVED] = 2000;
	}
	assert_int_equal(snapshot_join(before), 0);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "");
	nvme_mptcp_snapshot_free(before);
	c = (struct check){ .no_probes = true };
	snap = silent_host();
	kernel.way.known = true;
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "");
}

/* What a trial finds of a join by the third link that was closed with @err. */
static void expect_closed(int64_t err, const struct way_answer *way, int neighbour, bool no_gateway,
			  const char *expected)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_event closed;
	struct nvme_mptcp_trial trial = trial_of_closed_join(snap, err, &closed);
	struct check c = { .trial = &trial };

	kernel.way = *way;
	kernel.neighbour = neighbour;
	kernel.no_gateway = no_gateway;
	expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST, expected);
}

TEST(reasons_of_no_route_to_host)
{
	static const struct {
		struct way_answer way;
		int neighbour;
		bool no_gateway;
		int64_t err;
		const char *expected;
	} cases[] = {
		{ { .known = true, .sent = true, .unreachable = true },
		  NUD_REACHABLE,
		  false,
		  EHOSTUNREACH,
		  "F02" },
		{ { .known = true, .sent = true }, NUD_REACHABLE, false, EHOSTUNREACH, "F02" },
		{ { .known = true, .sent = true }, NUD_FAILED, false, EHOSTUNREACH, "R08 R08" },
		{ { .known = true, .sent = true }, NUD_FAILED, true, EHOSTUNREACH, "R01 R01" },
		{ { .known = true, .err = EHOSTUNREACH }, 0, false, EHOSTUNREACH, "F10" },
		{ { .known = true, .sent = true, .refused = true, .came_by = 3 },
		  NUD_REACHABLE,
		  false,
		  ECONNREFUSED,
		  "F02" },
		/* Closed by this side, and nothing failed. */
		{ { .known = true, .sent = true, .option_sent = true },
		  0,
		  false,
		  NVME_MPTCP_UNKNOWN,
		  "F03" },
		{ { .known = true, .sent = true }, 0, false, NVME_MPTCP_UNKNOWN, "F10" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_closed(cases[i].err, &cases[i].way, cases[i].neighbour, cases[i].no_gateway,
			      cases[i].expected);
}
