// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Guards for commands that delete or renew an endpoint, disable a port or reset a controller. Data
 * that is carried now is more important than a rule about settings: a command that closes a working
 * subflow of any program is printed only if another subflow is known to replace it. Otherwise the
 * finding gets a sentence instead of the command.
 */
#include <string.h>

#include "rules.h"
#include "mptcp/plan/endpoint-edit.h"
#include "mptcp/trial/trial-state.h"

/* Working subflows that would end with an endpoint, and their connections. */
struct loss {
	size_t subflows, connections;
	size_t others; /* connections of other programs */
	size_t only; /* connections without another working subflow */
	size_t uncovered; /* connections without another subflow on the same wire */
	size_t unannounced; /* connections without an ending subflow to an announced address */
};

static bool is_of_trial(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	const struct nvme_mptcp_connection *tried = c->trial ? c->trial->conn : NULL;

	/* The trial has ended. */
	return tried && conn->inode == tried->inode && conn->token == tried->token;
}

/* A port of a bond or bridge receives nothing itself. A VRF's ports do. */
static bool is_port(const struct check *c, const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *master =
		link && link->master ? link_by_index(c->snap, link->master) : NULL;

	return master && !master->vrf;
}

/* Without its local address a subflow gets no replies, whatever its state. */
static bool is_working(const struct check *c, const struct nvme_mptcp_subflow *sf)
{
	return subflow_carries(sf) && !is_port(c, sf->link) &&
	       (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_ADDRESSES) || !c->snap->n_addresses ||
		snapshot_find_address(c->snap, &sf->local.ip));
}

static bool ends_with(const struct check *c, const struct nvme_mptcp_subflow *sf,
		      const struct nvme_mptcp_endpoint *ep)
{
	return is_working(c, sf) && endpoint_has_subflow(ep, sf);
}

/* The link of an unbound subflow is known only if its route has one next hop. */
static bool is_link_known(struct check *c, const struct nvme_mptcp_subflow *sf)
{
	return sf->link && (sf->is_bound || !check_has_ways(c, &sf->remote.ip));
}

static bool shares_wire(struct check *c, const struct nvme_mptcp_subflow *x,
			const struct nvme_mptcp_subflow *y)
{
	return is_link_known(c, x) && is_link_known(c, y) && link_shares_segment(x->link, y->link);
}

/* True if a subflow that stays is on the same wire. */
static bool is_doubled(struct check *c, const struct nvme_mptcp_subflow *sf,
		       const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_connection *conn = sf->connection;

	for (size_t i = 0; i < conn->n_subflows; i++)
		if (is_working(c, &conn->subflows[i]) && !ends_with(c, &conn->subflows[i], ep) &&
		    shares_wire(c, sf, &conn->subflows[i]))
			return true;
	return false;
}

static void add_connection(struct check *c, const struct nvme_mptcp_connection *conn,
			   const struct nvme_mptcp_endpoint *ep, struct loss *loss)
{
	size_t ending = 0, staying = 0, announced = 0;
	bool uncovered = false;

	FOR_EACH(sf, conn->subflows, conn->n_subflows) {
		if (!ends_with(c, sf, ep)) {
			staying += is_working(c, sf);
			continue;
		}
		ending++;
		announced += !address_equal(&sf->remote.ip, &conn->remote.ip);
		uncovered |= !is_doubled(c, sf, ep);
	}
	if (!ending)
		return;
	loss->subflows += ending;
	loss->connections++;
	loss->others += !conn->ctrl && !conn->shared && !(c->role & ON_TARGET);
	loss->only += !staying;
	loss->uncovered += uncovered;
	loss->unannounced += !announced;
}

/* Count over all connections of the namespace, since endpoints apply to all of them. */
static struct loss count_loss(struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	struct loss loss = {};

	for (size_t i = 0; i < snap->n_connections; i++)
		if (!is_of_trial(c, &snap->connections[i]))
			add_connection(c, &snap->connections[i], ep, &loss);
	/* Without privileges the owner of these is unknown. */
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (!snap->subflows[i].connection && ends_with(c, &snap->subflows[i], ep)) {
			loss.subflows++;
			loss.others++;
		}
	return loss;
}

bool check_carries(struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	return count_loss(c, ep).subflows;
}

/* True if the target's initial address, which the endpoint joins, answers over this link. */
static bool is_answered(struct check *c, const struct nvme_mptcp_subflow *sf, int ifindex)
{
	const struct path_ends ends = { sf->local.ip, sf->connection->remote, ifindex };
	const struct probe_result *probe_result = check_probe_path(c, &ends);

	return probe_result && probe_result->known && probe_result->connected;
}

/*
 * A path that passes plain TCP may strip MP_JOIN: only a trial proves that joins arrive. If the
 * endpoint moves, its join would still leave over the old link: is_answered() has to suffice.
 */
static bool proves_join(struct check *c, const struct nvme_mptcp_subflow *sf, int ifindex)
{
	const struct nvme_mptcp_connection *conn = sf->connection;
	const bool stays = sf->link && sf->link->ifindex == ifindex;
	const struct join_proof proof = { .remote = conn->remote,
					  .source = conn->local.ip,
					  .ip = sf->local.ip,
					  .ifindex = conn->ifindex,
					  .join_ifindex = stays ? ifindex : 0 };

	return c->ops->joins && c->ops->joins(c, &proof);
}

static bool closes_with(const struct check *c, const struct nvme_mptcp_subflow *sf,
			const struct nvme_mptcp_endpoint *ep)
{
	return sf->connection && !is_of_trial(c, sf->connection) && ends_with(c, sf, ep);
}

/* One trial per portal is enough. */
static bool is_first_to_portal(const struct check *c, const struct nvme_mptcp_subflow *sf,
			       const struct nvme_mptcp_endpoint *ep)
{
	for (const struct nvme_mptcp_subflow *other = c->snap->subflows; other < sf; other++)
		if (closes_with(c, other, ep) &&
		    address_port_equal(&other->connection->remote, &sf->connection->remote))
			return false;
	return true;
}

/* True if each subflow that ends with the endpoint can start again on @dev (NULL: the same). */
static bool can_start_again(struct check *c, const struct nvme_mptcp_endpoint *ep, const char *dev)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	const struct nvme_mptcp_link *link = dev ? plan_link_by_name(snap, dev) : ep->device;
	const int ifindex = link ? link->ifindex : 0;

	if (c->role & ON_TARGET)
		return false;
	FOR_EACH(sf, snap->subflows, snap->n_subflows)
		if (closes_with(c, sf, ep) && !is_answered(c, sf, ifindex))
			return false;
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (closes_with(c, &snap->subflows[i], ep) &&
		    is_first_to_portal(c, &snap->subflows[i], ep) &&
		    !proves_join(c, &snap->subflows[i], ifindex))
			return false;
	return true;
}

static void explain_kept_subflows(struct check *c, struct nvme_mptcp_finding *f,
				  const struct loss *loss)
{
	const bool only = loss->only;

	finding_fact(c, f, only ? "only_subflows_of" : "living_subflows", "%zu",
		     only ? loss->only : loss->subflows);
	if (only)
		finding_why_more(c, f,
				 ". It has the only subflows of %zu connection%s, which "
				 "end if you delete it: change it when nothing is connected",
				 loss->only, loss->only == 1 ? "" : "s");
	else
		finding_why_more(c, f,
				 ". It has %zu subflow%s that work%s, of %zu connection%s%s. "
				 "Deleting it closes them: change it when nothing is connected",
				 loss->subflows, loss->subflows == 1 ? "" : "s",
				 loss->subflows == 1 ? "s" : "", loss->connections,
				 loss->connections == 1 ? "" : "s",
				 loss->others ? ", including those of other programs" : "");
}

/* True if a connection misses subflows that others have or new ones get, or has useless ones. */
static bool can_gain_subflows(const struct check *c, const struct nvme_mptcp_set *set)
{
	size_t least = SIZE_MAX, most = 0, waiting = 0;

	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next) {
		const size_t n = connection_count_established(conn);

		if (connection_has_userspace_manager(c->snap, conn))
			return true;
		least = n < least ? n : least;
		most = n > most ? n : most;
		for (size_t i = 0; i < conn->n_subflows; i++)
			waiting += conn->subflows[i].state == STATE_SYN_SENT;
	}
	nvme_mptcp_for_each_coverage((nvme_mptcp_set_t)set, coverage)
		waiting += nvme_mptcp_coverage_count(coverage, NVME_MPTCP_SUPERFLUOUS);
	return least != most || most < 2 || waiting || set->fallback ||
	       nvme_mptcp_set_missing((nvme_mptcp_set_t)set);
}

/* Connections shared by several controllers count for each of them. */
static bool has_all_subflows(const struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	if (ctrl->set.count && can_gain_subflows(c, &ctrl->set))
		return false;
	FOR_EACH(sh, c->snap->shared, c->snap->n_shared)
		for (size_t j = 0; j < sh->n_ctrls; j++)
			if (sh->ctrls[j] == ctrl && can_gain_subflows(c, &sh->set))
				return false;
	return ctrl->n_shared || ctrl->expected < 0 || ctrl->set.count == (size_t)ctrl->expected;
}

/* Evidence, from a controller's connections, that new connections would succeed. */
struct reconnect_evidence {
	bool works; /* an initial subflow carries data */
	const struct nvme_mptcp_connection *other; /* one that has only other working subflows */
};

static void inspect_connections(const struct check *c, const struct nvme_mptcp_set *set,
				struct reconnect_evidence *ret)
{
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		FOR_EACH(sf, conn->subflows, conn->n_subflows) {
			if (!is_working(c, sf))
				continue;
			if (address_equal(&sf->local.ip, &conn->local.ip) &&
			    address_equal(&sf->remote.ip, &conn->remote.ip) &&
			    sf->value[NVME_MPTCP_TIMEOUTS] <= 0)
				ret->works = true;
			else
				ret->other = conn;
		}
}

/* True if the controller's connections can be established again. */
static bool can_reconnect(struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	struct reconnect_evidence in = {};
	const struct probe_result *probe_result;
	struct path_ends ends;

	inspect_connections(c, &ctrl->set, &in);
	for (size_t i = 0; i < c->snap->n_shared; i++)
		for (size_t j = 0; j < c->snap->shared[i].n_ctrls; j++)
			if (c->snap->shared[i].ctrls[j] == ctrl)
				inspect_connections(c, &c->snap->shared[i].set, &in);
	if (in.works || !in.other)
		return true;
	ends = (struct path_ends){ in.other->local.ip, in.other->remote, in.other->ifindex };
	probe_result = check_probe_path(c, &ends);
	return probe_result && probe_result->known && probe_result->connected;
}

bool fix_gate_reset(struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	return !has_all_subflows(c, ctrl);
}

/* Store the ends of a plain TCP connection of the controller. Return false if none is known. */
static bool find_plain(const struct nvme_mptcp_ctrl *ctrl, struct path_ends *ret)
{
	const struct nvme_mptcp_connection *conn = ctrl->set.first;

	while (conn && conn->fallback != 1)
		conn = conn->next;
	if (conn)
		*ret = check_conn_ends(conn);
	else
		*ret = (struct path_ends){ ctrl->source, ctrl->portal };
	return conn || (ctrl->is_bypassed && ctrl->has_portal && ctrl->has_source);
}

static bool is_unanswered(struct check *c, const struct path_ends *ends)
{
	const struct probe_result *probe_result = check_probe_path(c, ends);

	return probe_result && probe_result->known && !probe_result->connected;
}

bool fix_gate_reconnect(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_ctrl *ctrl)
{
	struct path_ends plain;
	const bool is_plain = find_plain(ctrl, &plain);

	/*
	 * The kernel transport gives up before a SYN without the option is sent; a relay would use
	 * plain TCP again.
	 */
	if (is_plain && check_drops_option(c, &plain)) {
		finding_why_more(c, f,
				 ". %s works over plain TCP, but SYNs with the MPTCP option get no "
				 "reply: a reset would not bring MPTCP back",
				 ctrl->name);
		return false;
	}
	if (is_plain && is_unanswered(c, &plain)) {
		finding_why_more(c, f,
				 ". %s works, but a new connection to its portal is not accepted: "
				 "it would not come back after a reset",
				 ctrl->name);
		return false;
	}
	if (can_reconnect(c, ctrl))
		return true;
	finding_why_more(c, f,
			 ". %s works over subflows that joined later, but nothing answers on the "
			 "route over which its connections start: it would not come back after a "
			 "reset",
			 ctrl->name);
	return false;
}

static bool all_can_reconnect(struct check *c)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls)
		if (check_covers_ctrl(c, ctrl) && !can_reconnect(c, ctrl))
			return false;
	return true;
}

static bool may_end(struct check *c, const struct nvme_mptcp_endpoint *ep, const struct loss *loss,
		    enum gate_proof proof, const char *dev)
{
	if (!loss->subflows)
		return true;
	if (loss->only || loss->others)
		return false;
	switch (proof) {
	case GATE_REDUNDANT:
		return !loss->uncovered;
	case GATE_ANNOUNCED:
		return !loss->uncovered || (!loss->unannounced && all_can_reconnect(c));
	default:
		return can_start_again(c, ep, dev);
	}
}

/* Without privileges or kernel modules the subflows are unknown. */
static bool hides_subflows(const struct check *c)
{
	return !snapshot_shows_subflows(c->snap) &&
	       (c->snap->n_connections ||
		nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS));
}

bool fix_gate_endpoint(struct check *c, struct nvme_mptcp_finding *f,
		       const struct nvme_mptcp_endpoint *ep, enum gate_proof proof, const char *dev)
{
	const struct loss loss = count_loss(c, ep);

	if (hides_subflows(c)) {
		finding_why_more(c, f,
				 ". Its subflows are not visible here, so no command that may "
				 "close one is printed");
		return false;
	}
	if (may_end(c, ep, &loss, proof, dev))
		return true;
	explain_kept_subflows(c, f, &loss);
	return false;
}

bool fix_gate_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	size_t n = 0;

	for (size_t i = 0; i < snap->n_connections && port->has_address; i++)
		n += snap->connections[i].local.port == port->address.port &&
		     address_covers(&port->address.ip, &snap->connections[i].local.ip) &&
		     connection_count_established(&snap->connections[i]);
	/* Plain TCP connections are not in the snapshot. */
	if (!port->subflows && port->n_subsystems)
		finding_why_more(c, f,
				 ". Hosts that are connected to port %s, which are not "
				 "visible here, lose their connections while it is changed",
				 port->name);
	if (!n)
		return true;
	finding_fact(c, f, "connections", "%zu", n);
	finding_why_more(c, f,
			 ". %zu connection%s of hosts end%s while port %s is disabled: change it "
			 "when no host is connected, or offer the subsystems on another port",
			 n, n == 1 ? "" : "s", n == 1 ? "s" : "", port->name);
	return false;
}
