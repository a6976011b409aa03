/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What keep does at once: an endpoint whose link has died is taken out of use, so that what was sent
 * there goes by other links instead of waiting for retransmissions, and put back once the link is
 * well. Deleting an endpoint acts on every MPTCP connection of the network namespace: none may end by
 * it, of whatever program.
 */
#pragma once

#include "base/map.h"
#include "keep-own.h"
#include "keep-rate.h"
#include "steps.h"

/* What cannot be brought back from here is closed only when its link has been dead for so long. */
#define KEEP_LONG_MS 3000

struct keep_fast {
	struct nvme_mptcp_snapshot *snap; /* links, addresses, endpoints, connections */
	struct keep_own *own;
	const struct idmap *tokens; /* of the connections to do it for; NULL: none */
	const struct keep_rates *rates; /* of their subflows; NULL: not known */
	enum nvme_mptcp_role role;
	int64_t now;
	int64_t due; /* of the next look, KEEP_NEVER: none is needed */
	struct nvme_mptcp_plan *plan;
};

/*
 * Makes f->plan and f->due. What the steps take out is noted in f->own, to be written down before
 * they are done. 0 or -ENOMEM.
 */
int keep_fast_plan(struct keep_fast *f);

/*
 * Adds steps that make endpoints of slow links backups, unless they are, or nothing else carries: new
 * data takes the other links, and no connection ends by it, of whatever program. 0 or -ENOMEM.
 */
int keep_slow_plan(struct keep_fast *f);

/*
 * Is a backup of a slow link to be deleted and added when it is tried again? Connections of controllers lack a
 * subflow there, and the kernel does not try again by itself. The others there carry nothing now, and no
 * connection ends by closing them.
 */
bool keep_slow_renews(const struct keep_fast *f, const struct nvme_mptcp_endpoint *backup);

/*
 * Writes f->own to @path, has @act do the steps, and writes what came of it. What went wrong stands in
 * the plan, in steps and notes. 0 or -ENOMEM.
 */
int keep_fast_do(struct keep_fast *f, const char *path, int (*act)(struct nvme_mptcp_plan *plan));

/*
 * Makes f->plan to put back everything that a program had made, however its link is, since keep ends: the kernel
 * takes it, and connections that are made later use it once the link is well. 0 or -ENOMEM.
 */
int keep_fast_end(struct keep_fast *f);

/* A link is not well, or an address is gone: what waits for it has to wait anew. */
void keep_fast_lose(struct keep_own *own, int ifindex);

/* Adds steps to put back what is out of use, however its link is. */
void keep_fast_restore(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap,
		       const struct keep_own *own);
