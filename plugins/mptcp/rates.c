// SPDX-License-Identifier: GPL-2.0-or-later
/* Rates of subflows between two snapshots. */
#include "rates.h"

/* A subflow is identified by token, local and remote address. */
struct sample {
	int64_t token;
	nvme_mptcp_subflow_t sf;
};

struct rates {
	struct sample *samples;
	size_t n;
	double seconds;
};

static int compare(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order;

	if (x->token != y->token)
		return x->token < y->token ? -1 : 1;
	order = strcmp(nvme_mptcp_subflow_local(x->sf), nvme_mptcp_subflow_local(y->sf));
	if (order)
		return order;
	return strcmp(nvme_mptcp_subflow_remote(x->sf), nvme_mptcp_subflow_remote(y->sf));
}

static void add_set(struct rates *rates, nvme_mptcp_set_t set)
{
	nvme_mptcp_for_each_connection(set, conn) {
		nvme_mptcp_for_each_subflow(conn, sf) {
			rates->samples[rates->n].token = nvme_mptcp_connection_token(conn);
			rates->samples[rates->n++].sf = sf;
		}
	}
}

static size_t count(nvme_mptcp_snapshot_t snap)
{
	size_t n = nvme_mptcp_set_subflows(nvme_mptcp_connections(snap, NVME_MPTCP_USERSPACE)) +
		   nvme_mptcp_set_subflows(nvme_mptcp_connections(snap, NVME_MPTCP_NONE));

	nvme_mptcp_for_each_ctrl(snap, ctrl)
		n += nvme_mptcp_set_subflows(nvme_mptcp_ctrl_connections(ctrl));
	nvme_mptcp_for_each_shared(snap, sh)
		n += nvme_mptcp_set_subflows(nvme_mptcp_shared_connections(sh));
	return n;
}

struct rates *rates_new(nvme_mptcp_snapshot_t before, nvme_mptcp_snapshot_t now)
{
	int64_t ms = nvme_mptcp_snapshot_taken(now) - nvme_mptcp_snapshot_taken(before);
	struct rates *rates = calloc(1, sizeof(*rates));

	if (!rates)
		return NULL;
	rates->samples = calloc(count(before) + 1, sizeof(*rates->samples));
	if (!rates->samples) {
		free(rates);
		return NULL;
	}
	rates->seconds = ms > 0 ? (double)ms / 1000 : 0.001;
	nvme_mptcp_for_each_ctrl(before, ctrl)
		add_set(rates, nvme_mptcp_ctrl_connections(ctrl));
	nvme_mptcp_for_each_shared(before, sh)
		add_set(rates, nvme_mptcp_shared_connections(sh));
	add_set(rates, nvme_mptcp_connections(before, NVME_MPTCP_USERSPACE));
	add_set(rates, nvme_mptcp_connections(before, NVME_MPTCP_NONE));
	qsort(rates->samples, rates->n, sizeof(*rates->samples), compare);
	return rates;
}

void rates_free(struct rates *rates)
{
	if (!rates)
		return;
	free(rates->samples);
	free(rates);
}

int64_t rates_of(const struct rates *rates, nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf,
		 enum nvme_mptcp_subflow_value value)
{
	const struct sample key = { nvme_mptcp_connection_token(conn), sf };
	const struct sample *before;
	int64_t then = 0, now = nvme_mptcp_subflow_value(sf, value);

	if (now == NVME_MPTCP_UNKNOWN)
		return NVME_MPTCP_UNKNOWN;
	before = bsearch(&key, rates->samples, rates->n, sizeof(key), compare);
	if (before)
		then = nvme_mptcp_subflow_value(before->sf, value);
	/* A counter that decreased belongs to a new socket with the same ports. */
	if (then == NVME_MPTCP_UNKNOWN || then > now)
		then = 0;
	return (int64_t)((double)(now - then) / rates->seconds);
}
