// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds slow links by what all connections over the same links move. Of many connections, each sends
 * a piece now and then, and all pieces wait in one queue: rates of a single one prove nothing.
 */
#include "keep-track.h"

/*
 * Factor by which the data that waited on a link since some time before a window exceeds what the link
 * delivered in it. On a distant link, all of it is delivered within a round trip.
 */
#define STUCK_TIMES 2
/*
 * A receiver does not know what waits at the other end. If several connections keep the other links
 * busy, and a link that had its share of that for some time gets less than a fifth at once, it is
 * slow: a distant link has at least half of a share. A fifth of a share is all that an error costs.
 */
#define BUSY_CONNECTIONS 3
#define BUSY_PERCENT 80 /* of the intervals, in which the other links moved data */
#define DROP_TIMES 5
#define FAIR_TIMES 2
#define FAIR_MS 2000 /* that long */
#define LATELY_MS 2000 /* since then, at most */

/* What moved over a link in a window. */
struct link_load {
	struct in6_addr ip;
	int64_t acked, received;
	int64_t unacked[1 + KEEP_BEFORE]; /* when the window began, and before, latest first */
	int64_t wait_us; /* the longest */
	uint32_t active; /* a bit for each interval with data, the last one first */
};

struct load {
	struct link_load links[KEEP_MAX_SIBLINGS];
	size_t n, intervals,
		receiving; /* links, intervals of the window, connections that receive */
};

static void add_track(struct load *load, const struct rate_track *track)
{
	struct link_load *link = load->links;

	if (!track->shares || track->ms < KEEP_WINDOW_MS)
		return;
	while (link < load->links + load->n && !address_equal(&link->ip, &track->local.ip))
		link++;
	if (link == load->links + KEEP_MAX_SIBLINGS)
		return;
	if (link == load->links + load->n)
		load->links[load->n++] = (struct link_load){ .ip = track->local.ip };
	for (size_t j = 0; j < track->n; j++) {
		link->acked += track->intervals[j].acked;
		link->received += track->intervals[j].received;
		if (track->intervals[j].received >= KEEP_MOVING_BYTES)
			link->active |= UINT32_C(1) << (track->n - 1 - j);
	}
	link->unacked[0] += track->intervals[0].unacked;
	for (size_t j = 0; j < KEEP_BEFORE; j++)
		link->unacked[1 + j] += track->before[j];
	if (track->wait_us > link->wait_us)
		link->wait_us = track->wait_us;
	if (track->n > load->intervals)
		load->intervals = track->n;
}

static int64_t acked_of(const struct load *load, const struct link_load *link)
{
	return link->acked;
}

static int64_t received_of(const struct load *load, const struct link_load *link)
{
	return link->received;
}

/* Return the percentage of intervals in which data arrived over the link. */
static int64_t activity_of(const struct load *load, const struct link_load *link)
{
	return 100 * __builtin_popcount(link->active) / (int64_t)load->intervals;
}

/* Return the median of @value over the other links; 0 if there are none. */
static int64_t median_of(const struct load *load, const struct link_load *but,
			 int64_t (*value)(const struct load *load, const struct link_load *link))
{
	int64_t values[KEEP_MAX_SIBLINGS];
	size_t n = 0;

	for (size_t i = 0; i < load->n; i++)
		if (&load->links[i] != but)
			values[n++] = value(load, &load->links[i]);
	return keep_rate_median(values, n);
}

/* True if data waits on the link for longer than a window. */
static bool is_stuck(const struct load *load, const struct link_load *link)
{
	const int64_t elsewhere = median_of(load, link, acked_of);
	int64_t waited = link->unacked[0];

	for (size_t i = 1; i <= KEEP_BEFORE; i++)
		if (link->unacked[i] < waited)
			waited = link->unacked[i];
	return link->acked && waited >= KEEP_LEAST_BYTES && waited >= STUCK_TIMES * link->acked &&
	       elsewhere >= KEEP_LEAST_BYTES && elsewhere >= KEEP_SLOW_TIMES * link->acked;
}

/* The time in which a link received its share, as of the last poll in which it did. */
struct keep_fair {
	struct in6_addr ip;
	int64_t since, last;
};

static struct keep_fair *fair_of(struct keep_rates *rates, const struct in6_addr *ip)
{
	struct keep_fair *found;

	for (size_t i = 0; i < rates->n_fair; i++)
		if (address_equal(&rates->fair[i].ip, ip))
			return &rates->fair[i];
	found = array_add(&rates->fair, &rates->n_fair, sizeof(*found));
	if (found)
		found->ip = *ip;
	return found;
}

/* Set *@ret if a link has lost its share of what arrives. Return 0 or -ENOMEM. */
static int judge_share(struct keep_rates *rates, const struct load *load,
		       const struct link_load *link, bool *ret)
{
	const int64_t elsewhere = median_of(load, link, received_of);
	struct keep_fair *fair;

	*ret = false;
	if (load->receiving < BUSY_CONNECTIONS || elsewhere < KEEP_LEAST_BYTES ||
	    median_of(load, link, activity_of) < BUSY_PERCENT)
		return 0;
	fair = fair_of(rates, &link->ip);
	if (!fair)
		return -ENOMEM;
	if (FAIR_TIMES * link->received >= elsewhere) {
		if (rates->looked - fair->last > KEEP_WINDOW_MS)
			fair->since = rates->looked;
		fair->last = rates->looked;
		return 0;
	}
	*ret = DROP_TIMES * link->received <= elsewhere && link->received &&
	       keep_rate_holds_up(link->received * 1000 / KEEP_WINDOW_MS, link->wait_us) &&
	       fair->last - fair->since >= FAIR_MS && rates->looked - fair->last <= LATELY_MS;
	return 0;
}

static int judge_load(struct keep_rates *rates, const struct load *load)
{
	int err = 0;

	for (size_t i = 0; i < load->n && !err; i++) {
		const struct link_load *link = &load->links[i];
		bool slow;

		err = judge_share(rates, load, link, &slow);
		if (!err && (slow || is_stuck(load, link)))
			err = keep_rates_report(rates, &link->ip);
	}
	return err;
}

/* The tracks of a connection, and which links it uses. */
struct track_range {
	size_t begin, end;
	uint64_t links; /* a sum of hashes of their addresses */
};

static uint64_t hash_of(const struct in6_addr *ip)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < sizeof(ip->s6_addr); i++)
		hash = (hash ^ ip->s6_addr[i]) * UINT64_C(1099511628211);
	return hash;
}

static int by_links(const void *a, const void *b)
{
	const struct track_range *x = a, *y = b;

	return (x->links > y->links) - (x->links < y->links);
}

static void add_connection(struct load *load, const struct rate_track *begin,
			   const struct rate_track *end)
{
	int64_t received = 0;

	for (const struct rate_track *track = begin; track < end; track++) {
		add_track(load, track);
		for (size_t j = 0; j < track->n; j++)
			received += track->intervals[j].received;
	}
	load->receiving += received >= KEEP_LEAST_BYTES;
}

int keep_rates_judge_loads(struct keep_rates *rates)
{
	_cleanup_(free) struct track_range *conns = calloc(rates->n + 1, sizeof(*conns));
	size_t n = 0;
	int err = 0;

	if (!conns)
		return -ENOMEM;
	for (size_t i = 0; i < rates->n; i++) {
		if (!n || rates->tracks[i].token != rates->tracks[i - 1].token)
			conns[n++].begin = i;
		conns[n - 1].end = i + 1;
		conns[n - 1].links += hash_of(&rates->tracks[i].local.ip);
	}
	qsort(conns, n, sizeof(*conns), by_links);
	for (size_t i = 0, next; i < n && !err; i = next) {
		struct load load = {};

		for (next = i; next < n && conns[next].links == conns[i].links; next++)
			add_connection(&load, rates->tracks + conns[next].begin,
				       rates->tracks + conns[next].end);
		err = judge_load(rates, &load);
	}
	return err;
}
