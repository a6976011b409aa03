// SPDX-License-Identifier: LGPL-2.1-or-later
/* What keep takes out of use when a link dies, by a machine and a clock that are made up. */
#include "mptcp_fast.h"

TEST(an_address_that_disappears_counts_as_well)
{
	world.has_address[3] = false;
	assert_string_equal(look(), "ip mptcp endpoint delete id 3");
	world.has_address[3] = world.is_tentative = true;
	assert_string_equal(after(SECOND), "");
	assert_int_equal(scene->due, KEEP_NEVER);
	world.is_tentative = false;
	assert_string_equal(look(), "");
	assert_string_equal(after(KEEP_STABLE_MS),
			    "ip mptcp endpoint add 10.1.3.2 dev eth3 id 3 subflow");
}

TEST(endpoints_that_no_controller_uses_stay)
{
	world.subflow[OURS][2] = false;
	world.subflow[THEIRS][2] = world.subflow[THEIRS][3] = true;
	set_alive(2, false);
	assert_string_equal(look(), "");
}

/* 1, 2, 4, ... 60 s of calm for a link that dies again as soon as it is used. */
TEST(a_link_that_flaps_waits_longer)
{
	static const int64_t holds[] = { 300, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000 };

	for (size_t i = 0; i < sizeof(holds) / sizeof(*holds); i++) {
		set_alive(2, false);
		assert_string_equal(after(200), "ip mptcp endpoint delete id 2");
		/* It is well for too short a time in between. */
		set_alive(2, true);
		look();
		assert_string_equal(after(holds[i] - 1), "");
		set_alive(2, false);
		assert_string_equal(after(200), "");
		set_alive(2, true);
		assert_string_equal(look(), "");
		assert_int_equal(scene->due, scene->now + holds[i]);
		assert_string_equal(after(holds[i]), BACK_2);
	}
	/* It has proved itself. */
	after(121 * SECOND);
	set_alive(2, false);
	look();
	set_alive(2, true);
	look();
	assert_int_equal(scene->due, scene->now + KEEP_STABLE_MS);
}

/* Also the flutter that is over before anybody looked starts the wait again. */
TEST(a_short_loss_is_noticed)
{
	set_alive(2, false);
	look();
	set_alive(2, true);
	look();
	scene->now += KEEP_STABLE_MS - 10;
	set_alive(2, false);
	set_alive(2, true);
	assert_string_equal(after(10), "");
	assert_int_equal(scene->due, scene->now + KEEP_STABLE_MS);
}

TEST(what_the_kernel_refuses_is_tried_again)
{
	scene->refusal = -ENOBUFS;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	assert_int_equal(access(path, F_OK), -1);
	scene->refusal = 0;
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	set_alive(2, true);
	look();
	scene->refusal = -ENOBUFS;
	assert_string_equal(after(KEEP_STABLE_MS), BACK_2);
	assert_string_equal(after(1), "");
	scene->refusal = 0;
	scene->now = scene->due;
	assert_string_equal(look(), BACK_2);
}
