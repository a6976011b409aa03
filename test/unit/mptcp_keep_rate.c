// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which links are slow, by what subflows deliver from one look to the next. */
#include "mptcp/plan/keep-poll.h"
#include "mptcp_planned.h"

#define LOOK_MS KEEP_BUSY_MS
#define KB 1000

/* Four connections with a subflow on each of four links; only the first ones count. */
static struct {
	struct keep_rates rates;
	struct nvme_mptcp_subflow subflows[16];
	size_t n;
	int64_t now;
	bool moving;
} world;

static struct nvme_mptcp_subflow *subflow_on(int conn, int link)
{
	return &world.subflows[4 * conn + link - 1];
}

static int set_up(void **state)
{
	memset(&world, 0, sizeof(world));
	world.n = 4;
	world.now = 1000000;
	for (int conn = 0; conn < 4; conn++)
		for (int link = 1; link <= 4; link++) {
			struct nvme_mptcp_subflow *sf = subflow_on(conn, link);

			sf->token = (uint32_t)conn + 1;
			sf->local = (struct socket_address){ numbered(V4, link), 1000 };
			sf->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
			sf->value[NVME_MPTCP_RTT_US] = 10000;
			sf->value[NVME_MPTCP_RTTVAR_US] = 1000;
		}
	return 0;
}

static int tear_down(void **state)
{
	keep_rates_clear(&world.rates);
	return 0;
}

static void look_again(void)
{
	const struct subflow_samples beats = { world.subflows, world.n };

	assert_int_equal(keep_rates_update(&world.rates, &beats, world.now, &world.moving), 0);
	world.now += LOOK_MS;
}

static void send_by(int conn, int link, int64_t bytes, int64_t busy_ms)
{
	subflow_on(conn, link)->value[NVME_MPTCP_BYTES_ACKED] += bytes;
	subflow_on(conn, link)->value[NVME_MPTCP_BUSY_US] += busy_ms * 1000;
}

static void receive_by(int conn, int link, int64_t bytes)
{
	subflow_on(conn, link)->value[NVME_MPTCP_BYTES_RECEIVED] += bytes;
}

/* By all links but the second one. */
static void receive_by_others(int64_t bytes)
{
	for (int link = 1; link <= 4; link++)
		if (link != 2)
			receive_by(0, link, bytes);
}

/* Which links were found until now, "" or "2" or "2 3". */
static const char *found(void)
{
	static char text[16];

	text[0] = '\0';
	for (int link = 1; link <= 4; link++) {
		const struct in6_addr ip = numbered(V4, link);
		const size_t length = strlen(text);

		if (keep_rates_is_slow(&world.rates, &ip))
			snprintf(text + length, sizeof(text) - length, "%s%d", length ? " " : "",
				 link);
	}
	return text;
}

/* A host that writes, for so many looks or until a link is found: 62 KB between two looks, but for link 2. */
static const char *write_for(int looks, int64_t bytes, int64_t busy_ms)
{
	while (looks--) {
		for (int link = 1; link <= 4; link++)
			if (link != 2)
				send_by(0, link, 62 * KB, LOOK_MS);
		send_by(0, 2, bytes, busy_ms);
		look_again();
		if (*found())
			break;
	}
	return found();
}

TEST(a_link_that_sends_a_tenth)
{
	look_again();
	/* 700 ms, and not less. */
	assert_string_equal(write_for(13, 6 * KB, LOOK_MS), "");
	assert_string_equal(write_for(1, 6 * KB, LOOK_MS), "2");
	/* Once for each window. */
	assert_string_equal(write_for(13, 6 * KB, LOOK_MS), "");
	assert_string_equal(write_for(1, 6 * KB, LOOK_MS), "2");
}

/* A third is enough; it has nothing to send; and the dead are found by others. */
TEST(links_that_are_not_slow)
{
	static const struct {
		int64_t bytes, busy_ms;
	} cases[] = { { 21 * KB, LOOK_MS }, { 6 * KB, LOOK_MS / 2 }, { 0, LOOK_MS } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		look_again();
		assert_string_equal(write_for(60, cases[i].bytes, cases[i].busy_ms), "");
		tear_down(state);
		set_up(state);
	}
}

/* It is late, and as fast: what was sent comes to be acknowledged in bursts. */
TEST(a_link_that_is_late)
{
	look_again();
	for (int i = 0; i < 60; i++)
		assert_string_equal(write_for(1, i % 13 ? 0 : 40 * KB, LOOK_MS), "");
}

/* The same, with more on its way: five of fourteen intervals have some. */
TEST(a_late_link_that_is_often_used)
{
	look_again();
	for (int i = 0; i < 60; i++)
		assert_string_equal(write_for(1, i % 14 % 3 || i % 14 > 12 ? 0 : 12 * KB, LOOK_MS),
				    "");
}

/* A hundredth of the others' rate: a packet in every second interval. */
TEST(a_link_that_is_very_slow)
{
	look_again();
	for (int i = 0; i < 13; i++)
		assert_string_equal(write_for(1, i % 2 ? 1448 : 0, LOOK_MS), "");
	assert_string_equal(write_for(1, 1448, LOOK_MS), "2");
}

/* Its queue is empty; it is busy with commands until the other links have delivered theirs. */
TEST(a_link_that_waits_for_the_window)
{
	look_again();
	for (int i = 0; i < 60; i++)
		assert_string_equal(write_for(1, i % 18 ? 72 : 30 * KB, LOOK_MS), "");
}

/* All of them wait for a target that has stopped, or is slow. */
TEST(a_target_that_becomes_slow)
{
	look_again();
	assert_string_equal(write_for(40, 62 * KB, LOOK_MS), "");
	for (int i = 0; i < 60; i++) {
		for (int link = 1; link <= 4; link++)
			send_by(0, link, i < 30 ? 3 * KB : 0, LOOK_MS);
		look_again();
		assert_string_equal(found(), "");
	}
}

TEST(a_backup_is_not_judged)
{
	subflow_on(0, 2)->flags = NVME_MPTCP_SUBFLOW_BKUP_LOC;
	look_again();
	assert_string_equal(write_for(60, 6 * KB, LOOK_MS), "");
	/* What it did as one is forgotten. */
	subflow_on(0, 2)->flags = 0;
	assert_string_equal(write_for(13, 6 * KB, LOOK_MS), "");
	assert_string_equal(write_for(1, 6 * KB, LOOK_MS), "2");
}

TEST(a_pause_of_looks_begins_anew)
{
	look_again();
	assert_string_equal(write_for(13, 6 * KB, LOOK_MS), "");
	world.now += 400;
	assert_string_equal(write_for(14, 6 * KB, LOOK_MS), "");
	assert_string_equal(write_for(1, 6 * KB, LOOK_MS), "2");
}

/* Links that are faster than the processors share them unequally: only what waits long is slow. */
TEST(a_fast_link_with_a_small_share)
{
	for (int64_t rtt_us = 80000; rtt_us <= 160000; rtt_us += 80000) {
		subflow_on(0, 2)->value[NVME_MPTCP_RTT_US] = rtt_us;
		look_again();
		for (int i = 0; i < 40 && !*found(); i++) {
			for (int link = 1; link <= 4; link++)
				send_by(0, link, (link == 2 ? 500 : 5000) * KB, LOOK_MS);
			look_again();
		}
		assert_string_equal(found(), rtt_us < 150000 ? "" : "2");
	}
}

/* The host reads little by little, since each request waits for link 2: bursts by the others. */
static const char *read_for(int looks, int64_t bytes, int64_t rtt_us)
{
	subflow_on(0, 2)->value[NVME_MPTCP_RTT_US] = rtt_us;
	while (looks--) {
		receive_by_others(looks % 3 ? 0 : 35 * KB);
		receive_by(0, 2, bytes);
		look_again();
		if (*found())
			break;
	}
	return found();
}

TEST(a_link_that_receives_a_tenth)
{
	look_again();
	assert_string_equal(read_for(13, 6 * KB, 60000), "");
	assert_string_equal(read_for(1, 6 * KB, 60000), "2");
}

/* Of the few commands that the host sends over it, one was acknowledged late. */
TEST(a_link_that_receives_and_sends_little)
{
	subflow_on(0, 2)->value[NVME_MPTCP_RTTVAR_US] = 12000;
	look_again();
	assert_string_equal(read_for(14, 6 * KB, 17000), "2");
}

/* Pieces of 16 KiB take more than two looks by link 2, and come three at once by the others, at times. */
TEST(a_link_that_receives_in_pieces)
{
	subflow_on(0, 2)->value[NVME_MPTCP_RTT_US] = 100000;
	for (int i = 0; i < 45 && !*found(); i++) {
		look_again();
		receive_by(0, 2, i % 5 == 0 || i % 5 == 2 ? 16384 : 0);
		receive_by_others(i % 5 == 0 ? 49152 : i % 5 < 4 ? 16384 : 0);
	}
	assert_string_equal(found(), "2");
}

/* The distant second link receives so much at once. */
static void expect_distant(int64_t rtt_us, int64_t bytes, int64_t others)
{
	subflow_on(0, 2)->value[NVME_MPTCP_RTT_US] = rtt_us;
	for (int i = 0; i < 60; i++) {
		look_again();
		receive_by(0, 2, i % 12 < 2 ? bytes : 0);
		receive_by_others(others);
		assert_string_equal(found(), "");
	}
}

/* What is late comes in bursts, as fast as by the others. */
TEST(a_distant_link_that_receives)
{
	expect_distant(600000, 60 * KB, 60 * KB);
}

/* After a time-out it begins with ten packets in each round trip. */
TEST(a_distant_link_after_a_timeout)
{
	expect_distant(460000, 14200, 62 * KB);
}

/* Little comes by it, and nothing waits there: the target prefers others. */
TEST(a_link_that_is_used_little)
{
	look_again();
	assert_string_equal(read_for(60, 6 * KB, 11000), "");
}

TEST(a_keep_alive_is_no_load)
{
	look_again();
	world.n = 8;
	look_again();
	/* However many controllers send one between two looks. */
	for (int conn = 0; conn < 2; conn++)
		for (int link = 1; link <= 4; link++)
			receive_by(conn, link, 240);
	look_again();
	assert_false(world.moving);
	receive_by(0, 1, 16 * KB);
	look_again();
	assert_true(world.moving);
	world.now += 1000;
	look_again();
	assert_false(world.moving);
}

/*
 * Two connections share a link unequally, and together they have all that it gives, also if data does
 * not always wait for the one that has more.
 */
TEST(an_unfair_share_is_no_slow_link)
{
	for (int64_t busy_ms = LOOK_MS; busy_ms; busy_ms -= LOOK_MS / 2) {
		world.n = 8;
		look_again();
		for (int i = 0; i < 60; i++) {
			for (int link = 1; link <= 4; link++) {
				send_by(0, link, link == 2 ? 3 * KB : 31 * KB, LOOK_MS);
				send_by(1, link, link == 2 ? 58 * KB : 31 * KB, busy_ms);
			}
			look_again();
			assert_string_equal(found(), "");
		}
		tear_down(state);
		set_up(state);
	}
}

/*
 * Two connections whose pieces wait in one queue on link 2, with so many segments of each unacknowledged:
 * one piece arrives every 0.6 s.
 */
static const char *write_by_turns_for(int looks, int64_t unacked)
{
	for (int i = 0; i < looks && !*found(); i++) {
		for (int conn = 0; conn < 2; conn++) {
			for (int link = 1; link <= 4; link++)
				send_by(conn, link, link == 2 ? 0 : 31 * KB, LOOK_MS);
			subflow_on(conn, 2)->value[NVME_MPTCP_MSS] = 1448;
			subflow_on(conn, 2)->value[NVME_MPTCP_UNACKED] = unacked;
		}
		if (i % 12 == 2)
			send_by(i / 12 % 2, 2, 64 * KB, 0);
		look_again();
	}
	return found();
}

TEST(a_slow_link_of_several_connections)
{
	world.n = 8;
	/* 700 ms, and what has waited for 500 ms before. */
	assert_string_equal(write_by_turns_for(24, 100), "");
	assert_string_equal(write_by_turns_for(12, 100), "2");
}

/* As little, and what waits on the link is delivered within a window: it is late, and not slow. */
TEST(a_late_link_of_several_connections)
{
	world.n = 8;
	assert_string_equal(write_by_turns_for(60, 30), "");
}

/*
 * A round trip of 0.7 s, as long as a window: what was sent at once is acknowledged at once, so that some
 * windows begin behind all of it and end before most of it.
 */
TEST(bursts_over_a_distant_link)
{
	int64_t unacked = 0;

	world.n = 8;
	for (int i = 0; i < 90; i++) {
		const int64_t acked = i % 18 < 13 || !unacked ? 0 : i % 18 == 13 ? 6 : 42;

		unacked += i % 18 ? -acked : 132;
		for (int conn = 0; conn < 2; conn++) {
			for (int link = 1; link <= 4; link++)
				send_by(conn, link, link == 2 ? acked * 1448 / 2 : 31 * KB,
					LOOK_MS);
			subflow_on(conn, 2)->value[NVME_MPTCP_MSS] = 1448;
			subflow_on(conn, 2)->value[NVME_MPTCP_UNACKED] = unacked / 2;
		}
		look_again();
		assert_string_equal(found(), "");
	}
}

/*
 * A host that reads over so many connections, or until a link is found: 60 KB over each link between two
 * looks, but for link 2, which has so many bytes of one connection in every tenth.
 */
static const char *read_over(int looks, int conns, int64_t bytes)
{
	world.n = 4 * (size_t)conns;
	for (int i = 0; i < looks && !*found(); i++) {
		for (int conn = 0; conn < conns; conn++)
			for (int link = 1; link <= 4; link++)
				receive_by(conn, link,
					   link != 2 || bytes < 0     ? 60 * KB / conns
					   : i % 10 || i / 10 != conn ? 0
								      : bytes);
		look_again();
	}
	return found();
}

TEST(a_link_that_loses_its_share_of_what_arrives)
{
	assert_string_equal(read_over(60, 4, -1), "");
	assert_string_equal(read_over(11, 4, 60 * KB), "");
	assert_string_equal(read_over(4, 4, 60 * KB), "2");
}

/* It had no share for long enough; two connections prove too little; it has more than a fifth. */
TEST(links_that_have_less_of_what_arrives)
{
	static const struct {
		int looks, conns;
		int64_t bytes;
	} cases[] = { { 40, 4, 60 * KB }, { 60, 2, 60 * KB }, { 60, 4, 200 * KB } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_string_equal(read_over(cases[i].looks, cases[i].conns, -1), "");
		assert_string_equal(read_over(40, cases[i].conns, cases[i].bytes), "");
		tear_down(state);
		set_up(state);
	}
}

TEST(two_slow_links)
{
	look_again();
	for (int i = 0; i < 14; i++) {
		for (int link = 1; link <= 4; link++)
			send_by(0, link, link <= 2 ? 6 * KB : 62 * KB, LOOK_MS);
		look_again();
	}
	assert_string_equal(found(), "1 2");
}

TEST(subflows_come_and_go)
{
	look_again();
	assert_string_equal(write_for(10, 6 * KB, LOOK_MS), "");
	world.n = 1;
	look_again();
	world.n = 4;
	look_again();
	assert_string_equal(write_for(13, 6 * KB, LOOK_MS), "");
	assert_string_equal(write_for(1, 6 * KB, LOOK_MS), "2");
}

EACH_TEST(set_up, tear_down)
