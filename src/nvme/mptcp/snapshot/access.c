// SPDX-License-Identifier: LGPL-2.1-or-later
/* What programs may see of a snapshot. */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

/* The element after @element of an array of @n, the first one for NULL, NULL at the end. */
#define NEXT(array, n, element) \
	((element) ? ((size_t)((element) - (array)) + 1 < (n) ? (element) + 1 : NULL) \
		   : ((n) ? (array) : NULL))

const char *nvme_mptcp_snapshot_problem(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part)
{
	const struct problem *problem;

	if ((unsigned int)part >= NVME_MPTCP_PARTS)
		return NULL;
	problem = &snap->problem[part];
	if (!problem->err)
		return NULL;
	return problem->text ? problem->text : strerror(problem->err);
}

int nvme_mptcp_snapshot_errno(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part)
{
	return (unsigned int)part < NVME_MPTCP_PARTS ? snap->problem[part].err : 0;
}

const char *nvme_mptcp_part_name(enum nvme_mptcp_part part)
{
	static const char *const names[NVME_MPTCP_PARTS] = {
		[NVME_MPTCP_SETTINGS] = "settings",
		[NVME_MPTCP_COUNTERS] = "counters",
		[NVME_MPTCP_LIMITS] = "limits",
		[NVME_MPTCP_ENDPOINTS] = "endpoints",
		[NVME_MPTCP_CONNECTIONS] = "connections",
		[NVME_MPTCP_SUBFLOWS] = "subflows",
		[NVME_MPTCP_LINKS] = "links",
		[NVME_MPTCP_ADDRESSES] = "addresses",
		[NVME_MPTCP_OWNERS] = "owners",
		[NVME_MPTCP_CONTROLLERS] = "controllers",
		[NVME_MPTCP_RECORDS] = "records",
	};

	return (unsigned int)part < NVME_MPTCP_PARTS ? names[part] : NULL;
}

int64_t nvme_mptcp_snapshot_taken(nvme_mptcp_snapshot_t snap)
{
	return snap->taken;
}

const char *nvme_mptcp_snapshot_netns(nvme_mptcp_snapshot_t snap)
{
	return snap->netns;
}

const char *nvme_mptcp_setting(nvme_mptcp_snapshot_t snap, const char *name)
{
	for (size_t i = 0; i < snap->n_settings; i++)
		if (!strcmp(snap->settings[i].name, name))
			return snap->settings[i].value;
	return NULL;
}

int nvme_mptcp_is_enabled(nvme_mptcp_snapshot_t snap)
{
	const char *enabled = nvme_mptcp_setting(snap, "enabled");

	return enabled ? strcmp(enabled, "0") != 0 : NVME_MPTCP_UNKNOWN;
}

const char *nvme_mptcp_path_manager(nvme_mptcp_snapshot_t snap)
{
	const char *name = nvme_mptcp_setting(snap, "path_manager");
	const char *type = nvme_mptcp_setting(snap, "pm_type");

	if (name || !type)
		return name;
	return !strcmp(type, "0") ? "kernel" : !strcmp(type, "1") ? "userspace" : type;
}

const char *nvme_mptcp_scheduler(nvme_mptcp_snapshot_t snap)
{
	return nvme_mptcp_setting(snap, "scheduler");
}

int64_t nvme_mptcp_limit_subflows(nvme_mptcp_snapshot_t snap)
{
	return snap->limit_subflows;
}

int64_t nvme_mptcp_limit_add_addr_accepted(nvme_mptcp_snapshot_t snap)
{
	return snap->limit_add_addr_accepted;
}

nvme_mptcp_link_t nvme_mptcp_link_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link)
{
	return NEXT(snap->links, snap->n_links, link);
}

const char *nvme_mptcp_link_name(nvme_mptcp_link_t link)
{
	return link->name;
}

int nvme_mptcp_link_ifindex(nvme_mptcp_link_t link)
{
	return link->ifindex;
}

bool nvme_mptcp_link_is_up(nvme_mptcp_link_t link)
{
	return link->flags & IFF_UP;
}

bool nvme_mptcp_link_has_carrier(nvme_mptcp_link_t link)
{
	return link->flags & IFF_LOWER_UP;
}

int64_t nvme_mptcp_link_mtu(nvme_mptcp_link_t link)
{
	return link->mtu;
}

int64_t nvme_mptcp_link_speed(nvme_mptcp_link_t link)
{
	return link->speed;
}

int nvme_mptcp_link_master(nvme_mptcp_link_t link)
{
	return link->master;
}

nvme_mptcp_endpoint_t nvme_mptcp_endpoint_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_endpoint_t ep)
{
	return NEXT(snap->endpoints, snap->n_endpoints, ep);
}

unsigned int nvme_mptcp_endpoint_id(nvme_mptcp_endpoint_t ep)
{
	return ep->id;
}

const char *nvme_mptcp_endpoint_address(nvme_mptcp_endpoint_t ep)
{
	return ep->address;
}

unsigned int nvme_mptcp_endpoint_port(nvme_mptcp_endpoint_t ep)
{
	return ep->port;
}

int64_t nvme_mptcp_endpoint_flags(nvme_mptcp_endpoint_t ep)
{
	return ep->flags;
}

int nvme_mptcp_endpoint_ifindex(nvme_mptcp_endpoint_t ep)
{
	return ep->ifindex;
}

nvme_mptcp_link_t nvme_mptcp_endpoint_device(nvme_mptcp_endpoint_t ep)
{
	return ep->device;
}

nvme_mptcp_link_t nvme_mptcp_endpoint_link(nvme_mptcp_endpoint_t ep)
{
	return ep->link;
}

int64_t nvme_mptcp_endpoint_subflows(nvme_mptcp_endpoint_t ep)
{
	return ep->subflows;
}

nvme_mptcp_ctrl_t nvme_mptcp_ctrl_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_ctrl_t ctrl)
{
	return NEXT(snap->ctrls, snap->n_ctrls, ctrl);
}

const char *nvme_mptcp_ctrl_name(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->name;
}

const char *nvme_mptcp_ctrl_subsysnqn(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->subsysnqn;
}

const char *nvme_mptcp_ctrl_transport(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->transport;
}

const char *nvme_mptcp_ctrl_state(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->state;
}

const char *nvme_mptcp_ctrl_traddr(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->traddr;
}

const char *nvme_mptcp_ctrl_trsvcid(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->trsvcid;
}

const char *nvme_mptcp_ctrl_host_traddr(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->host_traddr;
}

const char *nvme_mptcp_ctrl_host_iface(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->host_iface;
}

const char *nvme_mptcp_ctrl_src_addr(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->src_addr;
}

int64_t nvme_mptcp_ctrl_expected(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->expected;
}

nvme_mptcp_set_t nvme_mptcp_ctrl_connections(nvme_mptcp_ctrl_t ctrl)
{
	return &ctrl->set;
}

size_t nvme_mptcp_ctrl_n_shared(nvme_mptcp_ctrl_t ctrl)
{
	return ctrl->n_shared;
}

nvme_mptcp_shared_t nvme_mptcp_shared_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_shared_t sh)
{
	return NEXT(snap->shared, snap->n_shared, sh);
}

nvme_mptcp_ctrl_t nvme_mptcp_shared_ctrl(nvme_mptcp_shared_t sh, size_t i)
{
	return i < sh->n_ctrls ? sh->ctrls[i] : NULL;
}

nvme_mptcp_set_t nvme_mptcp_shared_connections(nvme_mptcp_shared_t sh)
{
	return &sh->set;
}

nvme_mptcp_set_t nvme_mptcp_connections(nvme_mptcp_snapshot_t snap,
					enum nvme_mptcp_attribution kind)
{
	return kind == NVME_MPTCP_USERSPACE ? &snap->userspace
	       : kind == NVME_MPTCP_NONE    ? &snap->other
					    : NULL;
}

size_t nvme_mptcp_set_count(nvme_mptcp_set_t set)
{
	return set->count;
}

size_t nvme_mptcp_set_subflows(nvme_mptcp_set_t set)
{
	return set->subflows;
}

size_t nvme_mptcp_set_fallback(nvme_mptcp_set_t set)
{
	return set->fallback;
}

nvme_mptcp_usage_t nvme_mptcp_usage_next(nvme_mptcp_set_t set, nvme_mptcp_usage_t usage)
{
	return NEXT(set->usage, set->n_usage, usage);
}

nvme_mptcp_link_t nvme_mptcp_usage_link(nvme_mptcp_usage_t usage)
{
	return usage->link;
}

size_t nvme_mptcp_usage_subflows(nvme_mptcp_usage_t usage)
{
	return usage->subflows;
}

size_t nvme_mptcp_usage_pending(nvme_mptcp_usage_t usage)
{
	return usage->pending;
}

int64_t nvme_mptcp_usage_bytes_sent(nvme_mptcp_usage_t usage)
{
	return usage->sent;
}

int64_t nvme_mptcp_usage_bytes_received(nvme_mptcp_usage_t usage)
{
	return usage->received;
}

nvme_mptcp_connection_t nvme_mptcp_connection_next(nvme_mptcp_set_t set,
						   nvme_mptcp_connection_t conn)
{
	return conn ? conn->next : set->first;
}

int64_t nvme_mptcp_connection_token(nvme_mptcp_connection_t conn)
{
	return conn->has_token ? (int64_t)conn->token : NVME_MPTCP_UNKNOWN;
}

enum nvme_mptcp_attribution nvme_mptcp_connection_attribution(nvme_mptcp_connection_t conn)
{
	return conn->attribution;
}

const char *nvme_mptcp_attribution_name(enum nvme_mptcp_attribution attribution)
{
	static const char *const names[] = {
		[NVME_MPTCP_NONE] = "none",	    [NVME_MPTCP_EXACT] = "exact",
		[NVME_MPTCP_RECORDED] = "recorded", [NVME_MPTCP_INFERRED] = "inferred",
		[NVME_MPTCP_SHARED] = "shared",	    [NVME_MPTCP_USERSPACE] = "userspace",
	};

	return (unsigned int)attribution < sizeof(names) / sizeof(*names) ? names[attribution]
									  : NULL;
}

nvme_mptcp_ctrl_t nvme_mptcp_connection_ctrl(nvme_mptcp_connection_t conn)
{
	return conn->ctrl;
}

const char *nvme_mptcp_connection_state(nvme_mptcp_connection_t conn)
{
	return tcp_state_name(conn->state);
}

int nvme_mptcp_connection_fallback(nvme_mptcp_connection_t conn)
{
	return conn->fallback;
}

const char *nvme_mptcp_connection_local(nvme_mptcp_connection_t conn)
{
	return conn->local_text;
}

const char *nvme_mptcp_connection_remote(nvme_mptcp_connection_t conn)
{
	return conn->remote_text;
}

uint32_t nvme_mptcp_connection_inode(nvme_mptcp_connection_t conn)
{
	return conn->inode;
}

int64_t nvme_mptcp_connection_pid(nvme_mptcp_connection_t conn)
{
	return conn->pid;
}

size_t nvme_mptcp_connection_n_subflows(nvme_mptcp_connection_t conn)
{
	return conn->n_subflows;
}

nvme_mptcp_subflow_t nvme_mptcp_subflow_next(nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf)
{
	return NEXT(conn->subflows, conn->n_subflows, sf);
}

const char *nvme_mptcp_subflow_local(nvme_mptcp_subflow_t sf)
{
	return sf->local_text;
}

const char *nvme_mptcp_subflow_remote(nvme_mptcp_subflow_t sf)
{
	return sf->remote_text;
}

nvme_mptcp_link_t nvme_mptcp_subflow_link(nvme_mptcp_subflow_t sf)
{
	return sf->link;
}

bool nvme_mptcp_subflow_is_bound(nvme_mptcp_subflow_t sf)
{
	return sf->is_bound;
}

int nvme_mptcp_subflow_id_local(nvme_mptcp_subflow_t sf)
{
	return sf->id_local;
}

int nvme_mptcp_subflow_id_remote(nvme_mptcp_subflow_t sf)
{
	return sf->id_remote;
}

int64_t nvme_mptcp_subflow_flags(nvme_mptcp_subflow_t sf)
{
	return sf->flags;
}

const char *nvme_mptcp_subflow_state(nvme_mptcp_subflow_t sf)
{
	return tcp_state_name(sf->state);
}

bool nvme_mptcp_subflow_is_established(nvme_mptcp_subflow_t sf)
{
	return sf->state == STATE_ESTABLISHED;
}
