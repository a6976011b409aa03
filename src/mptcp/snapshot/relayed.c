// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Controllers whose connections a relay carries. For the kernel they are controllers of plain TCP;
 * the relay knows which of its MPTCP sockets carries which queue, see relay-ask.h.
 */

#include <nvme/transport.h>

#include "mptcp/netlink/relay-ask.h"
#include "snapshot.h"

/*
 * The dumps of MPTCP do not have the connections that the relay made over TCP, nor those that it
 * accepted from hosts over TCP. Add them: for controllers and hosts they are what a fallback is.
 */
static int add_plain(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_inode = diag_index_inodes(snap);
	_cleanup_(idmap_free) struct idmap *plain = idmap_new(16);
	bool is_any = false;
	int err;

	if (!by_inode || !plain)
		return -ENOMEM;
	for (size_t i = 0; i < snap->relay->n_connections; i++) {
		struct nvme_mptcp_relay_connection *c = &snap->relay->connections[i];

		if (!c->is_fallback || !c->inode || idmap_get(by_inode, c->inode))
			continue;
		if (idmap_put(plain, c->inode, c))
			return -ENOMEM;
		is_any = true;
	}
	err = is_any ? diag_read_plain(snap, plain) : 0;
	if (err && err != -ENOMEM)
		problem_set(snap, NVME_MPTCP_SUBFLOWS, err, "TCP sockets: %s", strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Find the connections that the relay describes, by their inodes. */
static int find_relayed(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_inode = diag_index_inodes(snap);

	if (!by_inode)
		return -ENOMEM;
	for (size_t i = 0; i < snap->relay->n_connections; i++) {
		const struct nvme_mptcp_relay_connection *c = &snap->relay->connections[i];
		struct nvme_mptcp_connection *conn = idmap_get(by_inode, c->inode);

		if (conn && c->inode)
			conn->relayed = c;
	}
	return 0;
}

static int read_relay_status(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_relay_status **ret)
{
	struct nvme_mptcp_relay_status *status = calloc(1, sizeof(*status));
	int err = status ? relay_ask_now(status) : -ENOMEM;

	if (!err) {
		*ret = status;
		return 0;
	}
	nvme_mptcp_relay_status_free(status);
	/* If the relay does not answer, the rest of the snapshot remains valid. */
	if (err != -ENOENT && err != -ENOMEM)
		problem_set(snap, NVME_MPTCP_OWNERS, err == -ETIMEDOUT ? EAGAIN : err,
			    "connections of the relay: %s%s", strerror(-err),
			    err == -EACCES ? " (it answers only root)" : "");
	return err == -ENOMEM ? err : 0;
}

/* The relay accepts connections to these ports at any address. */
static int add_listeners(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->relay->n_ports; i++) {
		const struct listener added = { .local.port = snap->relay->ports[i] };

		if (array_push(&snap->listeners, &snap->n_listeners, &added, sizeof(added)))
			return -ENOMEM;
	}
	return 0;
}

int relayed_read(struct nvme_mptcp_snapshot *snap)
{
	int err = read_relay_status(snap, &snap->relay);

	if (!err && snap->relay)
		err = add_plain(snap) ?: find_relayed(snap);
	return err || !snap->relay ? err : add_listeners(snap);
}

bool relayed_has_portals(const struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; snap->relay && i < snap->relay->n_results; i++)
		if (*snap->relay->results[i].at)
			return true;
	return false;
}

bool relayed_accepts_port(const struct nvme_mptcp_snapshot *snap, uint16_t port)
{
	for (size_t i = 0; snap->relay && i < snap->relay->n_ports; i++)
		if (snap->relay->ports[i] == port)
			return true;
	return false;
}

bool relayed_accepts_on(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; snap->relay && i < snap->relay->n_links; i++)
		if (!strcmp(snap->relay->links[i], link->name))
			return true;
	return !snap->relay || !snap->relay->n_links;
}

static const struct nvme_mptcp_relay_result *find_served(const struct nvme_mptcp_snapshot *snap,
							 const struct nvme_mptcp_ctrl *ctrl)
{
	char at[ADDRESS_TEXT];

	if (!ctrl->has_portal || !snap->relay)
		return NULL;
	address_port_text(&ctrl->portal, at);
	for (size_t i = 0; i < snap->relay->n_results; i++)
		if (!strcmp(snap->relay->results[i].at, at))
			return &snap->relay->results[i];
	return NULL;
}

bool relayed_is_served(const struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl,
		       bool *is_bound)
{
	const struct nvme_mptcp_relay_result *served = find_served(snap, ctrl);
	const char *port = served ? strrchr(served->portal, ':') : NULL;
	char address[ADDRESS_TEXT];

	if (!port || !nvmf_transport_has(ctrl->transport, NVMF_TRANSPORT_DIGESTS))
		return false;
	*is_bound = !str_is_unset(ctrl->host_iface);
	if (*is_bound)
		return false;
	ctrl->is_served = true;
	if (served->is_steered)
		return true;
	/* Not steered: the controller connects to loopback, its connections to the portal. */
	str_copy(address, sizeof(address), served->portal, (size_t)(port - served->portal));
	return !address_parse_ip(address, &ctrl->portal.ip);
}

bool relayed_is_host(const struct nvme_mptcp_connection *conn)
{
	return conn->relayed && !conn->relayed->is_target;
}

bool relayed_is_plain(const struct nvme_mptcp_connection *conn)
{
	return relayed_is_host(conn) && conn->fallback == 1 && !conn->has_token && !conn->cookie;
}

bool relayed_owns(const struct nvme_mptcp_ctrl *ctrl, const struct nvme_mptcp_relay_connection *c)
{
	return ctrl->is_served && ctrl->cntlid == c->cntlid &&
	       str_eq(ctrl->subsysnqn, c->subsysnqn);
}

/* Search for TCP sockets that lead to a portal directly: not MPTCP, and not to the relay. */
struct search {
	struct nvme_mptcp_snapshot *snap;
	struct map *carried; /* set of controllers with a connection of the relay */
	struct map *portals; /* portals of other controllers; values point into found */
	struct map *peers; /* set of the other ends of sockets that lead to the relay */
	struct idmap *own; /* set of inodes: MPTCP connections and the relay's own sockets */
	bool *found;
	size_t n_found;
	uint16_t port; /* the same for all portals; 0: they differ */
};

#define CTRL_KEY 256

static const char *key_of(char key[static CTRL_KEY], int64_t cntlid, const char *subsysnqn)
{
	snprintf(key, CTRL_KEY, "%" PRId64 " %s", cntlid, subsysnqn ? subsysnqn : "");
	return key;
}

static bool may_be_bypassed(const struct nvme_mptcp_ctrl *ctrl)
{
	return ctrl->is_served && ctrl_state_is_live(ctrl) && !ctrl->set.count && !ctrl->n_shared;
}

static int note_carried(struct search *s, const struct nvme_mptcp_relay_status *relay)
{
	char key[CTRL_KEY];

	for (size_t i = 0; i < s->snap->n_connections; i++)
		if (s->snap->connections[i].inode &&
		    idmap_put(s->own, s->snap->connections[i].inode, s))
			return -ENOMEM;
	for (size_t i = 0; i < relay->n_connections; i++) {
		const struct nvme_mptcp_relay_connection *c = &relay->connections[i];

		if ((c->inode && idmap_put(s->own, c->inode, s)) || map_put(s->peers, c->peer, s) ||
		    (!c->is_target && map_put(s->carried, key_of(key, c->cntlid, c->subsysnqn), s)))
			return -ENOMEM;
	}
	return 0;
}

static bool is_uncarried(const struct search *s, const struct nvme_mptcp_ctrl *ctrl)
{
	char key[CTRL_KEY];

	return may_be_bypassed(ctrl) &&
	       !map_get(s->carried, key_of(key, ctrl->cntlid, ctrl->subsysnqn));
}

static bool *portal_found(const struct search *s, const struct nvme_mptcp_ctrl *ctrl)
{
	char at[ADDRESS_TEXT];

	address_port_text(&ctrl->portal, at);
	return map_get(s->portals, at);
}

static int note_portals(struct search *s)
{
	char at[ADDRESS_TEXT];

	for (size_t i = 0; i < s->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &s->snap->ctrls[i];

		if (!is_uncarried(s, ctrl) || portal_found(s, ctrl))
			continue;
		s->port = !s->n_found || s->port == ctrl->portal.port ? ctrl->portal.port : 0;
		address_port_text(&ctrl->portal, at);
		if (map_put(s->portals, at, &s->found[s->n_found++]))
			return -ENOMEM;
	}
	return 0;
}

static int note_direct_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_subflow sf;
	struct search *s = arg;
	int err = diag_parse_subflow(nlh, &sf);
	char end[ADDRESS_TEXT];
	bool *found;

	if (err)
		return err;
	if (sf.has_token || sf.cookie || (sf.inode && idmap_get(s->own, sf.inode)))
		return 0;
	address_port_text(&sf.remote, end);
	found = map_get(s->portals, end);
	if (!found)
		return 0;
	address_port_text(&sf.local, end);
	if (!map_get(s->peers, end))
		*found = true;
	return 0;
}

static int search_direct(struct search *s)
{
	static const int families[] = { AF_INET, AF_INET6 };
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_SOCK_DIAG);

	for (size_t i = 0; i < 2 && !err; i++) {
		nl_diag_request(&nl, families[i], IPPROTO_TCP, 1 << STATE_ESTABLISHED)
			->id.idiag_dport = htons(s->port);
		/* A repeated dump keeps the sockets found: they existed when they were seen. */
		err = nl_dump(&nl, note_direct_socket, NULL, s);
	}
	return err;
}

static int search_all(struct search *s, const struct nvme_mptcp_relay_status *relay)
{
	int err;

	if (!s->carried || !s->portals || !s->peers || !s->own || !s->found)
		return -ENOMEM;
	err = note_carried(s, relay) ?: note_portals(s);
	if (!err && s->n_found)
		err = search_direct(s);
	for (size_t i = 0; i < s->snap->n_ctrls && !err; i++) {
		struct nvme_mptcp_ctrl *ctrl = &s->snap->ctrls[i];

		ctrl->is_bypassed = is_uncarried(s, ctrl) && *portal_found(s, ctrl);
	}
	return err;
}

/* Ask the relay and the kernel again: a connection may have been made since the snapshot. */
static int search_bypassed(void *arg)
{
	struct nvme_mptcp_relay_status *now = NULL;
	struct nvme_mptcp_snapshot *snap = arg;
	struct search s = { .snap = snap };
	int err = read_relay_status(snap, &now);

	if (!now)
		return err;
	s.carried = map_new(now->n_connections);
	s.portals = map_new(snap->n_ctrls);
	s.peers = map_new(now->n_connections);
	s.own = idmap_new(snap->n_connections + now->n_connections);
	s.found = calloc(snap->n_ctrls + 1, sizeof(*s.found));
	err = search_all(&s, now);
	map_free(s.carried);
	map_free(s.portals);
	map_free(s.peers);
	idmap_free(s.own);
	free(s.found);
	nvme_mptcp_relay_status_free(now);
	if (err && err != -ENOMEM) {
		problem_set(snap, NVME_MPTCP_OWNERS, err, "TCP sockets: %s", strerror(-err));
		err = 0;
	}
	return err;
}

int relayed_find_bypassed(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_ctrls; i++)
		if (may_be_bypassed(&snap->ctrls[i]))
			return netns_run(snap->netns, search_bypassed, snap);
	return 0;
}

GETTER_OF(bool, nvme_mptcp_ctrl_is_relayed, nvme_mptcp_ctrl_t,
	  object->is_served && !object->is_bypassed);
GETTER(bool, nvme_mptcp_ctrl_is_bypassed, nvme_mptcp_ctrl_t, is_bypassed);
