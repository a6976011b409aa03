// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes endpoints of slow links backups. */
#include "keep-fast.h"

static bool carries_as_primary(const struct nvme_mptcp_subflow *sf)
{
	return subflow_carries(sf) &&
	       !(sf->flags & (NVME_MPTCP_SUBFLOW_BKUP_LOC | NVME_MPTCP_SUBFLOW_BKUP_REM));
}

/* True if the connection has a subflow for its data, not a backup, on a link that is not slow. */
static bool has_other_link(const struct keep_fast *f, const struct nvme_mptcp_connection *conn)
{
	FOR_EACH(sf, conn->subflows, conn->n_subflows)
		if (carries_as_primary(sf) && !keep_rates_is_slow(f->rates, &sf->local.ip))
			return true;
	return false;
}

/* True if connections of controllers use the endpoint, and each can use another link instead. */
static bool is_dispensable(const struct keep_fast *f, const struct nvme_mptcp_endpoint *ep)
{
	size_t used = 0;

	FOR_EACH(sf, f->snap->subflows, f->snap->n_subflows) {
		if (!endpoint_has_subflow(ep, sf) || !sf->connection || !sf->has_token ||
		    !idmap_get(f->tokens, sf->token))
			continue;
		if (!has_other_link(f, sf->connection))
			return false;
		used += carries_as_primary(sf);
	}
	return used;
}

/* Endpoints that are deleted together and added again as backups. */
struct replaced {
	const struct nvme_mptcp_endpoint **eps;
	size_t n;
};

/*
 * True if the endpoint may be deleted and added again as a backup. If only its flag changed, data
 * that waits on the slow link, megabytes with deep queues, would still go out there. If its
 * subflows are closed, the data goes over the other links at once, and a new subflow forms as a
 * backup. Not for announced addresses: another announcement would use up the limit
 * add_addr_accepted of the peer, whose new subflow is no backup.
 */
static bool may_replace(const struct keep_fast *f, struct replaced *replaced,
			const struct nvme_mptcp_endpoint *ep)
{
	if (!snapshot_shows_subflows(f->snap) || endpoint_announces(ep) ||
	    endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT))
		return false;
	replaced->eps[replaced->n] = ep;
	if (endpoint_count_ended(f->snap, replaced->eps, replaced->n + 1, NULL))
		return false;
	replaced->n++;
	return true;
}

static int make_backup(struct keep_fast *f, struct replaced *replaced,
		       const struct nvme_mptcp_endpoint *ep, const struct nvme_mptcp_link *link)
{
	struct endpoint_spec spec, backup;
	struct nvme_mptcp_step *step;
	struct keep_outage *out;

	endpoint_spec_of(f->snap, ep, &spec);
	if (keep_is_out_of_use(f->own, &spec))
		return 0;
	out = keep_outage_begin(f->own, &spec, KEEP_OUTAGE_BACKUP, f->now);
	if (!out)
		return -ENOMEM;
	out->is_slow = true;
	out->stable_since = f->now;
	if (f->now + keep_outage_hold_ms(out) < f->due)
		f->due = f->now + keep_outage_hold_ms(out);
	backup = spec;
	backup.flags |= NVME_MPTCP_ENDPOINT_BACKUP;
	step = plan_step(f->plan, may_replace(f, replaced, ep) ? STEP_REPLACE : STEP_FLAGS, &spec,
			 &backup,
			 "%s delivers less than a quarter of what other links do, although data "
			 "waits for it: its endpoint becomes a backup",
			 link->name);
	if (step)
		step->rule = "C18";
	return 0;
}

static bool has_subflow_on(const struct nvme_mptcp_connection *conn,
			   const struct nvme_mptcp_endpoint *ep)
{
	for (size_t i = 0; i < conn->n_subflows; i++)
		if (endpoint_has_subflow(ep, &conn->subflows[i]))
			return true;
	return false;
}

bool keep_slow_renews(const struct keep_fast *f, const struct nvme_mptcp_endpoint *backup)
{
	const struct nvme_mptcp_snapshot *snap = f->snap;

	if (!snapshot_shows_subflows(snap) || endpoint_announces(backup) ||
	    endpoint_has(backup, NVME_MPTCP_ENDPOINT_IMPLICIT) ||
	    endpoint_count_ended(snap, &backup, 1, NULL))
		return false;
	FOR_EACH(conn, snap->connections, snap->n_connections)
		if (conn->has_token && f->tokens && idmap_get(f->tokens, conn->token) &&
		    connection_count_carrying(conn) && !has_subflow_on(conn, backup))
			return true;
	return false;
}

int keep_slow_plan(struct keep_fast *f)
{
	_cleanup_(free) const struct nvme_mptcp_endpoint **eps =
		calloc(f->snap->n_endpoints + 1, sizeof(struct nvme_mptcp_endpoint *));
	struct replaced replaced = { .eps = eps };
	int err = eps ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->snap->n_endpoints && !err; i++) {
		const struct nvme_mptcp_endpoint *ep = &f->snap->endpoints[i];
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);

		if (!keep_rates_is_slow(f->rates, &ep->ip) || ep->flags == NVME_MPTCP_UNKNOWN ||
		    endpoint_has(ep, NVME_MPTCP_ENDPOINT_BACKUP) || !link || !link_is_alive(link))
			continue;
		if (is_dispensable(f, ep))
			err = make_backup(f, &replaced, ep, link);
	}
	return err;
}
