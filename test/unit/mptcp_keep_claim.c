/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keep waits for, and how often it does again what others undo. */
#include "mptcp/plan/keep-own.h"
#include "mptcp_messages.h"

TEST(things_are_quiet_after_a_second_or_five)
{
	struct keep_quiet quiet = {};

	assert_true(keep_quiet_due(&quiet) == KEEP_NEVER);
	keep_stir(&quiet, 10000);
	assert_int_equal(keep_quiet_due(&quiet), 11000);
	keep_stir(&quiet, 10900);
	assert_int_equal(keep_quiet_due(&quiet), 11900);
	for (int64_t now = 11000; now < 30000; now += 100)
		keep_stir(&quiet, now);
	assert_int_equal(keep_quiet_due(&quiet), 15000);
}

TEST(pauses_grow_up_to_a_minute)
{
	static const int64_t wanted[] = { 2000, 2000, 4000, 8000, 16000, 32000, 60000, 60000 };

	for (unsigned int i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_int_equal(keep_pause(i), wanted[i]);
	assert_int_equal(keep_pause(4000000000U), 60000);
}

TEST(twice_in_a_minute_is_a_fight)
{
	struct keep_claim claim = {};

	/* Never seen: a crash may have come before the deed. */
	assert_false(keep_claim_look(&claim, false, 1000));
	assert_false(keep_claim_look(&claim, true, 2000));
	assert_false(keep_claim_look(&claim, false, 3000));
	/* It stays away: that is one loss, however often it is looked at. */
	assert_false(keep_claim_look(&claim, false, 4000));
	assert_false(keep_claim_look(&claim, true, 5000));
	assert_false(keep_claim_look(&claim, false, 3000 + KEEP_FIGHT_MS + 1));
	assert_false(claim.contested);
	assert_false(keep_claim_look(&claim, true, 70000));
	assert_true(keep_claim_look(&claim, false, 71000));
	assert_true(claim.contested);
	assert_false(keep_claim_look(&claim, true, 72000));
	assert_false(keep_claim_look(&claim, false, 73000));
	assert_true(claim.contested);
	assert_int_equal(claim.until, 71000 + KEEP_TRUCE_MS);
}

/* It is left to them for a while: a program that fought may have been removed since. */
TEST(a_fight_ends)
{
	struct keep_claim claim = { .contested = true, .until = 60000, .fights = 1, .lost = 100 };

	assert_false(keep_claim_look(&claim, false, 59999));
	assert_true(claim.contested);
	assert_false(keep_claim_look(&claim, false, 60000));
	assert_false(claim.contested);
	/* Whoever still changes it has to do so once. */
	assert_false(keep_claim_look(&claim, true, 61000));
	assert_true(keep_claim_look(&claim, false, 62000));
	assert_true(claim.contested);
	assert_int_equal(claim.until, 62000 + 2 * KEEP_TRUCE_MS);
	assert_false(keep_claim_look(&claim, false, claim.until));
	assert_false(claim.contested);
	/* Later than that it is another matter. */
	assert_false(keep_claim_look(&claim, true, claim.until + 1000));
	assert_false(keep_claim_look(&claim, false, claim.until + KEEP_FIGHT_MS + 1));
	assert_int_equal(claim.fights, 0);
	assert_int_equal(claim.until, 0);
	assert_int_equal(keep_truce(1), 60000);
	assert_int_equal(keep_truce(6), 1920000);
	assert_int_equal(keep_truce(7), KEEP_TRUCE_MOST_MS);
	assert_int_equal(keep_truce(4000000000U), KEEP_TRUCE_MOST_MS);
}
