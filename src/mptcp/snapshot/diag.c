// SPDX-License-Identifier: LGPL-2.1-or-later
/* MPTCP sockets and subflows: net/mptcp/mptcp_diag.c, net/mptcp/diag.c, net/ipv4/inet_diag.c. */
#include <netinet/tcp.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>

#include "snapshot.h"
#include "values.h"

#define ALL_STATES 0xfff /* 1 << TCP_ESTABLISHED (1) .. 1 << TCP_CLOSING (11), and 0 */

/* States without a connection or without its data. A busy machine has many sockets in TIME_WAIT. */
#define NO_SUBFLOWS (1 << TCP_LISTEN | 1 << TCP_TIME_WAIT | 1 << TCP_CLOSE)

const char *diag_state_name(unsigned int state)
{
	static const char *const names[] = {
		NULL,	      "ESTAB",	   "SYN-SENT", "SYN-RECV",   "FIN-WAIT-1",
		"FIN-WAIT-2", "TIME-WAIT", "CLOSED",   "CLOSE-WAIT", "LAST-ACK",
		"LISTEN",     "CLOSING",   "SYN-RECV",
	};

	return state < sizeof(names) / sizeof(*names) && names[state] ? names[state] : "UNKNOWN";
}

int diag_parse_connection(const struct nlmsghdr *nlh, struct nvme_mptcp_connection *ret)
{
	struct nvme_mptcp_connection conn = { .fallback = NVME_MPTCP_UNKNOWN,
					      .pid = NVME_MPTCP_UNKNOWN };
	const struct nlattr *tb[DIAG_MAX + 1];
	struct mptcp_info_wire info = {};
	struct inet_diag_msg msg;
	size_t len = 0;

	if (nl_take_diag(nlh, &msg, &conn.local, &conn.remote) ||
	    nl_msg_attrs(nlh, sizeof(msg), tb, DIAG_MAX))
		return -EBADMSG;
	conn.state = msg.idiag_state;
	conn.uid = msg.idiag_uid;
	conn.inode = msg.idiag_inode;
	conn.ifindex = (int)msg.id.idiag_if;
	if (tb[DIAG_INFO]) {
		len = mnl_attr_get_payload_len(tb[DIAG_INFO]);
		memcpy(&info, mnl_attr_get_payload(tb[DIAG_INFO]),
		       len < sizeof(info) ? len : sizeof(info));
	}
	if (len >= offsetof(struct mptcp_info_wire, token) + sizeof(info.token)) {
		conn.token = info.token;
		conn.has_token = info.token;
	}
	if (len >= offsetof(struct mptcp_info_wire, flags) + sizeof(info.flags))
		conn.fallback = !!(info.flags & INFO_FLAG_FALLBACK);
	value_decode(connection_fields, NVME_MPTCP_CONN_VALUES, &info, len, conn.value);
	*ret = conn;
	return 0;
}

static int parse_mptcp_nest(const struct nlattr *ulp, struct nvme_mptcp_subflow *sf)
{
	const struct nlattr *tb[ULP_MAX + 1], *attr[SUBFLOW_MAX + 1];
	int no_token, no_flags, no_local, no_remote;
	uint8_t local, remote;
	uint32_t flags;

	if (nl_nested(ulp, tb, ULP_MAX))
		return -EBADMSG;
	if (!tb[ULP_MPTCP])
		return 0;
	if (nl_nested(tb[ULP_MPTCP], attr, SUBFLOW_MAX))
		return -EBADMSG;
	/* The local token: the remote one is 0 on initial subflows and accepted joins. */
	no_token = nl_u32(attr[SUBFLOW_TOKEN_LOC], &sf->token);
	no_flags = nl_u32(attr[SUBFLOW_FLAGS], &flags);
	no_local = nl_u8(attr[SUBFLOW_ID_LOC], &local);
	no_remote = nl_u8(attr[SUBFLOW_ID_REM], &remote);
	if (no_token == -EBADMSG || no_flags == -EBADMSG || no_local == -EBADMSG ||
	    no_remote == -EBADMSG)
		return -EBADMSG;
	sf->has_token = !no_token;
	if (!no_flags)
		sf->flags = flags;
	if (!no_local)
		sf->id_local = local;
	if (!no_remote)
		sf->id_remote = remote;
	return 0;
}

int diag_parse_subflow(const struct nlmsghdr *nlh, struct nvme_mptcp_subflow *ret)
{
	const struct nlattr *tb[DIAG_MAX + 1];
	struct nvme_mptcp_subflow sf;
	struct inet_diag_msg msg;
	const void *info = "";
	size_t len = 0;

	memset(&sf, 0, offsetof(struct nvme_mptcp_subflow, value));
	sf.local_text[0] = sf.remote_text[0] = '\0';
	sf.flags = sf.id_local = sf.id_remote = NVME_MPTCP_UNKNOWN;
	if (nl_take_diag(nlh, &msg, &sf.local, &sf.remote) ||
	    nl_msg_attrs(nlh, sizeof(msg), tb, DIAG_MAX) ||
	    (tb[DIAG_ULP_INFO] && parse_mptcp_nest(tb[DIAG_ULP_INFO], &sf)))
		return -EBADMSG;
	if (sf.has_token && !sf.token) {
		sf.has_token = false;
		memcpy(&sf.cookie, msg.id.idiag_cookie, sizeof(sf.cookie));
	}
	sf.state = msg.idiag_state;
	sf.family = msg.idiag_family;
	sf.inode = msg.idiag_inode;
	sf.ifindex = (int)msg.id.idiag_if;
	sf.is_bound = sf.ifindex;
	sf.uid = msg.idiag_uid;
	if (nl_u8(tb[address_is_v4(&sf.remote.ip) ? DIAG_TOS : DIAG_TCLASS], &sf.tos))
		sf.tos = 0;
	if (nl_u32(tb[DIAG_MARK], &sf.mark))
		sf.mark = 0;
	if (tb[DIAG_INFO]) {
		info = mnl_attr_get_payload(tb[DIAG_INFO]);
		len = mnl_attr_get_payload_len(tb[DIAG_INFO]);
	}
	value_decode(subflow_fields, NVME_MPTCP_VALUES, info, len, sf.value);
	*ret = sf;
	return 0;
}

/* One of the two dumps, for sockets of one address family. */
struct dump {
	struct nvme_mptcp_snapshot *snap;
	const struct idmap *by_inode; /* connections by inode; inodes, for take_plain() */
	size_t n_connections, n_listeners, n_subflows; /* counts before this dump */
};

static int take_connection(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_snapshot *snap = ((struct dump *)arg)->snap;
	struct nvme_mptcp_connection conn;
	int err = diag_parse_connection(nlh, &conn);

	if (err)
		return err;
	if (conn.state == STATE_LISTEN) {
		const struct listener listener = { conn.local, conn.inode, conn.ifindex };

		return array_push(&snap->listeners, &snap->n_listeners, &listener,
				  sizeof(listener));
	}
	return array_push(&snap->connections, &snap->n_connections, &conn, sizeof(conn));
}

/*
 * Add the connection of a subflow without a token. The kernel lists MPTCP sockets by token, and gives
 * none to those that use TCP from the start: mptcp_connect() in net/mptcp/protocol.c.
 */
static int add_without_token(struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_subflow *sf)
{
	struct nvme_mptcp_connection conn = {
		.local = sf->local,
		.remote = sf->remote,
		.inode = sf->inode,
		.uid = sf->uid,
		.cookie = sf->cookie,
		.state = sf->state,
		.fallback = 1,
		.ifindex = sf->ifindex,
		.pid = NVME_MPTCP_UNKNOWN,
	};

	value_decode(connection_fields, NVME_MPTCP_CONN_VALUES, "", 0, conn.value);
	return array_push(&snap->connections, &snap->n_connections, &conn, sizeof(conn));
}

/*
 * The dump has all TCP sockets. A subflow is recognized by its MPTCP data or, if the kernel hides
 * that from the caller, by the inode that it shares with its connection.
 */
static int take_subflow(const struct nlmsghdr *nlh, void *arg)
{
	struct dump *dump = arg;
	struct nvme_mptcp_snapshot *snap = dump->snap;
	struct nvme_mptcp_subflow sf;
	int err = diag_parse_subflow(nlh, &sf);

	if (err)
		return err;
	if (sf.state == STATE_LISTEN)
		return 0;
	if (sf.cookie && add_without_token(snap, &sf))
		return -ENOMEM;
	if (!sf.has_token && !sf.cookie && (!sf.inode || !idmap_get(dump->by_inode, sf.inode)))
		return 0;
	return array_push(&snap->subflows, &snap->n_subflows, &sf, sizeof(sf));
}

/* Add a TCP socket as a connection and its only subflow, which is found by its inode. */
static int take_plain(const struct nlmsghdr *nlh, void *arg)
{
	const struct dump *dump = arg;
	struct nvme_mptcp_snapshot *snap = dump->snap;
	struct nvme_mptcp_subflow sf;
	int err = diag_parse_subflow(nlh, &sf);

	if (err)
		return err;
	if (!sf.inode || !idmap_get(dump->by_inode, sf.inode))
		return 0;
	return add_without_token(snap, &sf)
		       ?: array_push(&snap->subflows, &snap->n_subflows, &sf, sizeof(sf));
}

static void restart_dump(void *arg)
{
	struct dump *dump = arg;

	dump->snap->n_connections = dump->n_connections;
	dump->snap->n_listeners = dump->n_listeners;
	dump->snap->n_subflows = dump->n_subflows;
}

static int dump_family(struct nl *nl, struct dump *dump, int family, int protocol, nl_fn fn)
{
	nl_diag_request(nl, family, protocol > UINT8_MAX ? DIAG_PROTOCOL_IN_ATTR : protocol,
			ALL_STATES & ~(protocol == IPPROTO_TCP ? NO_SUBFLOWS : 0))
		->idiag_ext = 1 << (DIAG_INFO - 1) | 1 << (DIAG_TOS - 1) | 1 << (DIAG_TCLASS - 1);
	if (protocol > UINT8_MAX)
		mnl_attr_put_u32(nl->req, DIAG_REQ_PROTOCOL, protocol);

	dump->n_connections = dump->snap->n_connections;
	dump->n_listeners = dump->snap->n_listeners;
	dump->n_subflows = dump->snap->n_subflows;
	return nl_dump(nl, fn, restart_dump, dump);
}

static int dump_protocol(struct nl *nl, struct dump *dump, int protocol, nl_fn fn,
			 enum nvme_mptcp_part part)
{
	static const int families[] = { AF_INET, AF_INET6 };
	const char *what = protocol == IPPROTO_MPTCP ? "MPTCP sockets" : "TCP sockets";
	const char *module = protocol == IPPROTO_MPTCP ? "mptcp_diag" : "tcp_diag";

	for (size_t i = 0; i < 2; i++) {
		int err = dump_family(nl, dump, families[i], protocol, fn);

		if (err == -ENOMEM)
			return err;
		if (err == -ENOENT)
			problem_set(dump->snap, part, EOPNOTSUPP,
				    "%s: this kernel cannot list them (modprobe %s)", what, module);
		else
			problem_of_answer(dump->snap, part, nl, err, what);
		if (err)
			break;
	}
	return 0;
}

static struct idmap *index_by(const struct nvme_mptcp_snapshot *snap, bool token)
{
	struct idmap *map = idmap_new(snap->n_connections);

	for (size_t i = 0; map && i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (token ? conn->has_token && idmap_put(map, conn->token, conn)
			  : conn->inode && idmap_put(map, conn->inode, conn)) {
			idmap_free(map);
			return NULL;
		}
	}
	return map;
}

struct idmap *diag_index_inodes(const struct nvme_mptcp_snapshot *snap)
{
	return index_by(snap, false);
}

struct idmap *diag_index_tokens(const struct nvme_mptcp_snapshot *snap)
{
	return index_by(snap, true);
}

int diag_read_connections(struct nvme_mptcp_snapshot *snap)
{
	struct dump dump = { .snap = snap };
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_SOCK_DIAG);

	if (!err)
		return dump_protocol(&nl, &dump, IPPROTO_MPTCP, take_connection,
				     NVME_MPTCP_CONNECTIONS);
	if (err == -ENOMEM)
		return err;
	problem_set(snap, NVME_MPTCP_CONNECTIONS, err, "MPTCP sockets: %s", strerror(-err));
	return 0;
}

/* Add the connections of @later that subflows name but that the first dump does not have. */
static int add_later(struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_snapshot *later,
		     const struct idmap *missing)
{
	int err = 0;

	for (size_t i = 0; i < later->n_connections && !err; i++)
		if (later->connections[i].has_token &&
		    idmap_get(missing, later->connections[i].token))
			err = array_push(&snap->connections, &snap->n_connections,
					 &later->connections[i], sizeof(*later->connections));
	return err;
}

/* Return the @n tokens of subflows without a known connection; NULL if out of memory. */
static struct idmap *find_missing(const struct nvme_mptcp_snapshot *snap, size_t *n)
{
	_cleanup_(idmap_free) struct idmap *known = diag_index_tokens(snap);
	struct idmap *missing = idmap_new(16);
	bool failed = !known || !missing;

	*n = 0;
	for (size_t i = 0; i < snap->n_subflows && !failed; i++) {
		struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		if (!sf->has_token || idmap_get(known, sf->token))
			continue;
		failed = idmap_put(missing, sf->token, sf) != 0;
		++*n;
	}
	if (!failed)
		return missing;
	idmap_free(missing);
	return NULL;
}

/* Add connections created between the two dumps; their subflows would belong to none otherwise. */
static int read_again(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *missing = NULL;
	struct nvme_mptcp_snapshot later = {};
	size_t n;
	int err;

	missing = find_missing(snap, &n);
	if (!missing)
		return -ENOMEM;
	if (!n)
		return 0;
	err = diag_read_connections(&later) ?: add_later(snap, &later, missing);
	for (size_t i = 0; i < NVME_MPTCP_PARTS; i++)
		free(later.problem[i].text);
	free(later.connections);
	free(later.listeners);
	return err;
}

/* True if connections may have no token: the counters are zero where all have one. */
static bool may_lack_tokens(const struct nvme_mptcp_snapshot *snap)
{
	return counter_get(&snap->counters, "MPTcpExt", "MPCapableSYNTXDisabled") > 0 ||
	       counter_get(&snap->counters, "MPTcpExt", "MPFallbackTokenInit") > 0;
}

int diag_read_plain(struct nvme_mptcp_snapshot *snap, const struct idmap *inodes)
{
	struct dump dump = { .snap = snap, .by_inode = inodes };
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_SOCK_DIAG);

	return err ? err : dump_protocol(&nl, &dump, IPPROTO_TCP, take_plain, NVME_MPTCP_SUBFLOWS);
}

int diag_read(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_inode = NULL;
	struct dump dump = { .snap = snap };
	_cleanup_(nl_close) struct nl nl = {};
	int err = diag_read_connections(snap);

	/* A TCP socket can only be a subflow if there are connections. */
	if (err || (!snap->n_connections && !may_lack_tokens(snap)))
		return err;
	by_inode = diag_index_inodes(snap);
	if (!by_inode)
		return -ENOMEM;
	dump.by_inode = by_inode;
	err = nl_open(&nl, NETLINK_SOCK_DIAG);
	if (!err) {
		err = dump_protocol(&nl, &dump, IPPROTO_TCP, take_subflow, NVME_MPTCP_SUBFLOWS);
		return err ?: read_again(snap);
	}
	if (err == -ENOMEM)
		return err;
	problem_set(snap, NVME_MPTCP_SUBFLOWS, err, "TCP sockets: %s", strerror(-err));
	return 0;
}
