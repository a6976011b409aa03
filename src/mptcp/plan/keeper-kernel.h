/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keeper's operations on the machine. Rounds depend on their results and the clock alone. */
#pragma once

#include "keep-plan.h"
#include "keep-poll.h"
#include "mptcp/monitor/notice.h"

/* Functions that return int return 0 or -errno. */
struct keeper_ops {
	/* Get the cookie of the namespace and, with @lock, take the lock as keep_lock_take(). */
	int (*enter)(const char *netns, struct keep_lock *lock, pid_t *holder, uint64_t *cookie);
	int (*take)(const char *netns, struct nvme_mptcp_snapshot **ret);
	/* Read only settings, limits, endpoints and the relay. */
	int (*inspect)(const char *netns, struct nvme_mptcp_snapshot *ret);
	int (*learn)(const char *netns, const struct nvme_mptcp_snapshot *snap,
		     struct plan_known *known);
	int (*listen)(const char *netns, struct notices *ret);
	int (*read_notices)(struct notices *notices,
			    void (*fn)(const struct notice *notice, void *arg), void *arg);
	int (*plan)(struct keep_round *r);
	int (*apply)(struct nvme_mptcp_plan *plan);
	/* For immediate actions: read the network, and apply steps without reading it again. */
	int (*take_fast)(const char *netns, struct nvme_mptcp_snapshot **ret);
	int (*act)(struct nvme_mptcp_plan *plan);
	/* As subflow_sample(). */
	keep_sample_fn *sample_subflows;
	/* Return the CPU time that this process has used, in ms. */
	int64_t (*used)(void);
};

extern const struct keeper_ops keeper_kernel_ops;

/* As nvme_mptcp_keeper_open() or, without @holder, nvme_mptcp_keeper_look(); 0 or -errno. */
int keeper_open(const struct nvme_mptcp_keeper_args *args, const struct keeper_ops *ops,
		nvme_mptcp_keeper_t *ret, pid_t *holder);
