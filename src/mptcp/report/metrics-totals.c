// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds up the growth of subflows; what one carries after its last snapshot is lost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics-rows.h"

static const int counted[ROW_TOTALS] = {
	NVME_MPTCP_BYTES_SENT,
	NVME_MPTCP_BYTES_RECEIVED,
	NVME_MPTCP_BYTES_RETRANS,
	NVME_MPTCP_RETRANS,
};

/* A subflow as the last snapshot showed it. */
struct seen {
	uint32_t token;
	struct socket_address local, remote;
	int64_t value[ROW_TOTALS];
};

/* The counters of a row. They are kept without the row as long as the controller exists. */
struct total {
	char *ctrl; /* or NULL */
	const char *owner;
	char link[LINK_NAME];
	bool has_row;
	int64_t value[ROW_TOTALS];
};

struct metric_totals {
	struct seen *seen, *now; /* of the last snapshot, sorted; of the current one */
	size_t n_seen, n_now;
	bool has_looked, counts; /* there is a last snapshot; the current one is complete */
	struct total *totals; /* sorted */
	size_t n;
};

struct metric_totals *metric_totals_new(void)
{
	return calloc(1, sizeof(struct metric_totals));
}

void metric_totals_free(struct metric_totals *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->totals[i].ctrl);
	free(t->totals);
	free(t->seen);
	free(t->now);
	free(t);
}

static int seen_order(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int order = (x->token > y->token) - (x->token < y->token);

	if (!order)
		order = (int)x->local.port - y->local.port;
	if (!order)
		order = (int)x->remote.port - y->remote.port;
	if (!order)
		order = memcmp(&x->local.ip, &y->local.ip, sizeof(x->local.ip));
	return order ? order : memcmp(&x->remote.ip, &y->remote.ip, sizeof(x->remote.ip));
}

void metric_totals_begin(struct metric_totals *t, const struct nvme_mptcp_snapshot *snap)
{
	if (!t)
		return;
	/* A subflow absent from an incomplete snapshot would count as new in the next one. */
	t->counts = !snap->problem[NVME_MPTCP_CONNECTIONS].err &&
		    !snap->problem[NVME_MPTCP_SUBFLOWS].err &&
		    !snap->problem[NVME_MPTCP_CONTROLLERS].err;
	free(t->now);
	t->now = NULL;
	t->n_now = 0;
}

int metric_totals_add(struct metric_totals *t, struct metric_row *row,
		      const struct nvme_mptcp_subflow *sf)
{
	const struct seen *last;
	struct seen *now;

	if (!t || !t->counts)
		return 0;
	now = array_add(&t->now, &t->n_now, sizeof(*now));
	if (!now)
		return -ENOMEM;
	now->token = sf->token;
	now->local = sf->local;
	now->remote = sf->remote;
	last = t->n_seen ? bsearch(now, t->seen, t->n_seen, sizeof(*now), seen_order) : NULL;
	for (int i = 0; i < ROW_TOTALS; i++) {
		int64_t *grown = &row->value[ROW_SENT_TOTAL + i], was = last ? last->value[i] : 0;

		now->value[i] = sf->value[counted[i]];
		if (now->value[i] == NVME_MPTCP_UNKNOWN)
			continue;
		if (*grown == NVME_MPTCP_UNKNOWN)
			*grown = 0;
		/* A value that decreased is of a new subflow with the same ends: all counts. */
		if (t->has_looked)
			*grown += now->value[i] - (was > 0 && was <= now->value[i] ? was : 0);
	}
	return 0;
}

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_row(const void *a, const void *b)
{
	const struct total *x = a, *y = b;
	int order = text_order(x->ctrl, y->ctrl);

	if (!order)
		order = strcmp(x->owner, y->owner);
	return order ? order : strcmp(x->link, y->link);
}

/* Find the counters of a row among the first @n_sorted, or add them. NULL if out of memory. */
static struct total *find_total(struct metric_totals *t, const struct metric_row *row,
				size_t n_sorted)
{
	struct total key = { .owner = row->set->owner }, *found = NULL;

	key.ctrl = row->set->ctrl ? row->set->ctrl->name : NULL;
	if (row->link)
		memcpy(key.link, row->link->name, sizeof(key.link));
	if (n_sorted)
		found = bsearch(&key, t->totals, n_sorted, sizeof(key), by_row);
	if (found)
		return found;
	if (key.ctrl) {
		key.ctrl = strdup(key.ctrl);
		if (!key.ctrl)
			return NULL;
	}
	found = array_add(&t->totals, &t->n, sizeof(*found));
	if (!found) {
		free(key.ctrl);
		return NULL;
	}
	*found = key;
	for (int i = 0; i < ROW_TOTALS; i++)
		found->value[i] = NVME_MPTCP_UNKNOWN;
	return found;
}

/* Drop the counters of controllers that are gone: the kernel reuses their names. */
static void drop_gone(struct metric_totals *t, const struct nvme_mptcp_snapshot *snap)
{
	size_t n = 0;

	FOR_EACH(total, t->totals, t->n) {
		if (!total->has_row && total->ctrl && !snapshot_find_ctrl(snap, total->ctrl)) {
			free(total->ctrl);
			continue;
		}
		total->has_row = false;
		t->totals[n++] = *total;
	}
	t->n = n;
}

static int put_row(struct metric_totals *t, struct metric_row *row, size_t n_sorted)
{
	struct total *total = find_total(t, row, n_sorted);

	if (!total)
		return -ENOMEM;
	total->has_row = true;
	for (int i = 0; i < ROW_TOTALS; i++) {
		int64_t *value = &row->value[ROW_SENT_TOTAL + i];

		if (*value != NVME_MPTCP_UNKNOWN && total->value[i] != NVME_MPTCP_UNKNOWN)
			*value += total->value[i];
		else if (*value == NVME_MPTCP_UNKNOWN)
			*value = total->value[i];
		total->value[i] = *value;
	}
	return 0;
}

int metric_totals_end(struct metric_totals *t, struct metric_rows *rows,
		      const struct nvme_mptcp_snapshot *snap)
{
	size_t n_sorted = t ? t->n : 0;
	int err = 0;

	for (size_t i = 0; t && i < rows->n_rows && !err; i++)
		err = put_row(t, &rows->rows[i], n_sorted);
	/* Even if this snapshot does not count: the next one searches among all. */
	if (t && t->n)
		qsort(t->totals, t->n, sizeof(*t->totals), by_row);
	if (err || !t || !t->counts)
		return err;
	drop_gone(t, snap);
	if (t->n_now)
		qsort(t->now, t->n_now, sizeof(*t->now), seen_order);
	free(t->seen);
	t->seen = t->now;
	t->n_seen = t->n_now;
	t->now = NULL;
	t->n_now = 0;
	t->has_looked = true;
	return 0;
}
