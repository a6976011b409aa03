/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of a keeper: traffic of its connections over each link. They never decrease. */
#pragma once

struct metric_row;
struct metric_rows;
struct metric_totals;
struct nvme_mptcp_snapshot;
struct nvme_mptcp_subflow;

/* Return NULL if out of memory. */
struct metric_totals *metric_totals_new(void);
void metric_totals_free(struct metric_totals *t);

/*
 * Process a snapshot: begin, add each subflow with its row, end. New subflows count in full, except
 * in the first snapshot. Return 0 or -ENOMEM. If @t is NULL, nothing is counted.
 */
void metric_totals_begin(struct metric_totals *t, const struct nvme_mptcp_snapshot *snap);
int metric_totals_add(struct metric_totals *t, struct metric_row *row,
		      const struct nvme_mptcp_subflow *sf);
int metric_totals_end(struct metric_totals *t, struct metric_rows *rows,
		      const struct nvme_mptcp_snapshot *snap);
