/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keep-rate.c remembers of each subflow, for the files that judge links by it. */
#pragma once

#include "keep-rate.h"

/* Window in which a link must be slow, in ms. */
#define KEEP_WINDOW_MS 700
/* Number of intervals that are stored, more than a window has. */
#define KEEP_INTERVALS 24
/*
 * Number of intervals before the window whose unacknowledged bytes are stored. On a distant link, what
 * was sent just before the window may be acknowledged after it.
 */
#define KEEP_BEFORE 10
/* Factor by which other links deliver more than a slow one. */
#define KEEP_SLOW_TIMES 4
/* Minimum bytes that a connection moves in a window: shares of less mean nothing. */
#define KEEP_LEAST_BYTES 32768
/* Minimum bytes between two polls that count as moving data: less is commands and keep-alives. */
#define KEEP_MOVING_BYTES 1024
/*
 * Links that are faster than the processors have unequal shares by chance: one delivered 5 to 15 MB/s,
 * a third to an eleventh of the other, with a round trip and deviation of 14 to 90 ms. A link that
 * delivers more bytes/s than this is slow only if its data waits for so long, in us.
 */
#define KEEP_FAST_RATE 1300000
#define KEEP_LEAST_WAIT_US 150000
#define KEEP_MAX_SIBLINGS 64

/* Changes of a subflow's counters between two polls. */
struct interval {
	uint32_t ms, busy_us;
	int64_t acked, received;
	int64_t unacked; /* bytes that were not acknowledged when it began */
};

struct rate_track {
	uint32_t token;
	struct socket_address local, remote;
	int64_t acked, received, busy_us, unacked; /* as of the last poll */
	int64_t wait_us; /* round trip with deviation */
	bool shares; /* not a backup */
	struct interval intervals[KEEP_INTERVALS]; /* without a gap up to now, oldest first */
	size_t n;
	/* Bytes that were not acknowledged when the intervals before these began, latest first. */
	int64_t before[KEEP_BEFORE];
	/* Sums and maxima over the intervals: */
	int64_t ms, total_busy_us;
	int64_t burst, best; /* best rates in bytes/s, over one interval and over SPAN_MS */
	int64_t moved; /* bytes */
	size_t active;
};

/* True if a link with this rate and round trip with deviation can hold up what others deliver. */
static inline bool keep_rate_holds_up(int64_t rate, int64_t wait_us)
{
	return rate <= KEEP_FAST_RATE || wait_us >= KEEP_LEAST_WAIT_US;
}

/* Record a slow link, and restart its window: it is reported at most once per window. 0 or -ENOMEM. */
int keep_rates_report(struct keep_rates *rates, const struct in6_addr *ip);

/* keep-load.c: judge links by the sum of all connections. Return 0 or -ENOMEM. */
int keep_rates_judge_loads(struct keep_rates *rates);
