// SPDX-License-Identifier: LGPL-2.1-or-later
/* Link the objects of a snapshot: subflows to connections, links and endpoints; and sort them. */
#include "snapshot.h"

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/*
 * Put connections that fit the same controllers next to each other. Within a group sort by inode,
 * which grows roughly in the order of creation; the local port does not.
 */
static int by_group(const void *a, const void *b)
{
	const struct nvme_mptcp_connection *x = a, *y = b;

	return address_port_compare(&x->remote, &y->remote)
		       ?: memcmp(&x->local.ip, &y->local.ip, sizeof(x->local.ip))
		       ?: COMPARE(x->ifindex, y->ifindex)
		       ?: COMPARE(!x->relayed, !y->relayed)
		       ?: COMPARE(x->inode, y->inode)
		       ?: COMPARE(x->token, y->token);
}

/* Sort by connection, the initial subflow first; subflows without connection come last. */
static int by_connection(const void *a, const void *b)
{
	const struct nvme_mptcp_subflow *x = a, *y = b;

	return COMPARE(!x->connection, !y->connection)
		       ?: COMPARE(x->connection, y->connection)
		       ?: COMPARE(x->id_local, y->id_local)
		       ?: COMPARE(x->id_remote, y->id_remote)
		       ?: address_port_compare(&x->local, &y->local)
		       ?: address_port_compare(&x->remote, &y->remote);
}

static int by_id(const void *a, const void *b)
{
	const struct nvme_mptcp_endpoint *x = a, *y = b;

	return COMPARE(x->id, y->id);
}

static int by_address(const void *a, const void *b)
{
	const struct nvme_mptcp_endpoint *x = *(struct nvme_mptcp_endpoint *const *)a;
	const struct nvme_mptcp_endpoint *y = *(struct nvme_mptcp_endpoint *const *)b;

	return memcmp(&x->ip, &y->ip, sizeof(x->ip));
}

/*
 * A subflow has the local token of its connection (MPTCP_SUBFLOW_ATTR_TOKEN_LOC, net/mptcp/diag.c).
 * If the kernel hides it from the caller, use the inode, which both share.
 */
static int find_connections(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_token = idmap_new(snap->n_connections);
	_cleanup_(idmap_free) struct idmap *by_inode = idmap_new(snap->n_connections);
	_cleanup_(idmap_free) struct idmap *by_cookie = idmap_new(16);
	bool has_hidden = false, has_shown = false;

	if (!by_token || !by_inode || !by_cookie)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		if ((conn->has_token && idmap_put(by_token, conn->token, conn)) ||
		    (conn->cookie && idmap_put(by_cookie, conn->cookie, conn)) ||
		    (conn->inode && idmap_put(by_inode, conn->inode, conn)))
			return -ENOMEM;
	}
	for (size_t i = 0; i < snap->n_subflows; i++) {
		struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		if (sf->has_token) {
			sf->connection = idmap_get(by_token, sf->token);
			has_shown = true;
		} else if (sf->cookie) {
			sf->connection = idmap_get(by_cookie, sf->cookie);
			has_shown = true;
		} else {
			sf->connection = idmap_get(by_inode, sf->inode);
			has_hidden |= sf->state == STATE_ESTABLISHED &&
				      !(sf->connection && sf->connection->fallback == 1);
		}
	}
	/* Closing sockets show no token to anyone, so one token proves privilege. */
	if (has_hidden && !has_shown)
		problem_set(snap, NVME_MPTCP_SUBFLOWS, EPERM,
			    "ids and flags of subflows: this kernel shows them to root only");
	return 0;
}

/*
 * Connections are dumped before the subflows, and again if one is missing (diag.c). A subflow
 * without connection is left over from a connection that has ended meanwhile, and ends with it.
 */
static void count_orphans(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = snap->n_subflows; i && !snap->subflows[i - 1].connection; i--)
		snap->n_orphans++;
}

/* True if no interface that is up has the address, so that no packet to it is delivered. */
static bool has_no_address(const struct nvme_mptcp_snapshot *snap, const struct in6_addr *ip)
{
	const struct local_address *own = snapshot_find_address(snap, ip);
	const struct local_address *end = snap->addresses + snap->n_addresses;

	if (!snap->n_addresses || snap->problem[NVME_MPTCP_ADDRESSES].err ||
	    snap->problem[NVME_MPTCP_LINKS].err)
		return false;
	for (; own && own < end && address_equal(&own->ip, ip); own++) {
		const struct nvme_mptcp_link *link = link_by_index(snap, own->ifindex);

		if (!link || nvme_mptcp_link_is_up(link))
			return false;
	}
	return true;
}

static void attach_subflows(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_subflows; i++) {
		struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		address_port_text(&sf->local, sf->local_text);
		address_port_text(&sf->remote, sf->remote_text);
		/* Links of unbound subflows are found later by snapshot_read_routes(). */
		sf->link = sf->ifindex ? link_by_index(snap, sf->ifindex) : NULL;
		/* Nor if its interface is gone: a new one with the same name is another one. */
		sf->has_no_address = has_no_address(snap, &sf->local.ip) ||
				     (sf->ifindex && !sf->link && snap->n_links &&
				      !snap->problem[NVME_MPTCP_LINKS].err);
		if (!sf->connection)
			continue;
		if (!sf->connection->n_subflows++)
			sf->connection->subflows = sf;
	}
}

static int join_endpoints(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(free) struct nvme_mptcp_endpoint **sorted = NULL;
	bool subflows_known = !snap->problem[NVME_MPTCP_CONNECTIONS].err &&
			      !snap->problem[NVME_MPTCP_SUBFLOWS].err;

	if (!snap->n_endpoints)
		return 0;
	sorted = calloc(snap->n_endpoints, sizeof(struct nvme_mptcp_endpoint *));
	if (!sorted)
		return -ENOMEM;
	qsort(snap->endpoints, snap->n_endpoints, sizeof(*snap->endpoints), by_id);
	for (size_t i = 0; i < snap->n_endpoints; i++) {
		struct nvme_mptcp_endpoint *ep = &snap->endpoints[i];
		const struct local_address *owner = snapshot_find_address(snap, &ep->ip);

		ep->device = ep->ifindex ? link_by_index(snap, ep->ifindex) : NULL;
		ep->link = owner ? link_by_index(snap, owner->ifindex) : NULL;
		ep->subflows = subflows_known ? 0 : NVME_MPTCP_UNKNOWN;
		sorted[i] = ep;
	}
	if (!subflows_known)
		return 0;
	qsort(sorted, snap->n_endpoints, sizeof(struct nvme_mptcp_endpoint *), by_address);
	for (size_t i = 0; i < snap->n_subflows; i++) {
		struct nvme_mptcp_endpoint key = { .ip = snap->subflows[i].local.ip };
		const struct nvme_mptcp_endpoint *wanted = &key;
		struct nvme_mptcp_endpoint **found;

		if (snap->subflows[i].state != STATE_ESTABLISHED)
			continue;
		found = bsearch(&wanted, sorted, snap->n_endpoints,
				sizeof(struct nvme_mptcp_endpoint *), by_address);
		if (found)
			(*found)->subflows++;
	}
	return 0;
}

static bool lacks_zone(const struct nvme_mptcp_connection *conn)
{
	return !conn->ifindex && IN6_IS_ADDR_LINKLOCAL(&conn->remote.ip);
}

/* The kernel binds the initial subflow to a link-local address's zone, but not the connection. */
static int find_zones(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_token = NULL;

	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (!lacks_zone(conn) || !conn->has_token)
			continue;
		if (!by_token)
			by_token = idmap_new(16);
		if (!by_token || idmap_put(by_token, conn->token, conn))
			return -ENOMEM;
	}
	for (size_t i = 0; by_token && i < snap->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &snap->subflows[i];
		struct nvme_mptcp_connection *conn =
			sf->has_token ? idmap_get(by_token, sf->token) : NULL;

		if (conn && address_port_equal(&sf->local, &conn->local) &&
		    address_port_equal(&sf->remote, &conn->remote))
			conn->ifindex = sf->ifindex;
	}
	return 0;
}

int snapshot_join(struct nvme_mptcp_snapshot *snap)
{
	int err = find_zones(snap);

	if (err)
		return err;
	if (snap->n_connections)
		qsort(snap->connections, snap->n_connections, sizeof(*snap->connections), by_group);
	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		address_port_text(&conn->local, conn->local_text);
		address_port_text(&conn->remote, conn->remote_text);
	}
	err = find_connections(snap);
	if (err)
		return err;
	if (snap->n_subflows)
		qsort(snap->subflows, snap->n_subflows, sizeof(*snap->subflows), by_connection);
	count_orphans(snap);
	attach_subflows(snap);
	return join_endpoints(snap);
}
