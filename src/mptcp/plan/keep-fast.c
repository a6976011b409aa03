// SPDX-License-Identifier: LGPL-2.1-or-later
/* Takes endpoints of dead links out of use, and restores them. */
#include <linux/if_addr.h>

#include "keep-fast.h"
#include "keep-state.h"

static void advance_due(struct keep_fast *f, int64_t when)
{
	if (when < f->due)
		f->due = when;
}

/* Name the rule of check: A07 for a link without carrier, C17 for a path that does not respond. */
static void name_rule(struct nvme_mptcp_step *step, bool is_silent)
{
	if (step)
		step->rule = is_silent ? "C17" : "A07";
}

/* Restoring */

/* True unless duplicate address detection of the address is still running. */
static bool is_ready(const struct local_address *address)
{
	return !(address->flags & IFA_F_DADFAILED) &&
	       (!(address->flags & IFA_F_TENTATIVE) || address->flags & IFA_F_OPTIMISTIC);
}

static const struct nvme_mptcp_link *device_of(const struct nvme_mptcp_snapshot *snap,
					       struct endpoint_spec *spec)
{
	if (!link_by_index(snap, spec->ifindex) && !plan_find_device(snap, spec))
		return NULL;
	return link_by_index(snap, spec->ifindex);
}

static bool has_link_back(const struct nvme_mptcp_snapshot *snap, struct endpoint_spec *spec)
{
	const struct nvme_mptcp_link *device = spec->ifindex ? device_of(snap, spec) : NULL;
	const struct local_address *own = snapshot_find_address(snap, &spec->ip);
	const struct local_address *end = snap->addresses + snap->n_addresses;

	if (spec->ifindex && (!device || !link_is_alive(device)))
		return false;
	for (; own && own < end && address_equal(&own->ip, &spec->ip); own++) {
		const struct nvme_mptcp_link *link = link_by_index(snap, own->ifindex);

		if (is_ready(own) && link && link_is_alive(link))
			return true;
	}
	return false;
}

/* True if no other program has changed the endpoint since keep made it a backup. */
static bool is_as_left(const struct nvme_mptcp_endpoint *there, const struct keep_outage *out)
{
	return there && out->how == KEEP_OUTAGE_BACKUP && there->id == out->spec.id &&
	       there->ifindex == out->spec.ifindex &&
	       there->flags == (out->spec.flags | NVME_MPTCP_ENDPOINT_BACKUP);
}

static void add_return(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap,
		       const struct keep_outage *out, bool renews, const char *why)
{
	struct nvme_mptcp_step *step;
	const struct nvme_mptcp_endpoint *there = keep_find_endpoint(snap, &out->spec);
	struct endpoint_spec spec = out->spec, old;

	if (out->how == KEEP_OUTAGE_DELETED && !there) {
		spec.id = plan_free_id(snap, &spec);
		name_rule(plan_step(plan, STEP_ADD, NULL, &spec, "%s: the endpoint is restored",
				    why),
			  out->is_silent);
	} else if (is_as_left(there, out)) {
		endpoint_spec_of(snap, there, &old);
		step = plan_step(plan, renews ? STEP_REPLACE : STEP_FLAGS, &old, &spec,
				 "%s: the endpoint is no longer a backup", why);
		name_rule(step, out->is_silent);
		if (step && out->is_slow)
			step->rule = "C18";
	}
}

/* True if the target has announced again, so that subflows exist without keep's help. */
static bool is_announced_again(const struct keep_fast *f, const struct keep_outage *out)
{
	const struct endpoint_spec own = { .ip = out->spec.ip,
					   .flags = NVME_MPTCP_ENDPOINT_IMPLICIT };
	const struct nvme_mptcp_endpoint *made = keep_find_endpoint(f->snap, &own);

	return out->lent && made && endpoint_count_carrying(f->snap, made);
}

static void check_return(struct keep_fast *f, struct keep_outage *out)
{
	const struct nvme_mptcp_endpoint *there = keep_find_endpoint(f->snap, &out->spec);
	const struct nvme_mptcp_link *link;
	char why[64];
	int64_t when;

	if (!has_link_back(f->snap, &out->spec)) {
		out->stable_since = 0;
		return;
	}
	if (!out->stable_since)
		out->stable_since = f->now;
	when = out->stable_since + keep_outage_hold_ms(out);
	when = when < out->not_before ? out->not_before : when;
	if (when > f->now) {
		advance_due(f, when);
		return;
	}
	/* Another program has changed it, or the target has announced again: leave it. */
	if (is_announced_again(f, out) ||
	    (out->how == KEEP_OUTAGE_DELETED ? there != NULL : !is_as_left(there, out))) {
		keep_outage_end(out, f->now);
		return;
	}
	link = link_by_index(f->snap, out->spec.ifindex);
	snprintf(why, sizeof(why), "%s is %s", link ? link->name : "The link of its address",
		 out->is_silent || out->is_slow ? "tried again" : "back");
	add_return(f->plan, f->snap, out, there && out->is_slow && keep_slow_renews(f, there), why);
}

void keep_fast_restore(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap,
		       const struct keep_own *own)
{
	FOR_EACH(out, own->outs, own->n_outs) {
		const struct keep_endpoint *kept =
			keep_own_find(own, &out->spec.ip, out->spec.port);

		/* Endpoints that keep made are taken back, not restored. */
		if (out->how == KEEP_OUTAGE_OVER || out->lent || (kept && !kept->adopted))
			continue;
		add_return(plan, snap, out, false,
			   out->is_slow ? "keep made it a backup while its link was slow"
					: "keep took it out of use while its link was dead");
	}
}

void keep_fast_note_link_loss(struct keep_own *own, int ifindex)
{
	for (size_t i = 0; i < own->n_outs; i++)
		if (!own->outs[i].spec.ifindex || own->outs[i].spec.ifindex == ifindex)
			own->outs[i].stable_since = 0;
}

/* Taking out of use */

/* True if the subflow is established, but its link is dead or its address is gone. */
static bool is_cut_off(const struct nvme_mptcp_subflow *sf)
{
	return sf->state == STATE_ESTABLISHED &&
	       ((sf->link && !link_is_alive(sf->link)) || sf->has_no_address);
}

static bool serves_controller(const struct keep_fast *f, const struct nvme_mptcp_connection *conn)
{
	return conn && conn->has_token && f->tokens && idmap_get(f->tokens, conn->token);
}

/* True if the path is silent while another subflow of the connection hears the peer. */
static bool has_gone_silent(const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_connection *conn = sf->connection;
	int64_t heard = INT64_MAX;

	for (size_t i = 0; conn && i < conn->n_subflows; i++)
		if (&conn->subflows[i] != sf && subflow_silence_ms(&conn->subflows[i]) < heard)
			heard = subflow_silence_ms(&conn->subflows[i]);
	return subflow_is_silent(sf, heard);
}

/* True if the subflow is dead or silent, and its connection works without it. */
static bool is_expendable(const struct keep_fast *f, const struct nvme_mptcp_subflow *sf)
{
	return (is_cut_off(sf) || has_gone_silent(sf)) && serves_controller(f, sf->connection) &&
	       connection_count_carrying(sf->connection);
}

/* Expendable subflows of an endpoint: number, how many are cut off, longest silence in ms. */
struct silence {
	size_t leaving, cut_off;
	int64_t ms;
};

static struct silence silence_on(const struct keep_fast *f, const struct nvme_mptcp_endpoint *ep)
{
	struct silence found = {};

	FOR_EACH(sf, f->snap->subflows, f->snap->n_subflows) {
		if (!endpoint_has_subflow(ep, sf) || !is_expendable(f, sf))
			continue;
		found.leaving++;
		found.cut_off += is_cut_off(sf);
		if (subflow_silence_ms(sf) != INT64_MAX && subflow_silence_ms(sf) > found.ms)
			found.ms = subflow_silence_ms(sf);
	}
	return found;
}

/* True if a subflow of the endpoint was heard in the last half of @ms, so that its path works. */
static bool is_heard_since(const struct keep_fast *f, const struct nvme_mptcp_endpoint *ep,
			   int64_t ms)
{
	FOR_EACH(sf, f->snap->subflows, f->snap->n_subflows)
		if (endpoint_has_subflow(ep, sf) && subflow_silence_ms(sf) < ms / 2)
			return true;
	return false;
}

/* True if a connection gains from taking the endpoint out of use, and no subflow works on it. */
static bool is_worth_taking_out(const struct keep_fast *f, const struct nvme_mptcp_endpoint *ep)
{
	const struct silence silence = silence_on(f, ep);

	if (!silence.leaving)
		return false;
	return silence.cut_off ? !endpoint_count_carrying(f->snap, ep)
			       : !is_heard_since(f, ep, silence.ms);
}

static const char *trouble_of(const struct keep_fast *f, const struct nvme_mptcp_endpoint *ep,
			      char text[static 128])
{
	const struct nvme_mptcp_link *link = endpoint_carrier(ep);

	if (!snapshot_find_address(f->snap, &ep->ip))
		snprintf(text, 128, "No network interface has %s any more", ep->address);
	else if (!link)
		snprintf(text, 128, "The network interface of %s is gone", ep->address);
	else if (link_is_alive(link))
		snprintf(text, 128, "No replies arrive over %s, while other links work",
			 link->name);
	else
		snprintf(text, 128, "%s %s", link->name,
			 nvme_mptcp_link_is_up(link) ? "has no carrier" : "is down");
	return text;
}

/* Addresses without an endpoint that are handled at once; others wait for the next check. */
#define MAX_LENT 32

/* Endpoints of all dead links, which are deleted together. */
struct leaving {
	const struct nvme_mptcp_endpoint **eps;
	size_t n;
	struct nvme_mptcp_endpoint lent[MAX_LENT];
	size_t n_lent;
};

static bool ends_connections(const struct keep_fast *f, struct leaving *leaving,
			     const struct nvme_mptcp_endpoint *ep)
{
	leaving->eps[leaving->n] = ep;
	if (endpoint_count_ended(f->snap, leaving->eps, leaving->n + 1, NULL))
		return true;
	leaving->n++;
	return false;
}

/* Record what goes out of use. If only the path is silent, it is tried again after a pause. */
static struct keep_outage *note_out(struct keep_fast *f, const struct endpoint_spec *spec,
				    enum keep_outage_kind how)
{
	struct keep_outage *out = keep_outage_begin(f->own, spec, how, f->now);

	if (!out)
		return NULL;
	out->is_silent = has_link_back(f->snap, &out->spec);
	if (out->is_silent) {
		out->stable_since = f->now;
		advance_due(f, f->now + keep_outage_hold_ms(out));
	}
	return out;
}

/* Set the name of a device that is gone from keep's record; false if there is none. */
static bool knows_device(const struct keep_fast *f, struct endpoint_spec *spec)
{
	const struct keep_endpoint *kept = keep_own_find(f->own, &spec->ip, spec->port);

	if (kept && !*spec->device && kept->spec.ifindex == spec->ifindex)
		str_copy(spec->device, sizeof(spec->device), kept->spec.device,
			 strlen(kept->spec.device));
	return !spec->ifindex || *spec->device;
}

static int take_deleted(struct keep_fast *f, const struct nvme_mptcp_endpoint *ep)
{
	struct keep_outage *out;
	struct endpoint_spec spec, there;
	char text[128];

	endpoint_spec_of(f->snap, ep, &spec);
	if (!knows_device(f, &spec))
		return 0;
	there = spec;
	out = keep_outage_find(f->own, &spec);
	/* It was out of use as a backup until now: remember the flags from before that. */
	if (out && out->how == KEEP_OUTAGE_BACKUP && is_as_left(ep, out))
		spec = out->spec;
	out = note_out(f, &spec, KEEP_OUTAGE_DELETED);
	if (!out)
		return -ENOMEM;
	name_rule(plan_step(f->plan, STEP_DELETE, &there, NULL,
			    "%s: data sent there goes out over other links at once",
			    trouble_of(f, ep, text)),
		  out->is_silent);
	return 0;
}

/* Close subflows one by one where other connections forbid deleting the endpoint. */
static void close_single(struct keep_fast *f, const struct nvme_mptcp_endpoint *ep,
			 const struct keep_outage *out)
{
	char text[128];

	if (f->now < out->since + KEEP_CLOSE_DELAY_MS) {
		advance_due(f, out->since + KEEP_CLOSE_DELAY_MS);
		return;
	}
	FOR_EACH(sf, f->snap->subflows, f->snap->n_subflows)
		if (endpoint_has_subflow(ep, sf) && is_expendable(f, sf))
			name_rule(plan_close_step(
					  f->plan, &sf->local, &sf->remote,
					  "%s for %d s: data sent there goes out over other links",
					  trouble_of(f, ep, text), KEEP_CLOSE_DELAY_MS / 1000),
				  out->is_silent);
}

static int take_backup(struct keep_fast *f, const struct nvme_mptcp_endpoint *ep)
{
	struct endpoint_spec spec, backup;
	struct keep_outage *out;
	char text[128];

	endpoint_spec_of(f->snap, ep, &spec);
	out = keep_outage_find(f->own, &spec);
	if (out && is_as_left(ep, out)) {
		if (out->is_slow)
			out->since = f->now;
		out->is_slow = false;
		close_single(f, ep, out);
		return 0;
	}
	if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_BACKUP) || ep->flags == NVME_MPTCP_UNKNOWN)
		return 0;
	backup = spec;
	backup.flags |= NVME_MPTCP_ENDPOINT_BACKUP;
	out = note_out(f, &spec, KEEP_OUTAGE_BACKUP);
	if (!out)
		return -ENOMEM;
	advance_due(f, f->now + KEEP_CLOSE_DELAY_MS);
	name_rule(
		plan_step(
			f->plan, STEP_FLAGS, &spec, &backup,
			"%s, but deleting the endpoint would end a connection: it becomes a backup",
			trouble_of(f, ep, text)),
		out->is_silent);
	return 0;
}

static int take_out(struct keep_fast *f, struct leaving *leaving,
		    const struct nvme_mptcp_endpoint *ep)
{
	if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) || !is_worth_taking_out(f, ep))
		return 0;
	return ends_connections(f, leaving, ep) ? take_backup(f, ep) : take_deleted(f, ep);
}

static bool has_endpoint(const struct nvme_mptcp_endpoint *eps, size_t n, const struct in6_addr *ip)
{
	for (size_t i = 0; i < n; i++)
		if (address_equal(&eps[i].ip, ip) &&
		    !endpoint_has(&eps[i], NVME_MPTCP_ENDPOINT_IMPLICIT))
			return true;
	return false;
}

static const struct nvme_mptcp_link *dead_link_of(const struct keep_fast *f,
						  const struct nvme_mptcp_subflow *sf)
{
	const struct local_address *own = snapshot_find_address(f->snap, &sf->local.ip);

	if (sf->link && !link_is_alive(sf->link))
		return sf->link;
	return own ? link_by_index(f->snap, own->ifindex) : sf->link;
}

/* Lend an endpoint to an address: add it and delete it, since deleting an implicit one is silent. */
static int lend(struct keep_fast *f, struct leaving *leaving, const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_link *link = dead_link_of(f, sf);
	struct nvme_mptcp_endpoint *ep = &leaving->lent[leaving->n_lent];
	struct endpoint_spec spec;
	struct keep_outage *out;
	char text[128];

	if (!link || leaving->n_lent == MAX_LENT ||
	    has_endpoint(leaving->lent, leaving->n_lent, &sf->local.ip))
		return 0;
	*ep = (struct nvme_mptcp_endpoint){ .ip = sf->local.ip,
					    .flags = NVME_MPTCP_ENDPOINT_SUBFLOW,
					    .ifindex = link->ifindex,
					    .device = link };
	address_text(&ep->ip, ep->address);
	if (!is_worth_taking_out(f, ep) || ends_connections(f, leaving, ep))
		return 0;
	leaving->n_lent++;
	endpoint_spec_of(f->snap, ep, &spec);
	out = note_out(f, &spec, KEEP_OUTAGE_DELETED);
	if (!out)
		return -ENOMEM;
	out->lent = true;
	trouble_of(f, ep, text);
	name_rule(plan_step(f->plan, STEP_ADD, NULL, &spec,
			    "%s, and no endpoint exists that could be deleted: this one is "
			    "added and deleted",
			    text),
		  out->is_silent);
	name_rule(plan_step(f->plan, STEP_DELETE, &spec, NULL,
			    "%s: data sent there goes out over other links at once", text),
		  out->is_silent);
	return 0;
}

static int take_out_dead(struct keep_fast *f, struct leaving *leaving)
{
	const struct nvme_mptcp_snapshot *snap = f->snap;
	int err = 0;

	for (size_t i = 0; i < snap->n_endpoints && !err; i++)
		err = take_out(f, leaving, &snap->endpoints[i]);
	for (size_t i = 0; f->role == NVME_MPTCP_ROLE_HOST && i < snap->n_subflows && !err; i++) {
		const struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		if (is_expendable(f, sf) &&
		    !has_endpoint(snap->endpoints, snap->n_endpoints, &sf->local.ip))
			err = lend(f, leaving, sf);
	}
	return err;
}

static int new_plan(struct keep_fast *f)
{
	f->due = KEEP_NEVER;
	f->plan = plan_new(f->snap,
			   f->role == NVME_MPTCP_ROLE_TARGET ? f->role : NVME_MPTCP_ROLE_HOST,
			   NVME_MPTCP_METHOD_SINGLE);
	if (!f->plan)
		return -ENOMEM;
	f->plan->independent = true;
	return 0;
}

int keep_fast_plan(struct keep_fast *f)
{
	_cleanup_(free) struct leaving *leaving = calloc(1, sizeof(*leaving));
	_cleanup_(free) const struct nvme_mptcp_endpoint **eps =
		calloc(f->snap->n_endpoints + MAX_LENT + 1, sizeof(struct nvme_mptcp_endpoint *));
	int err = new_plan(f);

	if (err || !leaving || !eps)
		return -ENOMEM;
	leaving->eps = eps;
	for (size_t i = 0; i < f->own->n_outs; i++)
		if (f->own->outs[i].how != KEEP_OUTAGE_OVER)
			check_return(f, &f->own->outs[i]);
	/* If not all subflows are visible, it is unknown which connections would end. */
	err = snapshot_shows_subflows(f->snap) ? take_out_dead(f, leaving) : 0;
	if (!err)
		err = keep_slow_plan(f);
	return err ? err : f->plan->err;
}

int keep_fast_end(struct keep_fast *f)
{
	int err = new_plan(f);

	if (err)
		return err;
	FOR_EACH(out, f->own->outs, f->own->n_outs) {
		if (out->how == KEEP_OUTAGE_OVER || out->lent ||
		    (out->spec.ifindex && !device_of(f->snap, &out->spec)))
			continue;
		out->is_left = true;
		add_return(f->plan, f->snap, out, false, "keep ends");
	}
	return f->plan->err;
}

/* Recording results */

/* True if keep owned this endpoint, not another one of its address, before the outage. */
static bool was_own(const struct keep_endpoint *kept, const struct endpoint_spec *spec)
{
	return kept && (!kept->spec.id || kept->spec.id == spec->id) &&
	       kept->spec.flags == spec->flags && !kept->spec.ifindex == !spec->ifindex;
}

/* Record the restored endpoint as keep's own if keep had made or lent it. Return 0 or -ENOMEM. */
static int own_lent(struct keep_own *own, const struct keep_outage *out,
		    const struct endpoint_spec *spec)
{
	struct keep_endpoint *kept = keep_own_find(own, &spec->ip, spec->port);

	if (!out->lent && !was_own(kept, &out->spec))
		return 0;
	kept = keep_own_add(own, spec, false);
	if (!kept)
		return -ENOMEM;
	kept->lent |= out->lent;
	kept->claim.seen = true;
	return 0;
}

static int settle_return(struct keep_own *own, struct keep_outage *out,
			 const struct nvme_mptcp_step *step, int64_t now)
{
	int err;

	if (step->state != NVME_MPTCP_STEP_DONE) {
		out->not_before = now + keep_retry_delay_ms(++out->failures);
		return 0;
	}
	err = own_lent(own, out, &step->new);
	out->failures = 0;
	keep_outage_end(out, now);
	return err;
}

static int settle_at_once(const struct nvme_mptcp_plan *plan, struct keep_own *own, int64_t now)
{
	int err = 0;

	for (size_t i = 0; i < plan->n_steps && !err; i++) {
		const struct nvme_mptcp_step *step = &plan->steps[i];
		const bool is_return =
			step->action == STEP_ADD ||
			((step->action == STEP_FLAGS || step->action == STEP_REPLACE) &&
			 !(step->new.flags &NVME_MPTCP_ENDPOINT_BACKUP));
		struct keep_outage *out =
			keep_outage_find(own,
					 step->action == STEP_DELETE ? &step->old : &step->new);

		if (step->action == STEP_CLOSE || !out)
			continue;
		/* An endpoint that is added only to be deleted is not restored. */
		if (is_return && i + 1 < plan->n_steps &&
		    plan->steps[i + 1].action == STEP_DELETE &&
		    address_equal(&plan->steps[i + 1].old.ip, &step->new.ip))
			out->spec.id = step->new.id;
		else if (is_return)
			err = settle_return(own, out, step, now);
		else if (step->state != NVME_MPTCP_STEP_DONE)
			keep_outage_drop(own, out);
	}
	return err;
}

int keep_fast_apply(struct keep_fast *f, const char *path, int (*act)(struct nvme_mptcp_plan *plan))
{
	int err = keep_state_write(path, f->own), settled, saved;

	if (err)
		plan_note(f->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "The endpoint was not changed at once, because %s cannot be written: %s",
			  path, strerror(-err));
	else
		act(f->plan);
	settled = settle_at_once(f->plan, f->own, f->now);
	saved = keep_state_write(path, f->own);
	if (!err && saved)
		plan_note(f->plan, NVME_MPTCP_ROLE_AUTO, NULL, "%s cannot be written: %s", path,
			  strerror(-saved));
	return settled;
}
