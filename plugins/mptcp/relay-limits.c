// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits on the connections of a relay: in total, per remote address, and of those whose other side
 * has not answered. An address that floods a target exhausts only its own share.
 */
#include <sys/resource.h>

#include "relay-pump.h"

/* Descriptors reserved for everything but connections. */
#define OTHER_FDS 128
/*
 * Half of all connections may come from one address, and half may be unanswered; this is the
 * minimum of both limits.
 */
#define LEAST_SHARE 64
/* Minimum time between two reports of refused connections, in ms. */
#define REPORT_PAUSE 60000

size_t relay_limits_raise(struct keep_log *log, unsigned int wanted)
{
	struct rlimit files;
	size_t most;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return wanted;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	most = files.rlim_cur > OTHER_FDS ? (files.rlim_cur - OTHER_FDS) / 2 : 1;
	if (most >= wanted)
		return wanted;
	keep_log_text(log, KEEP_WARNING, "note",
		      "at most %zu connections instead of %u: the limit of open files "
		      "is %ju",
		      most, wanted, (uintmax_t)files.rlim_cur);
	return most;
}

static size_t limit_share(const struct relay_pump *pump)
{
	return pump->args.most / 2 > LEAST_SHARE ? pump->args.most / 2 : LEAST_SHARE;
}

static size_t per_source(const struct relay_pump *pump)
{
	return pump->args.per_source ? pump->args.per_source : limit_share(pump);
}

/*
 * Return the source of "192.0.2.1:40000", or NULL if out of memory. Only the thread that adds
 * connections calls this. Other threads only decrement counts, so an unused source can be given
 * another address.
 */
static struct relay_source *find_source(struct relay_pump *pump, const char *peer)
{
	struct relay_source *unused = NULL;
	const char *port = strrchr(peer, ':');
	const size_t n = port ? (size_t)(port - peer) : strlen(peer);

	for (struct relay_source *s = pump->sources; s; s = s->next) {
		if (!strncmp(s->address, peer, n) && !s->address[n])
			return s;
		if (!s->n)
			unused = s;
	}
	if (!unused) {
		unused = calloc(1, sizeof(*unused));
		if (!unused)
			return NULL;
		unused->next = pump->sources;
		pump->sources = unused;
	}
	snprintf(unused->address, sizeof(unused->address), "%.*s", (int)n, peer);
	return unused;
}

int relay_limits_check(struct relay_pump *pump, const struct nvme_mptcp_relay_pair *pair)
{
	const struct relay_source *source;

	if (relay_pump_count(pump) >= pump->args.most)
		return -EMFILE;
	if (pump->n_half >= limit_share(pump))
		return -EAGAIN;
	/* A host's relay has a single source, the host itself. */
	if (!pair->is_target)
		return 0;
	source = find_source(pump, pair->peer);
	return !source ? -ENOMEM : source->n >= per_source(pump) ? -EUSERS : 0;
}

void relay_limits_count(struct relay_pump *pump, struct relay_conn *c)
{
	c->source = c->is_target ? find_source(pump, c->peer) : NULL;
	if (c->source)
		c->source->n++;
	if (!c->is_open)
		pump->n_half++;
}

void relay_limits_uncount(struct relay_pump *pump, struct relay_conn *c)
{
	if (c->source)
		c->source->n--;
	if (!c->is_open)
		pump->n_half--;
}

bool relay_pump_is_connecting(const struct relay_pump *pump)
{
	return pump->n_half;
}

void relay_limits_free(struct relay_pump *pump)
{
	while (pump->sources) {
		struct relay_source *s = pump->sources;

		pump->sources = s->next;
		free(s);
	}
}

void relay_refusals_add(struct relay_refusals *refusals, const char *peer, int err)
{
	refusals->n++;
	refusals->err = err;
	snprintf(refusals->peer, sizeof(refusals->peer), "%s", peer);
}

static void explain_limit(const struct relay_pump *pump, int err, char text[static 128])
{
	switch (err) {
	case EMFILE:
		snprintf(text, 128, "all %zu are in use (--connections, limit of open files)",
			 pump->args.most);
		break;
	case EAGAIN:
		snprintf(text, 128, "%zu are waiting for the other side to answer (--connections)",
			 limit_share(pump));
		break;
	case EUSERS:
		snprintf(text, 128, "its address has %zu connections (--per-source)",
			 per_source(pump));
		break;
	default:
		snprintf(text, 128, "%s", strerror(err));
	}
}

int relay_refusals_report(struct relay_refusals *refusals, const struct relay_pump *pump,
			  struct keep_log *log, bool is_last)
{
	const int64_t now = keep_clock_ms();
	const size_t n = refusals->n;
	char why[128];

	if (!n || (now < refusals->next && !is_last))
		return 0;
	refusals->n = 0;
	refusals->next = now + REPORT_PAUSE;
	explain_limit(pump, refusals->err, why);
	return keep_log_text(log, KEEP_WARNING, "failure",
			     "%zu connection%s refused, the last one from %s: %s", n,
			     n == 1 ? "" : "s", refusals->peer, why);
}
