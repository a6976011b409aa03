/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of a keeper: what its connections carried over each link while it looked. They never fall. */
#pragma once

#include <stdint.h>

struct metric_row;
struct metric_rows;
struct metric_totals;
struct nvme_mptcp_snapshot;
struct nvme_mptcp_subflow;

/* NULL without memory. */
struct metric_totals *metric_totals_new(void);
void metric_totals_free(struct metric_totals *t);

/*
 * A look: begun, with each subflow and the row that it belongs to, and ended, which puts the counters
 * into the rows. A subflow that no look before has shown is new: all that it carried counts, but not in
 * the first look. 0 or -ENOMEM; NULL counts nothing.
 */
void metric_totals_begin(struct metric_totals *t, const struct nvme_mptcp_snapshot *snap);
int metric_totals_add(struct metric_totals *t, struct metric_row *row,
		      const struct nvme_mptcp_subflow *sf);
int metric_totals_end(struct metric_totals *t, struct metric_rows *rows,
		      const struct nvme_mptcp_snapshot *snap);
