// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public accessors of a snapshot. */
#include "snapshot.h"

GETTER(int64_t, nvme_mptcp_snapshot_taken, nvme_mptcp_snapshot_t, taken);
GETTER(const char *, nvme_mptcp_snapshot_netns, nvme_mptcp_snapshot_t, netns);

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

GETTER_OF(const char *, nvme_mptcp_scheduler, nvme_mptcp_snapshot_t,
	  nvme_mptcp_setting(object, "scheduler"));
GETTER(int64_t, nvme_mptcp_limit_subflows, nvme_mptcp_snapshot_t, limit_subflows);
GETTER(int64_t, nvme_mptcp_limit_add_addr_accepted, nvme_mptcp_snapshot_t, limit_add_addr_accepted);
ARRAY_GETTER(nvme_mptcp_ctrl_t, nvme_mptcp_ctrl_next, nvme_mptcp_snapshot_t, ctrls, n_ctrls);
GETTER(const char *, nvme_mptcp_ctrl_name, nvme_mptcp_ctrl_t, name);
GETTER(const char *, nvme_mptcp_ctrl_subsysnqn, nvme_mptcp_ctrl_t, subsysnqn);
GETTER(const char *, nvme_mptcp_ctrl_transport, nvme_mptcp_ctrl_t, transport);
GETTER(const char *, nvme_mptcp_ctrl_state, nvme_mptcp_ctrl_t, state);
GETTER(const char *, nvme_mptcp_ctrl_traddr, nvme_mptcp_ctrl_t, traddr);
GETTER(const char *, nvme_mptcp_ctrl_trsvcid, nvme_mptcp_ctrl_t, trsvcid);
GETTER(const char *, nvme_mptcp_ctrl_host_traddr, nvme_mptcp_ctrl_t, host_traddr);
GETTER(const char *, nvme_mptcp_ctrl_host_iface, nvme_mptcp_ctrl_t, host_iface);
GETTER(const char *, nvme_mptcp_ctrl_src_addr, nvme_mptcp_ctrl_t, src_addr);
GETTER(int64_t, nvme_mptcp_ctrl_expected, nvme_mptcp_ctrl_t, expected);
GETTER_OF(nvme_mptcp_set_t, nvme_mptcp_ctrl_connections, nvme_mptcp_ctrl_t, &object->set);
GETTER(size_t, nvme_mptcp_ctrl_n_shared, nvme_mptcp_ctrl_t, n_shared);
ARRAY_GETTER(nvme_mptcp_shared_t, nvme_mptcp_shared_next, nvme_mptcp_snapshot_t, shared, n_shared);

nvme_mptcp_ctrl_t nvme_mptcp_shared_ctrl(nvme_mptcp_shared_t sh, size_t i)
{
	return i < sh->n_ctrls ? sh->ctrls[i] : NULL;
}

GETTER_OF(nvme_mptcp_set_t, nvme_mptcp_shared_connections, nvme_mptcp_shared_t, &object->set);

nvme_mptcp_set_t nvme_mptcp_connections(nvme_mptcp_snapshot_t snap,
					enum nvme_mptcp_attribution kind)
{
	return kind == NVME_MPTCP_USERSPACE ? &snap->userspace
	       : kind == NVME_MPTCP_NONE    ? &snap->other
					    : NULL;
}

GETTER(size_t, nvme_mptcp_set_count, nvme_mptcp_set_t, count);
GETTER(size_t, nvme_mptcp_set_subflows, nvme_mptcp_set_t, subflows);
GETTER(size_t, nvme_mptcp_set_fallback, nvme_mptcp_set_t, fallback);
ARRAY_GETTER(nvme_mptcp_usage_t, nvme_mptcp_usage_next, nvme_mptcp_set_t, usage, n_usage);
GETTER(nvme_mptcp_link_t, nvme_mptcp_usage_link, nvme_mptcp_usage_t, link);

nvme_mptcp_link_t nvme_mptcp_usage_possible_link(nvme_mptcp_usage_t usage, size_t i)
{
	return i < usage->n_possible ? usage->possible[i] : NULL;
}

GETTER(size_t, nvme_mptcp_usage_subflows, nvme_mptcp_usage_t, subflows);
GETTER(size_t, nvme_mptcp_usage_dead, nvme_mptcp_usage_t, dead);
GETTER(size_t, nvme_mptcp_usage_pending, nvme_mptcp_usage_t, pending);
GETTER(int64_t, nvme_mptcp_usage_bytes_sent, nvme_mptcp_usage_t, sent);
GETTER(int64_t, nvme_mptcp_usage_bytes_received, nvme_mptcp_usage_t, received);
