/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polls subflows for silent or slow paths on usable links, which the kernel does not report. */
#pragma once

#include "base/map.h"
#include "keep-own.h"
#include "keep-rate.h"

/*
 * Polling intervals while data is in flight and while none is, in ms. The latter is short enough to
 * find a path that died meanwhile within a second after new data.
 */
#define KEEP_BUSY_MS 50
#define KEEP_IDLE_MS 900

struct keep_pulse {
	const struct idmap *tokens; /* of the connections to poll */
	struct subflow_places places;
	int64_t due; /* time of the next poll; KEEP_NEVER: nothing to poll */
	struct keep_rates rates;
};

/* Calls subflow_feel_pulse() in network namespace @netns. */
typedef int keep_feel_fn(const char *netns, const struct keep_pulse *pulse,
			 struct subflow_beats *ret, enum subflow_pulse *found);

/* Choose what to poll: the connections in @tokens that have several subflows. */
void keep_pulse_choose(struct keep_pulse *pulse, const struct nvme_mptcp_snapshot *snap,
		       const struct idmap *tokens, enum nvme_mptcp_role role, int64_t now);

/* Poll if it is due. *@trouble: a path is silent or a link is slow. Return 0 or -ENOMEM. */
int keep_pulse_look(struct keep_pulse *pulse, const struct idmap *tokens, keep_feel_fn *feel,
		    const char *netns, int64_t now, bool *trouble);
