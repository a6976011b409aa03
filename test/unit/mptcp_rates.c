// SPDX-License-Identifier: LGPL-2.1-or-later
/* What subflows have carried per second, between two looks at them. */
#include "rates.h"

#include "mptcp_machine.h"

/* The rate of the first subflow that sent @then bytes, and @now @ms later. */
static int64_t rate(int64_t then, int64_t now, int64_t ms)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t before = clean_host();
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t after = clean_host();
	_cleanup_(rates_free) struct rates *rates = NULL;

	after->taken = before->taken + ms;
	before->subflows[0].value[NVME_MPTCP_BYTES_SENT] = then;
	after->subflows[0].value[NVME_MPTCP_BYTES_SENT] = now;
	settle(before);
	settle(after);
	rates = rates_new(before, after);
	assert_non_null(rates);
	return rates_of(rates, &after->connections[0], &after->connections[0].subflows[0],
			NVME_MPTCP_BYTES_SENT);
}

TEST(what_was_added_counts)
{
	assert_int_equal(rate(1000, 4000, 1000), 3000);
	assert_int_equal(rate(1000, 4000, 500), 6000);
	assert_int_equal(rate(4000, 4000, 1000), 0);
	assert_int_equal(rate(0, NVME_MPTCP_UNKNOWN, 1000), NVME_MPTCP_UNKNOWN);
}

/* A new socket on the old ports, or one of which nothing was known: all of it is new. */
TEST(who_began_anew_began_at_nothing)
{
	static const int64_t earlier[] = { 5000, NVME_MPTCP_UNKNOWN };

	for (size_t i = 0; i < sizeof(earlier) / sizeof(*earlier); i++) {
		assert_int_equal(rate(earlier[i], 4000, 1000), 4000);
		assert_int_equal(rate(earlier[i], 0, 1000), 0);
	}
}
