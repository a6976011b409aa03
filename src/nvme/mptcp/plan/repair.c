// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Subflows that died or never formed. The kernel makes up its mind about an endpoint once for each
 * connection; deleting and adding the endpoint makes it think again, on all connections. That
 * closes what lives on the endpoint, so that only endpoints are renewed unasked on which everything
 * is idle: a link that was down for long keeps the subflows that had nothing to send.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>

#include "base/str.h"
#include "mptcp/check/rules.h"
#include "steps.h"

/* A subflow that has carried nothing for so long is not missed while it is formed anew. */
#define IDLE_MS 1000

/* A link, or the address of an endpoint, that ought to carry every connection of its family. */
struct place {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_endpoint *ep; /* NULL: none */
	bool v4, v6; /* families that it serves */
	size_t missing, connections; /* of the set that is counted */
	size_t missing_in_all;
	size_t closed_to_announcements; /* of those missing: what the target announces is ignored */
};

struct repair {
	const struct nvme_mptcp_snapshot *snap;
	const struct nvme_mptcp_repair_args *args;
	struct nvme_mptcp_plan *plan;
	struct place *places;
	size_t n_places;
};

static struct place *place_of(struct repair *r, const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; i < r->n_places; i++)
		if (r->places[i].link == link)
			return &r->places[i];
	return NULL;
}

static struct place *add_place(struct repair *r, const struct nvme_mptcp_link *link)
{
	struct place *place = place_of(r, link);

	if (place)
		return place;
	place = array_add(&r->places, &r->n_places, sizeof(*place));
	if (place)
		place->link = link;
	else
		r->plan->err = -ENOMEM;
	return place;
}

static bool serves(const struct place *place, const struct nvme_mptcp_connection *conn)
{
	return address_is_v4(&conn->local.ip) ? place->v4 : place->v6;
}

static bool is_host(const struct repair *r)
{
	return r->plan->role == NVME_MPTCP_ROLE_HOST;
}

/* An endpoint that one's own side renews to get subflows. */
static bool can_renew(const struct repair *r, const struct nvme_mptcp_endpoint *ep)
{
	return is_host(r) ? endpoint_starts_by_itself(ep) : endpoint_announces(ep);
}

static void add_endpoint(struct repair *r, const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_link *link = endpoint_carrier(ep);
	struct place *place;

	/* A host's signal endpoint, a target's subflow endpoint: the rules H02 and T02 tell. */
	if (!link || ep->flags == NVME_MPTCP_UNKNOWN ||
	    (is_host(r) ? endpoint_announces(ep) && !endpoint_starts_subflows(ep)
			: !endpoint_announces(ep)))
		return;
	place = add_place(r, link);
	if (!place)
		return;
	if (address_is_v4(&ep->ip))
		place->v4 = true;
	else
		place->v6 = true;
	if (!place->ep || (can_renew(r, ep) && !can_renew(r, place->ep)))
		place->ep = ep;
}

/* Connections of the side that is repaired. */
static bool is_of_concern(const struct repair *r, const struct nvme_mptcp_connection *conn)
{
	if (conn->fallback == 1 || conn->state != STATE_ESTABLISHED)
		return false;
	return is_host(r) ? conn->ctrl || conn->shared : conn->set == &r->snap->other;
}

static void add_used_links(struct repair *r)
{
	const struct nvme_mptcp_connection *end = r->snap->connections + r->snap->n_connections;

	for (const struct nvme_mptcp_connection *conn = r->snap->connections; conn < end; conn++) {
		if (!is_of_concern(r, conn))
			continue;
		for (size_t i = 0; i < conn->n_subflows; i++) {
			const struct nvme_mptcp_subflow *sf = &conn->subflows[i];
			struct place *place;

			if (!sf->link || sf->state != STATE_ESTABLISHED)
				continue;
			place = add_place(r, sf->link);
			if (!place)
				return;
			if (address_is_v4(&sf->local.ip))
				place->v4 = true;
			else
				place->v6 = true;
		}
	}
}

static int find_places(struct repair *r)
{
	const struct nvme_mptcp_snapshot *snap = r->snap;

	for (size_t i = 0; i < snap->n_endpoints; i++)
		add_endpoint(r, &snap->endpoints[i]);
	if (is_host(r))
		add_used_links(r);
	for (size_t i = 0; r->args->devices && r->args->devices[i]; i++) {
		const struct nvme_mptcp_link *link = NULL;
		struct place *place;

		for (size_t j = 0; j < snap->n_links && !link; j++)
			if (!strcmp(snap->links[j].name, r->args->devices[i]))
				link = &snap->links[j];
		if (!link)
			return -ENODEV;
		place = add_place(r, link);
		for (size_t j = 0; place && j < snap->n_addresses; j++) {
			if (snap->addresses[j].ifindex != link->ifindex)
				continue;
			if (address_is_v4(&snap->addresses[j].ip))
				place->v4 = true;
			else if (!IN6_IS_ADDR_LINKLOCAL(&snap->addresses[j].ip))
				place->v6 = true;
		}
	}
	return r->plan->err;
}

static bool has_subflow_at(const struct repair *r, const struct nvme_mptcp_connection *conn,
			   const struct place *place)
{
	for (size_t i = 0; i < conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &conn->subflows[i];

		if (sf->state != STATE_ESTABLISHED)
			continue;
		/* A target answers by whatever route; what counts is where it was connected to. */
		if (is_host(r) ? sf->link == place->link
			       : place->ep && address_equal(&sf->local.ip, &place->ep->ip))
			return true;
	}
	return false;
}

/*
 * The kernel counts the announcements that a connection has followed, and takes one off only if the
 * target removes the address while a subflow to it lives: those that died by themselves are never
 * given back (add_addr_accepted in net/mptcp/pm_netlink.c). At the limit it follows no more.
 */
static bool ignores_announcements(const struct nvme_mptcp_connection *conn)
{
	const int64_t max = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED_MAX];

	return max > 0 && conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] >= max;
}

static void count(struct repair *r, const struct nvme_mptcp_connection *conn)
{
	if (!is_of_concern(r, conn))
		return;
	for (size_t i = 0; i < r->n_places; i++) {
		struct place *place = &r->places[i];

		if (!serves(place, conn))
			continue;
		if (r->args->devices && !str_in_list(r->args->devices, place->link->name))
			continue;
		place->connections++;
		if (has_subflow_at(r, conn, place))
			continue;
		place->missing++;
		place->closed_to_announcements += ignores_announcements(conn);
	}
}

/* What was counted since the last call, as gaps of @ctrls; NULL: of hosts. */
static void end_count(struct repair *r, const char *const *ctrls)
{
	for (size_t i = 0; i < r->n_places; i++) {
		struct place *place = &r->places[i];

		if (place->missing)
			plan_gap(r->plan, ctrls, place->link->name, place->missing,
				 place->connections);
		place->missing_in_all += place->missing;
		place->missing = place->connections = 0;
	}
}

static bool is_asked_for(const struct repair *r, const struct nvme_mptcp_ctrl *ctrl)
{
	return !r->args->ctrls || str_in_list(r->args->ctrls, ctrl->name);
}

static const char **names_of(const struct nvme_mptcp_shared *sh)
{
	const char **names = calloc(sh->n_ctrls + 1, sizeof(*names));

	for (size_t i = 0; names && i < sh->n_ctrls; i++)
		names[i] = sh->ctrls[i]->name;
	return names;
}

static void count_all(struct repair *r)
{
	const struct nvme_mptcp_snapshot *snap = r->snap;

	if (!is_host(r)) {
		for (size_t i = 0; i < snap->n_connections; i++)
			count(r, &snap->connections[i]);
		end_count(r, NULL);
		return;
	}
	for (size_t i = 0; i < snap->n_ctrls; i++) {
		const char *const name[] = { snap->ctrls[i].name, NULL };

		if (!is_asked_for(r, &snap->ctrls[i]))
			continue;
		nvme_mptcp_for_each_connection(&snap->ctrls[i].set, conn)
			count(r, conn);
		end_count(r, name);
	}
	for (size_t i = 0; i < snap->n_shared; i++) {
		const struct nvme_mptcp_shared *sh = &snap->shared[i];
		_cleanup_(free) const char **names = NULL;
		bool asked_for = false;

		for (size_t j = 0; j < sh->n_ctrls && !asked_for; j++)
			asked_for = is_asked_for(r, sh->ctrls[j]);
		if (!asked_for)
			continue;
		names = names_of(sh);
		if (!names) {
			r->plan->err = -ENOMEM;
			return;
		}
		nvme_mptcp_for_each_connection(&sh->set, conn)
			count(r, conn);
		end_count(r, names);
	}
}

/* Is the link fit to carry anything? If not, no fix of an endpoint helps. */
static bool is_fit(struct repair *r, const struct place *place)
{
	const char *trouble = link_trouble(place->link);
	char command[64];

	if (!trouble && place->ep && !snapshot_find_address(r->snap, &place->ep->ip)) {
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "endpoint %u (%s) cannot be used: no interface has the address any more",
			  place->ep->id, place->ep->address);
		return false;
	}
	if (!trouble)
		return true;
	snprintf(command, sizeof(command), "ip link set %s up", place->link->name);
	plan_note(r->plan, r->plan->role, place->link->flags & IFF_UP ? NULL : command,
		  "%s cannot carry subflows: %s", place->link->name, trouble);
	return false;
}

static bool is_idle(const struct nvme_mptcp_subflow *sf)
{
	static const enum nvme_mptcp_subflow_value since[] = { NVME_MPTCP_LAST_DATA_SENT_MS,
							       NVME_MPTCP_LAST_DATA_RECV_MS,
							       NVME_MPTCP_LAST_ACK_RECV_MS };

	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++)
		if (sf->value[since[i]] != NVME_MPTCP_UNKNOWN && sf->value[since[i]] < IDLE_MS)
			return false;
	return sf->value[NVME_MPTCP_LAST_DATA_SENT_MS] != NVME_MPTCP_UNKNOWN;
}

/* Subflows that renewing an endpoint would close, and that are in use. */
static size_t count_busy(const struct repair *r, const struct nvme_mptcp_endpoint *ep)
{
	size_t n = 0;

	for (size_t i = 0; i < r->snap->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &r->snap->subflows[i];

		n += sf->state == STATE_ESTABLISHED && address_equal(&sf->local.ip, &ep->ip) &&
		     !is_idle(sf);
	}
	return n;
}

static void renew(struct repair *r, const struct place *place)
{
	const struct nvme_mptcp_endpoint *ep = place->ep;
	struct endpoint_spec spec, again;
	char closes[64] = "";
	size_t busy;

	if (ep->subflows == NVME_MPTCP_UNKNOWN) {
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "%s: it is not known whether subflows live on endpoint %u (%s); root can "
			  "see that",
			  place->link->name, ep->id, ep->address);
		return;
	}
	busy = count_busy(r, ep);
	if (busy && !r->args->force) {
		plan_note(r->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "%s: %zu subflows of other connections are in use on endpoint %u (%s), "
			  "which the kernel would close; --force forms all of them anew",
			  place->link->name, busy, ep->id, ep->address);
		return;
	}
	endpoint_spec_of(r->snap, ep, &spec);
	again = spec;
	/* With an id of its own, no late removal of the old one can be meant for it. */
	if (endpoint_announces(ep))
		again.id = 0;
	if (ep->subflows)
		snprintf(closes, sizeof(closes), "; %lld %s %s formed anew",
			 (long long)ep->subflows, busy ? "living" : "idle",
			 ep->subflows == 1 ? "one is" : "ones are");
	plan_step(r->plan, STEP_RENEW, &spec, &again,
		  "%zu connection%s a subflow on %s: the kernel %s again%s", place->missing_in_all,
		  place->missing_in_all == 1 ? " lacks" : "s lack", place->link->name,
		  is_host(r) ? "starts one" : "announces it", closes);
}

/* Joins that follow announcements are the target's to repeat. */
static void ask_the_target(struct repair *r, const struct place *place, bool *asked)
{
	if (!*asked)
		plan_note(
			r->plan, NVME_MPTCP_ROLE_TARGET, "nvme mptcp repair --role target",
			"%s: subflows there follow what the target announces, and only the target "
			"can announce it again",
			place->link->name);
	else
		plan_note(r->plan, NVME_MPTCP_ROLE_TARGET, NULL,
			  "%s: likewise, by the same command", place->link->name);
	*asked = true;
}

/* Only new connections count from 0 again. */
static void ask_for_a_reset(struct repair *r, const struct place *place, bool *asked)
{
	char command[64] = "nvme reset /dev/nvmeN";

	for (size_t i = 0; !*asked && i < r->plan->n_gaps; i++) {
		const struct plan_gap *gap = &r->plan->gaps[i];

		/* Of several that share connections it is not known which one lacks them. */
		if (!strcmp(gap->link, place->link->name) && gap->ctrls && !gap->ctrls[1])
			snprintf(command, sizeof(command), "nvme reset /dev/%.32s", gap->ctrls[0]);
	}
	if (!*asked)
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, command,
			  "%s: %zu of the connections followed as many announcements as the limit "
			  "add_addr_accepted permits, and ignore more: the kernel gives none back "
			  "for subflows that died",
			  place->link->name, place->closed_to_announcements);
	else
		plan_note(r->plan, NVME_MPTCP_ROLE_HOST, NULL, "%s: likewise", place->link->name);
	*asked = true;
}

static void mend(struct repair *r)
{
	bool asked_target = false, asked_reset = false;

	for (size_t i = 0; i < r->n_places; i++) {
		const struct place *place = &r->places[i];

		if (!place->missing_in_all || !is_fit(r, place))
			continue;
		if (place->ep && can_renew(r, place->ep))
			renew(r, place);
		else if (is_host(r) && place->closed_to_announcements)
			ask_for_a_reset(r, place, &asked_reset);
		else if (is_host(r))
			ask_the_target(r, place, &asked_target);
	}
}

static bool has_parts(const struct nvme_mptcp_snapshot *snap)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_ENDPOINTS, NVME_MPTCP_CONNECTIONS,
						      NVME_MPTCP_SUBFLOWS, NVME_MPTCP_LINKS };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		int err = snap->problem[parts[i]].err;

		/* Something that came or went meanwhile is no reason not to look. */
		if (err && err != EAGAIN)
			return false;
	}
	return true;
}

int plan_repair(const struct nvme_mptcp_repair_args *args, struct nvme_mptcp_plan **ret)
{
	const struct nvme_mptcp_snapshot *snap = args->snap;
	struct repair r = { .snap = snap, .args = args };
	enum nvme_mptcp_role role = args->role;
	int err;

	if (role == NVME_MPTCP_ROLE_AUTO)
		role = snap->n_ctrls ? NVME_MPTCP_ROLE_HOST : NVME_MPTCP_ROLE_TARGET;
	if (role != NVME_MPTCP_ROLE_HOST && role != NVME_MPTCP_ROLE_TARGET)
		return -EINVAL;
	if (!has_parts(snap))
		return -ENODATA;
	r.plan = plan_new(snap, role, NVME_MPTCP_METHOD_REPAIR);
	if (!r.plan)
		return -ENOMEM;
	r.plan->independent = true;
	err = r.plan->err ? r.plan->err : find_places(&r);
	if (!err) {
		count_all(&r);
		mend(&r);
		err = r.plan->err;
	}
	free(r.places);
	if (err) {
		nvme_mptcp_plan_free(r.plan);
		return err;
	}
	*ret = r.plan;
	return 0;
}

int nvme_mptcp_repair(const struct nvme_mptcp_repair_args *args, nvme_mptcp_plan_t *ret)
{
	int err = args->args_size < (int)sizeof(*args) || !args->snap ? -EINVAL
								      : plan_repair(args, ret);

	if (!err)
		return 0;
	errno = -err;
	return -1;
}
