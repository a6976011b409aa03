// SPDX-License-Identifier: LGPL-2.1-or-later
/* Take a snapshot: the order of reading, the network namespace of each part, and release. */
#include "config.h"
#include "coverage.h"
#include "snapshot.h"

struct nvme_mptcp_snapshot *snapshot_new(void)
{
	struct nvme_mptcp_snapshot *snap = calloc(1, sizeof(*snap));
	struct timespec now;

	if (!snap)
		return NULL;
	clock_gettime(CLOCK_BOOTTIME, &now);
	snap->taken = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
	snap->record_dir = STATEDIR "/mptcp";
	snap->limit_subflows = NVME_MPTCP_UNKNOWN;
	snap->limit_add_addr_accepted = NVME_MPTCP_UNKNOWN;
	return snap;
}

static void clear_set(struct nvme_mptcp_set *set)
{
	free(set->usage);
	free(set->coverage);
}

void ctrl_free(struct nvme_mptcp_ctrl *ctrl)
{
	free(ctrl->name);
	free(ctrl->subsystem);
	free(ctrl->subsysnqn);
	free(ctrl->transport);
	free(ctrl->state);
	free(ctrl->traddr);
	free(ctrl->trsvcid);
	free(ctrl->host_traddr);
	free(ctrl->host_iface);
	free(ctrl->src_addr);
	free(ctrl->queues);
	clear_set(&ctrl->set);
}

void nvme_mptcp_snapshot_free(nvme_mptcp_snapshot_t snap)
{
	if (!snap)
		return;
	for (size_t i = 0; i < NVME_MPTCP_PARTS; i++)
		free(snap->problem[i].text);
	for (size_t i = 0; i < snap->n_settings; i++) {
		free(snap->settings[i].name);
		free(snap->settings[i].value);
	}
	for (size_t i = 0; i < snap->n_ctrls; i++)
		ctrl_free(&snap->ctrls[i]);
	free(snap->plain.name);
	free(snap->plain.bound);
	free(snap->plain.transport);
	free(snap->plain.subsysnqn);
	free(snap->plain.traddr);
	free(snap->plain.trsvcid);
	for (size_t i = 0; i < snap->n_shared; i++) {
		free(snap->shared[i].ctrls);
		clear_set(&snap->shared[i].set);
	}
	clear_set(&snap->userspace);
	clear_set(&snap->other);
	counter_clear(&snap->counters);
	free(snap->settings);
	free(snap->endpoints);
	free(snap->connections);
	free(snap->portals);
	nvme_mptcp_relay_status_free(snap->relay);
	free(snap->listeners);
	free(snap->subflows);
	free(snap->links);
	free(snap->addresses);
	free(snap->ctrls);
	free(snap->shared);
	free(snap->netns);
	free(snap);
}

/* Read all that depends on the network namespace; runs inside it. */
static int read_network(void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	int err;

	snap->netns_id = netns_id();
	err = snapshot_read_settings(snap)
	      ?: snapshot_read_counters(snap)
	      ?: pm_read(snap)
	      ?: diag_read(snap)
	      ?: relayed_read(snap)
	      ?: snapshot_read_links(snap)
	      ?: snapshot_read_gates(snap)
	      ?: snapshot_join(snap)
	      ?: snapshot_read_routes(snap);
	if (!err)
		snapshot_read_speeds(snap);
	return err;
}

/* Runs in the network namespace, because it queries routes. */
static int cover_network(void *arg)
{
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_ROUTE);

	if (err && route_problem(arg, err))
		return err;
	return snapshot_cover(arg, err ? NULL : &nl);
}

static int take_all(nvme_root_t r, bool sysfs, const char *netns, struct nvme_mptcp_snapshot *snap)
{
	/* Owners come after controllers: queues that these show are not searched for in /proc. */
	int err = str_set(&snap->netns, netns)
		  ?: netns_run(netns, read_network, snap)
		  ?: (sysfs ? snapshot_read_ctrls_sysfs(snap) : snapshot_read_ctrls(snap, r))
		  ?: snapshot_read_owners(snap)
		  ?: snapshot_attribute(snap)
		  ?: relayed_find_bypassed(snap)
		  ?: snapshot_sum(snap);

	return err || (!snap->other.first && !snap->n_ctrls)
		       ? err
		       : netns_run(netns, cover_network, snap);
}

/* Pass @snap on in *@ret, or free it if there is an error. */
static int hand_over(struct nvme_mptcp_snapshot *snap, int err, struct nvme_mptcp_snapshot **ret)
{
	if (err)
		nvme_mptcp_snapshot_free(snap);
	else
		*ret = snap;
	return err;
}

int nvme_mptcp_snapshot_take(nvme_root_t r, const char *netns, nvme_mptcp_snapshot_t *ret)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	int err;

	failure_begin();
	err = hand_over(snap, snap ? take_all(r, false, netns, snap) : -ENOMEM, ret);
	return err ? failure_raise(err, "reading MPTCP connections") : 0;
}

int snapshot_take_sysfs(const char *netns, struct nvme_mptcp_snapshot **ret)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	return hand_over(snap, snap ? take_all(NULL, true, netns, snap) : -ENOMEM, ret);
}

static int glance_at_network(void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;

	return pm_read(snap)
	       ?: diag_read(snap)
	       ?: snapshot_read_links(snap)
	       ?: snapshot_join(snap)
	       ?: snapshot_read_routes(snap);
}

static int read_there(const char *netns, int (*read)(void *arg), struct nvme_mptcp_snapshot **ret)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	int err = (snap ? str_set(&snap->netns, netns) : -ENOMEM) ?: netns_run(netns, read, snap);

	return hand_over(snap, err, ret);
}

int snapshot_take_network(const char *netns, struct nvme_mptcp_snapshot **ret)
{
	return read_there(netns, read_network, ret);
}

int snapshot_take_fast(const char *netns, struct nvme_mptcp_snapshot **ret)
{
	return read_there(netns, glance_at_network, ret);
}
