/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of a snapshot for its metrics: per set of connections, and per set and link. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mptcp/snapshot/snapshot.h"

enum metric_set_value {
	SET_CONNECTIONS,
	SET_FALLBACK,
	SET_VALUES,
};

enum metric_row_value {
	ROW_EXPECTED,
	ROW_SUBFLOWS,
	ROW_DEAD,
	ROW_MISSING,
	ROW_PENDING,
	ROW_BACKUP,
	ROW_SENT,
	ROW_RECEIVED,
	ROW_RETRANS_BYTES,
	ROW_RETRANS,
	ROW_RTT_US,
	ROW_RTT_MAX_US,
	ROW_RATE,
	ROW_SENT_TOTAL, /* from here on in the same order as from ROW_SENT */
	ROW_RECEIVED_TOTAL,
	ROW_RETRANS_BYTES_TOTAL,
	ROW_RETRANS_TOTAL,
	ROW_VALUES,
	ROW_TOTALS = ROW_VALUES - ROW_SENT_TOTAL,
};

/* The connections of one controller, or those that no single controller owns. */
struct metric_set {
	const struct nvme_mptcp_ctrl *ctrl; /* or NULL */
	const char *owner; /* "controller", "shared" by several, or the "hosts" of a target */
	int64_t value[SET_VALUES];
	size_t first, n; /* range of its rows */
};

struct metric_row {
	const struct metric_set *set;
	const struct nvme_mptcp_link *link; /* NULL: unknown */
	size_t measured; /* number of subflows with a known round-trip time */
	int64_t value[ROW_VALUES]; /* or NVME_MPTCP_UNKNOWN */
};

struct metric_rows {
	struct metric_set *sets;
	size_t n_sets;
	struct metric_row *rows;
	size_t n_rows;
	bool *is_used; /* by index of a link: has a row or an endpoint */
	struct metric_totals *totals; /* of a keeper, or NULL */
};

/* Read connections of the first @n_ctrls controllers and all others. Return 0 or -ENOMEM. */
int metric_rows_read(struct metric_rows *rows, const struct nvme_mptcp_snapshot *snap,
		     size_t n_ctrls);
void metric_rows_clear(struct metric_rows *rows);

/* Counters of a keeper: traffic of its connections over each link. They never decrease. */
struct metric_totals;

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
