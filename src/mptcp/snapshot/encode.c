// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The only encoder of snapshots; mptcp-snapshot.json is its schema. Unknown values are null. Adding
 * a key keeps the version, any other change raises it.
 */
#include "coverage.h"
#include "json.h"
#include "snapshot.h"
#include "values.h"

#define SCHEMA_VERSION 1
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *name_of_link(const struct nvme_mptcp_link *link)
{
	return link ? link->name : NULL;
}

static void put_possible(struct json_stream *s, const struct nvme_mptcp_link *const *links,
			 size_t n)
{
	stream_list(s, "possible_links");
	for (size_t i = 0; i < n; i++)
		stream_string(s, NULL, links[i]->name);
	stream_end_list(s);
}

void subflow_encode(struct json_stream *s, const struct nvme_mptcp_subflow *sf)
{
	static const char *const flags[] = {
		"mcap-rem",   "mcap-loc",	   "join-rem",	"join-loc", "backup-rem",
		"backup-loc", "fully-established", "connected", "mapvalid",
	};

	stream_dict(s, NULL);
	stream_string(s, "local", sf->local_text);
	stream_string(s, "remote", sf->remote_text);
	stream_string(s, "link", name_of_link(sf->link));
	put_possible(s, sf->possible, sf->n_possible);
	json_put_bool(s, "bound", sf->is_bound);
	json_put_int(s, "id_local", sf->id_local);
	json_put_int(s, "id_remote", sf->id_remote);
	json_put_flags(s, "flags", sf->flags, flags, COUNT(flags));
	stream_string(s, "state", diag_state_name(sf->state));
	json_put_bool(s, "carrying", subflow_carries(sf));
	stream_string(s, "trouble", nvme_mptcp_subflow_trouble(sf));
	for (int i = 0; i < NVME_MPTCP_VALUES; i++)
		json_put_int(s, subflow_fields[i].name, sf->value[i]);
	stream_end_dict(s);
}

static void put_connection(struct json_stream *s, const struct nvme_mptcp_connection *conn)
{
	stream_dict(s, NULL);
	json_put_int(s, "token", nvme_mptcp_connection_token(conn));
	stream_string(s, "attribution", nvme_mptcp_attribution_name(conn->attribution));
	stream_string(s, "state", diag_state_name(conn->state));
	json_put_bool(s, "fallback", conn->fallback);
	stream_string(s, "local", conn->local_text);
	stream_string(s, "remote", conn->remote_text);
	json_put_int(s, "inode", conn->inode);
	json_put_int(s, "pid", conn->pid);
	for (int i = 0; i < NVME_MPTCP_CONN_VALUES; i++)
		json_put_int(s, connection_fields[i].name, conn->value[i]);
	stream_list(s, "subflows");
	for (size_t i = 0; i < conn->n_subflows; i++)
		subflow_encode(s, &conn->subflows[i]);
	stream_end_list(s);
	stream_end_dict(s);
}

static int64_t usage_bytes(const struct nvme_mptcp_usage *usage)
{
	return (usage->sent > 0 ? usage->sent : 0) + (usage->received > 0 ? usage->received : 0);
}

static void put_usage(struct json_stream *s, const struct nvme_mptcp_usage *usage, int64_t total)
{
	stream_dict(s, NULL);
	stream_string(s, "link", name_of_link(usage->link));
	put_possible(s, usage->possible, usage->n_possible);
	json_put_int(s, "speed_mbps", usage->link ? usage->link->speed : NVME_MPTCP_UNKNOWN);
	json_put_int(s, "subflows", (int64_t)usage->subflows);
	json_put_int(s, "dead", (int64_t)usage->dead);
	json_put_int(s, "pending", (int64_t)usage->pending);
	json_put_int(s, "bytes_sent", usage->sent);
	json_put_int(s, "bytes_received", usage->received);
	json_put_part(s, "share", total > 0 ? (double)usage_bytes(usage) / (double)total : -1);
	stream_end_dict(s);
}

static void put_coverage(struct json_stream *s, nvme_mptcp_set_t set)
{
	stream_list(s, "coverage");
	nvme_mptcp_for_each_coverage(set, coverage) {
		stream_dict(s, NULL);
		stream_string(s, "link", name_of_link(nvme_mptcp_coverage_link(coverage)));
		json_put_bool(s, "wanted", coverage_is_wanted(coverage));
		stream_string(s, "reason",
			      nvme_mptcp_reason_name(nvme_mptcp_coverage_reason(coverage)));
		stream_string(s, "trouble", nvme_mptcp_coverage_trouble(coverage));
		for (int state = NVME_MPTCP_COVERED; state <= NVME_MPTCP_UNWANTED; state++)
			json_put_int(s, nvme_mptcp_coverage_state_name(state),
				     (int64_t)nvme_mptcp_coverage_count(coverage, state));
		json_put_int(s, "pending", (int64_t)nvme_mptcp_coverage_pending(coverage));
		json_put_int(s, "backups", (int64_t)nvme_mptcp_coverage_backups(coverage));
		stream_end_dict(s);
	}
	stream_end_list(s);
}

/* Write the sums of a set and its connections. */
static void put_set(struct json_stream *s, const struct nvme_mptcp_set *set)
{
	int64_t total = 0;

	json_put_int(s, "connections_found", (int64_t)set->count);
	json_put_int(s, "subflows_found", (int64_t)set->subflows);
	json_put_int(s, "fallback", (int64_t)set->fallback);
	for (size_t i = 0; i < set->n_usage; i++)
		total += usage_bytes(&set->usage[i]);
	stream_list(s, "links");
	for (size_t i = 0; i < set->n_usage; i++)
		put_usage(s, &set->usage[i], total);
	stream_end_list(s);
	put_coverage(s, set);
	stream_list(s, "connections");
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next)
		put_connection(s, conn);
	stream_end_list(s);
}

static void put_ctrl(struct json_stream *s, const struct nvme_mptcp_ctrl *ctrl)
{
	stream_dict(s, NULL);
	stream_string(s, "name", ctrl->name);
	stream_string(s, "subsysnqn", ctrl->subsysnqn);
	stream_string(s, "transport", ctrl->transport);
	stream_string(s, "state", ctrl->state);
	stream_string(s, "traddr", ctrl->traddr);
	stream_string(s, "trsvcid", ctrl->trsvcid);
	stream_string(s, "host_traddr", ctrl->host_traddr);
	stream_string(s, "host_iface", ctrl->host_iface);
	stream_string(s, "src_addr", ctrl->src_addr);
	json_put_bool(s, "relay", nvme_mptcp_ctrl_is_relayed(ctrl));
	json_put_bool(s, "bypassed", ctrl->is_bypassed);
	json_put_int(s, "connections_expected", ctrl->expected);
	json_put_int(s, "connections_shared", (int64_t)ctrl->n_shared);
	put_set(s, &ctrl->set);
	stream_end_dict(s);
}

static bool is_listed(const struct nvme_mptcp_ctrl *ctrl, const char *const *names)
{
	return !names || str_in_list(names, ctrl->name);
}

static void put_shared(struct json_stream *s, const struct nvme_mptcp_shared *sh,
		       const char *const *names)
{
	bool wanted = false;

	for (size_t i = 0; i < sh->n_ctrls && !wanted; i++)
		wanted = is_listed(sh->ctrls[i], names);
	if (!wanted)
		return;
	stream_dict(s, NULL);
	stream_list(s, "controllers");
	for (size_t i = 0; i < sh->n_ctrls; i++)
		stream_string(s, NULL, sh->ctrls[i]->name);
	stream_end_list(s);
	put_set(s, &sh->set);
	stream_end_dict(s);
}

static void put_ctrls(struct json_stream *s, const struct nvme_mptcp_snapshot *snap,
		      const char *const *names)
{
	stream_list(s, "controllers");
	for (size_t i = 0; i < snap->n_ctrls; i++)
		if (is_listed(&snap->ctrls[i], names))
			put_ctrl(s, &snap->ctrls[i]);
	stream_end_list(s);
	stream_list(s, "shared");
	for (size_t i = 0; i < snap->n_shared; i++)
		put_shared(s, &snap->shared[i], names);
	stream_end_list(s);
}

static void put_endpoints(struct json_stream *s, nvme_mptcp_snapshot_t snap)
{
	json_put_bool(s, "enabled", nvme_mptcp_is_enabled(snap));
	stream_string(s, "path_manager", nvme_mptcp_path_manager(snap));
	stream_string(s, "scheduler", nvme_mptcp_scheduler(snap));
	stream_dict(s, "settings");
	for (size_t i = 0; i < snap->n_settings; i++)
		stream_string(s, snap->settings[i].name, snap->settings[i].value);
	stream_end_dict(s);
	stream_dict(s, "limits");
	json_put_int(s, "subflows", snap->limit_subflows);
	json_put_int(s, "add_addr_accepted", snap->limit_add_addr_accepted);
	stream_end_dict(s);
	stream_list(s, "endpoints");
	for (size_t i = 0; i < snap->n_endpoints; i++) {
		const struct nvme_mptcp_endpoint *ep = &snap->endpoints[i];

		stream_dict(s, NULL);
		json_put_int(s, "id", ep->id);
		stream_string(s, "address", ep->address);
		json_put_int(s, "port", ep->port ? ep->port : NVME_MPTCP_UNKNOWN);
		json_put_flags(s, "flags", ep->flags, endpoint_flag_names, ENDPOINT_FLAGS);
		json_put_int(s, "ifindex", ep->ifindex ? ep->ifindex : NVME_MPTCP_UNKNOWN);
		stream_string(s, "dev", name_of_link(ep->device));
		stream_string(s, "link", name_of_link(ep->link));
		json_put_int(s, "subflows", ep->subflows);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void encode_links(struct json_stream *s, const struct nvme_mptcp_snapshot *snap)
{
	stream_list(s, "links");
	for (size_t i = 0; i < snap->n_links; i++) {
		const struct nvme_mptcp_link *link = &snap->links[i];

		stream_dict(s, NULL);
		stream_string(s, "name", link->name);
		json_put_int(s, "ifindex", link->ifindex);
		json_put_bool(s, "up", nvme_mptcp_link_is_up(link));
		json_put_bool(s, "carrier", nvme_mptcp_link_has_carrier(link));
		json_put_bool(s, "usable", link->usable);
		json_put_int(s, "mtu", link->mtu);
		json_put_int(s, "speed_mbps", link->speed);
		json_put_int(s, "master", link->master ? link->master : NVME_MPTCP_UNKNOWN);
		stream_string(s, "kind", nvme_mptcp_link_kind_name(link->kind));
		json_put_int(s, "wire", link->wire ? link->wire : link->ifindex);
		stream_string(s, "type", link->type);
		json_put_int(s, "parent", link->parent ? link->parent : NVME_MPTCP_UNKNOWN);
		json_put_int(s, "vlan", link->vlan ? link->vlan : NVME_MPTCP_UNKNOWN);
		json_put_int(s, "vlan_gate",
			     link->vlan_gate ? link->vlan_gate : NVME_MPTCP_UNKNOWN);
		json_put_int(s, "active_port",
			     link->active_port ? link->active_port : NVME_MPTCP_UNKNOWN);
		if (link_is_bond(link)) {
			json_put_bool(s, "unmonitored", link->unmonitored);
			json_put_bool(s, "no_partner", link->no_partner);
		}
		json_put_int(s, "aggregator",
			     link->aggregator ? link->aggregator : NVME_MPTCP_UNKNOWN);
		json_put_int(s, "table", link->table ? (int64_t)link->table : NVME_MPTCP_UNKNOWN);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_problems(struct json_stream *s, nvme_mptcp_snapshot_t snap)
{
	stream_list(s, "problems");
	for (int i = 0; i < NVME_MPTCP_PARTS; i++) {
		if (!snap->problem[i].err)
			continue;
		stream_dict(s, NULL);
		stream_string(s, "part", nvme_mptcp_part_name(i));
		json_put_int(s, "errno", snap->problem[i].err);
		stream_string(s, "text", nvme_mptcp_snapshot_problem(snap, i));
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_named_set(struct json_stream *s, const char *key, const struct nvme_mptcp_set *set)
{
	stream_dict(s, key);
	put_set(s, set);
	stream_end_dict(s);
}

void snapshot_encode(struct json_stream *s, const char *key, nvme_mptcp_snapshot_t snap,
		     unsigned int what, const char *const *ctrls)
{
	stream_dict(s, key);
	json_put_int(s, "version", SCHEMA_VERSION);
	json_put_int(s, "taken_ms", snap->taken);
	stream_string(s, "netns", snap->netns);
	put_problems(s, snap);
	if (what & NVME_MPTCP_JSON_ENDPOINTS)
		put_endpoints(s, snap);
	if (what & NVME_MPTCP_JSON_LINKS)
		encode_links(s, snap);
	if (what & NVME_MPTCP_JSON_CONTROLLERS)
		put_ctrls(s, snap, ctrls);
	if (what & NVME_MPTCP_JSON_USERSPACE)
		put_named_set(s, "userspace", &snap->userspace);
	if (what & NVME_MPTCP_JSON_OTHER)
		put_named_set(s, "other", &snap->other);
	stream_end_dict(s);
}

char *nvme_mptcp_snapshot_to_json(nvme_mptcp_snapshot_t snap, unsigned int what,
				  const char *const *ctrls)
{
	struct json_stream s = { .pretty = what & NVME_MPTCP_JSON_PRETTY };

	snapshot_encode(&s, NULL, snap, what, ctrls);
	return stream_finish(&s);
}
