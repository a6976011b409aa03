/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Throughput of the subflows of controllers, from one poll to the next, in the direction with more
 * data. The best interval of the last second counts: it shows what a link can do, whatever its
 * latency. A link is slow if it delivers less than a quarter of what other links of the same
 * connections deliver, while data waits for it.
 */
#pragma once

#include "mptcp/snapshot/snapshot.h"

struct rate_track;

struct keep_rates {
	struct rate_track *tracks; /* one per subflow; those of a connection are adjacent */
	size_t n;
	int64_t looked, moved; /* times of the last poll, and of the last moving data; 0: never */
	struct in6_addr *slow; /* local addresses of links that the last poll found slow */
	size_t n_slow;
	struct keep_fair *fair; /* see keep-load.c */
	size_t n_fair;
};

/* Evaluate a poll. Set *@moving if data moved within the last second. Return 0 or -ENOMEM. */
int keep_rates_update(struct keep_rates *rates, const struct subflow_samples *beats, int64_t now,
		      bool *moving);

/* True if the last poll found the link with this local address slow; false if @rates is NULL. */
bool keep_rates_is_slow(const struct keep_rates *rates, const struct in6_addr *ip);

/* Sort values and return their median; 0 if there are none. */
int64_t keep_rate_median(int64_t *values, size_t n);

void keep_rates_clear(struct keep_rates *rates);
