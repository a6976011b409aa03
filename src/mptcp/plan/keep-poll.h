/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polls subflows for silent or slow paths on usable links, which the kernel does not report. */
#pragma once

#include "keep-own.h"
#include "keep-rate.h"

/*
 * Polling intervals while data is in flight and while none is, in ms. The latter is short enough to
 * find a path that died meanwhile within a second after new data.
 */
#define KEEP_BUSY_MS 50
#define KEEP_IDLE_MS 900

struct keep_poll {
	const struct idmap *tokens; /* of the connections to poll */
	struct subflow_filter places;
	int64_t due; /* time of the next poll; KEEP_NEVER: nothing to poll */
	struct keep_rates rates;
};

/* Calls subflow_sample() in network namespace @netns. */
typedef int keep_sample_fn(const char *netns, const struct keep_poll *pulse,
			   struct subflow_samples *ret, enum subflow_activity *found);

/* Choose what to poll: the connections in @tokens that have several subflows. */
void keep_poll_select(struct keep_poll *pulse, const struct nvme_mptcp_snapshot *snap,
		      const struct idmap *tokens, enum nvme_mptcp_role role, int64_t now);

/* Poll if it is due. *@trouble: a path is silent or a link is slow. Return 0 or -ENOMEM. */
int keep_poll_run(struct keep_poll *pulse, const struct idmap *tokens,
		  keep_sample_fn *sample_subflows, const char *netns, int64_t now, bool *trouble);
