// SPDX-License-Identifier: LGPL-2.1-or-later
/* What keep takes out of use when a link dies, by a machine and a clock that are made up. */
#include "mptcp_fast.h"

TEST(nothing_is_done_while_links_are_well)
{
	assert_string_equal(look(), "");
	assert_int_equal(scene->due, KEEP_NEVER);
}

TEST(a_dead_link_is_taken_out_and_put_back)
{
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	assert_int_equal(scene->due, KEEP_NEVER);
	assert_string_equal(after(SECOND), "");
	set_alive(2, true);
	assert_string_equal(look(), "");
	assert_int_equal(scene->due, scene->now + KEEP_CALM_MS);
	assert_string_equal(after(KEEP_CALM_MS - 1), "");
	assert_string_equal(after(1), BACK_2);
	assert_int_equal(world.endpoint[2].id, 2);
	/* Nothing of it is left to be known by another start. */
	assert_int_equal(access(path, F_OK), -1);
	assert_string_equal(after(60 * SECOND), "");
}

TEST(the_initial_one_goes_by_its_endpoint)
{
	set_alive(1, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 1");
}

TEST(an_address_that_disappears_counts_as_well)
{
	world.has_address[3] = false;
	assert_string_equal(look(), "ip mptcp endpoint delete id 3");
	world.has_address[3] = world.is_tentative = true;
	assert_string_equal(after(SECOND), "");
	assert_int_equal(scene->due, KEEP_NEVER);
	world.is_tentative = false;
	assert_string_equal(look(), "");
	assert_string_equal(after(KEEP_CALM_MS),
			    "ip mptcp endpoint add 10.1.3.2 dev eth3 id 3 subflow");
}

/* The last link that works stays, and so does what is dead when there is none. */
TEST(the_last_one_stays)
{
	set_alive(1, false);
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 1; ip mptcp endpoint delete id 2");
	set_alive(3, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 3");
	set_alive(4, false);
	assert_string_equal(look(), "");
	assert_true(world.subflow[OURS][4]);
	/* Once another one works, it may go. */
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	assert_string_equal(look(), "ip mptcp endpoint delete id 4");
}

TEST(all_at_once_stay)
{
	for (int i = 1; i <= 4; i++)
		set_alive(i, false);
	assert_string_equal(look(), "");
}

/* An endpoint is everybody's: where another program has nothing else, it becomes a backup. */
TEST(other_programs_keep_their_only_subflow)
{
	world.subflow[THEIRS][2] = true;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint change id 2 backup");
	assert_int_equal(scene->due, scene->now + KEEP_LONG_MS);
	assert_string_equal(after(KEEP_LONG_MS - 1), "");
	/* Only then the controller's is closed, which nobody but the kernel can bring back. */
	assert_string_equal(after(1), "ss -K -t src 10.1.2.2:1000 dst 10.1.1.1:4420");
	assert_true(world.subflow[THEIRS][2]);
	assert_string_equal(after(SECOND), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "ip mptcp endpoint change id 2 nobackup");
	assert_int_equal(world.endpoint[2].flags, SUBFLOW);
}

TEST(what_others_have_on_other_links_is_no_hindrance)
{
	world.subflow[THEIRS][3] = true;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	/* Both links of theirs: one of them must stay. */
	world.subflow[THEIRS][4] = true;
	set_alive(3, false);
	set_alive(4, false);
	assert_string_equal(look(), "ip mptcp endpoint change id 3 backup; "
				    "ip mptcp endpoint change id 4 backup");
}

TEST(endpoints_that_no_controller_uses_stay)
{
	world.subflow[OURS][2] = false;
	world.subflow[THEIRS][2] = world.subflow[THEIRS][3] = true;
	set_alive(2, false);
	assert_string_equal(look(), "");
}

/* Whose flags were backup before stays one. */
TEST(a_backup_is_put_back_as_one)
{
	world.endpoint[2].flags = SUBFLOW | BACKUP;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2 " backup");
}

TEST(a_target_takes_its_announcement_back)
{
	scene->role = NVME_MPTCP_ROLE_TARGET;
	for (int i = 1; i <= 4; i++)
		world.endpoint[i].flags = SIGNAL;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	/* What has no endpoint was not announced, and hosts could not come back. */
	world.endpoint[3].id = 0;
	set_alive(3, false);
	assert_string_equal(look(), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS),
			    "ip mptcp endpoint add 10.1.2.2 dev eth2 id 2 signal");
}

/* The kernel's own note of an address is nobody's endpoint. */
TEST(hosts_without_endpoints_are_lent_one)
{
	const struct in6_addr second = ip("10.1.2.2");
	struct keep_own read = {};

	world.endpoint[1].id = 0;
	world.endpoint[2].flags = NVME_MPTCP_ENDPOINT_IMPLICIT | SUBFLOW;
	set_alive(1, false);
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint add 10.1.1.2 dev eth1 subflow; "
				    "ip mptcp endpoint delete id 11; "
				    "ip mptcp endpoint add 10.1.2.2 dev eth2 subflow; "
				    "ip mptcp endpoint delete id 12");
	assert_int_equal(keep_state_read(path, &read), 0);
	assert_int_equal(read.n_outs, 2);
	assert_true(read.outs[0].lent && read.outs[1].lent);
	assert_int_equal(read.n_endpoints, 0);
	keep_own_clear(&read);
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS),
			    "ip mptcp endpoint add 10.1.2.2 dev eth2 id 12 subflow");
	/* From now on it is keep's, and --restore takes it back. */
	assert_non_null(keep_own_find(&scene->own, &second, 0));
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
	assert_int_equal(scene->due, scene->now + KEEP_CALM_MS);
}

/* Up for 200 ms, and down for as long: once is enough. */
TEST(a_link_that_flutters_is_taken_out_once)
{
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	for (int i = 0; i < 300; i++) {
		set_alive(2, i % 2);
		assert_string_equal(after(200), "");
	}
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
}

/* Also the flutter that is over before anybody looked starts the wait again. */
TEST(a_short_loss_is_noticed)
{
	set_alive(2, false);
	look();
	set_alive(2, true);
	look();
	scene->now += KEEP_CALM_MS - 10;
	set_alive(2, false);
	set_alive(2, true);
	assert_string_equal(after(10), "");
	assert_int_equal(scene->due, scene->now + KEEP_CALM_MS);
}

TEST(a_later_start_knows_what_is_out)
{
	set_alive(2, false);
	look();
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	assert_string_equal(after(SECOND), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	/* One that finds it well has nothing to wait for. */
	set_alive(2, false);
	look();
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	world.alive[2] = true;
	assert_string_equal(look(), BACK_2);
}

/* Killed between the note and the deed, or between the deed and the note. */
TEST(a_crash_in_between_loses_nothing)
{
	set_alive(2, false);
	look();
	world.endpoint[2].id = 2;
	world.subflow[OURS][2] = true;
	assert_string_equal(after(10), "ip mptcp endpoint delete id 2");
	world.endpoint[2].id = 2;
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "");
	assert_false(keep_is_out(&scene->own, &scene->own.outs[0].spec));
}

TEST(what_somebody_changed_meanwhile_stays)
{
	/* Another endpoint has the id. */
	set_alive(2, false);
	look();
	world.endpoint[3].id = 2;
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "ip mptcp endpoint add 10.1.2.2 dev eth2 subflow");
	/* Somebody made one at the address. */
	after(60 * SECOND);
	set_alive(4, false);
	look();
	world.endpoint[4].id = 7;
	world.endpoint[4].flags = SUBFLOW | NVME_MPTCP_ENDPOINT_FULLMESH;
	set_alive(4, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "");
	assert_int_equal(world.endpoint[4].id, 7);
	/* The backup was changed by hand. */
	after(60 * SECOND);
	world.subflow[THEIRS][1] = true;
	set_alive(1, false);
	assert_string_equal(look(), "ip mptcp endpoint change id 1 backup");
	world.endpoint[1].flags = SUBFLOW;
	set_alive(1, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "");
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
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	assert_string_equal(after(1), "");
	scene->refusal = 0;
	scene->now = scene->due;
	assert_string_equal(look(), BACK_2);
}

TEST(restoring_puts_back_what_others_made)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct endpoint_spec own = { .ip = ip("10.1.3.2"), .flags = SUBFLOW, .ifindex = 3 };

	own.id = 3;
	assert_non_null(keep_own_add(&scene->own, &own, false));
	set_alive(2, false);
	set_alive(3, false);
	look();
	snap = see();
	/* Keep's own is gone already; neither is a loss that somebody else caused. */
	keep_own_look(&scene->own, snap, scene->now);
	assert_int_equal(keep_plan_restore(snap, &scene->own, &plan), 0);
	assert_int_equal(plan->n_steps, 1);
	assert_string_equal(plan->steps[0].command, BACK_2);
	assert_int_equal(scene->own.endpoints[0].claim.lost, 0);
}

/* It puts back what somebody had made, so that whoever connects later has it when the link is well. */
TEST(one_that_ends_puts_back)
{
	world.subflow[THEIRS][3] = true;
	set_alive(2, false);
	set_alive(3, false);
	look();
	assert_string_equal(do_planned(keep_fast_end),
			    BACK_2 "; ip mptcp endpoint change id 3 nobackup");
	assert_string_equal(do_planned(keep_fast_end), "");
	assert_int_equal(world.endpoint[3].flags, SUBFLOW);
	/* The next one does not take it out while nothing uses it, and knows it again as its to renew. */
	world.subflow[OURS][3] = false;
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	assert_int_equal(scene->own.n_outs, 2);
	assert_int_equal(scene->own.outs[0].how, KEEP_OUT_BACK);
	assert_string_equal(look(), "");
	set_alive(2, true);
	look();
	world.subflow[OURS][2] = true;
	assert_string_equal(after(60 * SECOND), "");
	/* Once it has been out and back again, there is nothing to know about it. */
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	assert_int_equal(scene->own.n_outs, 1);
}

/* What was lent nobody had made: it would announce, or join from, what was not asked for. */
TEST(one_that_ends_leaves_what_was_lent)
{
	world.endpoint[2].id = 0;
	set_alive(2, false);
	look();
	assert_true(scene->own.outs[0].lent);
	assert_string_equal(do_planned(keep_fast_end), "");
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	set_alive(2, true);
	assert_string_equal(look(), "ip mptcp endpoint add 10.1.2.2 dev eth2 id 12 subflow");
}
