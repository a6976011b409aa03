/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Endpoints that keep takes out of use while their link is dead or slow, whichever program made them, to put them back
 * as they were. Times are milliseconds of the keeper's clock.
 */
#pragma once

#include "mptcp/snapshot/endpoint.h"

struct keep_own;

/* How long a link has to be well before its endpoints are put back: peers and switches need a moment. */
#define KEEP_CALM_MS 300
/* A target that keeps as well has announced its address again by then, and the link needs no second subflow. */
#define KEEP_LENT_MS 600
/* The same of one that died again soon after that: 1, 2, 4, ... seconds, up to a minute. */
#define KEEP_HOLD_MS 1000
#define KEEP_HOLD_MOST_MS 60000
/* Joins are given this time to form before the endpoint is renewed. */
#define KEEP_JOIN_MS 2500
/* A slow link is tried again after 10, 20, 40, ... seconds, and five minutes at most. */
#define KEEP_SLOW_MS 10000
#define KEEP_SLOW_MOST_MS 300000
/* Soon is within this, or twice what it was held for. */
#define KEEP_FLAP_MS 10000

enum keep_out_how {
	KEEP_OUT_BACK, /* it is in use again; only that it was out is remembered */
	KEEP_OUT_DELETED,
	KEEP_OUT_BACKUP, /* where deleting it would end a connection, or the link is slow */
};

struct keep_out {
	struct endpoint_spec spec; /* what is to be there when the link is back */
	enum keep_out_how how;
	bool is_silent; /* its link looks well: it is tried again after pauses */
	bool is_slow; /* its link delivers little: it is tried again after pauses */
	bool lent; /* nobody had made one: the kernel answered an announced address */
	bool is_left; /* put back when keep ended, dead as its link was */
	int64_t since; /* taken out then */
	int64_t calm; /* the link is well since then; 0: it is not */
	int64_t back; /* put back then; 0: never */
	int64_t not_before; /* the next attempt to put it back, or to renew it */
	unsigned int strikes; /* how often the link died soon after that, in a row */
	unsigned int failures;
};

/* How long the link has to be well; after a silence, or while it is slow, how long until it is tried again. */
int64_t keep_out_hold(const struct keep_out *out);

/* The one with this address and port, in use again or not; or NULL. */
struct keep_out *keep_out_find(const struct keep_own *own, const struct endpoint_spec *spec);

/* Is it out of use now? */
bool keep_is_out(const struct keep_own *own, const struct endpoint_spec *spec);

/* Notes that it goes out of use. NULL without memory. */
struct keep_out *keep_out_take(struct keep_own *own, const struct endpoint_spec *spec,
			       enum keep_out_how how, int64_t now);

/* It is in use again. */
void keep_out_return(struct keep_out *out, int64_t now);

/* The @i-th that is out of use; NULL after the last one. */
const struct keep_out *keep_out_at(const struct keep_own *own, size_t i);

/* The name of the link of the @i-th that is out of use; "" if it has none, NULL after the last one. */
const char *keep_out_link(const struct keep_own *own, const struct nvme_mptcp_snapshot *snap,
			  size_t i);

void keep_out_drop(struct keep_own *own, struct keep_out *out);

/* Forgets what keep made and took out of use, where a link that works has lost its address. */
void keep_out_forget(struct keep_own *own, const struct nvme_mptcp_snapshot *snap);
