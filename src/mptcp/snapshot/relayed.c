// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Controllers whose connections a relay carries. To the kernel they are controllers of plain TCP; the
 * relay knows which of its MPTCP sockets carries which queue, see relay-ask.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>

#include <nvme/transport.h>

#include "base/map.h"
#include "base/str.h"
#include "mptcp/netlink/netns.h"
#include "mptcp/netlink/relay-ask.h"
#include "snapshot.h"

DEFINE_CLEANUP(struct idmap *, idmap_free);

/* Connections of which the relay tells more, by the inode that both of them show. */
static int find_relayed(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_inode = idmap_new(snap->n_connections);

	if (!by_inode)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (conn->inode && idmap_put(by_inode, conn->inode, conn))
			return -ENOMEM;
	}
	for (size_t i = 0; i < snap->relay->n_connections; i++) {
		const struct nvme_mptcp_relay_connection *c = &snap->relay->connections[i];
		struct nvme_mptcp_connection *conn = idmap_get(by_inode, c->inode);

		if (conn && c->inode)
			conn->relayed = c;
	}
	return 0;
}

static int ask_again(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_relay_status **ret)
{
	struct nvme_mptcp_relay_status *status = calloc(1, sizeof(*status));
	int err = status ? relay_ask_now(status) : -ENOMEM;

	if (!err) {
		*ret = status;
		return 0;
	}
	nvme_mptcp_relay_status_free(status);
	/* One that is stopped for a moment keeps nobody from the rest. */
	if (err != -ENOENT && err != -ENOMEM)
		problem_set(snap, NVME_MPTCP_OWNERS, err == -ETIMEDOUT ? EAGAIN : err,
			    "connections of the relay: %s%s", strerror(-err),
			    err == -EACCES ? " (it answers root)" : "");
	return err == -ENOMEM ? err : 0;
}

/* What arrives for such a port is taken, whatever the address. */
static int add_listeners(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->relay->n_ports; i++) {
		struct listener *added =
			array_add(&snap->listeners, &snap->n_listeners, sizeof(*added));

		if (!added)
			return -ENOMEM;
		*added = (struct listener){ .local.port = snap->relay->ports[i] };
	}
	return 0;
}

int relayed_read(struct nvme_mptcp_snapshot *snap)
{
	int err = ask_again(snap, &snap->relay);

	if (!err && snap->relay)
		err = find_relayed(snap);
	return err || !snap->relay ? err : add_listeners(snap);
}

bool relayed_serves(const struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; snap->relay && i < snap->relay->n_results; i++)
		if (*snap->relay->results[i].at)
			return true;
	return false;
}

bool relayed_takes(const struct nvme_mptcp_snapshot *snap, uint16_t port)
{
	for (size_t i = 0; snap->relay && i < snap->relay->n_ports; i++)
		if (snap->relay->ports[i] == port)
			return true;
	return false;
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

bool relayed_is_served(const struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl)
{
	const struct nvme_mptcp_relay_result *served = find_served(snap, ctrl);
	const char *port = served ? strrchr(served->portal, ':') : NULL;
	char address[ADDRESS_TEXT];

	/* One bound to a network interface, which no relay can take. */
	if (!port || !nvmf_transport_has(ctrl->transport, NVMF_TRANSPORT_DIGESTS) ||
	    !str_is_unset(ctrl->host_iface))
		return false;
	ctrl->is_served = true;
	if (served->is_steered)
		return true;
	/* By address: the connections lead to the portal that the loopback address stands for. */
	str_copy(address, sizeof(address), served->portal, (size_t)(port - served->portal));
	return !address_parse_ip(address, &ctrl->portal.ip);
}

bool relayed_is_host(const struct nvme_mptcp_connection *conn)
{
	return conn->relayed && !conn->relayed->is_target;
}

bool relayed_owns(const struct nvme_mptcp_ctrl *ctrl, const struct nvme_mptcp_relay_connection *c)
{
	return ctrl->is_served && ctrl->cntlid == c->cntlid &&
	       str_eq(ctrl->subsysnqn, c->subsysnqn);
}

/* Ends of a portal's sockets that neither are MPTCP nor lead to the relay. */
struct search {
	struct nvme_mptcp_snapshot *snap;
	const struct nvme_mptcp_relay_status *relay;
	const struct socket_address *portal;
	bool found;
};

static int look_at_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_subflow sf;
	struct search *search = arg;
	int err = diag_parse_subflow(nlh, &sf);
	char end[ADDRESS_TEXT];

	if (err)
		return err;
	if (sf.has_token || !address_port_equal(&sf.remote, search->portal))
		return 0;
	for (size_t i = 0; i < search->snap->n_connections; i++)
		if (sf.inode && search->snap->connections[i].inode == sf.inode)
			return 0;
	address_port_text(&sf.local, end);
	for (size_t i = 0; i < search->relay->n_connections; i++)
		if (!strcmp(search->relay->connections[i].peer, end) ||
		    (search->relay->connections[i].inode == sf.inode && sf.inode))
			return 0;
	search->found = true;
	return 0;
}

static void restart_search(void *arg)
{
	((struct search *)arg)->found = false;
}

static int search_direct(struct search *search)
{
	struct inet_diag_req_v2 req = {
		.sdiag_family = address_is_v4(&search->portal->ip) ? AF_INET : AF_INET6,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = 1 << STATE_ESTABLISHED,
		.id.idiag_dport = htons(search->portal->port),
	};
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_SOCK_DIAG);

	if (err)
		return err;
	memcpy(mnl_nlmsg_put_extra_header(nl_request(&nl, SOCK_DIAG_BY_FAMILY, 0), sizeof(req)),
	       &req, sizeof(req));
	return nl_dump(&nl, look_at_socket, restart_search, search);
}

static bool has_relayed(const struct nvme_mptcp_ctrl *ctrl,
			const struct nvme_mptcp_relay_status *relay)
{
	for (size_t i = 0; i < relay->n_connections; i++)
		if (!relay->connections[i].is_target && relayed_owns(ctrl, &relay->connections[i]))
			return true;
	return false;
}

static bool may_be_bypassed(const struct nvme_mptcp_ctrl *ctrl)
{
	return ctrl->is_served && str_eq(ctrl->state, "live") && !ctrl->set.count &&
	       !ctrl->n_shared;
}

/* A moment later, one may have been about to connect: the relay is asked again, and the kernel. */
static int search_bypassed(void *arg)
{
	struct nvme_mptcp_relay_status *now = NULL;
	struct nvme_mptcp_snapshot *snap = arg;
	int err = ask_again(snap, &now);

	for (size_t i = 0; now && i < snap->n_ctrls && !err; i++) {
		struct nvme_mptcp_ctrl *ctrl = &snap->ctrls[i];
		struct search search = { .snap = snap, .relay = now, .portal = &ctrl->portal };

		if (!may_be_bypassed(ctrl) || has_relayed(ctrl, now))
			continue;
		err = search_direct(&search);
		ctrl->is_bypassed = !err && search.found;
	}
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

bool nvme_mptcp_ctrl_is_relayed(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->is_served && !ctrl->is_bypassed;
}

bool nvme_mptcp_ctrl_is_bypassed(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->is_bypassed;
}
