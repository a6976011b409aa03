// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters, controllers, connections and subflows in a report. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "peer-sockets.h"
#include "peer-read.h"
#include "mptcp/snapshot/values.h"

#define MOST_COUNTERS 4096
#define NAME 64
#define MOST_CTRLS 65536
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

static int parse_group(struct reader *r, struct json_object *dict, struct json_object *grown,
		       const char *group, char **room, struct counters *ret)
{
	json_object_object_foreach(dict, name, ignored) {
		struct counter *counter;
		int64_t value, growth = NVME_MPTCP_UNKNOWN;
		int err = peer_read_number(r, dict, name, MUST, 0, INT64_MAX, &value);

		(void)ignored;
		if (!err && grown)
			err = peer_read_number(r, grown, name, MAY, 0, value, &growth);
		if (err)
			return err;
		counter = array_add(&ret->counter, &ret->n, sizeof(*counter));
		if (!counter)
			return -ENOMEM;
		*counter = (struct counter){ group, keep_name(room, name),
					     value - (growth > 0 ? growth : 0) };
	}
	return 0;
}

int peer_parse_counters(struct reader *r, struct json_object *now, struct json_object *grown,
			struct counters *ret)
{
	size_t n, size = size_of_names(now, &n);
	char *room;

	if (n > MOST_COUNTERS)
		return reader_fail(r, reader_line(now), "more than %d counters", MOST_COUNTERS);
	ret->text[0] = room = malloc(size);
	if (!room)
		return -ENOMEM;
	json_object_object_foreach(now, key, ignored) {
		struct json_object *dict, *growth = NULL;
		const char *group = keep_name(&room, key);
		int err = peer_read_dict(r, now, key, MUST, &dict);

		(void)ignored;
		if (!err && grown)
			err = peer_read_dict(r, grown, key, MAY, &growth);
		peer_enter(r, key);
		if (!err)
			err = parse_group(r, dict, growth, group, &room, ret);
		peer_leave(r);
		if (err)
			return err;
	}
	counter_sort(ret);
	return 0;
}

/* True for a name that the kernel gives: it is used in commands and in a path. */
static bool is_ctrl_name(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] && strlen(name) < 16 &&
	       strspn(name + 4, "0123456789") == strlen(name + 4);
}

static int parse_ctrl_ends(struct reader *r, struct json_object *in, struct nvme_mptcp_ctrl *ctrl)
{
	const char *traddr, *trsvcid, *iface;
	struct in6_addr portal, source, initial;
	bool has_portal = false, has_source = false, has_initial = false;
	int64_t port;
	int err = peer_read_text(r, in, "traddr", MAY, 256, &traddr);

	if (!err && traddr)
		err = peer_read_ip(r, in, "traddr", MUST, &portal, &has_portal);
	if (!err)
		err = peer_read_word(r, in, "trsvcid", MAY, NAME, &trsvcid);
	if (!err)
		err = peer_read_word(r, in, "host_iface", MAY, LINK_NAME - 1, &iface);
	if (!err)
		err = peer_read_ip(r, in, "host_traddr", MAY, &source, &has_source);
	if (!err)
		err = peer_read_ip(r, in, "src_addr", MAY, &initial, &has_initial);
	if (err)
		return err;
	if (has_portal && trsvcid && !str_parse_int(trsvcid, 1, UINT16_MAX, &port)) {
		ctrl->portal = (struct socket_address){ portal, (uint16_t)port };
		ctrl->has_portal = true;
	}
	ctrl->has_source = has_source || has_initial;
	if (ctrl->has_source)
		ctrl->source = has_initial ? initial : source;
	if (str_set(&ctrl->traddr, traddr) || str_set(&ctrl->trsvcid, trsvcid) ||
	    str_set(&ctrl->host_iface, iface))
		return -ENOMEM;
	return 0;
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

static int read_values(struct reader *r, struct json_object *in, const struct value_field *fields,
		       size_t n, int64_t *value)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = peer_read_number(r, in, fields[i].name, MAY, 0, INT64_MAX, &value[i]);
	return err;
}

/*
 * Note values that the reporting version did not write. In contrast, null is one that its kernel
 * does not have.
 */
static void note_missing(struct nvme_mptcp_snapshot *snap, struct json_object *connection)
{
	for (size_t i = 0; i < NVME_MPTCP_CONN_VALUES; i++)
		if (!json_object_object_get_ex(connection, connection_fields[i].name, NULL))
			snap->values_not_reported |= 1ULL << i;
}

static int find_link(const struct nvme_mptcp_snapshot *snap, const char *name)
{
	for (size_t i = 0; name && i < snap->n_links; i++)
		if (!strcmp(snap->links[i].name, name))
			return snap->links[i].ifindex;
	return 0;
}

static int parse_subflow(struct reader *r, struct json_object *in, void *arg)
{
	static const char *const flags[] = {
		"mcap-rem",   "mcap-loc",	   "join-rem",	"join-loc", "backup-rem",
		"backup-loc", "fully-established", "connected", "mapvalid",
	};
	struct sockets *sockets = arg;
	struct nvme_mptcp_subflow sf = {}, *added;
	const char *link, *state;
	int64_t id_local, id_remote;
	int bound;
	int err = peer_read_ends(r, in, "local", &sf.local);

	if (!err)
		err = peer_read_ends(r, in, "remote", &sf.remote);
	if (!err)
		err = peer_read_word(r, in, "link", MAY, LINK_NAME - 1, &link);
	if (!err)
		err = peer_read_word(r, in, "state", MUST, NAME, &state);
	if (!err)
		err = peer_read_bool(r, in, "bound", &bound);
	if (!err)
		err = peer_read_number(r, in, "id_local", MAY, 0, 255, &id_local);
	if (!err)
		err = peer_read_number(r, in, "id_remote", MAY, 0, 255, &id_remote);
	if (!err)
		err = peer_read_bits(r, in, "flags", flags, sizeof(flags) / sizeof(*flags),
				     &sf.flags);
	if (!err)
		err = read_values(r, in, subflow_fields, NVME_MPTCP_VALUES, sf.value);
	if (err)
		return err;
	sf.state = state_number(state);
	sf.ifindex = find_link(sockets->snap, link);
	sf.is_bound = bound == 1;
	sf.id_local = (int16_t)id_local;
	sf.id_remote = (int16_t)id_remote;
	sf.token = sockets->conn->token;
	sf.has_token = sockets->conn->has_token;
	sf.inode = sockets->conn->inode;
	added = array_add(&sockets->snap->subflows, &sockets->snap->n_subflows, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = sf;
	return 0;
}

/*
 * Return the interface that the connection is bound to: that of its initial subflow, if that is
 * bound.
 */
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

static int parse_connection(struct reader *r, struct json_object *in, void *arg)
{
	struct sockets sockets = { .snap = arg };
	const size_t first = sockets.snap->n_subflows;
	struct nvme_mptcp_connection conn = {}, *added;
	int64_t token, inode;
	const char *state;
	int fallback;
	int err = peer_read_ends(r, in, "local", &conn.local);

	if (!err)
		err = peer_read_ends(r, in, "remote", &conn.remote);
	if (!err)
		err = peer_read_number(r, in, "token", MAY, 0, UINT32_MAX, &token);
	if (!err)
		err = peer_read_number(r, in, "inode", MUST, 0, UINT32_MAX, &inode);
	if (!err)
		err = peer_read_number(r, in, "pid", MAY, 0, INT_MAX, &conn.pid);
	if (!err)
		err = peer_read_word(r, in, "state", MUST, NAME, &state);
	if (!err)
		err = peer_read_bool(r, in, "fallback", &fallback);
	if (!err)
		err = read_values(r, in, connection_fields, NVME_MPTCP_CONN_VALUES, conn.value);
	if (err)
		return err;
	conn.token = token > 0 ? (uint32_t)token : 0;
	conn.has_token = token > 0;
	conn.inode = (uint32_t)inode;
	conn.state = state_number(state);
	conn.fallback = (int8_t)fallback;
	note_missing(sockets.snap, in);
	sockets.conn = &conn;
	err = peer_read_each(r, in, "subflows", MUST, parse_subflow, &sockets);
	if (err)
		return err;
	conn.ifindex = bound_to(sockets.snap, first, &conn);
	added = array_add(&sockets.snap->connections, &sockets.snap->n_connections, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = conn;
	return 0;
}

static int parse_set(struct reader *r, struct json_object *in, void *arg)
{
	return peer_read_each(r, in, "connections", MUST, parse_connection, arg);
}

static int parse_ctrl(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const char *name, *transport, *state, *nqn;
	struct nvme_mptcp_ctrl *ctrl;
	int64_t expected;
	int err = peer_read_word(r, in, "name", MUST, NAME, &name);

	if (!err && !is_ctrl_name(name))
		err = reader_fail(r, reader_line(in), "not a controller name: %s", name);
	if (!err)
		err = peer_read_word(r, in, "transport", MUST, NAME, &transport);
	if (!err)
		err = peer_read_text(r, in, "state", MAY, NAME, &state);
	if (!err)
		err = peer_read_text(r, in, "subsysnqn", MAY, 256, &nqn);
	if (!err)
		err = peer_read_number(r, in, "connections_expected", MAY, 0, 65536, &expected);
	if (!err && snap->n_ctrls == MOST_CTRLS)
		err = reader_fail(r, reader_line(in), "more than %d controllers", MOST_CTRLS);
	if (err)
		return err;
	ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
	if (!ctrl || str_set(&ctrl->name, name) || str_set(&ctrl->transport, transport) ||
	    str_set(&ctrl->state, state) || str_set(&ctrl->subsysnqn, nqn))
		return -ENOMEM;
	ctrl->expected = expected;
	err = parse_ctrl_ends(r, in, ctrl);
	return err ? err : parse_set(r, in, snap);
}

int peer_parse_connections(struct reader *r, struct json_object *snapshot,
			   struct nvme_mptcp_snapshot *snap)
{
	static const char *const sets[] = { "userspace", "other" };
	int err = peer_read_each(r, snapshot, "controllers", MUST, parse_ctrl, snap);

	if (!err)
		err = peer_read_each(r, snapshot, "shared", MUST, parse_set, snap);
	for (size_t i = 0; i < 2 && !err; i++) {
		struct json_object *set;

		err = peer_read_dict(r, snapshot, sets[i], MUST, &set);
		if (err)
			break;
		peer_enter(r, sets[i]);
		err = parse_set(r, set, snap);
		peer_leave(r);
	}
	/* Records are those of this machine, not of the report. */
	snap->record_dir = NO_RECORDS;
	if (!err)
		err = snapshot_join(snap);
	if (!err)
		err = snapshot_attribute(snap);
	return err ? err : snapshot_sum(snap);
}
