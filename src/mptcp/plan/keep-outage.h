/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints of any program that are out of use while their link is dead or slow. Times in ms. */
#pragma once

#include "mptcp/snapshot/endpoint.h"

struct keep_own;

/* Time that a link must work before its endpoints are restored, in ms: peers need a moment. */
#define KEEP_CALM_MS 300
/*
 * The same for lent endpoints: within this time, a target that runs keep has announced its address
 * again, and the link needs no second subflow.
 */
#define KEEP_LENT_MS 600
/* The same for a link that soon died again: 1, 2, 4, ... seconds, up to a minute. */
#define KEEP_HOLD_MS 1000
#define KEEP_HOLD_MOST_MS 60000
/* Time for joins to form before an endpoint is renewed, in ms. */
#define KEEP_JOIN_MS 2500
/* Pause before a slow link is tried again: 10, 20, 40, ... seconds, up to five minutes. */
#define KEEP_SLOW_MS 10000
#define KEEP_SLOW_MOST_MS 300000
/* "Soon" is within this time after the restore, or within twice the hold time if longer. */
#define KEEP_FLAP_MS 10000

enum keep_out_how {
	KEEP_OUT_BACK, /* in use again; kept to detect a link that soon dies again */
	KEEP_OUT_DELETED,
	KEEP_OUT_BACKUP, /* deleting it would end a connection, or the link is slow */
};

struct keep_out {
	struct endpoint_spec spec; /* endpoint to restore when the link is back */
	enum keep_out_how how;
	bool is_silent; /* the path is silent, the link looks usable: tried again after pauses */
	bool is_slow; /* the link delivers too little: tried again after pauses */
	bool lent; /* no program made it: the kernel joined an address without an endpoint */
	bool is_left; /* restored when keep ended, although its link was dead */
	int64_t since; /* time it was taken out of use */
	int64_t calm; /* time since when the link works; 0: it does not work */
	int64_t back; /* time it was restored; 0: never */
	int64_t not_before; /* earliest time of the next attempt to restore or renew it */
	unsigned int strikes; /* number of times in a row that the link soon died again */
	unsigned int failures;
};

/*
 * Return how long the link must work before the endpoint is restored. For a silent path or a slow
 * link, return how long to wait before it is tried again.
 */
int64_t keep_out_hold(const struct keep_out *out);

/* Return the entry with this address and port, in use again or not; or NULL. */
struct keep_out *keep_out_find(const struct keep_own *own, const struct endpoint_spec *spec);

bool keep_is_out(const struct keep_own *own, const struct endpoint_spec *spec);

/* Record that an endpoint goes out of use. Return NULL without memory. */
struct keep_out *keep_out_take(struct keep_own *own, const struct endpoint_spec *spec,
			       enum keep_out_how how, int64_t now);

void keep_out_return(struct keep_out *out, int64_t now);

/* Return the @i-th endpoint that is out of use; NULL after the last one. */
const struct keep_out *keep_out_at(const struct keep_own *own, size_t i);

/* Return the name of the link of the @i-th endpoint that is out of use, or ""; NULL at the end. */
const char *keep_out_link(const struct keep_own *own, const struct nvme_mptcp_snapshot *snap,
			  size_t i);

void keep_out_drop(struct keep_own *own, struct keep_out *out);

/* Forget endpoints that keep made and deleted, whose address is gone though no link is dead. */
void keep_out_forget(struct keep_own *own, const struct nvme_mptcp_snapshot *snap);
