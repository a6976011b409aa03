// SPDX-License-Identifier: LGPL-2.1-or-later
/* A table finds the row of a link, so that the cost of a set depends only on its size. */
#include <errno.h>
#include <stdlib.h>

#include "metrics-rows.h"
#include "mptcp/snapshot/coverage.h"

struct work {
	struct metric_rows *to;
	const struct nvme_mptcp_snapshot *snap;
	size_t *place; /* row index + 1 by index of a link (last: unknown), 0: none */
};

static size_t number_of(const struct work *w, const struct nvme_mptcp_link *link)
{
	return link ? (size_t)(link - w->snap->links) : w->snap->n_links;
}

/* Return the row of @link in the current set; NULL if out of memory. */
static struct metric_row *find_row(struct work *w, const struct nvme_mptcp_link *link)
{
	size_t number = number_of(w, link);
	struct metric_row *row;

	if (w->place[number])
		return &w->to->rows[w->place[number] - 1];
	row = array_add(&w->to->rows, &w->to->n_rows, sizeof(*row));
	if (!row)
		return NULL;
	*row = (struct metric_row){ .link = link };
	for (int i = ROW_SENT; i < ROW_VALUES; i++)
		row->value[i] = NVME_MPTCP_UNKNOWN;
	w->place[number] = w->to->n_rows;
	if (link)
		w->to->is_used[number] = true;
	return row;
}

static void add(int64_t *sum, int64_t value)
{
	if (value != NVME_MPTCP_UNKNOWN)
		*sum = (*sum == NVME_MPTCP_UNKNOWN ? 0 : *sum) + value;
}

static void add_rtt(struct metric_row *row, int64_t us)
{
	if (us == NVME_MPTCP_UNKNOWN)
		return;
	row->measured++;
	add(&row->value[ROW_RTT_US], us);
	if (us > row->value[ROW_RTT_MAX_US])
		row->value[ROW_RTT_MAX_US] = us;
}

static void add_subflow(struct metric_row *row, const struct nvme_mptcp_subflow *sf)
{
	const int64_t backup = NVME_MPTCP_SUBFLOW_BKUP_LOC | NVME_MPTCP_SUBFLOW_BKUP_REM;

	add(&row->value[ROW_SENT], sf->value[NVME_MPTCP_BYTES_SENT]);
	add(&row->value[ROW_RECEIVED], sf->value[NVME_MPTCP_BYTES_RECEIVED]);
	add(&row->value[ROW_RETRANS_BYTES], sf->value[NVME_MPTCP_BYTES_RETRANS]);
	add(&row->value[ROW_RETRANS], sf->value[NVME_MPTCP_RETRANS]);
	if (!subflow_carries(sf)) {
		row->value[sf->state == STATE_ESTABLISHED ? ROW_DEAD : ROW_PENDING]++;
		return;
	}
	row->value[ROW_SUBFLOWS]++;
	row->value[ROW_BACKUP] += sf->flags != NVME_MPTCP_UNKNOWN && (sf->flags & backup);
	add_rtt(row, sf->value[NVME_MPTCP_RTT_US]);
	add(&row->value[ROW_RATE], sf->value[NVME_MPTCP_DELIVERY_RATE]);
}

static int add_connections(struct work *w, const struct nvme_mptcp_set *set)
{
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next) {
		for (size_t i = 0; i < conn->n_subflows; i++) {
			struct metric_row *row = find_row(w, conn->subflows[i].link);

			if (!row)
				return -ENOMEM;
			add_subflow(row, &conn->subflows[i]);
			if (metric_totals_add(w->to->totals, row, &conn->subflows[i]))
				return -ENOMEM;
		}
	}
	return 0;
}

static int64_t count(nvme_mptcp_coverage_t coverage, enum nvme_mptcp_coverage_state state)
{
	return (int64_t)nvme_mptcp_coverage_count(coverage, state);
}

static int add_coverage(struct work *w, const struct nvme_mptcp_set *set)
{
	nvme_mptcp_for_each_coverage(set, coverage) {
		int64_t missing = count(coverage, NVME_MPTCP_MISSING);
		struct metric_row *row;

		/* There may be thousands of container bridges. */
		if (!coverage_is_wanted(coverage))
			continue;
		row = find_row(w, nvme_mptcp_coverage_link(coverage));
		if (!row)
			return -ENOMEM;
		row->value[ROW_EXPECTED] += count(coverage, NVME_MPTCP_COVERED) + missing +
					    count(coverage, NVME_MPTCP_SUPERFLUOUS);
		row->value[ROW_MISSING] += missing;
	}
	return 0;
}

static int add_set(struct work *w, struct metric_set *to, const struct nvme_mptcp_set *set)
{
	int err = add_connections(w, set);

	if (!err)
		err = add_coverage(w, set);
	to->value[SET_CONNECTIONS] += (int64_t)set->count;
	to->value[SET_FALLBACK] += (int64_t)set->fallback;
	return err;
}

static int by_link(const void *a, const void *b)
{
	const struct metric_row *x = a, *y = b;
	int i = x->link ? x->link->ifindex : INT32_MAX, j = y->link ? y->link->ifindex : INT32_MAX;

	return (i > j) - (i < j);
}

/* Sort the rows of a set by link, compute its means, and clear the table of places. */
static void finish_set(struct work *w, struct metric_set *set)
{
	struct metric_row *rows = w->to->rows + set->first;

	set->n = w->to->n_rows - set->first;
	if (set->n)
		qsort(rows, set->n, sizeof(*rows), by_link);
	for (size_t i = 0; i < set->n; i++) {
		rows[i].set = set;
		w->place[number_of(w, rows[i].link)] = 0;
		if (rows[i].measured)
			rows[i].value[ROW_RTT_US] /= (int64_t)rows[i].measured;
	}
}

static struct metric_set *begin_set(struct work *w, const char *owner)
{
	struct metric_set *set = &w->to->sets[w->to->n_sets++];

	set->owner = owner;
	set->first = w->to->n_rows;
	return set;
}

static int read_sets(struct work *w, size_t n_ctrls)
{
	const struct nvme_mptcp_snapshot *snap = w->snap;
	struct metric_set *set;
	int err = 0;

	for (size_t i = 0; i < n_ctrls && !err; i++) {
		set = begin_set(w, "controller");
		set->ctrl = &snap->ctrls[i];
		err = add_set(w, set, &snap->ctrls[i].set);
		finish_set(w, set);
	}
	if (err)
		return err;
	set = begin_set(w, "shared");
	for (size_t i = 0; i < snap->n_shared && !err; i++)
		err = add_set(w, set, &snap->shared[i].set);
	finish_set(w, set);
	if (err)
		return err;
	set = begin_set(w, "hosts");
	err = add_set(w, set, &snap->other);
	finish_set(w, set);
	return err;
}

static void mark_endpoints(struct work *w)
{
	FOR_EACH(ep, w->snap->endpoints, w->snap->n_endpoints) {
		if (ep->link)
			w->to->is_used[number_of(w, ep->link)] = true;
		if (ep->device)
			w->to->is_used[number_of(w, ep->device)] = true;
	}
}

int metric_rows_read(struct metric_rows *rows, const struct nvme_mptcp_snapshot *snap,
		     size_t n_ctrls)
{
	struct work w = { .to = rows, .snap = snap };
	int err = -ENOMEM;

	rows->sets = calloc(n_ctrls + 2, sizeof(*rows->sets));
	rows->is_used = calloc(snap->n_links + 1, sizeof(*rows->is_used));
	w.place = calloc(snap->n_links + 1, sizeof(*w.place));
	if (rows->sets && rows->is_used && w.place) {
		mark_endpoints(&w);
		metric_totals_begin(rows->totals, snap);
		err = read_sets(&w, n_ctrls);
		if (!err)
			err = metric_totals_end(rows->totals, rows, snap);
	}
	free(w.place);
	return err;
}

void metric_rows_clear(struct metric_rows *rows)
{
	free(rows->sets);
	free(rows->rows);
	free(rows->is_used);
}
