// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens and closes a relay, and accepts its connections. */
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/versioned.h"
#include "steering.h"

#define SEND_BUFFER (256 * 1024)
#define LOCK_NAME "nvme-mptcp-relay"

_Static_assert(ADDRESS_TEXT <= sizeof(((struct nvme_mptcp_relay_pair *)0)->portal), "texts fit");

int nvme_mptcp_relay_new(const struct nvme_mptcp_relay_args *args, nvme_mptcp_relay_t *ret)
{
	struct nvme_mptcp_relay_args known;
	struct nvme_mptcp_relay *relay = NULL;
	int err;

	failure_begin();
	err = versioned_take(&known, args);
	if (!err) {
		relay = calloc(1, sizeof(*relay));
		err = relay ? 0 : -ENOMEM;
	}
	if (!err) {
		relay->lock = relay->control = -1;
		err = relay_parse(relay, &known);
	}
	if (!err && relay->send_buffer < 0)
		err = failure_note(-EINVAL, "send_buffer=%d: invalid size", relay->send_buffer);
	if (!err && !relay->send_buffer)
		relay->send_buffer = SEND_BUFFER;
	if (!err)
		err = relay_plan_listeners(relay);
	if (err) {
		nvme_mptcp_relay_free(relay);
		return failure_raise(err, "a relay");
	}
	*ret = relay;
	return 0;
}

static void close_all(struct nvme_mptcp_relay *relay)
{
	relay_filter_close(relay->filter);
	relay->filter = NULL;
	nl_close(&relay->rules_changed);
	if (relay->has_routes)
		relay_routes_remove();
	relay->has_routes = false;
	for (size_t i = 0; i < relay->n_listeners; i++) {
		if (relay->listeners[i].fd >= 0)
			close(relay->listeners[i].fd);
		relay->listeners[i].fd = -1;
	}
	nl_close(&relay->diag);
	relay_close_inherited(relay);
	relay_control_close(relay);
	if (relay->lock >= 0)
		close(relay->lock);
	relay->lock = -1;
}

void nvme_mptcp_relay_free(nvme_mptcp_relay_t relay)
{
	if (!relay)
		return;
	close_all(relay);
	for (size_t i = 0; i < relay->n_notices; i++)
		free(relay->notices[i]);
	free(relay->notices);
	free(relay->portals);
	free(relay->direct);
	free(relay->ports);
	free(relay->links);
	free(relay->listeners);
	free(relay->rules);
	free(relay);
}

/* Return the @i-th open listener. Some are not open if the machine has no IPv6. */
static struct relay_listener *find_listener(struct nvme_mptcp_relay *relay, size_t i)
{
	for (size_t j = 0; j < relay->n_listeners; j++)
		if (relay->listeners[j].fd >= 0 && !i--)
			return &relay->listeners[j];
	return NULL;
}

/* Look for what nvme_mptcp_relay_open() would find: ports in use, and present connections. */
static int foresee(struct nvme_mptcp_relay *relay)
{
	int err = relay_plan_redirects(relay);

	if (err || !relay->n_portals || relay->by_address)
		return err;
	err = nl_open(&relay->diag, NETLINK_SOCK_DIAG);
	if (!err)
		err = relay_find_direct(relay);
	nl_close(&relay->diag);
	return err;
}

const char *nvme_mptcp_relay_rules(nvme_mptcp_relay_t relay)
{
	int err = 0;

	free(relay->rules);
	relay->rules = NULL;
	failure_begin();
	if (!find_listener(relay, 0))
		err = foresee(relay);
	if (!err)
		err = relay_rules_text(relay, true, &relay->rules);
	if (err)
		failure_raise(err, "rules");
	return relay->rules;
}

/*
 * Take the lock of the network namespace, a socket with an abstract name, which ends with the
 * process. Any user can take the name, so only a socket of root counts as another relay.
 */
static int take_lock(struct nvme_mptcp_relay *relay)
{
	static const struct sockaddr_un name = { .sun_family = AF_UNIX,
						 .sun_path = "\0" LOCK_NAME };
	const socklen_t size = offsetof(struct sockaddr_un, sun_path) + sizeof(LOCK_NAME);
	_cleanup_(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred owner = { .uid = (uid_t)-1 };
	socklen_t length = sizeof(owner);

	relay->lock = relay_take_inherited(relay, (const struct sockaddr *)&name, size, 0);
	if (relay->lock >= 0)
		return 0;
	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)&name, size)) {
		if (listen(fd, 8))
			return -errno;
		relay->lock = steal_fd(&fd);
		return 0;
	}
	if (errno != EADDRINUSE)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&name, size) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &length) || owner.uid)
		return 0;
	return failure_note(-EBUSY,
			    "process %d already runs a relay in this network namespace, "
			    "which can have only one (systemctl status "
			    "nvme-mptcp-relay.service)",
			    (int)owner.pid);
}

static int open_rules(struct nvme_mptcp_relay *relay)
{
	_cleanup_(free) char *table = NULL;
	int err;

	/*
	 * The rules follow at once: connections made in between are reset, and connect again over
	 * the relay.
	 */
	err = relay->n_portals && !relay->by_address ? relay_find_direct(relay) : 0;
	if (!err)
		err = relay_rules_text(relay, false, &table);
	if (!err) {
		err = relay_routes_set(relay);
		relay->has_routes = !err;
	}
	/* Programs such as systemd-networkd remove rules that are not theirs. */
	if (!err && relay->n_portals && !relay->by_address)
		err = relay_routes_watch(&relay->rules_changed);
	return err || relay->by_address ? err : relay_filter_open(table, &relay->filter);
}

/*
 * A host's relay listens over TCP, so missing MPTCP would otherwise only show with the first
 * connection.
 */
static int check_mptcp(struct nvme_mptcp_relay *relay)
{
	_cleanup_(close) int fd =
		relay->n_portals ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP) : -1;

	if (fd >= 0 || !relay->n_portals)
		return 0;
	if (errno == ENOPROTOOPT)
		return relay_note(relay, "MPTCP is disabled: connections are plain TCP, over one "
					 "link, until it is enabled (sysctl net.mptcp.enabled=1)");
	return failure_note(errno == EPROTONOSUPPORT ? -EOPNOTSUPP : -errno,
			    "a socket of MPTCP: %s", strerror(errno));
}

int nvme_mptcp_relay_open(nvme_mptcp_relay_t relay)
{
	int err;

	failure_begin();
	err = take_lock(relay);
	if (!err)
		err = nl_open(&relay->diag, NETLINK_SOCK_DIAG);
	if (!err)
		err = check_mptcp(relay);
	if (!err)
		err = relay_listen(relay);
	/* Rules come last, so that connections that they steer find their listener. */
	if (!err)
		err = open_rules(relay);
	if (!err)
		return 0;
	close_all(relay);
	return failure_raise(err, "a relay");
}

int nvme_mptcp_relay_try(nvme_mptcp_relay_t relay, nvme_mptcp_relay_t running)
{
	int err;

	failure_begin();
	err = relay_try_listeners(relay, running);
	return err ? failure_raise(err, "a relay") : 0;
}

const char *nvme_mptcp_relay_notice(nvme_mptcp_relay_t relay, size_t i)
{
	return i < relay->n_notices ? relay->notices[i] : NULL;
}

static bool is_lock(struct nvme_mptcp_relay *relay, size_t i)
{
	return relay->lock >= 0 && !find_listener(relay, i) && (!i || find_listener(relay, i - 1));
}

static bool is_watch(struct nvme_mptcp_relay *relay, size_t i)
{
	return relay->rules_changed.sock && i && is_lock(relay, i - 1);
}

/* After them come the lock, and what reports changes of routing rules. */
int nvme_mptcp_relay_listener(nvme_mptcp_relay_t relay, size_t i)
{
	const struct relay_listener *listener = find_listener(relay, i);

	if (is_watch(relay, i))
		return mnl_socket_get_fd(relay->rules_changed.sock);
	return listener ? listener->fd : is_lock(relay, i) ? relay->lock : -1;
}

static int follow_rules(struct nvme_mptcp_relay *relay)
{
	int err = relay_routes_follow(relay, &relay->rules_changed);

	return err ? err : -EAGAIN;
}

/*
 * Another relay that starts connects to the lock to see whose it is. Take that connection: with a
 * full queue, the next one would not see it.
 */
static int answer_lock(const struct nvme_mptcp_relay *relay)
{
	_cleanup_(close) int fd = accept4(relay->lock, NULL, NULL, SOCK_CLOEXEC);

	return fd < 0 && errno != EINTR ? -errno : -EAGAIN;
}

bool relay_is_portal(const struct nvme_mptcp_relay *relay, const struct socket_address *at)
{
	for (size_t i = 0; i < relay->n_portals; i++)
		if (address_port_equal(&relay->portals[i], at))
			return true;
	return false;
}

bool nvme_mptcp_relay_serves(nvme_mptcp_relay_t relay, const char *portal, int accepted)
{
	struct sockaddr_storage name;
	struct socket_address at, local;
	socklen_t size = sizeof(name);

	if (relay_parse_portal(portal, &at) || !relay_is_portal(relay, &at))
		return false;
	/* Packets of a connection to the portal itself arrive only while rules steer them. */
	return !relay->by_address || getsockname(accepted, (struct sockaddr *)&name, &size) ||
	       relay_from_sockaddr(&name, &local) || !address_port_equal(&local, &at);
}

/* An accepted connection, and its destination. */
struct taken {
	struct socket_address local, remote, to;
};

static int check_owner(struct nvme_mptcp_relay *relay, const struct relay_listener *listener,
		       const struct taken *t)
{
	char peer[ADDRESS_TEXT], at[ADDRESS_TEXT];
	uint32_t uid = 0;
	int err = relay_peer_uid(&relay->diag, listener->family, &t->local, &t->remote, &uid);

	if (!err && !uid)
		return 0;
	address_port_text(&t->remote, peer);
	address_port_text(&t->to, at);
	if (err)
		return failure_note(-EACCES, "%s to %s: its other end is unknown (%s)", peer, at,
				    strerror(-err));
	return failure_note(
		-EACCES,
		"%s to %s: a process of user %u, and only connections of the kernel are "
		"relayed",
		peer, at, uid);
}

/*
 * Set the destination. Return -EACCES for a connection that no rule steered: it would lead back to
 * the relay.
 */
static int decide_target(struct nvme_mptcp_relay *relay, const struct relay_listener *listener,
			 struct taken *t)
{
	char at[ADDRESS_TEXT];

	t->to = t->local;
	switch (listener->kind) {
	case RELAY_HOST:
		if (relay_is_portal(relay, &t->local))
			return check_owner(relay, listener, t);
		break;
	case RELAY_ADDRESS:
		t->to = listener->portal;
		return check_owner(relay, listener, t);
	case RELAY_TARGET:
	case RELAY_REDIRECT:
		t->to.port = listener->portal.port;
		if (!address_is_loopback(&t->local.ip))
			return 0;
		break;
	}
	address_port_text(&t->local, at);
	return failure_note(-EACCES, "a connection to %s, which is not a portal", at);
}

/*
 * Limit the send buffer: what is queued behind a full link is late and counted nowhere, and MPTCP
 * would queue megabytes. Errors are ignored: kernels that cannot set these options on MPTCP sockets
 * still relay, slower.
 */
static void set_buffers(const struct nvme_mptcp_relay *relay, int fd)
{
	const int on = 1, size = relay->send_buffer;

	/* Without CAP_NET_ADMIN, net.core.wmem_max is the maximum. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Bind to the address that nvme-tcp chose, so that the path remains the same. */
static int bind_source(int fd, const struct taken *t)
{
	struct socket_address from = { .ip = t->remote.ip };
	struct sockaddr_storage at;
	const int on = 1;
	socklen_t size = relay_sockaddr(&from, &at);

	setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return bind(fd, (const struct sockaddr *)&at, size) ? -errno : 0;
}

static int set_mark(int fd)
{
	const unsigned int mark = RELAY_OWN_MARK;

	return setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) ? -errno : 0;
}

/* Open a socket. If MPTCP is disabled, TCP over one link is better than no connection. */
static int open_socket(int family, bool is_mptcp)
{
	const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int fd = socket(family, type, is_mptcp ? IPPROTO_MPTCP : IPPROTO_TCP);

	return fd < 0 && errno == ENOPROTOOPT ? socket(family, type, IPPROTO_TCP) : fd;
}

/* Return a socket that is connecting, or -errno. */
static int begin_connect(const struct nvme_mptcp_relay *relay, enum relay_kind kind, bool is_mptcp,
			 const struct taken *t)
{
	const int family = address_is_v4(&t->to.ip) ? AF_INET : AF_INET6;
	_cleanup_(close) int fd = open_socket(family, is_mptcp);
	struct sockaddr_storage to;
	socklen_t size = relay_sockaddr(&t->to, &to);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (kind != RELAY_ADDRESS)
		err = set_mark(fd);
	if (!err && kind == RELAY_HOST)
		err = bind_source(fd, t);
	if (err)
		return err;
	set_buffers(relay, fd);
	if (connect(fd, (const struct sockaddr *)&to, size) && errno != EINPROGRESS)
		return -errno;
	return steal_fd(&fd);
}

int nvme_mptcp_relay_connect(nvme_mptcp_relay_t relay, const char *portal, const char *peer,
			     bool is_mptcp)
{
	const enum relay_kind kind = relay->by_address ? RELAY_ADDRESS : RELAY_HOST;
	struct taken t = {};
	int err, fd;

	failure_begin();
	err = relay_parse_portal(portal, &t.to);
	if (!err)
		err = relay_parse_portal(peer, &t.remote);
	fd = err ? err : begin_connect(relay, kind, is_mptcp, &t);
	return fd < 0 ? failure_raise(fd, portal) : fd;
}

static void reset_taken(int fd)
{
	const struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

static int read_addresses(int fd, const struct sockaddr_storage *from, struct taken *t)
{
	struct sockaddr_storage local;
	socklen_t size = sizeof(local);

	if (getsockname(fd, (struct sockaddr *)&local, &size))
		return -errno;
	if (relay_from_sockaddr(&local, &t->local))
		return -EAFNOSUPPORT;
	return relay_from_sockaddr(from, &t->remote);
}

static int take_and_connect(struct nvme_mptcp_relay *relay, const struct relay_listener *listener,
			    struct nvme_mptcp_relay_pair *pair)
{
	struct taken t = {};
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	int err;

	pair->accepted = accept4(listener->fd, (struct sockaddr *)&from, &size,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (pair->accepted < 0)
		return errno == ECONNABORTED || errno == EINTR ? -EAGAIN : -errno;
	pair->is_target = listener->kind == RELAY_TARGET || listener->kind == RELAY_REDIRECT;
	err = read_addresses(pair->accepted, &from, &t);
	if (!err)
		err = decide_target(relay, listener, &t);
	address_port_text(&t.to, pair->portal);
	address_port_text(&t.remote, pair->peer);
	if (!err) {
		set_buffers(relay, pair->accepted);
		pair->made = begin_connect(relay, listener->kind, !pair->is_target, &t);
		err = pair->made < 0 ? pair->made : 0;
	}
	if (err)
		reset_taken(pair->accepted);
	return err;
}

int nvme_mptcp_relay_accept(nvme_mptcp_relay_t relay, size_t i, struct nvme_mptcp_relay_pair *ret)
{
	const struct relay_listener *listener = find_listener(relay, i);
	struct nvme_mptcp_relay_pair pair = { .accepted = -1, .made = -1 };
	int err;

	failure_begin();
	err = listener		   ? take_and_connect(relay, listener, &pair)
	      : is_lock(relay, i)  ? answer_lock(relay)
	      : is_watch(relay, i) ? follow_rules(relay)
				   : -EINVAL;
	if (err) {
		pair.accepted = pair.made = -1;
		*ret = pair;
		return failure_raise(err, "a connection to relay");
	}
	*ret = pair;
	return 0;
}
