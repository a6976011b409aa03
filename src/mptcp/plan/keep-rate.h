/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the subflows of controllers deliver, from one look at them to the next. Of the direction that
 * more data goes in, the best interval of the last second counts: that is what a link can do, however
 * late it is. A link is slow if it does less than a quarter of what the others of the same connections
 * do, while data waits for it.
 */
#pragma once

#include "mptcp/snapshot/snapshot.h"

struct rate_track;

struct keep_rates {
	struct rate_track *tracks; /* one for each subflow; those of a connection are neighbours */
	size_t n;
	int64_t looked, moved; /* the last look, and the last one that saw data move; 0: never */
	struct in6_addr *slow; /* this side's addresses of links that are, by the last look */
	size_t n_slow;
};

/* @now in milliseconds. *@moving: has data moved within the last second? 0 or -ENOMEM. */
int keep_rates_look(struct keep_rates *rates, const struct subflow_beats *beats, int64_t now,
		    bool *moving);

/* Is the link with this address one of those that the last look found? NULL knows none. */
bool keep_rates_find(const struct keep_rates *rates, const struct in6_addr *ip);

void keep_rates_clear(struct keep_rates *rates);
