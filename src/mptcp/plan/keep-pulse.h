/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths that fall silent or become slow while their links look well: no message of the kernel tells, so
 * that the subflows of controllers are looked at again and again, often only while something is under
 * way.
 */
#pragma once

#include "base/map.h"
#include "keep-own.h"
#include "keep-rate.h"

/*
 * How often they are while something is under way, and while nothing is: so that a path that died
 * meanwhile is found within a second once there is something.
 */
#define KEEP_BUSY_MS 50
#define KEEP_IDLE_MS 900

struct keep_pulse {
	const struct idmap *tokens; /* of the connections */
	struct subflow_places places;
	int64_t due; /* the next look, KEEP_NEVER: there is nothing to look at */
	struct keep_rates rates;
};

/* As subflow_feel_pulse() in network namespace @netns. */
typedef int keep_feel_fn(const char *netns, const struct keep_pulse *pulse,
			 struct subflow_beats *ret, enum subflow_pulse *found);

/* Where to look from now on, by what a round has seen: connections in @tokens with several subflows. */
void keep_pulse_choose(struct keep_pulse *pulse, const struct nvme_mptcp_snapshot *snap,
		       const struct idmap *tokens, enum nvme_mptcp_role role, int64_t now);

/*
 * Looks, if it is due. *@trouble: is a path silent, or one of pulse->rates slow? What fails is tried
 * again later. 0 or -ENOMEM.
 */
int keep_pulse_look(struct keep_pulse *pulse, const struct idmap *tokens, keep_feel_fn *feel,
		    const char *netns, int64_t now, bool *trouble);
