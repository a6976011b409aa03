/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints of any program that are out of use while their link is dead or slow. Times in ms. */
#pragma once

#include "mptcp/snapshot/endpoint.h"

struct keep_own;

/* Time that a link must work before its endpoints are restored, in ms: peers need a moment. */
#define KEEP_STABLE_MS 300
/*
 * The same for lent endpoints: within this time, a target that runs keep has announced its address
 * again, and the link needs no second subflow.
 */
#define KEEP_LENT_MS 600
/* The same for a link that soon died again: 1, 2, 4, ... seconds, up to a minute. */
#define KEEP_HOLD_MS 1000
#define KEEP_HOLD_MAX_MS 60000
/* Time for joins to form before an endpoint is renewed, in ms. */
#define KEEP_JOIN_MS 2500
/* Pause before a slow link is tried again: 10, 20, 40, ... seconds, up to five minutes. */
#define KEEP_SLOW_MS 10000
#define KEEP_SLOW_MAX_MS 300000
/* "Soon" is within this time after the restore, or within twice the hold time if longer. */
#define KEEP_FLAP_MS 10000

enum keep_outage_kind {
	KEEP_OUTAGE_OVER, /* in use again; kept to detect a link that soon dies again */
	KEEP_OUTAGE_DELETED,
	KEEP_OUTAGE_BACKUP, /* deleting it would end a connection, or the link is slow */
};

struct keep_outage {
	struct endpoint_spec spec; /* endpoint to restore when the link is back */
	enum keep_outage_kind how;
	bool is_silent; /* the path is silent, the link looks usable: tried again after pauses */
	bool is_slow; /* the link delivers too little: tried again after pauses */
	bool lent; /* no program made it: the kernel joined an address without an endpoint */
	bool is_left; /* restored when keep ended, although its link was dead */
	int64_t since; /* time it was taken out of use */
	int64_t stable_since; /* time since when the link works; 0: it does not work */
	int64_t back; /* time it was restored; 0: never */
	int64_t not_before; /* earliest time of the next attempt to restore or renew it */
	unsigned int flap_count; /* number of times in a row that the link soon died again */
	unsigned int failures;
};

/*
 * Return how long the link must work before the endpoint is restored. For a silent path or a slow
 * link, return how long to wait before it is tried again.
 */
int64_t keep_outage_hold_ms(const struct keep_outage *out);

/* Return the entry with this address and port, in use again or not; or NULL. */
struct keep_outage *keep_outage_find(const struct keep_own *own, const struct endpoint_spec *spec);

bool keep_is_out_of_use(const struct keep_own *own, const struct endpoint_spec *spec);

/* Record that an endpoint goes out of use. Return NULL without memory. */
struct keep_outage *keep_outage_begin(struct keep_own *own, const struct endpoint_spec *spec,
				      enum keep_outage_kind how, int64_t now);

void keep_outage_end(struct keep_outage *out, int64_t now);

/* Return the @i-th endpoint that is out of use; NULL after the last one. */
const struct keep_outage *keep_outage_at(const struct keep_own *own, size_t i);

/* Return the name of the link of the @i-th endpoint that is out of use, or ""; NULL at the end. */
const char *keep_outage_link(const struct keep_own *own, const struct nvme_mptcp_snapshot *snap,
			     size_t i);

void keep_outage_drop(struct keep_own *own, struct keep_outage *out);

/* Forget endpoints that keep made and deleted, whose address is gone though no link is dead. */
void keep_outage_expire(struct keep_own *own, const struct nvme_mptcp_snapshot *snap);
