// SPDX-License-Identifier: LGPL-2.1-or-later
/* The listeners of a relay. */
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "steering.h"

#ifndef IPV6_TRANSPARENT
#define IPV6_TRANSPARENT 75
#endif

#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78
#endif

#define BACKLOG 1024
/* Addresses that no listener has. */
#define UNUSED_V4 "127.77.0.3"
#define UNUSED_V6 "100::4420"

int relay_note(struct nvme_mptcp_relay *relay, const char *fmt, ...)
{
	char **added = array_add(&relay->notices, &relay->n_notices, sizeof(*added));
	va_list ap;
	int n;

	if (!added)
		return -ENOMEM;
	va_start(ap, fmt);
	n = vasprintf(added, fmt, ap);
	va_end(ap);
	if (n >= 0)
		return 0;
	relay->n_notices--;
	return -ENOMEM;
}

socklen_t relay_sockaddr(const struct socket_address *at, struct sockaddr_storage *ret)
{
	const struct ip_addr ip = { .in6 = at->ip };

	return address_to_sockaddr(address_is_v4(&at->ip) ? AF_INET : AF_INET6, &ip, at->port, ret);
}

int relay_from_sockaddr(const struct sockaddr_storage *from, struct socket_address *ret)
{
	struct ip_addr ip;

	if (!address_from_sockaddr((const struct sockaddr *)from, &ip))
		return -EAFNOSUPPORT;
	ret->ip = ip.in6;
	ret->port =
		ntohs(from->ss_family == AF_INET ? ((const struct sockaddr_in *)from)->sin_port
						 : ((const struct sockaddr_in6 *)from)->sin6_port);
	return 0;
}

uint16_t relay_redirect_port(uint16_t port)
{
	return port > 55535 ? port - 10000 : port + 10000;
}

static struct relay_listener *add_listener(struct nvme_mptcp_relay *relay, enum relay_kind kind,
					   int family)
{
	struct relay_listener *listener =
		array_add(&relay->listeners, &relay->n_listeners, sizeof(*listener));

	if (listener)
		*listener = (struct relay_listener){ .kind = kind, .fd = -1, .family = family };
	return listener;
}

static int plan_host(struct nvme_mptcp_relay *relay, int family)
{
	struct relay_listener *listener;

	for (size_t i = 0; i < relay->n_portals; i++) {
		if (address_is_v4(&relay->portals[i].ip) != (family == AF_INET))
			continue;
		listener = add_listener(relay, RELAY_HOST, family);
		if (!listener)
			return -ENOMEM;
		listener->at.port = RELAY_HOST_PORT;
		return address_parse_ip(family == AF_INET ? RELAY_HOST_V4 : RELAY_V6,
					&listener->at.ip);
	}
	return 0;
}

static int plan_addresses(struct nvme_mptcp_relay *relay)
{
	for (size_t i = 0; i < relay->n_portals; i++) {
		struct relay_listener *listener = add_listener(relay, RELAY_ADDRESS, AF_INET);
		char at[ADDRESS_TEXT], portal[ADDRESS_TEXT];

		if (!listener)
			return -ENOMEM;
		listener->portal = relay->portals[i];
		listener->at = relay_loopback_address(&listener->portal);
		address_port_text(&listener->at, at);
		address_port_text(&listener->portal, portal);
		if (relay_note(relay, "Connect to %s for portal %s", at, portal))
			return -ENOMEM;
	}
	return 0;
}

static int plan_target(struct nvme_mptcp_relay *relay, int family)
{
	for (size_t i = 0; i < relay->n_ports; i++) {
		struct relay_listener *listener = add_listener(relay, RELAY_TARGET, family);

		if (!listener)
			return -ENOMEM;
		listener->portal.port = listener->at.port = relay->ports[i];
		/* Cannot fail. */
		address_parse_ip(family == AF_INET ? RELAY_TARGET_V4 : RELAY_V6, &listener->at.ip);
	}
	return 0;
}

int relay_plan_listeners(struct nvme_mptcp_relay *relay)
{
	int err = relay->by_address ? plan_addresses(relay) : plan_host(relay, AF_INET);

	if (!err && !relay->by_address)
		err = plan_host(relay, AF_INET6);
	if (!err)
		err = plan_target(relay, AF_INET);
	if (!err)
		err = plan_target(relay, AF_INET6);
	return err;
}

static int set_transparent(int fd, int family)
{
	const int on = 1;

	return family == AF_INET ? setsockopt(fd, SOL_IP, IP_TRANSPARENT, &on, sizeof(on))
				 : setsockopt(fd, SOL_IPV6, IPV6_TRANSPARENT, &on, sizeof(on));
}

static bool is_mptcp(const struct relay_listener *listener)
{
	return listener->kind == RELAY_TARGET || listener->kind == RELAY_REDIRECT;
}

/* Return a listening socket, an inherited or a new one, or -errno. */
static int new_listener(struct nvme_mptcp_relay *relay, const struct relay_listener *listener)
{
	const bool is_steered = listener->kind == RELAY_HOST || listener->kind == RELAY_TARGET;
	const int protocol = is_mptcp(listener) ? IPPROTO_MPTCP : IPPROTO_TCP;
	_cleanup_(close) int fd = -1;
	struct sockaddr_storage at;
	const socklen_t size = relay_sockaddr(&listener->at, &at);
	const int on = 1;
	const int left = relay_take_inherited(relay, (const struct sockaddr *)&at, size, protocol);

	if (left >= 0)
		return left;
	fd = socket(listener->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (listener->family == AF_INET6)
		setsockopt(fd, SOL_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (is_steered && set_transparent(fd, listener->family))
		return -errno;
	/*
	 * IPv6 only: "::" is all IPv6 addresses, and IPv4 listeners use the v4-mapped unspecified
	 * address.
	 */
	if (bind(fd, (const struct sockaddr *)&at, size) || listen(fd, BACKLOG))
		return -errno;
	return steal_fd(&fd);
}

static int refuse_listener(const struct relay_listener *listener, int err)
{
	char at[ADDRESS_TEXT];

	address_port_text(&listener->at, at);
	return failure_note(err, "listening on %s%s: %s%s", at,
			    is_mptcp(listener) ? " (MPTCP)" : "", strerror(-err),
			    err == -EPERM ? " (accepting connections for other addresses requires "
					    "CAP_NET_ADMIN)"
			    : err == -EADDRINUSE ? " (ss -ltnp shows which program has the port)"
			    : err == -EPROTONOSUPPORT || err == -ENOPROTOOPT
				    ? " (MPTCP is missing or disabled: sysctl net.mptcp.enabled)"
				    : "");
}

/*
 * nvmet has the port on all addresses: redirect packets to a port of the relay, which requires
 * connection tracking.
 */
static int plan_redirect(struct nvme_mptcp_relay *relay, struct relay_listener *listener)
{
	const uint16_t port = relay_redirect_port(listener->portal.port);

	listener->kind = RELAY_REDIRECT;
	listener->at = (struct socket_address){ .port = port };
	if (listener->family == AF_INET)
		memset(&listener->at.ip.s6_addr[10], 0xff, 2);
	/* One notice for both families. */
	for (size_t i = 0; &relay->listeners[i] != listener; i++)
		if (relay->listeners[i].kind == RELAY_REDIRECT &&
		    relay->listeners[i].at.port == port)
			return 0;
	return relay_note(
		relay,
		"Port %u is in use on all addresses, probably by a port of nvmet: connections "
		"are redirected to port %u, which a firewall has to permit. With one nvmet port "
		"for each address, no redirection is required",
		listener->portal.port, port);
}

static int redirect(struct nvme_mptcp_relay *relay, struct relay_listener *listener)
{
	int err = plan_redirect(relay, listener);

	if (err)
		return err;
	listener->fd = new_listener(relay, listener);
	return listener->fd < 0 ? refuse_listener(listener, listener->fd) : 0;
}

/*
 * Find out if a program has the port on all addresses. No program has the address that is tried,
 * which need not exist, so a relay that runs does not matter. Return 1, 0 or -errno.
 */
static int ask_if_taken(const struct relay_listener *listener)
{
	const bool is_v4 = listener->family == AF_INET;
	_cleanup_(close) int fd = socket(listener->family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct socket_address at = listener->at;
	struct sockaddr_storage name;
	const int on = 1;
	socklen_t size;

	if (fd < 0)
		return errno == EAFNOSUPPORT ? 0 : -errno;
	address_parse_ip(is_v4 ? UNUSED_V4 : UNUSED_V6, &at.ip);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    (is_v4 ? setsockopt(fd, SOL_IP, IP_FREEBIND, &on, sizeof(on))
		   : setsockopt(fd, SOL_IPV6, IPV6_FREEBIND, &on, sizeof(on))))
		return -errno;
	size = relay_sockaddr(&at, &name);
	return bind(fd, (const struct sockaddr *)&name, size) && errno == EADDRINUSE;
}

int relay_plan_redirects(struct nvme_mptcp_relay *relay)
{
	int err = 0;

	for (size_t i = 0; err >= 0 && i < relay->n_listeners; i++) {
		if (relay->listeners[i].kind != RELAY_TARGET)
			continue;
		err = ask_if_taken(&relay->listeners[i]);
		if (err > 0)
			err = plan_redirect(relay, &relay->listeners[i]);
	}
	return err;
}

static int listen_one(struct nvme_mptcp_relay *relay, struct relay_listener *listener)
{
	listener->fd = new_listener(relay, listener);
	if (listener->fd >= 0)
		return 0;
	if (listener->fd == -EADDRINUSE && listener->kind == RELAY_TARGET)
		return redirect(relay, listener);
	return refuse_listener(listener, listener->fd);
}

/* True if @running has this listener, or the one that replaces it if nvmet has its port. */
static bool is_running(const struct nvme_mptcp_relay *running,
		       const struct relay_listener *listener)
{
	for (size_t i = 0; i < running->n_listeners; i++) {
		const struct relay_listener *other = &running->listeners[i];

		if (other->fd >= 0 && other->family == listener->family &&
		    is_mptcp(other) == is_mptcp(listener) &&
		    (is_mptcp(other) ? other->portal.port == listener->portal.port
				     : address_port_equal(&other->at, &listener->at)))
			return true;
	}
	return false;
}

static int listen_all(struct nvme_mptcp_relay *relay, const struct nvme_mptcp_relay *running)
{
	for (size_t i = 0; i < relay->n_listeners; i++) {
		struct relay_listener *listener = &relay->listeners[i];
		int err =
			running && is_running(running, listener) ? 0 : listen_one(relay, listener);

		/* A machine without IPv6 has no IPv6 connections to relay. */
		if (err && listener->family == AF_INET6 && is_mptcp(listener) &&
		    (listener->fd == -EAFNOSUPPORT || listener->fd == -EADDRNOTAVAIL))
			err = 0;
		if (err)
			return err;
	}
	return 0;
}

int relay_listen(struct nvme_mptcp_relay *relay)
{
	return listen_all(relay, NULL);
}

int relay_try_listeners(struct nvme_mptcp_relay *relay, const struct nvme_mptcp_relay *running)
{
	const int err = listen_all(relay, running);

	for (size_t i = 0; i < relay->n_listeners; i++) {
		if (relay->listeners[i].fd >= 0)
			close(relay->listeners[i].fd);
		relay->listeners[i].fd = -1;
	}
	return err;
}
