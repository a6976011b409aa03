// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The coverage of each set of connections: which wires carry them, which should, and why. All other
 * code asks here whether a subflow is missing or superfluous.
 *
 * A host's connection should have one subflow on each wire that an endpoint starts subflows on,
 * that another connection of the set uses, or that leads to the target. A target's should have one
 * on each address that it announces, unless the host starts subflows over links of its own.
 */
#include <net/if.h>

#include "coverage.h"
#include "coverage-hosts.h"
#include "link-reach.h"
#include "snapshot.h"

/* Maximum number of portals with route queries; others get coverage from endpoints and usage. */
#define MAX_PORTALS 64

/* A link that is alive and has a global address, so it could carry subflows without an endpoint. */
struct candidate {
	const struct nvme_mptcp_link *link;
	const struct in6_addr *v4, *v6; /* one address of each family, or NULL */
};

struct portal_leads {
	struct socket_address portal;
	enum link_reach reach[]; /* one per candidate */
};

struct work {
	struct nvme_mptcp_snapshot *snap;
	struct nl *nl; /* for route queries; NULL if there is no kernel to ask */
	struct candidate *candidates;
	size_t n_candidates;
	struct portal_leads *portals[MAX_PORTALS];
	size_t n_portals;
	/* Indexed by the number of a wire's link; valid for one set at a time. */
	size_t *slot; /* index in set->coverage + 1, 0: none */
	size_t *used; /* indices into slot that are set */
	size_t n_used;
	struct coverage_hosts hosts; /* of a target */
};

static size_t wire_number(const struct nvme_mptcp_snapshot *snap,
			  const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *wire =
		nvme_mptcp_link_wire((nvme_mptcp_snapshot_t)snap, link);

	return (size_t)((wire ? wire : link) - snap->links);
}

static int find_candidates(struct work *w)
{
	const struct nvme_mptcp_snapshot *snap = w->snap;
	struct candidate *last = NULL;

	/* Addresses are not sorted by link, so look up the link of each. */
	for (size_t i = 0; i < snap->n_addresses; i++) {
		const struct local_address *a = &snap->addresses[i];
		const struct nvme_mptcp_link *link = link_by_index(snap, a->ifindex);
		const struct in6_addr **ip;

		if (!link || (link->flags & IFF_LOOPBACK) || link_trouble(link) ||
		    !link_address_is_global(a, address_is_v4(&a->ip)))
			continue;
		if (!last || last->link != link) {
			last = NULL;
			for (size_t j = 0; j < w->n_candidates && !last; j++)
				if (w->candidates[j].link == link)
					last = &w->candidates[j];
		}
		if (!last)
			last = array_add(&w->candidates, &w->n_candidates, sizeof(*last));
		if (!last)
			return -ENOMEM;
		last->link = link;
		ip = address_is_v4(&a->ip) ? &last->v4 : &last->v6;
		if (!*ip)
			*ip = &a->ip;
	}
	return 0;
}

static const struct in6_addr *source_for(const struct candidate *c, const struct in6_addr *dst)
{
	return address_is_v4(dst) ? c->v4 : c->v6;
}

static enum link_reach ask_reach(const struct work *w, const struct candidate *c,
				 const struct socket_address *dst)
{
	const struct in6_addr *src = source_for(c, &dst->ip);
	enum link_reach reach = LINK_REACH_NONE;
	int err = src ? link_reach(w->nl, src, c->link->ifindex, dst, &reach) : 0;

	if (err)
		route_problem(w->snap, err);
	return reach;
}

/* Set *@ret to how each candidate leads to @to, NULL if no kernel can be asked. 0 or -ENOMEM. */
static int lead_to(struct work *w, const struct socket_address *to, const struct portal_leads **ret)
{
	struct portal_leads *leads;

	*ret = NULL;
	for (size_t i = 0; i < w->n_portals && !*ret; i++)
		if (address_port_equal(&w->portals[i]->portal, to))
			*ret = w->portals[i];
	if (*ret || !w->nl || w->n_portals == MAX_PORTALS)
		return 0;
	leads = malloc(sizeof(*leads) + w->n_candidates * sizeof(*leads->reach));
	if (!leads)
		return -ENOMEM;
	leads->portal = *to;
	for (size_t i = 0; i < w->n_candidates; i++)
		leads->reach[i] = ask_reach(w, &w->candidates[i], to);
	w->portals[w->n_portals++] = leads;
	*ret = leads;
	return 0;
}

/* True if @link certainly leads elsewhere. A dead link has no routes, which proves nothing. */
static bool leads_elsewhere(const struct work *w, const struct portal_leads *leads,
			    const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; leads && i < w->n_candidates; i++)
		if (w->candidates[i].link == link)
			return leads->reach[i] == LINK_REACH_NONE;
	return false;
}

/* Record @reason for the wire of @link to carry, or not to carry, connections of @ip's family. */
static int add_coverage(struct work *w, struct nvme_mptcp_set *set,
			const struct nvme_mptcp_link *link, const struct in6_addr *ip,
			enum nvme_mptcp_reason reason)
{
	size_t number = wire_number(w->snap, link);
	struct nvme_mptcp_coverage *coverage;

	if (!w->slot[number]) {
		coverage = array_add(&set->coverage, &set->n_coverage, sizeof(*coverage));
		if (!coverage)
			return -ENOMEM;
		coverage->link = link;
		coverage->reason = reason;
		w->slot[number] = set->n_coverage;
		w->used[w->n_used++] = number;
	}
	coverage = &set->coverage[w->slot[number] - 1];
	/* Of several links on one wire, keep the one with the strongest reason. */
	if (reason < coverage->reason) {
		coverage->link = link;
		coverage->reason = reason;
	}
	if (address_is_v4(ip))
		coverage->v4 = true;
	else
		coverage->v6 = true;
	return 0;
}

static bool is_counted(const struct nvme_mptcp_connection *conn)
{
	return conn->fallback != 1 && conn->state == STATE_ESTABLISHED;
}

static bool is_used(const struct nvme_mptcp_set *set, const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; i < set->n_usage; i++)
		if (set->usage[i].link == link)
			return set->usage[i].subflows + set->usage[i].dead;
	return false;
}

/* True if a connection of the set has an established subflow from @ip. */
static bool starts_from(const struct nvme_mptcp_set *set, const struct in6_addr *ip)
{
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		for (size_t i = 0; i < conn->n_subflows; i++)
			if (conn->subflows[i].state == STATE_ESTABLISHED &&
			    address_equal(&conn->subflows[i].local.ip, ip))
				return true;
	return false;
}

/* True if a connection accepted more announced addresses than it has subflows to: some are lost. */
static bool has_lost_announced(const struct nvme_mptcp_set *set)
{
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next) {
		int64_t joined = 0;

		for (size_t i = 0; i < conn->n_subflows; i++)
			joined += subflow_carries(&conn->subflows[i]) &&
				  !address_port_equal(&conn->subflows[i].remote, &conn->remote);
		if (is_counted(conn) && joined < conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED])
			return true;
	}
	return false;
}

/* True if both sets lead to the same target, by portal or by subsystem. */
static bool is_same_target(const struct nvme_mptcp_set *set, const struct nvme_mptcp_set *other)
{
	const struct nvme_mptcp_ctrl *x = set->first->ctrl, *y = other->first->ctrl;

	return address_equal(&set->first->remote.ip, &other->first->remote.ip) ||
	       (x && y && x->subsysnqn && y->subsysnqn && !strcmp(x->subsysnqn, y->subsysnqn));
}

/* True if another target has a subflow from @ip, and no other set of this target has one. */
static bool is_of_other_target(const struct nvme_mptcp_snapshot *snap,
			       const struct nvme_mptcp_set *set, const struct in6_addr *ip)
{
	bool others = false;

	for (size_t i = 0; i < snap->n_ctrls + snap->n_shared; i++) {
		const struct nvme_mptcp_set *other = i < snap->n_ctrls
							     ? &snap->ctrls[i].set
							     : &snap->shared[i - snap->n_ctrls].set;

		if (other == set || !other->first || !starts_from(other, ip))
			continue;
		if (is_same_target(set, other))
			return false;
		others = true;
	}
	return others;
}

/* True if @set has, or lost, the subflow that the kernel created an implicit endpoint for. */
static bool counts_implicit(const struct work *w, const struct nvme_mptcp_set *set,
			    const struct portal_leads *leads, const struct nvme_mptcp_endpoint *ep)
{
	enum link_reach reach = LINK_REACH_NONE, best = LINK_REACH_DEFAULT_ROUTE;

	/* The join to an announced address that this host also has, as on a service processor. */
	if (address_is_link_local(&ep->ip) && !address_is_link_local(&set->first->remote.ip))
		return starts_from(set, &ep->ip);
	for (size_t i = 0; leads && i < w->n_candidates; i++) {
		best = leads->reach[i] > best ? leads->reach[i] : best;
		if (w->candidates[i].link == endpoint_carrier(ep))
			reach = leads->reach[i];
	}
	return reach > LINK_REACH_DEFAULT_ROUTE || starts_from(set, &ep->ip) ||
	       ((reach == best || has_lost_announced(set)) &&
		!is_of_other_target(w->snap, set, &ep->ip));
}

/*
 * True if the host's endpoint should give these connections a subflow. An endpoint that starts
 * subflows by itself goes to the portal; others go to announced addresses, in any network.
 */
static bool is_for_set(const struct work *w, const struct nvme_mptcp_set *set,
		       const struct portal_leads *leads, const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_link *link = endpoint_egress_link(ep);

	if (!link || !endpoint_has_family(ep, &set->first->remote.ip))
		return false;
	if (endpoint_starts_when_announced(ep))
		return true;
	if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT))
		return counts_implicit(w, set, leads, ep);
	return endpoint_starts_by_itself(ep) &&
	       (is_used(set, link) || !leads_elsewhere(w, leads, link));
}

static int add_endpoints(struct work *w, struct nvme_mptcp_set *set,
			 const struct portal_leads *leads, bool is_target)
{
	const struct nvme_mptcp_snapshot *snap = w->snap;
	int err = 0;

	for (size_t i = 0; i < snap->n_endpoints && !err; i++) {
		const struct nvme_mptcp_endpoint *ep = &snap->endpoints[i];
		const struct nvme_mptcp_link *link =
			is_target ? endpoint_carrier(ep) : endpoint_egress_link(ep);

		if (!link || !(is_target ? endpoint_announces(ep) : is_for_set(w, set, leads, ep)))
			continue;
		err = add_coverage(w, set, link, &ep->ip, NVME_MPTCP_BY_ENDPOINT);
	}
	return err;
}

static int add_used(struct work *w, struct nvme_mptcp_set *set)
{
	int err = 0;

	for (size_t i = 0; i < set->n_usage && !err; i++)
		if (set->usage[i].link && set->usage[i].subflows + set->usage[i].dead)
			err = add_coverage(w, set, set->usage[i].link, &set->first->remote.ip,
					   NVME_MPTCP_BY_CONNECTION);
	return err;
}

/* True if the endpoint table is full of useful endpoints, so that no link can get another one. */
static bool is_full(const struct work *w, const struct nvme_mptcp_set *set,
		    const struct portal_leads *leads)
{
	const struct nvme_mptcp_snapshot *snap = w->snap;

	for (size_t i = 0; i < snap->n_endpoints; i++) {
		const struct nvme_mptcp_link *link = endpoint_carrier(&snap->endpoints[i]);

		if (!link || link_trouble(link) ||
		    !endpoint_starts_by_itself(&snap->endpoints[i]) ||
		    !is_for_set(w, set, leads, &snap->endpoints[i]))
			return false;
	}
	return endpoint_table_is_full(snap);
}

/* Add the links that lead to the target, with or without an endpoint. */
static int add_leading(struct work *w, struct nvme_mptcp_set *set, const struct portal_leads *leads)
{
	const struct in6_addr *ip = &set->first->remote.ip;
	const bool full = is_full(w, set, leads);
	struct link_best best = {};
	int err = 0;

	for (size_t i = 0; leads && i < w->n_candidates; i++)
		link_best_update(&best, w->candidates[i].link, leads->reach[i]);
	for (size_t i = 0; leads && i < w->n_candidates && !err; i++) {
		const struct candidate *c = &w->candidates[i];
		enum nvme_mptcp_reason reason = link_best_reason(&best, c->link, leads->reach[i]);

		if (source_for(c, ip))
			err = add_coverage(w, set, c->link, ip,
					   full && coverage_reason_wants(reason)
						   ? NVME_MPTCP_NO_ROOM
						   : reason);
	}
	return err;
}

struct tally {
	size_t carrying, backups, pending;
	const char *trouble; /* of a subflow that is established and carries nothing */
};

static void tally_subflow(const struct nvme_mptcp_subflow *sf, struct tally *t)
{
	if (subflow_carries(sf)) {
		t->carrying++;
		t->backups +=
			sf->flags > 0 &&
			(sf->flags & (NVME_MPTCP_SUBFLOW_BKUP_REM | NVME_MPTCP_SUBFLOW_BKUP_LOC));
	} else if (sf->state == STATE_ESTABLISHED) {
		t->trouble = subflow_trouble(sf);
	} else if (sf->state == STATE_SYN_SENT) {
		t->pending++;
	}
}

/* On a target, use the link of the local address: the route of the answers may differ. */
static const struct nvme_mptcp_link *link_of_subflow(const struct nvme_mptcp_snapshot *snap,
						     const struct nvme_mptcp_subflow *sf,
						     bool is_target)
{
	const struct local_address *own =
		is_target ? snapshot_find_address(snap, &sf->local.ip) : NULL;

	return own ? link_by_index(snap, own->ifindex) : sf->link;
}

static enum nvme_mptcp_coverage_state state_of(const struct nvme_mptcp_coverage *coverage,
					       const struct nvme_mptcp_connection *conn,
					       const struct tally *t)
{
	bool is_served = address_is_v4(&conn->remote.ip) ? coverage->v4 : coverage->v6;

	if (t->carrying)
		return t->carrying > 1 ? NVME_MPTCP_SUPERFLUOUS : NVME_MPTCP_COVERED;
	return is_served && coverage_is_wanted(coverage) ? NVME_MPTCP_MISSING : NVME_MPTCP_UNWANTED;
}

/* Dead subflows on an unknown link are counted in the last entry, which has no link. */
static bool has_unplaced(const struct nvme_mptcp_set *set)
{
	return set->n_coverage && !set->coverage[set->n_coverage - 1].link;
}

static int add_without_link(struct nvme_mptcp_set *set, enum nvme_mptcp_reason reason,
			    size_t missing)
{
	const struct nvme_mptcp_coverage added = { .reason = reason,
						   .count[NVME_MPTCP_MISSING] = missing };

	return array_push(&set->coverage, &set->n_coverage, &added, sizeof(added));
}

static int add_unplaced(struct nvme_mptcp_set *set)
{
	bool any = false;

	for (size_t i = 0; i < set->n_usage; i++)
		any |= !set->usage[i].link && set->usage[i].dead;
	return any ? add_without_link(set, NVME_MPTCP_BY_CONNECTION, 0) : 0;
}

/* Return the bit of a link that has coverage; 0: it has none, or there are too many. */
static uint64_t slot_bit(const struct work *w, const struct nvme_mptcp_link *link)
{
	const size_t slot = link ? w->slot[wire_number(w->snap, link)] : 0;

	return slot && slot <= COVERAGE_SLOTS ? 1ULL << (slot - 1) : 0;
}

/* Learn which links the hosts of a target reach. Return 0 or -ENOMEM. */
static int find_hosts(struct work *w, const struct nvme_mptcp_set *set)
{
	struct coverage_neighbours near = {};
	size_t most = 0;
	int err = w->nl ? coverage_read_neighbours(w->nl, &near) : 0;

	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		most += conn->n_subflows;
	for (const struct nvme_mptcp_connection *conn = set->first; conn && !err;
	     conn = conn->next) {
		uint64_t slots = 0;

		for (size_t i = 0; i < conn->n_subflows; i++)
			slots |= slot_bit(w, link_of_subflow(w->snap, &conn->subflows[i], true));
		err = coverage_add_host(&w->hosts, most, conn, slots);
	}
	coverage_sort_hosts(&w->hosts);
	FOR_EACH(neighbour, near.neighbour, near.n)
		coverage_add_neighbour(&w->hosts, &neighbour->ip,
				       slot_bit(w, link_by_index(w->snap, neighbour->ifindex)));
	free(near.neighbour);
	return err;
}

static void count_connection(struct work *w, struct nvme_mptcp_set *set, struct tally *tallies,
			     const struct nvme_mptcp_connection *conn, bool is_target)
{
	struct tally *unplaced = &tallies[set->n_coverage - has_unplaced(set)];
	uint64_t reached = UINT64_MAX;
	bool missing = false;

	if (!is_counted(conn))
		return;
	if (is_target)
		reached = coverage_of_host(&w->hosts, conn);
	memset(tallies, 0, (set->n_coverage + 1) * sizeof(*tallies));
	for (size_t i = 0; i < conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &conn->subflows[i];
		const struct nvme_mptcp_link *link = link_of_subflow(w->snap, sf, is_target);
		size_t slot = link ? w->slot[wire_number(w->snap, link)] : 0;

		if (slot || !link)
			tally_subflow(sf, slot ? &tallies[slot - 1] : unplaced);
	}
	for (size_t i = 0; i < set->n_coverage; i++) {
		struct nvme_mptcp_coverage *coverage = &set->coverage[i];
		enum nvme_mptcp_coverage_state state = state_of(coverage, conn, &tallies[i]);

		/* Count a missing subflow once: it may be the one that is missing on a link. */
		if (!coverage->link)
			state = unplaced->trouble && !missing ? NVME_MPTCP_MISSING
							      : NVME_MPTCP_UNWANTED;
		/* The subflow whose link is unknown may be on this link. */
		else if (state == NVME_MPTCP_MISSING && unplaced->carrying)
			state = NVME_MPTCP_UNWANTED;
		else if (state == NVME_MPTCP_MISSING && is_target &&
			 coverage_answers_on(conn, coverage->link))
			state = NVME_MPTCP_COVERED;
		else if (state == NVME_MPTCP_MISSING && i < COVERAGE_SLOTS &&
			 !(reached & 1ULL << i))
			state = NVME_MPTCP_UNWANTED;
		missing |= state == NVME_MPTCP_MISSING;
		coverage->count[state]++;
		if (state == NVME_MPTCP_MISSING && tallies[i].trouble)
			coverage->trouble = tallies[i].trouble;
		coverage->pending += state == NVME_MPTCP_MISSING && tallies[i].pending;
		coverage->backups += state == NVME_MPTCP_COVERED && tallies[i].backups;
	}
}

/*
 * True if a host without endpoints has followed announcements and is down to one subflow. How many
 * are lost, and where, is unknown: the kernel does not decrement add_addr_accepted (struct
 * mptcp_info) when a subflow dies, and increments it for each announcement that restores one.
 */
static bool has_lost_all(const struct nvme_mptcp_connection *conn)
{
	return is_counted(conn) && conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] > 0 &&
	       conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] <= 0 &&
	       connection_count_carrying(conn) == 1;
}

static size_t count_short(const struct nvme_mptcp_set *set)
{
	size_t n = 0;

	/* Links with missing subflows are more specific. */
	for (size_t i = 0; i < set->n_coverage; i++)
		if (set->coverage[i].count[NVME_MPTCP_MISSING])
			return 0;
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		n += has_lost_all(conn);
	return n;
}

static int add_short(struct nvme_mptcp_set *set)
{
	size_t n = count_short(set);

	return n ? add_without_link(set, NVME_MPTCP_BY_COUNT, n) : 0;
}

static int cover(struct work *w, struct nvme_mptcp_set *set, bool is_target)
{
	const struct portal_leads *leads = NULL;
	struct tally *tallies;
	int err;

	if (!set->first)
		return 0;
	err = (is_target ? 0 : lead_to(w, &set->first->remote, &leads))
	      ?: add_endpoints(w, set, leads, is_target)
	      ?: (is_target ? 0 : add_used(w, set) ?: add_leading(w, set, leads))
	      ?: (is_target && set->n_coverage ? find_hosts(w, set) : 0)
	      ?: add_unplaced(set);
	if (err)
		return err;
	tallies = calloc(set->n_coverage + 1, sizeof(*tallies));
	if (!tallies)
		return -ENOMEM;
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		count_connection(w, set, tallies, conn, is_target);
	free(tallies);
	if (has_unplaced(set) && !set->coverage[set->n_coverage - 1].count[NVME_MPTCP_MISSING])
		set->n_coverage--;
	if (!is_target)
		err = add_short(set);
	if (!err && set->n_coverage)
		qsort(set->coverage, set->n_coverage, sizeof(*set->coverage), link_compare);
	return err;
}

/* Clear the slots, which are valid for one set only. */
static int cover_set(struct work *w, struct nvme_mptcp_set *set, bool is_target)
{
	int err = cover(w, set, is_target);

	while (w->n_used)
		w->slot[w->used[--w->n_used]] = 0;
	return err;
}

static int cover_all(struct work *w)
{
	struct nvme_mptcp_snapshot *snap = w->snap;
	int err = find_candidates(w) ?: cover_set(w, &snap->other, true);

	for (size_t i = 0; i < snap->n_ctrls && !err; i++)
		err = cover_set(w, &snap->ctrls[i].set, false);
	for (size_t i = 0; i < snap->n_shared && !err; i++)
		err = cover_set(w, &snap->shared[i].set, false);
	return err;
}

int snapshot_cover(struct nvme_mptcp_snapshot *snap, struct nl *nl)
{
	struct work w = { .snap = snap, .nl = nl };
	int err = -ENOMEM;

	if (!snap->n_links || !snap->n_connections || !snapshot_shows_subflows(snap))
		return 0;
	w.slot = calloc(snap->n_links, sizeof(*w.slot));
	w.used = calloc(snap->n_links, sizeof(*w.used));
	if (w.slot && w.used)
		err = cover_all(&w);
	for (size_t i = 0; i < w.n_portals; i++)
		free(w.portals[i]);
	free(w.hosts.host);
	free(w.candidates);
	free(w.slot);
	free(w.used);
	return err;
}
