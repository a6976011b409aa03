// SPDX-License-Identifier: LGPL-2.1-or-later
/* What programs may see of a snapshot. */
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

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

const char *snapshot_kernel_manager(const struct nvme_mptcp_snapshot *snap)
{
	const nvme_mptcp_snapshot_t s = (nvme_mptcp_snapshot_t)snap;
	const char *manager = nvme_mptcp_path_manager(s);

	if (!manager || !strcmp(manager, "kernel"))
		return NULL;
	return nvme_mptcp_setting(s, "path_manager") ? "sysctl -w net.mptcp.path_manager=kernel"
						     : "sysctl -w net.mptcp.pm_type=0";
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

nvme_mptcp_ctrl_t nvme_mptcp_ctrl_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_ctrl_t ctrl)
{
	return ARRAY_NEXT(snap->ctrls, snap->n_ctrls, ctrl);
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
	return ARRAY_NEXT(snap->shared, snap->n_shared, sh);
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
	return ARRAY_NEXT(set->usage, set->n_usage, usage);
}

nvme_mptcp_link_t nvme_mptcp_usage_link(nvme_mptcp_usage_t usage)
{
	return usage->link;
}

nvme_mptcp_link_t nvme_mptcp_usage_possible_link(nvme_mptcp_usage_t usage, size_t i)
{
	return i < usage->n_possible ? usage->possible[i] : NULL;
}

size_t nvme_mptcp_usage_subflows(nvme_mptcp_usage_t usage)
{
	return usage->subflows;
}

size_t nvme_mptcp_usage_dead(nvme_mptcp_usage_t usage)
{
	return usage->dead;
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
