// SPDX-License-Identifier: LGPL-2.1-or-later
/* Queries about the snapshots and the connections of a check. */
#include <errno.h>
#include <net/if.h>

#include "base/map.h"
#include "rules.h"
#include "mptcp/trial/trial-state.h"

enum nvme_mptcp_role check_side(const struct check *c)
{
	return c->role & ON_HOST ? NVME_MPTCP_ROLE_HOST : NVME_MPTCP_ROLE_TARGET;
}

enum nvme_mptcp_role check_other_side(const struct check *c)
{
	return check_side(c) == NVME_MPTCP_ROLE_HOST ? NVME_MPTCP_ROLE_TARGET
						     : NVME_MPTCP_ROLE_HOST;
}

bool check_covers_ctrl(const struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	/* Before connecting, existing controllers do not matter. */
	if (c->before_connecting)
		return false;
	return !c->ctrls || str_in_list(c->ctrls, ctrl->name);
}

bool check_is_relevant(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	/* H08 reports an endpoint on the wrong device. */
	if (endpoint_is_misplaced(ep))
		return false;
	return ((c->role & ON_HOST) && endpoint_starts_subflows(ep)) ||
	       ((c->role & ON_TARGET) && endpoint_announces(ep));
}

int64_t check_counter_growth(const struct check *c, const char *group, const char *name)
{
	int64_t now = counter_get(&c->snap->counters, group, name);
	int64_t then = c->before ? counter_get(&c->before->counters, group, name) : 0;

	return now > 0 && then != NVME_MPTCP_UNKNOWN && now > then ? now - then : 0;
}

int64_t check_counter_total(const struct check *c, const char *group, const char *name)
{
	int64_t now = counter_get(&c->snap->counters, group, name);

	return now > 0 ? now : 0;
}

static bool sees_announcements(const struct nvme_mptcp_trial *trial)
{
	return trial && trial->conn && trial->conn->fallback != 1 && trial->announced >= 0;
}

bool check_trial_is_complete(const struct check *c)
{
	const struct nvme_mptcp_trial *trial = c->trial;

	return trial && trial->conn && trial->expected > 0 && trial->established >= trial->expected;
}

bool check_has_followed(const struct check *c)
{
	bool unknown = false;

	if (sees_announcements(c->trial))
		return c->trial->announced > 0;
	FOR_EACH_CONN(c, conn) {
		const int64_t accepted = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED];

		if (accepted > 0)
			return true;
		unknown |= accepted < 0;
	}
	return unknown && check_announced(c);
}

int64_t check_announced(const struct check *c)
{
	return sees_announcements(c->trial) ? c->trial->announced
					    : check_counter_total(c, "MPTcpExt", "AddAddr");
}

int64_t check_recent_announcements(const struct check *c)
{
	if (sees_announcements(c->trial))
		return c->trial->announced;
	return c->before ? check_counter_growth(c, "MPTcpExt", "AddAddr") : 0;
}

int64_t check_counter_growth_or_total(const struct check *c, const char *name, bool hit)
{
	int64_t growth = check_counter_growth(c, "MPTcpExt", name);

	return growth || !hit ? growth : check_counter_total(c, "MPTcpExt", name);
}

bool check_all_fell_back(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (conn->fallback != 1)
			return false;
	return c->n_conns;
}

bool check_has_ports(const struct check *c)
{
	for (size_t i = 0; i < c->nvmet.n_ports; i++)
		if (c->nvmet.ports[i].subflows)
			return true;
	return false;
}

bool check_all_bypassed(const struct check *c)
{
	size_t n = 0;

	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		if (!check_covers_ctrl(c, ctrl))
			continue;
		if (!ctrl->is_bypassed)
			return false;
		n++;
	}
	return n && !c->n_conns && !c->before_connecting;
}

bool check_has_extra_subflows(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (conn->n_subflows > 1)
			return true;
	return false;
}

/* Return the wire on which several subflows carry the load of one connection. Backups do not count. */
static const struct nvme_mptcp_link *crowded_wire_of(const struct nvme_mptcp_connection *conn)
{
	const int64_t backup = NVME_MPTCP_SUBFLOW_BKUP_REM | NVME_MPTCP_SUBFLOW_BKUP_LOC;

	for (size_t i = 0; i < conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &conn->subflows[i];

		if (!sf->link || !subflow_carries(sf) || (sf->flags > 0 && (sf->flags & backup)))
			continue;
		for (size_t j = 0; j < i; j++)
			if (subflow_carries(&conn->subflows[j]) &&
			    link_shares_segment(conn->subflows[j].link, sf->link))
				return sf->link;
	}
	return NULL;
}

const struct nvme_mptcp_link *check_crowded_segment(const struct check *c)
{
	const struct nvme_mptcp_link *link = NULL;

	for (size_t i = 0; i < c->n_conns && !link; i++)
		link = crowded_wire_of(c->conns[i]);
	return link;
}

bool check_is_used_for(const struct check *c, const struct nvme_mptcp_endpoint *ep,
		       const struct in6_addr *dst, bool by_others)
{
	size_t used = 0, n = 0;

	FOR_EACH_CONN(c, conn) {
		bool has = false;

		if (address_equal(&conn->remote.ip, dst) == by_others)
			continue;
		FOR_EACH(sf, conn->subflows, conn->n_subflows)
			has |= subflow_carries(sf) && sf->link == endpoint_carrier(ep) &&
			       address_equal(&sf->local.ip, &ep->ip);
		used += has;
		n++;
	}
	return used && (by_others || used == n);
}

bool check_has_portal_family(const struct check *c, const struct in6_addr *ip)
{
	for (size_t i = 0; i < c->n_portals; i++)
		if (address_same_family(ip, &c->portals[i].address.ip))
			return true;
	return !c->n_portals;
}

bool check_is_initial(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	FOR_EACH_CONN(c, conn)
		if (!endpoint_is_initial(ep, conn))
			return false;
	return c->n_conns;
}

bool check_has_events(const struct check *c)
{
	return c->trial && c->trial->has_events && c->trial->conn;
}

/* Connections in @here but not in @there: of other programs, and of the checked controllers. */
struct arrivals {
	int64_t others, own;
};

static int count_arrivals(const struct check *c, const struct nvme_mptcp_snapshot *here,
			  const struct nvme_mptcp_snapshot *there, struct arrivals *ret)
{
	_cleanup_(idmap_free) struct idmap *known = idmap_new(there->n_connections);

	*ret = (struct arrivals){};
	if (!known)
		return -ENOMEM;
	for (size_t i = 0; i < there->n_connections; i++)
		if (idmap_put(known, there->connections[i].inode, &there->connections[i]))
			return -ENOMEM;
	FOR_EACH(conn, here->connections, here->n_connections) {
		if (idmap_get(known, conn->inode))
			continue;
		if (conn->ctrl || conn->shared || (c->trial && conn == c->trial->conn))
			ret->own++;
		else
			ret->others++;
	}
	return 0;
}

bool check_owns_counter_growth(struct check *c)
{
	int64_t started = check_counter_growth(c, "MPTcpExt", "MPCapableSYNTX");
	int64_t accepted = check_counter_growth(c, "MPTcpExt", "MPCapableSYNRX");
	struct arrivals came, went;

	if (!c->before)
		return true;
	if (count_arrivals(c, c->snap, c->before, &came) ||
	    count_arrivals(c, c->before, c->snap, &went)) {
		c->err = -ENOMEM;
		return false;
	}
	/* Connections that came and went in between were counted as well. */
	return !came.others && !went.others && (!accepted || (c->role & ON_TARGET)) &&
	       started <= (c->trial ? 1 : came.own);
}

/*
 * True if another program of this host accepts MPTCP connections at the endpoint's address, or has
 * some of its family at a wildcard address. Then the address is announced to those.
 */
static bool is_served_here(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;

	for (size_t i = 0; i < snap->n_listeners; i++)
		if (address_equal(&snap->listeners[i].local.ip, &ep->ip))
			return true;
	FOR_EACH(conn, snap->connections, snap->n_connections)
		if (!conn->ctrl && !conn->shared && endpoint_has_family(ep, &conn->local.ip) &&
		    snapshot_has_listener(snap, &conn->local.ip, conn->local.port))
			return true;
	return false;
}

/* True if the endpoint has a port of the target. A host does not listen for NVMe, so it is a mistake. */
static bool has_port_of_target(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	if (c->trial && c->trial->portal.port == ep->port)
		return true;
	for (size_t i = 0; i < c->n_portals; i++)
		if (c->portals[i].address.port == ep->port)
			return true;
	return false;
}

bool check_is_foreign_endpoint(struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	struct route_answer route = {};

	if ((c->role & ON_TARGET) || endpoint_starts_subflows(ep))
		return false;
	/* The kernel itself listens at the endpoint's port for announced joins. */
	if (ep->port ? !has_port_of_target(c, ep) : is_served_here(c, ep))
		return true;
	if (!ep->link || (ep->link->flags & IFF_LOOPBACK))
		return true;
	FOR_EACH(portal, c->portals, c->n_portals)
		if (address_same_family(&ep->ip, &portal->address.ip) &&
		    !c->ops->route(c, &ep->ip, ep->link->ifindex, &portal->address.ip, &route) &&
		    !route.assumed)
			return false;
	return c->n_portals;
}

bool check_is_carried(const struct check *c, const struct nvme_mptcp_link *link,
		      const struct in6_addr *local, const struct in6_addr *remote)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->state == STATE_ESTABLISHED && sf->link == link &&
		    address_equal(&sf->local.ip, local) && address_equal(&sf->remote.ip, remote))
			return true;
	return false;
}

bool check_is_used_by_all(const struct check *c, const struct in6_addr *local,
			  const struct nvme_mptcp_link *link)
{
	FOR_EACH_CONN(c, conn) {
		bool used = false;

		FOR_EACH(sf, conn->subflows, conn->n_subflows)
			used |= subflow_carries(sf) && sf->link == link &&
				address_equal(&sf->local.ip, local);
		if (!used)
			return false;
	}
	return c->n_conns;
}

bool check_link_may_be_down(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	if (ep->ifindex)
		return ep->device && !link_is_alive(ep->device);
	for (size_t i = 0; i < c->snap->n_links; i++)
		if (!link_is_alive(&c->snap->links[i]))
			return true;
	return false;
}

/*
 * Without a route, IPv4 takes the peer for a neighbour and IPv6 returns ENETUNREACH. Routes and
 * rules that forbid packets return other errors.
 */
int check_prohibiting_route(struct check *c, const struct in6_addr *local,
			    const struct in6_addr *remote)
{
	struct route_answer route = {};
	int err = c->ops->route(c, local, 0, remote, &route);

	/* It may be a rule of type unreachable, if other sources have a route. */
	if (err == -ENETUNREACH)
		return c->ops->route(c, NULL, 0, remote, &route) ? 0 : -EHOSTUNREACH;
	return err == -EACCES || err == -EINVAL || err == -EHOSTUNREACH ? err : 0;
}

bool check_is_misplaced(const struct check *c, const struct in6_addr *local,
			const struct nvme_mptcp_link *link)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_is_misplaced(ep) && ep->device == link &&
		    address_equal(&ep->ip, local))
			return true;
	return false;
}

bool check_link_is_unrouted(struct check *c, const struct nvme_mptcp_link *link,
			    const struct in6_addr *local, const struct in6_addr *remote)
{
	struct route_answer bound = {}, free = {};
	int err;

	if (!link || !link_is_alive(link))
		return false;
	err = c->ops->route(c, local, link->ifindex, remote, &bound);
	if (err ? err != -ENETUNREACH : !bound.assumed)
		return false;
	if (check_prohibiting_route(c, local, remote))
		return false;
	/* A routing rule leads there over this link but does not match once the device is given. */
	return c->ops->route(c, local, 0, remote, &free) || !free.gateway ||
	       free.ifindex != link->ifindex;
}

bool check_has_ways(struct check *c, const struct in6_addr *dst)
{
	return c->ops->has_multipath_route && c->ops->has_multipath_route(c, dst);
}

bool check_same_ends(const struct path_ends *x, const struct path_ends *y)
{
	return x->ifindex == y->ifindex && x->option == y->option &&
	       address_equal(&x->local, &y->local) && address_port_equal(&x->remote, &y->remote);
}

struct path_probe *check_find_probe(struct check *c, const struct path_ends *ends)
{
	for (size_t i = 0; i < c->n_asked; i++)
		if (check_same_ends(&c->asked[i].ends, ends))
			return &c->asked[i];
	if (c->no_probes || c->n_asked == MAX_PATH_PROBES)
		return NULL;
	c->asked[c->n_asked] = (struct path_probe){ .ends = *ends };
	return &c->asked[c->n_asked++];
}

/* Return the entry of an earlier check for this path; NULL if there is none. */
static const struct path_probe *find_earlier(const struct check *earlier,
					     const struct path_ends *ends)
{
	for (size_t i = 0; earlier && i < earlier->n_asked; i++)
		if (check_same_ends(&earlier->asked[i].ends, ends))
			return &earlier->asked[i];
	return NULL;
}

bool check_answers_echo(struct check *c, const struct path_ends *ends)
{
	const struct path_probe *known = find_earlier(c->earlier, ends);
	struct size_probe probe = { .ends = *ends, .bound = ends->ifindex, .mtu = ECHO_SIZE };
	struct path_probe *asked = check_find_probe(c, ends);

	if (c->no_probes || !c->ops->sizes)
		return false;
	if (known && known->echo_asked)
		return known->echo;
	if (asked && asked->echo_asked)
		return asked->echo;
	c->ops->sizes(c, &probe, 1);
	if (asked) {
		asked->echo_asked = true;
		asked->echo = probe.small;
	}
	return probe.small;
}

bool check_answers_once_told(struct check *c, const struct path_ends *ends, int ifindex)
{
	const struct path_probe *known = find_earlier(c->earlier, ends);
	struct path_probe *asked = check_find_probe(c, ends);

	if (c->no_probes || !c->ops->answers_once_told || !asked)
		return false;
	if (known && known->told_asked)
		return known->told;
	if (!asked->told_asked)
		asked->told = c->ops->answers_once_told(c, ends, ifindex);
	asked->told_asked = true;
	return asked->told;
}

const struct probe_result *check_probe_path(struct check *c, const struct path_ends *ends)
{
	const struct path_probe *known = find_earlier(c->earlier, ends);
	struct path_probe *asked = check_find_probe(c, ends);

	if (!asked || asked->is_asked)
		return asked ? &asked->answer : NULL;
	asked->is_asked = true;
	if (known && known->is_asked)
		asked->answer = known->answer;
	else if (c->ops->probe_result(c, ends, &asked->answer))
		asked->answer = (struct probe_result){};
	return &asked->answer;
}

bool check_portal_ends(struct check *c, struct path_ends *ret)
{
	struct route_answer route = {};

	if (!c->trial || c->trial->outcome != NVME_MPTCP_TRIAL_NO_CONNECTION ||
	    c->ops->route(c, NULL, 0, &c->trial->portal.ip, &route) ||
	    IN6_IS_ADDR_UNSPECIFIED(&route.source))
		return false;
	*ret = (struct path_ends){ route.source, c->trial->portal, 0 };
	return true;
}

void check_ends_of(const struct nvme_mptcp_event *ev, struct path_ends *ret)
{
	int64_t ifindex = ev->value[NVME_MPTCP_EVENT_IFINDEX];

	*ret = (struct path_ends){ ev->local.ip, ev->remote, ifindex > 0 ? (int)ifindex : 0 };
}

const char *check_owner_text(const struct nvme_mptcp_connection *conn)
{
	return conn->ctrl ? conn->ctrl->name : conn->shared ? "shared queues" : "the trial";
}

unsigned int check_announced_id(const struct check *c, const struct in6_addr *remote)
{
	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		const struct in6_addr *ip = trial_announced(c->trial, i);
		const int64_t id = c->trial->events[i].value[NVME_MPTCP_EVENT_ID_REMOTE];

		if (ip && address_equal(ip, remote) && id > 0)
			return (unsigned int)id;
	}
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->id_remote > 0 && address_equal(&sf->remote.ip, remote))
			return (unsigned int)sf->id_remote;
	return 0;
}
