// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds links that deliver far less than others. */
#include "keep-track.h"

/* The longest pause between two polls of a window, in ms. */
#define PAUSE_MS 300
/* Time without data after which connections are idle, in ms. */
#define IDLE_MS 1000
/*
 * Minimum time over which a rate is measured, in ms: data comes in pieces of up to 64 KiB, and over
 * less time, a single piece looks like a fast link.
 */
#define SPAN_MS 200
/*
 * Like KEEP_SLOW_TIMES for the best single interval, since bursts of a distant link are as fast as others, and
 * for all connections, since one of them may have a small share of a fast link.
 */
#define BURST_TIMES 2
/* Minimum share of the window in which a sender had something to send, in percent. */
#define BUSY_PERCENT 80
/*
 * Minimum share of the intervals in which the subflow moved data, in percent: of all, and for a sender
 * of those in which it would have if its packets had been acknowledged evenly. On a slow link they
 * are. On a distant link that comes in bursts, and a subflow that waits for the window of the
 * connection moves none. A receiver counts pieces of up to 16 KiB.
 */
#define ACTIVE_PERCENT 33
#define EVENLY_PERCENT 60
#define PACKET_BYTES 1500
/* Factor by which a receiver's round trip is longer if its packets wait behind data. */
#define WAIT_TIMES 2

/* Return the subflow's track; those of its connection begin at @track. NULL if it is new. */
static const struct rate_track *find_track(const struct rate_track *track,
					   const struct rate_track *end,
					   const struct nvme_mptcp_subflow *sf)
{
	for (; track < end && track->token == sf->token; track++)
		if (address_port_equal(&track->local, &sf->local) &&
		    address_port_equal(&track->remote, &sf->remote))
			return track;
	return NULL;
}

static bool is_backup(const struct nvme_mptcp_subflow *sf)
{
	return sf->flags < 0 ||
	       sf->flags & (NVME_MPTCP_SUBFLOW_BKUP_LOC | NVME_MPTCP_SUBFLOW_BKUP_REM);
}

static void drop_oldest(struct rate_track *track)
{
	memmove(track->before + 1, track->before, sizeof(track->before) - sizeof(*track->before));
	track->before[0] = track->intervals[0].unacked;
	track->ms -= track->intervals[0].ms;
	memmove(track->intervals, track->intervals + 1, --track->n * sizeof(*track->intervals));
}

static void restart_window(struct rate_track *track)
{
	track->n = 0;
	track->ms = 0;
	memset(track->before, 0, sizeof(track->before));
}

/* Add an interval, and drop the oldest ones that the window does not need. */
static void add_interval(struct rate_track *track, const struct interval *interval)
{
	if (track->n == KEEP_INTERVALS)
		drop_oldest(track);
	track->intervals[track->n++] = *interval;
	track->ms += interval->ms;
	while (track->ms - track->intervals[0].ms >= KEEP_WINDOW_MS)
		drop_oldest(track);
}

/* Add the interval of the last @ms. Return how many bytes the subflow has moved. */
static int64_t take_interval(struct rate_track *track, const struct nvme_mptcp_subflow *sf,
			     int64_t ms)
{
	const struct interval interval = {
		.ms = (uint32_t)ms,
		.busy_us = (uint32_t)(sf->value[NVME_MPTCP_BUSY_US] - track->busy_us),
		.acked = sf->value[NVME_MPTCP_BYTES_ACKED] - track->acked,
		.received = sf->value[NVME_MPTCP_BYTES_RECEIVED] - track->received,
		.unacked = track->unacked,
	};

	track->shares = !is_backup(sf);
	/* A backup carries no data, which does not mean that its link is slow. */
	if (!track->shares || ms > PAUSE_MS)
		restart_window(track);
	else
		add_interval(track, &interval);
	return interval.acked + interval.received;
}

static void note_values(struct rate_track *track, const struct nvme_mptcp_subflow *sf)
{
	track->token = sf->token;
	track->local = sf->local;
	track->remote = sf->remote;
	track->acked = sf->value[NVME_MPTCP_BYTES_ACKED];
	track->received = sf->value[NVME_MPTCP_BYTES_RECEIVED];
	track->busy_us = sf->value[NVME_MPTCP_BUSY_US];
	track->unacked = sf->value[NVME_MPTCP_UNACKED] * sf->value[NVME_MPTCP_MSS];
	/*
	 * A host that reads sends a command over this link only now and then. The smoothed round
	 * trip takes an eighth of a sample, the deviation a quarter of it: together, as in the
	 * kernel's RTO, they show the first late one.
	 */
	track->wait_us = sf->value[NVME_MPTCP_RTT_US] + 4 * sf->value[NVME_MPTCP_RTTVAR_US];
}

/* Replace the tracks by those of present subflows, with the last interval. Return 0 or -ENOMEM. */
static int follow_subflows(struct keep_rates *rates, const struct subflow_samples *beats,
			   int64_t now)
{
	struct rate_track *tracks = calloc(beats->n + 1, sizeof(*tracks));
	const struct rate_track *before = rates->tracks, *end = before + rates->n;
	bool moved = false;

	if (!tracks)
		return -ENOMEM;
	for (size_t i = 0; i < beats->n; i++) {
		const struct nvme_mptcp_subflow *sf = &beats->subflows[i];
		const struct rate_track *known;

		while (before < end && before->token < sf->token)
			before++;
		known = find_track(before, end, sf);
		if (known) {
			tracks[i] = *known;
			moved |= take_interval(&tracks[i], sf, now - rates->looked) >=
				 KEEP_MOVING_BYTES;
		}
		note_values(&tracks[i], sf);
	}
	free(rates->tracks);
	rates->tracks = tracks;
	rates->n = beats->n;
	rates->looked = now;
	if (moved)
		rates->moved = now;
	return 0;
}

/* Tracks of the subflows of one connection. */
struct siblings {
	struct rate_track *tracks;
	size_t n;
	int64_t acked, received; /* in the window */
	bool receives;
};

static int64_t bytes_of(const struct interval *interval, bool receives)
{
	return receives ? interval->received : interval->acked;
}

/* Return the bytes per second over at least @ms up to interval @i; 0 if that covers less. */
static int64_t rate_before(const struct rate_track *track, size_t i, int64_t ms, bool receives)
{
	int64_t bytes = 0, spent = 0;

	do {
		bytes += bytes_of(&track->intervals[i], receives);
		spent += track->intervals[i].ms;
	} while (spent < ms && i--);
	return spent && spent >= ms ? bytes * 1000 / spent : 0;
}

static int64_t larger_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void sum_up(struct rate_track *track, bool receives)
{
	track->burst = track->best = track->total_busy_us = 0;
	track->moved = 0;
	track->active = 0;
	for (size_t i = 0; i < track->n; i++) {
		const int64_t bytes = bytes_of(&track->intervals[i], receives);

		track->burst = larger_of(track->burst, rate_before(track, i, 0, receives));
		track->best = larger_of(track->best, rate_before(track, i, SPAN_MS, receives));
		track->total_busy_us += track->intervals[i].busy_us;
		track->moved += bytes;
		track->active += bytes >= KEEP_MOVING_BYTES;
	}
}

static void sum_up_all(struct siblings *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->tracks[i].n; j++) {
			s->acked += s->tracks[i].intervals[j].acked;
			s->received += s->tracks[i].intervals[j].received;
		}
	s->receives = s->received > s->acked;
	for (size_t i = 0; i < s->n; i++)
		sum_up(&s->tracks[i], s->receives);
}

static int64_t burst_of(const struct rate_track *track)
{
	return track->burst;
}

static int64_t wait_of(const struct rate_track *track)
{
	return track->wait_us;
}

static int by_amount(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t keep_rate_median(int64_t *values, size_t n)
{
	if (!n)
		return 0;
	qsort(values, n, sizeof(*values), by_amount);
	return values[n / 2];
}

/* Return the median of @value over the other subflows that are not backups; 0 if there are none. */
static int64_t median_of(const struct siblings *s, size_t but,
			 int64_t (*value)(const struct rate_track *track))
{
	int64_t values[KEEP_MAX_SIBLINGS];
	size_t n = 0;

	for (size_t i = 0; i < s->n && n < KEEP_MAX_SIBLINGS; i++)
		if (i != but && s->tracks[i].shares && s->tracks[i].n)
			values[n++] = value(&s->tracks[i]);
	return keep_rate_median(values, n);
}

/*
 * True if data waited for this subflow all the time, and some of it always moved. A sender knows how
 * long it was busy, which includes waiting for the window of the connection, as after other links
 * have held it up. A receiver must infer it: its own packets wait behind the data that it gets, so
 * that its round trip is long. Data over a distant link comes only once per round trip, and only ten
 * packets of it after a time-out.
 */
static bool is_backlogged(const struct siblings *s, size_t i)
{
	const struct rate_track *track = &s->tracks[i];
	const size_t packets = (size_t)(track->moved / PACKET_BYTES);
	const size_t evenly = packets < track->n ? packets : track->n;

	if (track->active * 100 < track->n * ACTIVE_PERCENT)
		return false;
	if (!s->receives)
		return track->active * 100 >= evenly * EVENLY_PERCENT &&
		       track->total_busy_us * 100 >= track->ms * 1000 * BUSY_PERCENT;
	return track->wait_us >= WAIT_TIMES * median_of(s, i, wait_of);
}

/* Sums over the subflows of a link: best rates, and median rates of their siblings. */
struct link_rate {
	struct in6_addr ip;
	int64_t here, burst, elsewhere;
	int64_t wait_us; /* the longest */
};

struct link_rates {
	struct link_rate *links;
	size_t n;
};

static int add_rate(struct link_rates *to, const struct rate_track *track, int64_t elsewhere)
{
	struct link_rate *link = to->links, *end = to->links + to->n;

	while (link != end && !address_equal(&link->ip, &track->local.ip))
		link++;
	if (link == end) {
		link = array_add(&to->links, &to->n, sizeof(*link));
		if (!link)
			return -ENOMEM;
		link->ip = track->local.ip;
	}
	link->here += track->best;
	link->burst += track->burst;
	link->elsewhere += elsewhere;
	link->wait_us = larger_of(link->wait_us, track->wait_us);
	return 0;
}

static int judge_connection(struct siblings *s, struct link_rates *ret)
{
	int err = 0;

	sum_up_all(s);
	if (s->acked < KEEP_LEAST_BYTES && s->received < KEEP_LEAST_BYTES)
		return 0;
	for (size_t i = 0; i < s->n && !err; i++) {
		const struct rate_track *track = &s->tracks[i];

		/* A subflow that delivers nothing at all is dead, or its peer has stopped. */
		if (track->shares && track->ms >= KEEP_WINDOW_MS && track->best &&
		    is_backlogged(s, i))
			err = add_rate(ret, track, median_of(s, i, burst_of));
	}
	return err;
}

static int judge_links(struct keep_rates *rates, struct link_rates *ret)
{
	int err = 0;

	for (size_t begin = 0, end; begin < rates->n && !err; begin = end) {
		struct siblings s = { .tracks = rates->tracks + begin };

		for (end = begin; end < rates->n && rates->tracks[end].token == s.tracks->token;)
			end++;
		s.n = end - begin;
		err = judge_connection(&s, ret);
	}
	return err;
}

/* Return the bytes per second that a link delivers to and from all connections. */
static int64_t total_rate(const struct keep_rates *rates, const struct in6_addr *ip)
{
	int64_t bytes = 0, ms = 0;

	for (size_t i = 0; i < rates->n; i++) {
		const struct rate_track *track = &rates->tracks[i];

		if (!address_equal(&track->local.ip, ip))
			continue;
		ms = larger_of(ms, track->ms);
		for (size_t j = 0; j < track->n; j++)
			bytes += track->intervals[j].acked + track->intervals[j].received;
	}
	return ms ? bytes * 1000 / ms : 0;
}

static bool is_slow(const struct keep_rates *rates, const struct link_rate *link)
{
	return keep_rate_holds_up(link->here, link->wait_us) &&
	       link->here * KEEP_SLOW_TIMES <= link->elsewhere &&
	       link->burst * BURST_TIMES <= link->elsewhere &&
	       total_rate(rates, &link->ip) * BURST_TIMES <= link->elsewhere;
}

int keep_rates_report(struct keep_rates *rates, const struct in6_addr *ip)
{
	struct in6_addr *slow = array_add(&rates->slow, &rates->n_slow, sizeof(*slow));

	if (!slow)
		return -ENOMEM;
	*slow = *ip;
	for (size_t i = 0; i < rates->n; i++)
		if (address_equal(&rates->tracks[i].local.ip, ip))
			restart_window(&rates->tracks[i]);
	return 0;
}

int keep_rates_update(struct keep_rates *rates, const struct subflow_samples *beats, int64_t now,
		      bool *moving)
{
	struct link_rates links = {};
	int err = follow_subflows(rates, beats, now);

	if (err)
		return err;
	rates->n_slow = 0;
	*moving = rates->moved && now - rates->moved <= IDLE_MS;
	err = judge_links(rates, &links);
	for (size_t i = 0; i < links.n && !err; i++)
		if (is_slow(rates, &links.links[i]))
			err = keep_rates_report(rates, &links.links[i].ip);
	free(links.links);
	return err ? err : keep_rates_judge_loads(rates);
}

bool keep_rates_is_slow(const struct keep_rates *rates, const struct in6_addr *ip)
{
	for (size_t i = 0; rates && i < rates->n_slow; i++)
		if (address_equal(&rates->slow[i], ip))
			return true;
	return false;
}

void keep_rates_clear(struct keep_rates *rates)
{
	free(rates->tracks);
	free(rates->slow);
	free(rates->fair);
	*rates = (struct keep_rates){};
}
