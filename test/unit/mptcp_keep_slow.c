// SPDX-License-Identifier: LGPL-2.1-or-later
/* What keep does about links that are slow. */
#include "mptcp_fast.h"

/* Its subflows are closed: what waits there goes out over other links. */
#define REPLACED(i) \
	"ip mptcp endpoint delete id " i " && " \
	"ip mptcp endpoint add 10.1." i ".2 dev eth" i " id " i " subflow backup"
#define REPLACED_2 REPLACED("2")
#define AS_BACKUP_2 "ip mptcp endpoint change id 2 backup"
#define NO_BACKUP_2 "ip mptcp endpoint change id 2 nobackup"

/* The last look at what subflows deliver has found these links, and no others. */
static void set_slow(int first, int second)
{
	const int links[] = { first, second };

	scene->rates.n_slow = 0;
	for (size_t i = 0; i < 2 && links[i]; i++) {
		struct in6_addr *slow =
			array_add(&scene->rates.slow, &scene->rates.n_slow, sizeof(*slow));

		assert_non_null(slow);
		*slow = numbered(V4, links[i]);
	}
}

/* Link 2 is slow at this look only: what is done about it. */
static const char *look_at_slow_2(void)
{
	const char *done;

	set_slow(2, 0);
	done = look();
	set_slow(0, 0);
	return done;
}

TEST(a_slow_link_becomes_a_backup_for_growing_pauses)
{
	static const int64_t pauses[] = { 10, 20, 40, 80, 160, 300, 300 };

	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		set_slow(2, 0);
		assert_string_equal(after(SECOND), REPLACED_2);
		assert_int_equal(scene->due, scene->now + pauses[i] * SECOND);
		assert_string_equal(look(), "");
		set_slow(0, 0);
		assert_string_equal(after(pauses[i] * SECOND - 1), "");
		assert_string_equal(after(1), NO_BACKUP_2);
		assert_int_equal(world.endpoint[2].flags, SUBFLOW);
	}
	/* It has proved itself. */
	after(601 * SECOND);
	set_slow(2, 0);
	look();
	assert_int_equal(scene->due, scene->now + 10 * SECOND);
}

/* Its new subflow did not form: it is made again while the endpoint's others carry nothing. */
TEST(what_did_not_form_is_made_when_the_link_is_tried_again)
{
	assert_string_equal(look_at_slow_2(), REPLACED_2);
	world.subflow[OURS][2] = false;
	assert_string_equal(after(10 * SECOND),
			    "ip mptcp endpoint delete id 2 && "
			    "ip mptcp endpoint add 10.1.2.2 dev eth2 id 2 subflow");
	assert_int_equal(world.endpoint[2].flags, SUBFLOW);
	assert_string_equal(after(60 * SECOND), "");
}

/* Its subflow there is the only one of another program's connection. */
TEST(what_did_not_form_ends_nothing_of_others)
{
	assert_string_equal(look_at_slow_2(), REPLACED_2);
	world.subflow[OURS][2] = false;
	world.subflow[THEIRS][2] = true;
	assert_string_equal(after(10 * SECOND), NO_BACKUP_2);
}

TEST(nothing_is_set_where_nothing_else_carries)
{
	for (int i = 2; i <= 4; i++)
		set_alive(i, false);
	look();
	set_slow(1, 0);
	assert_string_equal(after(SECOND), "");
}

TEST(slow_links_do_not_stand_in_for_each_other)
{
	world.subflow[OURS][3] = world.subflow[OURS][4] = false;
	set_slow(1, 2);
	assert_string_equal(look(), "");
	world.subflow[OURS][3] = true;
	assert_string_equal(look(), REPLACED("1") "; " REPLACED_2);
}

TEST(what_an_administrator_made_a_backup_stays_one)
{
	world.endpoint[2].flags = SUBFLOW | BACKUP;
	set_slow(2, 0);
	assert_string_equal(look(), "");
	set_slow(0, 0);
	assert_string_equal(after(60 * SECOND), "");
}

TEST(what_somebody_changed_meanwhile_is_theirs)
{
	assert_string_equal(look_at_slow_2(), REPLACED_2);
	world.endpoint[2].flags = SUBFLOW | BACKUP | NVME_MPTCP_ENDPOINT_FULLMESH;
	assert_string_equal(after(10 * SECOND), "");
	assert_int_equal(world.endpoint[2].flags, SUBFLOW | BACKUP | NVME_MPTCP_ENDPOINT_FULLMESH);
}

/* The kernel's own note of an announced address can be one, too. */
TEST(hosts_without_endpoints)
{
	world.endpoint[2].flags = NVME_MPTCP_ENDPOINT_IMPLICIT | SUBFLOW;
	assert_string_equal(look_at_slow_2(), AS_BACKUP_2);
	assert_string_equal(after(10 * SECOND), NO_BACKUP_2);
}

/* Announced again, the address would use up the limit of the peer. */
TEST(what_is_announced_is_not_announced_again)
{
	world.endpoint[2].flags = NVME_MPTCP_ENDPOINT_SIGNAL;
	set_slow(2, 0);
	assert_string_equal(look(), AS_BACKUP_2);
}

TEST(a_later_start_takes_it_back)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	look_at_slow_2();
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	assert_true(scene->own.outs[0].is_slow);
	snap = see();
	assert_int_equal(keep_plan_restore(snap, &scene->own, &plan), 0);
	assert_int_equal(plan->n_steps, 1);
	assert_string_equal(plan->steps[0].command, NO_BACKUP_2);
	assert_string_equal(look(), NO_BACKUP_2);
	assert_int_equal(access(path, F_OK), -1);
}

/* It loses its carrier as well: deleted, and put back as it was before all that. */
TEST(a_slow_link_that_dies)
{
	look_at_slow_2();
	set_alive(2, false);
	assert_string_equal(after(SECOND), "ip mptcp endpoint delete id 2");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_STABLE_MS), BACK_2);
}

/* Where deleting it would end another program's connection, it stays a backup until the link is back. */
TEST(a_slow_link_of_others_that_dies)
{
	world.subflow[THEIRS][2] = true;
	assert_string_equal(look_at_slow_2(), AS_BACKUP_2);
	set_alive(2, false);
	assert_string_equal(after(5 * SECOND), "");
	assert_string_equal(after(KEEP_CLOSE_DELAY_MS),
			    "ss -K -t src 10.1.2.2:1000 dst 10.1.1.1:4420");
	assert_string_equal(after(60 * SECOND), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_STABLE_MS), NO_BACKUP_2);
}

TEST(what_the_kernel_refuses_is_tried_again)
{
	scene->refusal = -ENOBUFS;
	set_slow(2, 0);
	assert_string_equal(look(), REPLACED_2);
	assert_int_equal(access(path, F_OK), -1);
	scene->refusal = 0;
	assert_string_equal(look(), REPLACED_2);
}
