// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trial connection: connect like a host's queue, exchange ICReq and ICResp so that the connection
 * becomes fully established, take snapshots, and reset the connection.
 */
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/pause.h"
#include "base/versioned.h"
#include "transport.h"
#include "mptcp/netlink/relay-ask.h"
#include "pdu.h"
#include "trial-state.h"

#define TIMEOUT_MS 6000 /* must exceed the kernel's retries without the option: 1 + 2 + 1 s */
#define WATCH_MS 3500 /* must exceed the 3 s after which the kernel gives up on a neighbour */
#define DEFAULT_PORT 4420
#define CLOSED_AT_ONCE \
	"the other end closed the connection instead of answering: is a port of a target enabled " \
	"there? Does it require TLS?"
#define SHOWN_BYTES 16 /* of a reply that is not NVMe/TCP */

struct attempt {
	const struct nvme_mptcp_trial_args *args;
	struct nvme_mptcp_trial *trial;
	struct watch watch;
	unsigned int timeout;
	uint16_t port;
	int fd;
};

/* Set the reason: one sentence about the portal. Returns 0 or -ENOMEM. */
static int set_reason(struct nvme_mptcp_trial *trial, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int set_reason(struct nvme_mptcp_trial *trial, const char *fmt, ...)
{
	va_list ap;
	int n;

	free(trial->reason);
	va_start(ap, fmt);
	n = vasprintf(&trial->reason, fmt, ap);
	va_end(ap);
	if (n >= 0)
		return 0;
	trial->reason = NULL;
	return -ENOMEM;
}

static int no_socket(struct nvme_mptcp_trial *trial, int err)
{
	trial->outcome = NVME_MPTCP_TRIAL_NO_SOCKET;
	trial->err = err;
	switch (err) {
	case EPROTONOSUPPORT:
	case EINVAL:
		return set_reason(trial, "this kernel has no MPTCP");
	case ENOPROTOOPT:
		return set_reason(trial, "MPTCP is disabled here (net.mptcp.enabled=0)");
	case EAFNOSUPPORT:
		return set_reason(trial, "this kernel has no MPTCP over this address family");
	}
	return set_reason(trial, "no MPTCP socket: %s", strerror(err));
}

static int no_target(struct attempt *a, const char *why)
{
	a->trial->outcome = NVME_MPTCP_TRIAL_NO_TARGET;
	return set_reason(a->trial, "%s", why);
}

static int no_connection(struct attempt *a, int err)
{
	a->trial->outcome = NVME_MPTCP_TRIAL_NO_CONNECTION;
	a->trial->err = err;
	switch (err) {
	case ECONNREFUSED:
		return set_reason(a->trial, "connection refused: no target listens there");
	case ETIMEDOUT:
		return set_reason(a->trial,
				  "no answer within %u seconds: no machine has this address, or "
				  "something on the path drops packets",
				  a->timeout / 1000);
	case EHOSTUNREACH:
		return set_reason(a->trial,
				  "no route to host: no machine answers for this address");
	case ENETUNREACH:
		return set_reason(a->trial, "this machine has no route to that network");
	case EPERM:
	case EACCES:
		return set_reason(a->trial,
				  "blocked by this machine's firewall or security module");
	case EADDRNOTAVAIL:
		return set_reason(a->trial,
				  "no local port is left for this address "
				  "(net.ipv4.ip_local_port_range), or it is not an address of this "
				  "machine");
	case ECONNRESET:
		/* What refuses a SYN makes this ECONNREFUSED. */
		return no_target(a, CLOSED_AT_ONCE);
	}
	return set_reason(a->trial, "%s", strerror(err));
}

/* Wait until @fd is ready for @events. Returns 0, -ETIMEDOUT or -errno. */
static int wait_for(int fd, short events, int64_t deadline)
{
	for (;;) {
		struct pollfd ready = { .fd = fd, .events = events };
		int64_t left = deadline - trial_clock();
		int n = left > 0 ? pause_poll(&ready, (int)left) : 0;

		if (n > 0)
			return 0;
		if (!n)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int refuse_iface(const struct nvme_mptcp_trial_args *args, int err)
{
	return failure_note(-err, "host_iface=%s: %s%s%s%s", args->host_iface,
			    err == ENODEV ? "no such network interface" : strerror(err),
			    args->netns ? " in network namespace " : "",
			    args->netns ? args->netns : "",
			    err == ENODEV ? " (ip link lists them)" : "");
}

/* Bind like nvme-tcp. Errors are those of the caller's arguments. */
static int bind_ends(struct attempt *a, int family)
{
	const struct nvme_mptcp_trial_args *args = a->args;
	struct sockaddr_storage address;
	struct ip_addr source;
	socklen_t size;
	int err;

	if (args->host_iface && setsockopt(a->fd, SOL_SOCKET, SO_BINDTODEVICE, args->host_iface,
					   (socklen_t)strlen(args->host_iface)))
		return refuse_iface(args, errno);
	if (!args->host_traddr)
		return 0;
	err = address_parse(args->host_traddr, &source);
	if (err)
		return failure_refuse_address("host_traddr", args->host_traddr, err);
	if ((family == AF_INET && !address_is_v4(&source.in6)) ||
	    (family == AF_INET6 && address_is_v4(&source.in6) &&
	     !address_is_v4(&a->trial->portal.ip)))
		return failure_note(-EINVAL,
				    "host_traddr=%s: not of the address family of traddr=%s",
				    args->host_traddr, args->traddr);
	size = address_to_sockaddr(family, &source, 0, &address);
	if (!bind(a->fd, (struct sockaddr *)&address, size))
		return 0;
	err = -errno;
	return failure_note(err, "host_traddr=%s: %s", args->host_traddr,
			    err == -EADDRNOTAVAIL ? "no interface here has this address"
						  : strerror(-err));
}

static void note_local(struct attempt *a)
{
	struct sockaddr_storage address = {};
	socklen_t size = sizeof(address);
	struct ip_addr ip;

	if (getsockname(a->fd, (struct sockaddr *)&address, &size) ||
	    !address_from_sockaddr((struct sockaddr *)&address, &ip))
		return;
	a->trial->local.ip = ip.in6;
	/* The port is at the same offset for both families. */
	a->trial->local.port = ntohs(((struct sockaddr_in *)&address)->sin_port);
}

/*
 * Returns 1 if connected, 0 if not (the outcome is set), or -errno for invalid arguments or a lack
 * of memory.
 */
static int connect_portal(struct attempt *a)
{
	const struct nvme_mptcp_trial_args *args = a->args;
	/* The kernel treats a mapped address as IPv6, too. */
	int family = strchr(args->traddr, ':') ? AF_INET6 : AF_INET;
	int64_t deadline = trial_clock() + a->timeout;
	struct sockaddr_storage address;
	struct ip_addr ip;
	socklen_t size;
	int err, one = 1;

	err = address_parse(args->traddr, &ip);
	if (err)
		return failure_refuse_address("traddr", args->traddr, err);
	a->trial->portal = (struct socket_address){ ip.in6, a->port };
	a->trial->scope = ip.scope;
	address_port_text(&a->trial->portal, a->trial->portal_text);
	a->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_MPTCP);
	if (a->fd < 0)
		return no_socket(a->trial, errno);
	setsockopt(a->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	relay_ask_bypass(a->fd);
	err = bind_ends(a, family);
	if (err)
		return err;
	size = address_to_sockaddr(family, &ip, a->port, &address);
	if (connect(a->fd, (struct sockaddr *)&address, size)) {
		socklen_t length = sizeof(err);

		if (errno != EINPROGRESS)
			return no_connection(a, errno);
		err = wait_for(a->fd, POLLOUT, deadline);
		if (!err && getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &err, &length))
			err = errno;
		if (err)
			return no_connection(a, err < 0 ? -err : err);
	}
	note_local(a);
	return 1;
}

static int report_foreign(struct attempt *a, const uint8_t *data, size_t len)
{
	_cleanup_(free) char *shown =
		str_escape_control((const char *)data, len < SHOWN_BYTES ? len : SHOWN_BYTES);

	if (!shown)
		return -ENOMEM;
	a->trial->outcome = NVME_MPTCP_TRIAL_NO_TARGET;
	return set_reason(a->trial, "another service listens there, whose reply is \"%s\"", shown);
}

/* Set the outcome from the reply. Returns 1 if the reply is incomplete, else 0 or -ENOMEM. */
static int judge_answer(struct attempt *a, const uint8_t *data, size_t len)
{
	struct pdu_icresp answer;
	const char *text;

	switch (pdu_parse_answer(data, len, &answer)) {
	case PDU_INCOMPLETE:
		return 1;
	case PDU_ACCEPTED:
		if (!answer.format)
			return 0;
		a->trial->outcome = NVME_MPTCP_TRIAL_NO_TARGET;
		return set_reason(a->trial, "unknown PDU format: %u", answer.format);
	case PDU_TERMINATED:
		text = pdu_error_text(answer.error);
		a->trial->outcome = NVME_MPTCP_TRIAL_NO_TARGET;
		return set_reason(a->trial, "the target ended the connection: error 0x%x%s%s",
				  answer.error, text ? ", " : "", text ? text : "");
	case PDU_TLS:
		return no_target(
			a, "the other end requires TLS, which only transport tcp supports: a relay "
			   "on both sides carries it over MPTCP");
	case PDU_FOREIGN:
		break;
	}
	return report_foreign(a, data, len);
}

/* Send ICReq and receive ICResp; any other reply sets the outcome. Returns 0 or -ENOMEM. */
static int exchange_ic(struct attempt *a)
{
	int64_t deadline = trial_clock() + a->timeout;
	uint8_t request[PDU_IC_SIZE], answer[PDU_IC_SIZE];
	size_t len = 0;

	pdu_icreq(request);
	/* An empty send buffer accepts 128 bytes at once. */
	if (send(a->fd, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		return no_target(a, "the other end closed the connection at once");
	for (;;) {
		ssize_t n;
		int ret = wait_for(a->fd, POLLIN, deadline);

		if (ret == -ETIMEDOUT)
			return no_target(
				a, "the connection is accepted, but no reply arrives: another "
				   "service listens there");
		n = ret ? -1 : recv(a->fd, answer + len, sizeof(answer) - len, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return no_target(a, CLOSED_AT_ONCE);
		len += (size_t)n;
		ret = judge_answer(a, answer, len);
		if (ret <= 0)
			return ret;
	}
}

static int run_attempt(void *arg)
{
	struct attempt *a = arg;
	int err = trial_watch_begin(&a->watch);

	if (err)
		return err;
	err = connect_portal(a);
	if (err <= 0)
		return err;
	err = exchange_ic(a);
	if (!err)
		trial_watch_subflows(a->fd, a->args->watch_ms ? a->args->watch_ms : WATCH_MS);
	return err;
}

static const struct nvme_mptcp_connection *find_connection(const struct nvme_mptcp_trial *trial)
{
	for (size_t i = 0; i < trial->after->n_connections; i++) {
		const struct nvme_mptcp_connection *conn = &trial->after->connections[i];

		if (conn->local.port == trial->local.port &&
		    conn->remote.port == trial->portal.port &&
		    address_equal(&conn->local.ip, &trial->local.ip) &&
		    address_equal(&conn->remote.ip, &trial->portal.ip))
			return conn;
	}
	return NULL;
}

/* If sockets cannot be listed, ask the socket itself if it fell back. */
static bool is_plain(const struct attempt *a)
{
	char info[256];
	socklen_t size = sizeof(info);

	if (a->trial->conn && a->trial->conn->fallback != NVME_MPTCP_UNKNOWN)
		return a->trial->conn->fallback;
	return getsockopt(a->fd, SOL_MPTCP, SOCKOPT_INFO, info, &size) != 0;
}

static int take_after(struct attempt *a)
{
	struct nvme_mptcp_trial *trial = a->trial;
	int err = snapshot_take_network(a->args->netns, &trial->after);

	if (err)
		return err;
	if (trial->local.port)
		trial->conn = find_connection(trial);
	if (trial->conn && trial->conn->has_token)
		err = trial_watch_end(&a->watch, trial->conn->token, trial);
	if (!err && trial->outcome == NVME_MPTCP_TRIAL_MPTCP && is_plain(a)) {
		trial->outcome = NVME_MPTCP_TRIAL_FALLBACK;
		err = set_reason(trial, "the connection fell back to plain TCP: it has one link");
	}
	trial_evaluate(trial);
	return err;
}

static int end_pause(void *arg)
{
	struct nvme_mptcp_trial *trial = arg;
	const char *timeout = nvme_mptcp_setting(trial->after, "blackhole_timeout");
	int64_t value;

	if (timeout && !str_parse_int(timeout, 1, INT32_MAX, &value))
		trial->ended_pause = !setting_write("blackhole_timeout", value);
	return 0;
}

/*
 * If SYNs with the option get no reply and one without it does, the kernel makes plain TCP
 * connections for an hour, for all programs. A trial must not cause that: writing the setting ends
 * it. Without the privilege, K07 reports the pause.
 */
static int undo_pause(struct attempt *a)
{
	const struct nvme_mptcp_trial *trial = a->trial;

	if (counter_get(&trial->after->counters, "MPTcpExt", "Blackhole") <=
	    counter_get(&trial->before->counters, "MPTcpExt", "Blackhole"))
		return 0;
	return netns_run(a->args->netns, end_pause, a->trial);
}

static int run_trial(struct attempt *a)
{
	const struct linger at_once = { .l_onoff = 1 };
	int64_t begin = trial_clock();
	int err = snapshot_take_network(a->args->netns, &a->trial->before);

	if (!err)
		err = netns_run(a->args->netns, run_attempt, a);
	if (!err)
		err = take_after(a);
	if (!err)
		err = undo_pause(a);
	a->trial->lasted = trial_clock() - begin;
	if (a->fd >= 0) {
		/* A reset leaves no socket in a waiting state on either side. */
		setsockopt(a->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(a->fd);
	}
	nl_close(&a->watch.nl);
	return err;
}

static int take_port(const char *trsvcid, uint16_t *ret)
{
	int64_t number = DEFAULT_PORT;

	if (trsvcid && str_parse_int(trsvcid, 1, UINT16_MAX, &number))
		return -EINVAL;
	*ret = (uint16_t)number;
	return 0;
}

int nvme_mptcp_try(const struct nvme_mptcp_trial_args *args, nvme_mptcp_trial_t *ret)
{
	struct nvme_mptcp_trial_args known;
	struct attempt a = { .args = &known, .fd = -1 };
	struct in6_addr ip;
	int err = versioned_take(&known, args);

	if (!err && (!known.traddr || address_parse_ip(known.traddr, &ip)))
		err = failure_refuse_address("traddr", known.traddr, -EINVAL);
	if (!err && take_port(known.trsvcid, &a.port))
		err = failure_note(-EINVAL, "trsvcid=%s: a port from 1 to 65535 is needed",
				   known.trsvcid);
	if (err)
		return failure_raise(err, "a trial connection");
	a.timeout = known.timeout_ms ? known.timeout_ms : TIMEOUT_MS;
	a.trial = calloc(1, sizeof(*a.trial));
	err = a.trial ? run_trial(&a) : -ENOMEM;
	if (err) {
		nvme_mptcp_trial_free(a.trial);
		return failure_raise(err, "a trial connection");
	}
	*ret = a.trial;
	return 0;
}

void nvme_mptcp_trial_free(nvme_mptcp_trial_t trial)
{
	if (!trial)
		return;
	nvme_mptcp_snapshot_free(trial->before);
	nvme_mptcp_snapshot_free(trial->after);
	free(trial->reason);
	free(trial->events);
	free(trial);
}
