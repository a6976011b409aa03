/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round of keep: what is missing, and which of it is keep's to do. */
#pragma once

#include "keep-lock.h"
#include "keep-own.h"
#include <nvme/mptcp/keep.h>
#include "steps.h"

struct keep_round {
	const struct nvme_mptcp_keep_args *args;
	struct nvme_mptcp_snapshot *snap;
	struct keep_own *own;
	struct plan_known *known;
	const struct keep_lock *lock;
	int64_t now;
	enum nvme_mptcp_role role; /* AUTO: there is nothing to keep yet */
	int64_t again; /* the next attempt at what is missing, KEEP_NEVER: none */
	struct nvme_mptcp_plan *plan;
};

/* Makes r->plan, r->role and r->again. 0 or -errno as nvme_mptcp_keeper_plan(). */
int keep_plan(struct keep_round *r);

/* Drops what is not keep's to do, with notes; r->plan has all that is missing. */
void keep_plan_filter(struct keep_round *r);

/* Adds endpoints to take away that are of no use any more, before all others. */
void keep_plan_retire(struct keep_round *r, bool is_sure);

/* What takes back all that keep made. */
int keep_plan_restore(const struct nvme_mptcp_snapshot *snap, const struct keep_own *own,
		      struct nvme_mptcp_plan **ret);

/* What the steps of @plan will have made, before they are done. 0 or -ENOMEM. */
int keep_plan_promise(const struct nvme_mptcp_plan *plan, struct keep_own *own);

/* What they have made, by their states; @before: own->values before that promise. */
void keep_plan_settle(const struct nvme_mptcp_plan *plan, struct keep_own *own,
		      const struct keep_value *before, int64_t now);
