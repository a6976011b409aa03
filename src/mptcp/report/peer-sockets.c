// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters, controllers, connections and subflows in a report. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "peer-sockets.h"
#include "peer-read.h"
#include "mptcp/snapshot/values.h"

#define MAX_PEER_COUNTERS 4096
#define NAME 64
#define MAX_CTRLS 65536
#define NO_RECORDS "/nonexistent"

/* Return the size of all names: counters only point to them. */
static size_t size_of_names(struct json_object *now, size_t *n)
{
	size_t size = 1;

	*n = 0;
	json_object_object_foreach(now, group, dict) {
		size += strlen(group) + 1;
		if (json_object_get_type(dict) != json_type_object)
			continue;
		json_object_object_foreach(dict, name, ignored) {
			(void)ignored;
			size += strlen(name) + 1;
			++*n;
		}
	}
	return size;
}

static const char *keep_name(char **room, const char *name)
{
	char *kept = *room;
	size_t size = strlen(name) + 1;

	memcpy(kept, name, size);
	*room += size;
	return kept;
}

static void parse_group(struct peer_reader *r, struct json_object *dict, struct json_object *grown,
			const char *group, char **room, struct counters *ret)
{
	json_object_object_foreach(dict, name, ignored) {
		const int64_t value = peer_read_number(r, dict, name, MUST, 0, INT64_MAX);
		const int64_t growth = grown ? peer_read_number(r, grown, name, MAY, 0, value) : 0;
		struct counter *counter =
			peer_add(r, dict, &ret->counter, &ret->n, sizeof(*counter), SIZE_MAX, "");

		(void)ignored;
		if (!counter)
			return;
		*counter = (struct counter){ group, keep_name(room, name),
					     value - (growth > 0 ? growth : 0) };
	}
}

void peer_parse_counters(struct peer_reader *r, struct json_object *now, struct json_object *grown,
			 struct counters *ret)
{
	size_t n, size;
	char *room;

	if (r->err)
		return;
	size = size_of_names(now, &n);
	if (n > MAX_PEER_COUNTERS) {
		peer_fail(r, now, "more than %d counters", MAX_PEER_COUNTERS);
		return;
	}
	ret->text[0] = room = malloc(size);
	if (!room) {
		r->err = -ENOMEM;
		return;
	}
	json_object_object_foreach(now, key, ignored) {
		const char *group = keep_name(&room, key);
		struct json_object *dict = peer_read_dict(r, now, key, MUST);
		struct json_object *growth = grown ? peer_read_dict(r, grown, key, MAY) : NULL;

		(void)ignored;
		if (r->err)
			return;
		peer_enter(r, key);
		parse_group(r, dict, growth, group, &room, ret);
		peer_leave(r);
	}
	counter_sort(ret);
}

/* True for a name that the kernel gives: it is used in commands and in a path. */
static bool is_ctrl_name(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] && strlen(name) < 16 &&
	       strspn(name + 4, "0123456789") == strlen(name + 4);
}

static void parse_ctrl_ends(struct peer_reader *r, struct json_object *in,
			    struct nvme_mptcp_ctrl *ctrl)
{
	const char *traddr = peer_read_text(r, in, "traddr", MAY, 256);
	struct in6_addr portal = {}, source = {}, initial = {};
	const bool has_ip = traddr && peer_read_ip(r, in, "traddr", MUST, &portal);
	const char *trsvcid = peer_read_word(r, in, "trsvcid", MAY, NAME);
	const char *iface = peer_read_word(r, in, "host_iface", MAY, LINK_NAME - 1);
	const bool has_source = peer_read_ip(r, in, "host_traddr", MAY, &source);
	const bool has_initial = peer_read_ip(r, in, "src_addr", MAY, &initial);
	int64_t port;

	if (has_ip && trsvcid && !str_parse_int(trsvcid, 1, UINT16_MAX, &port)) {
		ctrl->portal = (struct socket_address){ portal, (uint16_t)port };
		ctrl->has_portal = true;
	}
	ctrl->has_source = has_source || has_initial;
	if (ctrl->has_source)
		ctrl->source = has_initial ? initial : source;
	peer_keep(r, &ctrl->traddr, traddr);
	peer_keep(r, &ctrl->trsvcid, trsvcid);
	peer_keep(r, &ctrl->host_iface, iface);
}

struct sockets {
	struct nvme_mptcp_snapshot *snap;
	struct nvme_mptcp_connection *conn; /* a copy of the connection whose subflows are read */
};

static uint8_t state_number(const char *name)
{
	for (uint8_t state = 1; state < 16; state++)
		if (!strcmp(diag_state_name(state), name))
			return state;
	return 0;
}

static void read_values(struct peer_reader *r, struct json_object *in,
			const struct value_field *fields, size_t n, int64_t *value)
{
	for (size_t i = 0; i < n; i++)
		value[i] = peer_read_number(r, in, fields[i].name, MAY, 0, INT64_MAX);
}

/* Note values that the reporting version did not write; null is one that its kernel does not have. */
static void note_missing(struct nvme_mptcp_snapshot *snap, struct json_object *connection)
{
	for (size_t i = 0; i < NVME_MPTCP_CONN_VALUES; i++)
		if (!json_object_object_get_ex(connection, connection_fields[i].name, NULL))
			snap->values_not_reported |= 1ULL << i;
}

static void parse_subflow(struct peer_reader *r, struct json_object *in, void *arg)
{
	static const char *const flags[] = {
		"mcap-rem",   "mcap-loc",	   "join-rem",	"join-loc", "backup-rem",
		"backup-loc", "fully-established", "connected", "mapvalid",
	};
	struct sockets *sockets = arg;
	struct nvme_mptcp_snapshot *snap = sockets->snap;
	struct nvme_mptcp_subflow sf = { .local = peer_read_ends(r, in, "local") }, *added;
	const struct nvme_mptcp_link *link;
	const char *state;

	sf.remote = peer_read_ends(r, in, "remote");
	link = plan_link_by_name(snap, peer_read_word(r, in, "link", MAY, LINK_NAME - 1));
	state = peer_read_word(r, in, "state", MUST, NAME);
	sf.is_bound = peer_read_bool(r, in, "bound") == 1;
	sf.id_local = (int16_t)peer_read_number(r, in, "id_local", MAY, 0, 255);
	sf.id_remote = (int16_t)peer_read_number(r, in, "id_remote", MAY, 0, 255);
	sf.flags = peer_read_bits(r, in, "flags", flags, sizeof(flags) / sizeof(*flags));
	read_values(r, in, subflow_fields, NVME_MPTCP_VALUES, sf.value);
	added = peer_add(r, in, &snap->subflows, &snap->n_subflows, sizeof(sf), SIZE_MAX, "");
	if (!added)
		return;
	sf.state = state_number(state);
	sf.ifindex = link ? link->ifindex : 0;
	sf.token = sockets->conn->token;
	sf.has_token = sockets->conn->has_token;
	sf.inode = sockets->conn->inode;
	*added = sf;
}

/* Return the interface that the connection, and so its initial subflow, is bound to; or 0. */
static int bound_to(const struct nvme_mptcp_snapshot *snap, size_t first,
		    const struct nvme_mptcp_connection *conn)
{
	for (size_t i = first; i < snap->n_subflows; i++)
		if (snap->subflows[i].is_bound &&
		    address_port_equal(&snap->subflows[i].local, &conn->local) &&
		    address_port_equal(&snap->subflows[i].remote, &conn->remote))
			return snap->subflows[i].ifindex;
	return 0;
}

static void parse_connection(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const size_t first = snap->n_subflows;
	struct nvme_mptcp_connection conn = { .local = peer_read_ends(r, in, "local") }, *added;
	struct sockets sockets = { snap, &conn };
	const char *state;
	int64_t token;

	conn.remote = peer_read_ends(r, in, "remote");
	token = peer_read_number(r, in, "token", MAY, 0, UINT32_MAX);
	conn.token = token > 0 ? (uint32_t)token : 0;
	conn.has_token = token > 0;
	conn.inode = (uint32_t)peer_read_number(r, in, "inode", MUST, 0, UINT32_MAX);
	conn.pid = peer_read_number(r, in, "pid", MAY, 0, INT_MAX);
	state = peer_read_word(r, in, "state", MUST, NAME);
	conn.state = state ? state_number(state) : 0;
	conn.fallback = (int8_t)peer_read_bool(r, in, "fallback");
	read_values(r, in, connection_fields, NVME_MPTCP_CONN_VALUES, conn.value);
	note_missing(snap, in);
	peer_read_each(r, in, "subflows", MUST, parse_subflow, &sockets);
	conn.ifindex = bound_to(snap, first, &conn);
	added = peer_add(r, in, &snap->connections, &snap->n_connections, sizeof(conn), SIZE_MAX,
			 "");
	if (added)
		*added = conn;
}

static void parse_set(struct peer_reader *r, struct json_object *in, void *arg)
{
	peer_read_each(r, in, "connections", MUST, parse_connection, arg);
}

static void parse_ctrl(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const char *name = peer_read_word(r, in, "name", MUST, NAME);
	const char *transport, *state, *nqn;
	struct nvme_mptcp_ctrl *ctrl;
	int64_t expected;

	if (name && !is_ctrl_name(name))
		peer_fail(r, in, "not a controller name: %s", name);
	transport = peer_read_word(r, in, "transport", MUST, NAME);
	state = peer_read_text(r, in, "state", MAY, NAME);
	nqn = peer_read_text(r, in, "subsysnqn", MAY, 256);
	expected = peer_read_number(r, in, "connections_expected", MAY, 0, 65536);
	ctrl = peer_add(r, in, &snap->ctrls, &snap->n_ctrls, sizeof(*ctrl), MAX_CTRLS,
			"controllers");
	if (!ctrl)
		return;
	peer_keep(r, &ctrl->name, name);
	peer_keep(r, &ctrl->transport, transport);
	peer_keep(r, &ctrl->state, state);
	peer_keep(r, &ctrl->subsysnqn, nqn);
	ctrl->expected = expected;
	parse_ctrl_ends(r, in, ctrl);
	parse_set(r, in, snap);
}

void peer_parse_connections(struct peer_reader *r, struct json_object *snapshot,
			    struct nvme_mptcp_snapshot *snap)
{
	static const char *const sets[] = { "userspace", "other" };

	peer_read_each(r, snapshot, "controllers", MUST, parse_ctrl, snap);
	peer_read_each(r, snapshot, "shared", MUST, parse_set, snap);
	for (size_t i = 0; i < 2; i++) {
		struct json_object *set = peer_read_dict(r, snapshot, sets[i], MUST);

		peer_enter(r, sets[i]);
		parse_set(r, set, snap);
		peer_leave(r);
	}
	/* Records are those of this machine, not of the report. */
	snap->record_dir = NO_RECORDS;
	if (!r->err)
		r->err = snapshot_join(snap);
	if (!r->err)
		r->err = snapshot_attribute(snap);
	if (!r->err)
		r->err = snapshot_sum(snap);
}
