/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the keeper asks of the machine. Which rounds it makes and when follows from the answers and from
 * the clock that its caller may give, so that tests can give other answers.
 */
#pragma once

#include "keep-plan.h"
#include "keep-pulse.h"
#include "mptcp/monitor/notice.h"

/* All that return int: 0 or -errno. */
struct keeper_ops {
	/* The namespace's cookie, and with @lock the right to keep it: as keep_lock_take(). */
	int (*enter)(const char *netns, struct keep_lock *lock, pid_t *holder, uint64_t *cookie);
	int (*take)(const char *netns, struct nvme_mptcp_snapshot **ret);
	/* Endpoints, limits and settings alone. */
	int (*inspect)(const char *netns, struct nvme_mptcp_snapshot *ret);
	int (*learn)(const char *netns, const struct nvme_mptcp_snapshot *snap,
		     struct plan_known *known);
	int (*listen)(const char *netns, struct notices *ret);
	int (*hear)(struct notices *notices, void (*fn)(const struct notice *notice, void *arg),
		    void *arg);
	int (*plan)(struct keep_round *r);
	int (*apply)(struct nvme_mptcp_plan *plan);
	/* What is done at once: a glance at the network, and the steps without another one. */
	int (*glance)(const char *netns, struct nvme_mptcp_snapshot **ret);
	int (*act)(struct nvme_mptcp_plan *plan);
	/* As subflow_feel_pulse(). */
	keep_feel_fn *feel;
	/* Milliseconds of CPU time that this process has used. */
	int64_t (*used)(void);
};

extern const struct keeper_ops keeper_kernel_ops;

/* As nvme_mptcp_keeper_open(); without @holder as nvme_mptcp_keeper_look(). 0 or -errno. */
int keeper_open(const struct nvme_mptcp_keeper_args *args, const struct keeper_ops *ops,
		nvme_mptcp_keeper_t *ret, pid_t *holder);
