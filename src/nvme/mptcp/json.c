// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The one encoder of snapshots; doc/schema/mptcp-snapshot.json describes what it writes.
 * What is unknown is null. Adding a key keeps the version, anything else raises it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "json.h"
#include "private.h"

#define SCHEMA_VERSION 1

struct json_object *json_list(struct json_writer *w)
{
	struct json_object *list = json_object_new_array();

	if (!list)
		w->failed = true;
	return list;
}

struct json_object *json_dict(struct json_writer *w)
{
	struct json_object *dict = json_object_new_object();

	if (!dict)
		w->failed = true;
	return dict;
}

void json_append(struct json_writer *w, struct json_object *list, struct json_object *value)
{
	if (!list || json_object_array_add(list, value)) {
		json_object_put(value);
		w->failed = true;
	}
}

void json_put(struct json_writer *w, struct json_object *dict, const char *key,
	      struct json_object *value)
{
	/* Keys are string literals, and none is put twice. */
	const unsigned int flags = JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY;

	if (!dict || json_object_object_add_ex(dict, key, value, flags)) {
		json_object_put(value);
		w->failed = true;
	}
}

/* Length of the UTF-8 sequence at @s, 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80	     ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t code;

	if (n < 2)
		return n;
	code = s[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return n;
}

static struct json_object *valid_string(struct json_writer *w, const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct json_object *value;
	_cleanup_(free) char *valid = malloc(3 * strlen(s) + 1);
	size_t length = 0;

	if (!valid) {
		w->failed = true;
		return NULL;
	}
	while (*s) {
		size_t n = utf8_length((const unsigned char *)s);

		memcpy(valid + length, n ? s : replacement, n ? n : 3);
		length += n ? n : 3;
		s += n ? n : 1;
	}
	value = json_object_new_string_len(valid, length);
	if (!value)
		w->failed = true;
	return value;
}

struct json_object *json_string(struct json_writer *w, const char *value)
{
	struct json_object *object;

	if (!value)
		return NULL;
	for (const char *at = value; *at; at++)
		if (*at & 0x80)
			return valid_string(w, value);
	object = json_object_new_string(value);
	if (!object)
		w->failed = true;
	return object;
}

void json_put_string(struct json_writer *w, struct json_object *dict, const char *key,
		     const char *value)
{
	json_put(w, dict, key, json_string(w, value));
}

void json_put_int(struct json_writer *w, struct json_object *dict, const char *key, int64_t value)
{
	struct json_object *number = NULL;

	if (value != NVME_MPTCP_UNKNOWN) {
		number = json_object_new_int64(value);
		if (!number)
			w->failed = true;
	}
	json_put(w, dict, key, number);
}

void json_put_bool(struct json_writer *w, struct json_object *dict, const char *key, int value)
{
	struct json_object *object = NULL;

	if (value != NVME_MPTCP_UNKNOWN) {
		object = json_object_new_boolean(value);
		if (!object)
			w->failed = true;
	}
	json_put(w, dict, key, object);
}

void json_put_flags(struct json_writer *w, struct json_object *dict, const char *key, int64_t flags,
		    const char *const *names, size_t n)
{
	struct json_object *list;
	char number[20];

	if (flags == NVME_MPTCP_UNKNOWN) {
		json_put(w, dict, key, NULL);
		return;
	}
	list = json_list(w);
	for (size_t i = 0; i < n; i++)
		if (flags & (1LL << i))
			json_append(w, list, json_string(w, names[i]));
	if (flags >> n) {
		snprintf(number, sizeof(number), "0x%llx", (unsigned long long)(flags >> n) << n);
		json_append(w, list, json_string(w, number));
	}
	json_put(w, dict, key, list);
}

static const char *link_name(const struct nvme_mptcp_link *link)
{
	return link ? link->name : NULL;
}

static struct json_object *encode_subflow(struct json_writer *w,
					  const struct nvme_mptcp_subflow *sf)
{
	static const char *const flags[] = {
		"mcap-rem",   "mcap-loc",	   "join-rem",	"join-loc", "backup-rem",
		"backup-loc", "fully-established", "connected", "mapvalid",
	};
	struct json_object *dict = json_dict(w);

	json_put_string(w, dict, "local", sf->local_text);
	json_put_string(w, dict, "remote", sf->remote_text);
	json_put_string(w, dict, "link", link_name(sf->link));
	json_put_bool(w, dict, "bound", sf->is_bound);
	json_put_int(w, dict, "id_local", sf->id_local);
	json_put_int(w, dict, "id_remote", sf->id_remote);
	json_put_flags(w, dict, "flags", sf->flags, flags, sizeof(flags) / sizeof(*flags));
	json_put_string(w, dict, "state", tcp_state_name(sf->state));
	for (int i = 0; i < NVME_MPTCP_VALUES; i++)
		json_put_int(w, dict, nvme_mptcp_subflow_value_name(i), sf->value[i]);
	return dict;
}

static struct json_object *encode_connection(struct json_writer *w,
					     const struct nvme_mptcp_connection *conn)
{
	struct json_object *dict = json_dict(w);
	struct json_object *list = json_list(w);

	json_put_int(w, dict, "token", nvme_mptcp_connection_token(conn));
	json_put_string(w, dict, "attribution", nvme_mptcp_attribution_name(conn->attribution));
	json_put_string(w, dict, "state", tcp_state_name(conn->state));
	json_put_bool(w, dict, "fallback", conn->fallback);
	json_put_string(w, dict, "local", conn->local_text);
	json_put_string(w, dict, "remote", conn->remote_text);
	json_put_int(w, dict, "inode", conn->inode);
	json_put_int(w, dict, "pid", conn->pid);
	for (int i = 0; i < NVME_MPTCP_CONN_VALUES; i++)
		json_put_int(w, dict, nvme_mptcp_connection_value_name(i), conn->value[i]);
	for (size_t i = 0; i < conn->n_subflows; i++)
		json_append(w, list, encode_subflow(w, &conn->subflows[i]));
	json_put(w, dict, "subflows", list);
	return dict;
}

static int64_t usage_bytes(const struct nvme_mptcp_usage *usage)
{
	return (usage->sent > 0 ? usage->sent : 0) + (usage->received > 0 ? usage->received : 0);
}

static struct json_object *encode_usage(struct json_writer *w, const struct nvme_mptcp_usage *usage,
					int64_t total)
{
	struct json_object *dict = json_dict(w);
	struct json_object *share = NULL;
	char text[16];

	json_put_string(w, dict, "link", link_name(usage->link));
	json_put_int(w, dict, "speed_mbps", usage->link ? usage->link->speed : NVME_MPTCP_UNKNOWN);
	json_put_int(w, dict, "subflows", (int64_t)usage->subflows);
	json_put_int(w, dict, "pending", (int64_t)usage->pending);
	json_put_int(w, dict, "bytes_sent", usage->sent);
	json_put_int(w, dict, "bytes_received", usage->received);
	if (total > 0) {
		double part = (double)usage_bytes(usage) / (double)total;

		snprintf(text, sizeof(text), "%.4f", part);
		share = json_object_new_double_s(part, text);
		if (!share)
			w->failed = true;
	}
	json_put(w, dict, "share", share);
	return dict;
}

/* What a set of connections adds up to, and its connections. */
static void put_set(struct json_writer *w, struct json_object *dict,
		    const struct nvme_mptcp_set *set)
{
	struct json_object *links = json_list(w);
	struct json_object *list = json_list(w);
	int64_t total = 0;

	json_put_int(w, dict, "connections_found", (int64_t)set->count);
	json_put_int(w, dict, "subflows_found", (int64_t)set->subflows);
	json_put_int(w, dict, "fallback", (int64_t)set->fallback);
	for (size_t i = 0; i < set->n_usage; i++)
		total += usage_bytes(&set->usage[i]);
	for (size_t i = 0; i < set->n_usage; i++)
		json_append(w, links, encode_usage(w, &set->usage[i], total));
	json_put(w, dict, "links", links);
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		json_append(w, list, encode_connection(w, conn));
	json_put(w, dict, "connections", list);
}

static struct json_object *encode_set(struct json_writer *w, const struct nvme_mptcp_set *set)
{
	struct json_object *dict = json_dict(w);

	put_set(w, dict, set);
	return dict;
}

static struct json_object *encode_ctrl(struct json_writer *w, const struct nvme_mptcp_ctrl *ctrl)
{
	struct json_object *dict = json_dict(w);

	json_put_string(w, dict, "name", ctrl->name);
	json_put_string(w, dict, "subsysnqn", ctrl->subsysnqn);
	json_put_string(w, dict, "transport", ctrl->transport);
	json_put_string(w, dict, "state", ctrl->state);
	json_put_string(w, dict, "traddr", ctrl->traddr);
	json_put_string(w, dict, "trsvcid", ctrl->trsvcid);
	json_put_string(w, dict, "host_traddr", ctrl->host_traddr);
	json_put_string(w, dict, "host_iface", ctrl->host_iface);
	json_put_string(w, dict, "src_addr", ctrl->src_addr);
	json_put_int(w, dict, "connections_expected", ctrl->expected);
	json_put_int(w, dict, "connections_shared", (int64_t)ctrl->n_shared);
	put_set(w, dict, &ctrl->set);
	return dict;
}

static bool is_wanted(const struct nvme_mptcp_ctrl *ctrl, const char *const *names)
{
	if (!names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, ctrl->name))
			return true;
	return false;
}

static void put_ctrls(struct json_writer *w, struct json_object *top,
		      const struct nvme_mptcp_snapshot *snap, const char *const *names)
{
	struct json_object *ctrls = json_list(w);
	struct json_object *shared = json_list(w);

	for (size_t i = 0; i < snap->n_ctrls; i++)
		if (is_wanted(&snap->ctrls[i], names))
			json_append(w, ctrls, encode_ctrl(w, &snap->ctrls[i]));
	for (size_t i = 0; i < snap->n_shared; i++) {
		const struct nvme_mptcp_shared *sh = &snap->shared[i];
		struct json_object *dict, *list;
		bool wanted = false;

		for (size_t j = 0; j < sh->n_ctrls && !wanted; j++)
			wanted = is_wanted(sh->ctrls[j], names);
		if (!wanted)
			continue;
		dict = json_dict(w);
		list = json_list(w);
		for (size_t j = 0; j < sh->n_ctrls; j++)
			json_append(w, list, json_string(w, sh->ctrls[j]->name));
		json_put(w, dict, "controllers", list);
		put_set(w, dict, &sh->set);
		json_append(w, shared, dict);
	}
	json_put(w, top, "controllers", ctrls);
	json_put(w, top, "shared", shared);
}

static void put_endpoints(struct json_writer *w, struct json_object *top,
			  const struct nvme_mptcp_snapshot *snap)
{
	static const char *const flags[] = {
		"signal", "subflow", "backup", "fullmesh", "implicit", "laminar",
	};
	struct json_object *settings = json_dict(w);
	struct json_object *limits = json_dict(w);
	struct json_object *endpoints = json_list(w);

	json_put_bool(w, top, "enabled", nvme_mptcp_is_enabled((nvme_mptcp_snapshot_t)snap));
	json_put_string(w, top, "path_manager",
			nvme_mptcp_path_manager((nvme_mptcp_snapshot_t)snap));
	json_put_string(w, top, "scheduler", nvme_mptcp_scheduler((nvme_mptcp_snapshot_t)snap));
	for (size_t i = 0; i < snap->n_settings; i++)
		json_put_string(w, settings, snap->settings[i].name, snap->settings[i].value);
	json_put(w, top, "settings", settings);

	json_put_int(w, limits, "subflows", snap->limit_subflows);
	json_put_int(w, limits, "add_addr_accepted", snap->limit_add_addr_accepted);
	json_put(w, top, "limits", limits);

	for (size_t i = 0; i < snap->n_endpoints; i++) {
		const struct nvme_mptcp_endpoint *ep = &snap->endpoints[i];
		struct json_object *dict = json_dict(w);

		json_put_int(w, dict, "id", ep->id);
		json_put_string(w, dict, "address", ep->address);
		json_put_int(w, dict, "port", ep->port ? ep->port : NVME_MPTCP_UNKNOWN);
		json_put_flags(w, dict, "flags", ep->flags, flags, sizeof(flags) / sizeof(*flags));
		json_put_int(w, dict, "ifindex", ep->ifindex ? ep->ifindex : NVME_MPTCP_UNKNOWN);
		json_put_string(w, dict, "dev", link_name(ep->device));
		json_put_string(w, dict, "link", link_name(ep->link));
		json_put_int(w, dict, "subflows", ep->subflows);
		json_append(w, endpoints, dict);
	}
	json_put(w, top, "endpoints", endpoints);
}

static void put_links(struct json_writer *w, struct json_object *top,
		      const struct nvme_mptcp_snapshot *snap)
{
	struct json_object *links = json_list(w);

	for (size_t i = 0; i < snap->n_links; i++) {
		const struct nvme_mptcp_link *link = &snap->links[i];
		struct json_object *dict = json_dict(w);

		json_put_string(w, dict, "name", link->name);
		json_put_int(w, dict, "ifindex", link->ifindex);
		json_put_bool(w, dict, "up", nvme_mptcp_link_is_up(link));
		json_put_bool(w, dict, "carrier", nvme_mptcp_link_has_carrier(link));
		json_put_int(w, dict, "mtu", link->mtu);
		json_put_int(w, dict, "speed_mbps", link->speed);
		json_put_int(w, dict, "master", link->master ? link->master : NVME_MPTCP_UNKNOWN);
		json_append(w, links, dict);
	}
	json_put(w, top, "links", links);
}

static void put_problems(struct json_writer *w, struct json_object *top,
			 const struct nvme_mptcp_snapshot *snap)
{
	struct json_object *list = json_list(w);

	for (int i = 0; i < NVME_MPTCP_PARTS; i++) {
		struct json_object *dict;

		if (!snap->problem[i].err)
			continue;
		dict = json_dict(w);
		json_put_string(w, dict, "part", nvme_mptcp_part_name(i));
		json_put_int(w, dict, "errno", snap->problem[i].err);
		json_put_string(w, dict, "text",
				nvme_mptcp_snapshot_problem((nvme_mptcp_snapshot_t)snap, i));
		json_append(w, list, dict);
	}
	json_put(w, top, "problems", list);
}

char *json_finish(struct json_writer *w, struct json_object *top, bool pretty)
{
	const int flags = JSON_C_TO_STRING_NOSLASHESCAPE |
			  (pretty ? JSON_C_TO_STRING_PRETTY : JSON_C_TO_STRING_PLAIN);
	const char *text = w->failed ? NULL : json_object_to_json_string_ext(top, flags);
	char *result = text ? strdup(text) : NULL;

	json_object_put(top);
	if (!result)
		errno = ENOMEM;
	return result;
}

char *nvme_mptcp_snapshot_to_json(nvme_mptcp_snapshot_t snap, unsigned int what,
				  const char *const *ctrls)
{
	struct json_writer w = {};
	struct json_object *top = json_dict(&w);

	json_put_int(&w, top, "version", SCHEMA_VERSION);
	json_put_int(&w, top, "taken_ms", snap->taken);
	json_put_string(&w, top, "netns", snap->netns);
	put_problems(&w, top, snap);
	if (what & NVME_MPTCP_JSON_ENDPOINTS)
		put_endpoints(&w, top, snap);
	if (what & NVME_MPTCP_JSON_LINKS)
		put_links(&w, top, snap);
	if (what & NVME_MPTCP_JSON_CONTROLLERS)
		put_ctrls(&w, top, snap, ctrls);
	if (what & NVME_MPTCP_JSON_USERSPACE)
		json_put(&w, top, "userspace", encode_set(&w, &snap->userspace));
	if (what & NVME_MPTCP_JSON_OTHER)
		json_put(&w, top, "other", encode_set(&w, &snap->other));
	return json_finish(&w, top, what & NVME_MPTCP_JSON_PRETTY);
}
