/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which controller a connection belongs to, by the queues that controllers show. */
#pragma once

#include "snapshot.h"

struct shown_queues {
	struct shown_queue {
		const struct ctrl_queue *ends;
		struct nvme_mptcp_ctrl *ctrl;
	} * queue; /* sorted; freed by the caller */
	size_t n;
};

/* Return 0 or -ENOMEM. */
int ctrl_queues_index(const struct nvme_mptcp_snapshot *snap, struct shown_queues *ret);

/* Return the controller that shows @conn as a queue, or NULL. */
struct nvme_mptcp_ctrl *ctrl_queues_owner(const struct shown_queues *shown,
					  const struct nvme_mptcp_connection *conn);
