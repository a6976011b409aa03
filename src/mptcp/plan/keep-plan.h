/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round of keep: what is missing, and which of it keep may change. */
#pragma once

#include "keep-lock.h"
#include <nvme/mptcp/keep.h>
#include "steps.h"

struct keep_round {
	const struct nvme_mptcp_keep_args *args;
	struct nvme_mptcp_snapshot *snap;
	struct keep_own *own;
	struct plan_known *known;
	const struct keep_lock *lock;
	int64_t now;
	enum nvme_mptcp_role role; /* AUTO: nothing to keep yet */
	int64_t again; /* time of the next attempt at what is missing; KEEP_NEVER: none */
	struct nvme_mptcp_plan *plan;
};

/* Set r->plan, r->role and r->again. Return 0 or -errno as nvme_mptcp_keeper_plan(). */
int keep_plan(struct keep_round *r);

/* Add to r->plan what other programs took away: limits that were raised, and lent endpoints. */
void keep_plan_put_back(struct keep_round *r);

/* Drop the steps of r->plan that keep may not do, with notes. */
void keep_plan_filter(struct keep_round *r);

/* First delete useless endpoints of keep. @is_sure: r->plan lists all that are wanted. */
void keep_plan_delete_unused(struct keep_round *r, bool is_sure);

/* Make a plan that takes back everything that keep made. Return 0 or -ENOMEM. */
int keep_plan_restore(const struct nvme_mptcp_snapshot *snap, const struct keep_own *own,
		      struct nvme_mptcp_plan **ret);

/* Record in @own what the steps of @plan will make. Return 0 or -ENOMEM. */
int keep_plan_record_intent(const struct nvme_mptcp_plan *plan, struct keep_own *own);

/* Record in @own what the steps have made. @before: own->values before keep_plan_record_intent(). */
void keep_plan_record_result(const struct nvme_mptcp_plan *plan, struct keep_own *own,
			     const struct keep_value *before, int64_t now);
