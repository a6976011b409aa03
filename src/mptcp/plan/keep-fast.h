/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Immediate actions of keep. When a link dies, its endpoints are taken out of use, so that data
 * sent there goes over other links without waiting for retransmissions; they are restored once the
 * link works. Deleting an endpoint affects every MPTCP connection of the network namespace, and
 * must not end a connection of any program.
 */
#pragma once

#include "keep-rate.h"
#include "steps.h"

/* Time that a link must be dead before single subflows are closed for good, in ms. */
#define KEEP_CLOSE_DELAY_MS 3000

struct keep_fast {
	struct nvme_mptcp_snapshot *snap; /* links, addresses, endpoints, connections */
	struct keep_own *own;
	const struct idmap *tokens; /* of the connections to act for; NULL: none */
	const struct keep_rates *rates; /* of their subflows; NULL: unknown */
	enum nvme_mptcp_role role;
	int64_t now;
	int64_t due; /* time of the next check; KEEP_NEVER: none needed */
	struct nvme_mptcp_plan *plan;
};

/*
 * Set f->plan and f->due. Endpoints that the steps take out of use are recorded in f->own, which
 * must be written before the steps are applied. Return 0 or -ENOMEM.
 */
int keep_fast_plan(struct keep_fast *f);

/*
 * Add steps that make endpoints of slow links backups if other links carry data: new data then uses
 * those, and no connection of any program ends. Return 0 or -ENOMEM.
 */
int keep_slow_plan(struct keep_fast *f);

/*
 * True if a backup of a slow link must be deleted and added when the link is tried again:
 * connections of controllers have no subflow there, the kernel does not retry by itself, and
 * deleting the endpoint ends no connection. Its remaining subflows carry no data now.
 */
bool keep_slow_renews(const struct keep_fast *f, const struct nvme_mptcp_endpoint *backup);

/* Write f->own, apply the plan, write the result; the plan has failures. 0 or -ENOMEM. */
int keep_fast_apply(struct keep_fast *f, const char *path,
		    int (*act)(struct nvme_mptcp_plan *plan));

/*
 * Set f->plan to restore all endpoints that a program had made, because keep ends: the kernel
 * accepts them whatever the state of their links. Return 0 or -ENOMEM.
 */
int keep_fast_end(struct keep_fast *f);

/* Restart the time that endpoints on @ifindex wait: the link has failed, or an address is gone. */
void keep_fast_note_link_loss(struct keep_own *own, int ifindex);

/* Add steps that restore what is out of use, whatever the state of its link. */
void keep_fast_restore(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap,
		       const struct keep_own *own);
