/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often keep does again what others undo. */
#include "mptcp/plan/keep-own.h"
#include "mptcp_messages.h"

/* However often it failed; mptcp_keeper_rounds.c has how they grow. */
TEST(pauses_end_at_a_minute)
{
	assert_int_equal(keep_retry_delay_ms(4000000000U), 60000);
}

TEST(twice_in_a_minute_is_a_fight)
{
	struct keep_claim claim = {};

	/* Never seen: a crash may have come before the deed. */
	assert_false(keep_claim_update(&claim, false, 1000));
	assert_false(keep_claim_update(&claim, true, 2000));
	assert_false(keep_claim_update(&claim, false, 3000));
	/* It stays away: that is one loss, however often it is looked at. */
	assert_false(keep_claim_update(&claim, false, 4000));
	assert_false(keep_claim_update(&claim, true, 5000));
	assert_false(keep_claim_update(&claim, false, 3000 + KEEP_CONFLICT_MS + 1));
	assert_false(claim.contested);
	assert_false(keep_claim_update(&claim, true, 70000));
	assert_true(keep_claim_update(&claim, false, 71000));
	assert_true(claim.contested);
	assert_false(keep_claim_update(&claim, true, 72000));
	assert_false(keep_claim_update(&claim, false, 73000));
	assert_true(claim.contested);
	assert_int_equal(claim.until, 71000 + KEEP_CONFLICT_BACKOFF_MS);
}

/* It is left to them for a while: a program that fought may have been removed since. */
TEST(a_fight_ends)
{
	struct keep_claim claim = {
		.contested = true, .until = 60000, .conflicts = 1, .lost = 100
	};

	assert_false(keep_claim_update(&claim, false, 59999));
	assert_true(claim.contested);
	assert_false(keep_claim_update(&claim, false, 60000));
	assert_false(claim.contested);
	/* Whoever still changes it has to do so once. */
	assert_false(keep_claim_update(&claim, true, 61000));
	assert_true(keep_claim_update(&claim, false, 62000));
	assert_true(claim.contested);
	assert_int_equal(claim.until, 62000 + 2 * KEEP_CONFLICT_BACKOFF_MS);
	assert_false(keep_claim_update(&claim, false, claim.until));
	assert_false(claim.contested);
	/* Later than that it is another matter. */
	assert_false(keep_claim_update(&claim, true, claim.until + 1000));
	assert_false(keep_claim_update(&claim, false, claim.until + KEEP_CONFLICT_MS + 1));
	assert_int_equal(claim.conflicts, 0);
	assert_int_equal(claim.until, 0);
	assert_int_equal(keep_conflict_backoff_ms(1), 60000);
	assert_int_equal(keep_conflict_backoff_ms(6), 1920000);
	assert_int_equal(keep_conflict_backoff_ms(7), KEEP_CONFLICT_BACKOFF_MAX_MS);
	assert_int_equal(keep_conflict_backoff_ms(4000000000U), KEEP_CONFLICT_BACKOFF_MAX_MS);
}
