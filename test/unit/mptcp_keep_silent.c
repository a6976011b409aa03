// SPDX-License-Identifier: LGPL-2.1-or-later
/* Paths that fall silent while their links look well. */
#include "mptcp_fast.h"

static void fall_silent(int token, int i, int64_t ms)
{
	world.has_timed_out[token][i] = true;
	world.heard[token][i] = ms;
}

/* No carrier is lost: a time-out, 700 ms without a word, and another path that was heard later. */
TEST(a_silent_path_is_taken_out_and_tried_again)
{
	static const int64_t pauses[] = { 2, 4, 8, 16, 32, 60, 60 };

	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		fall_silent(OURS, 2, 699);
		assert_string_equal(after(50), "");
		fall_silent(OURS, 2, 700);
		assert_string_equal(after(50), "ip mptcp endpoint delete id 2");
		assert_int_equal(scene->due, scene->now + pauses[i] * SECOND);
		world.has_timed_out[OURS][2] = false;
		world.heard[OURS][2] = 0;
		assert_string_equal(after(pauses[i] * SECOND - 1), "");
		assert_string_equal(after(1), BACK_2);
	}
}

/* All of them waited for an answer: the target stopped, and no path. */
TEST(a_target_that_stops_is_no_silent_path)
{
	for (int i = 1; i <= 4; i++)
		fall_silent(OURS, i, 800 + i * 10);
	assert_string_equal(look(), "");
	/* Nor is a path that has merely nothing to say. */
	for (int i = 1; i <= 4; i++)
		world.has_timed_out[OURS][i] = false;
	world.heard[OURS][1] = 10;
	assert_string_equal(look(), "");
	/* A segment that is lost and answered soon is none. */
	world.has_timed_out[OURS][2] = true;
	world.heard[OURS][2] = 604;
	assert_string_equal(look(), "");
}

/* What another connection heard there since then disproves it; one that is idle does not. */
TEST(what_is_heard_on_the_path_disproves_it)
{
	world.subflow[THEIRS][2] = world.subflow[THEIRS][3] = true;
	world.heard[THEIRS][2] = 20;
	fall_silent(OURS, 2, 900);
	assert_string_equal(look(), "");
	world.heard[THEIRS][2] = 60 * SECOND;
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
}
