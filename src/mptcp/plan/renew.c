// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Deletes endpoints without ending connections. The kernel closes all subflows of a deleted
 * endpoint, including those of other programs, so each deletion depends on the state at that
 * moment. Endpoints are deleted one at a time, the next one only when the joins of the last one are
 * back.
 */
#include "base/pause.h"
#include <nvme/mptcp/trial.h>
#include "steps.h"

/* Maximum time of a trial connection to connect and get a response, and to be joined, in ms. */
#define TRIAL_MS 2000
#define TRIAL_JOIN_MS 3500

/* Maximum number of targets that are tried one after the other. */
#define MAX_TRIALS 8

static int refuse(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, int err,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int refuse(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, int err,
		  const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		plan->err = -ENOMEM;
		return -ENOMEM;
	}
	free(step->error);
	step->error = text;
	return err;
}

static const struct nvme_mptcp_endpoint *find(const struct nvme_mptcp_snapshot *snap,
					      const struct endpoint_spec *spec)
{
	FOR_EACH(ep, snap->endpoints, snap->n_endpoints)
		if (ep->port == spec->port && address_equal(&ep->ip, &spec->ip) &&
		    (!spec->id || spec->id == ep->id))
			return ep;
	return NULL;
}

/* Get the endpoint as it is now, NULL if it is gone. Return 0 or -errno. */
static int look_at(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e,
		   const struct endpoint_spec *spec, const struct nvme_mptcp_snapshot **snap,
		   const struct nvme_mptcp_endpoint **ret)
{
	int err = e->take_snapshot(e, snap);

	/* No request has been sent to the kernel yet. */
	e->is_uncertain = false;
	e->text[0] = '\0';
	if (err)
		return refuse(plan, step, err, "the connections cannot be read: %s",
			      strerror(-err));
	if (!snapshot_shows_subflows(*snap))
		return refuse(plan, step, -ENODATA,
			      "the kernel does not show all connections and "
			      "subflows, so it is unknown which ones would be closed");
	*ret = find(*snap, spec);
	return 0;
}

int plan_remove(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e,
		const struct endpoint_spec *spec)
{
	const struct nvme_mptcp_connection *first = NULL;
	const struct nvme_mptcp_endpoint *ep = NULL;
	const struct nvme_mptcp_snapshot *snap;
	size_t n;
	int err = e->take_snapshot ? look_at(plan, step, e, spec, &snap, &ep) : 0;

	if (err)
		return err;
	if (!ep)
		return e->remove(e, spec);
	n = endpoint_count_ended(snap, &ep, 1, &first);
	if (n)
		return refuse(plan, step, -EBUSY,
			      "endpoint %u (%s) stays: it has the only working subflow of %zu "
			      "connection%s%s%s%s%s, which would end with it",
			      ep->id, ep->address, n, n == 1 ? "" : "s", first ? ", " : "",
			      first ? first->local_text : "", first ? " to " : "",
			      first ? first->remote_text : "");
	n = endpoint_count_carrying(snap, ep);
	if (n && plan->unattended)
		return refuse(plan, step, -EBUSY,
			      "endpoint %u (%s) stays: %zu subflow%s work%s on it by now", ep->id,
			      ep->address, n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	return e->remove(e, spec);
}

static bool is_portal(const struct nvme_mptcp_plan *plan, const struct socket_address *remote)
{
	for (size_t i = 0; i < plan->n_portals; i++)
		if (address_port_equal(&plan->portals[i], remote))
			return true;
	return false;
}

static bool has_living(const struct nvme_mptcp_connection *conn,
		       const struct nvme_mptcp_endpoint *ep)
{
	FOR_EACH(sf, conn->subflows, conn->n_subflows)
		if (endpoint_has_subflow(ep, sf) && subflow_carries(sf))
			return true;
	return false;
}

/* Return a working subflow that remains without @ep, for a trial connection; or NULL. */
static const struct nvme_mptcp_subflow *remaining(const struct nvme_mptcp_connection *conn,
						  const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_subflow *found = NULL;

	FOR_EACH(sf, conn->subflows, conn->n_subflows) {
		if (address_equal(&sf->local.ip, &ep->ip) || !subflow_carries(sf))
			continue;
		/* The endpoint's joins go to the address that the connection was made to. */
		if (address_equal(&sf->remote.ip, &conn->remote.ip))
			return sf;
		found = found ? found : sf;
	}
	return found;
}

struct proofs {
	struct join_proof proof[MAX_TRIALS];
	size_t n;
	size_t foreign; /* connections of other programs that would lose a subflow */
};

/* Add the trial that represents a connection. Return false if there are too many. */
static bool add_proof(struct proofs *proofs, const struct nvme_mptcp_connection *conn,
		      const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_subflow *sf = remaining(conn, ep);
	struct socket_address remote;

	if (!sf)
		return true;
	remote = address_equal(&sf->remote.ip, &conn->remote.ip) ? conn->remote : sf->remote;
	for (size_t i = 0; i < proofs->n; i++)
		if (address_port_equal(&proofs->proof[i].remote, &remote))
			return true;
	if (proofs->n == MAX_TRIALS)
		return false;
	proofs->proof[proofs->n++] =
		(struct join_proof){ .remote = remote,
				     .source = sf->local.ip,
				     .ip = ep->ip,
				     .ifindex = sf->is_bound ? sf->ifindex : 0 };
	return true;
}

static int collect(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step,
		   const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_endpoint *ep,
		   struct proofs *ret)
{
	const struct nvme_mptcp_connection *any = NULL;

	FOR_EACH(conn, snap->connections, snap->n_connections)
		if (!is_portal(plan, &conn->remote))
			ret->foreign += has_living(conn, ep);
		else if (!has_living(conn, ep))
			any = any || !remaining(conn, ep) ? any : conn;
		else if (!add_proof(ret, conn, ep))
			return refuse(plan, step, -EBUSY,
				      "not renewed: it carries subflows to more than %d targets, "
				      "the maximum number of trials",
				      MAX_TRIALS);
	/* Targets of other programs cannot be tried: another target is better than none. */
	if (!ret->n && any)
		add_proof(ret, any, ep);
	return 0;
}

/* Make a trial connection to each target whose connections would lose a subflow. */
static int verify_join(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e,
		       const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_endpoint *ep)
{
	struct proofs proofs = {};
	int err = collect(plan, step, snap, ep, &proofs);

	if (err)
		return err;
	if (proofs.foreign && !plan->forced)
		return refuse(plan, step, -EBUSY,
			      "not renewed: %zu connection%s of other programs use%s "
			      "it, and no trial can show that they get a subflow there "
			      "again (--force renews it if those of a controller do)",
			      proofs.foreign, proofs.foreign == 1 ? "" : "s",
			      proofs.foreign == 1 ? "s" : "");
	if (!proofs.n)
		return refuse(plan, step, -ENOTCONN,
			      "not renewed: no trial connection is possible, so nothing shows "
			      "that working subflows there could form again");
	for (size_t i = 0; i < proofs.n; i++) {
		if (!e->verify_join(e, &proofs.proof[i]))
			continue;
		return refuse(plan, step, -ENOTCONN,
			      "not renewed, since that would close working subflows: a trial "
			      "connection to %s got no subflow from %s%s%s",
			      ADDRESS_PORT_STRING(&proofs.proof[i].remote), ep->address,
			      *e->text ? ": " : "", e->text);
	}
	return 0;
}

static size_t count_joined(const struct nvme_mptcp_snapshot *snap,
			   const struct nvme_mptcp_endpoint *ep)
{
	size_t n = 0;

	for (size_t i = 0; i < snap->n_connections; i++)
		n += has_living(&snap->connections[i], ep);
	return n;
}

int plan_renew_begin(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e)
{
	const struct nvme_mptcp_endpoint *ep = NULL;
	const struct nvme_mptcp_snapshot *snap;
	int err = e->take_snapshot ? look_at(plan, step, e, &step->old, &snap, &ep) : 0;

	if (err || !ep)
		return err;
	step->joined = count_joined(snap, ep);
	if (!step->joined)
		return 0;
	if (plan->unproved)
		return refuse(plan, step, -EBUSY,
			      "not renewed: %zu connections use it, and the subflows of an "
			      "endpoint that was renewed earlier are still missing",
			      step->joined);
	/*
	 * No trial is needed where plan_remove() refuses: if a connection would end or, in an
	 * unattended plan, a working subflow would be closed. None is possible on a target, since
	 * only hosts join.
	 */
	if (endpoint_is_last_for(snap, ep) || plan->unattended ||
	    plan->role == NVME_MPTCP_ROLE_TARGET)
		return 0;
	return verify_join(plan, step, e, snap, ep);
}

int plan_renew_end(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e)
{
	const size_t wanted = step->joined + step->expects;
	const struct nvme_mptcp_endpoint *ep = NULL;
	const struct nvme_mptcp_snapshot *snap;
	size_t joined = 0;

	/* An unattended plan closes no working subflow, and the next round detects missing ones. */
	if (!e->take_snapshot || plan->unattended)
		return 0;
	for (unsigned int i = 0; i <= e->max_checks && joined < wanted; i++) {
		if (i)
			pause_for(e->pause_ms);
		if (look_at(plan, step, e, &step->new, &snap, &ep))
			return -ENODATA;
		joined = ep ? count_joined(snap, ep) : 0;
	}
	plan->unproved = plan->unproved || joined < wanted;
	if (joined >= step->joined)
		return 0;
	return refuse(plan, step, -ETIMEDOUT,
		      "only %zu of the %zu connections that had a working subflow "
		      "there have one again: no further endpoint in use is renewed",
		      joined, step->joined);
}

static void note_last(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_endpoint *ep, size_t n,
		      const struct nvme_mptcp_connection *conn)
{
	plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "endpoint %u (%s) is unchanged: it carries the only working subflow "
		  "of %zu connection%s%s%s%s%s, which would end; add another link first",
		  ep->id, ep->address, n, n == 1 ? "" : "s", conn ? ", " : "",
		  conn ? conn->local_text : "", conn ? " to " : "", conn ? conn->remote_text : "");
}

static void note_living(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_step *step,
			const struct nvme_mptcp_endpoint *ep, size_t n)
{
	const bool is_renewed = step->action == STEP_RENEW;

	plan_note(plan, NVME_MPTCP_ROLE_AUTO, is_renewed ? NVME_MPTCP_COMMAND " repair" : NULL,
		  "endpoint %u (%s) is unchanged: %zu subflow%s work%s on it, and "
		  "keep does not close working subflows%s",
		  ep->id, ep->address, n, n == 1 ? "" : "s", n == 1 ? "s" : "",
		  is_renewed ? "; repair restores the missing ones after a trial" : "");
}

static bool append_why(struct nvme_mptcp_step *step, size_t living)
{
	char *text;

	if (asprintf(&text, "%s; closes %zu working subflow%s", step->why, living,
		     living == 1 ? "" : "s") < 0)
		return false;
	free(step->why);
	step->why = text;
	step->closes = living;
	return true;
}

/* True if the plan may keep the step, after the steps that delete @gone. */
static bool spare(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step,
		  const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_endpoint **gone,
		  size_t *n_gone)
{
	const struct nvme_mptcp_endpoint *ep = step_removes(step) ? find(snap, &step->old) : NULL;
	const struct nvme_mptcp_connection *first = NULL;
	size_t ended, living;

	if (!ep)
		return true;
	gone[*n_gone] = ep;
	ended = endpoint_count_ended(snap, gone, *n_gone + 1, &first);
	living = endpoint_count_carrying(snap, ep);
	if (ended)
		note_last(plan, ep, ended, first);
	else if (living && plan->unattended)
		note_living(plan, step, ep, living);
	else if (living && !step->closes && !append_why(step, living))
		plan->err = -ENOMEM;
	if (ended || (living && plan->unattended))
		return false;
	*n_gone += step->action == STEP_DELETE;
	return true;
}

void plan_drop_disruptive(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(free) const struct nvme_mptcp_endpoint **gone =
		calloc(plan->n_steps + 1, sizeof(struct nvme_mptcp_endpoint *));
	size_t n_gone = 0;

	if (!gone)
		plan->err = -ENOMEM;
	for (size_t i = 0; i < plan->n_steps && !plan->err;)
		if (spare(plan, &plan->steps[i], snap, gone, &n_gone))
			i++;
		else
			plan_drop_step(plan, i);
}

int plan_drop_disruptive_now(struct nvme_mptcp_plan *plan)
{
	struct nvme_mptcp_snapshot *snap = NULL;
	size_t i = 0;
	int err;

	while (i < plan->n_steps && !step_removes(&plan->steps[i]))
		i++;
	if (i == plan->n_steps)
		return 0;
	err = snapshot_take_network(plan->netns, &snap);
	if (err)
		return err;
	plan_drop_disruptive(plan, snap);
	nvme_mptcp_snapshot_free(snap);
	return plan->err;
}

int plan_take_snapshot(struct editor *e, const struct nvme_mptcp_snapshot **ret)
{
	struct nvme_mptcp_snapshot *snap;
	int err = snapshot_take_network(NULL, &snap);

	if (err)
		return err;
	nvme_mptcp_snapshot_free(e->seen);
	*ret = e->seen = snap;
	return 0;
}

static bool is_joined(nvme_mptcp_trial_t trial, const struct join_proof *proof)
{
	const struct nvme_mptcp_connection *conn = nvme_mptcp_trial_connection(trial);

	for (size_t i = 0; conn && i < conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &conn->subflows[i];

		if (address_equal(&sf->local.ip, &proof->ip) && subflow_carries(sf) &&
		    (!proof->join_ifindex ||
		     (sf->link && sf->link->ifindex == proof->join_ifindex)))
			return true;
	}
	return false;
}

int plan_verify_join(struct editor *e, const struct join_proof *proof)
{
	const struct nvme_mptcp_link *link = link_by_index(e->seen, proof->ifindex);
	char trsvcid[8];
	const struct nvme_mptcp_trial_args args = {
		.traddr = ADDRESS_STRING(&proof->remote.ip),
		.trsvcid = trsvcid,
		.host_traddr = ADDRESS_STRING(&proof->source),
		.host_iface = link ? link->name : NULL,
		.args_size = sizeof(args),
		.timeout_ms = TRIAL_MS,
		.watch_ms = TRIAL_JOIN_MS,
	};
	nvme_mptcp_trial_t trial;
	const char *reason;
	bool is_proved;

	snprintf(trsvcid, sizeof(trsvcid), "%u", proof->remote.port);
	e->text[0] = '\0';
	if (nvme_mptcp_try(&args, &trial)) {
		int err = -errno;

		snprintf(e->text, sizeof(e->text), "%s", strerror(-err));
		return err;
	}
	is_proved = is_joined(trial, proof);
	reason = nvme_mptcp_trial_reason(trial);
	if (!is_proved && reason)
		snprintf(e->text, sizeof(e->text), "%s", reason);
	nvme_mptcp_trial_free(trial);
	return is_proved ? 0 : -ENOTCONN;
}
