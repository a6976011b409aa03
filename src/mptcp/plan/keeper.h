/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keeper of a network namespace: rounds once things are quiet (keep.c), and what is done at once. */
#pragma once

#include "base/map.h"
#include "keeper-kernel.h"
#include "keep-fast.h"

#define KEEPER_PORTS 65536

struct nvme_mptcp_keeper {
	const struct keeper_ops *ops;
	int64_t (*clock)(void *arg); /* NULL: the machine's */
	void *clock_arg;
	char *netns;
	char *path;
	bool keeps; /* it has the lock, and may change something */
	struct keep_lock lock;
	struct keep_own own;
	struct plan_known known;
	struct nvme_mptcp_snapshot *snap; /* of the last round */
	struct notices notices;
	struct idmap *tokens; /* connections that matter */
	bool ports[KEEPER_PORTS]; /* whose connections matter */
	struct keep_quiet quiet;
	int64_t rested; /* no round before */
	int64_t inspect; /* when endpoints are looked at */
	int64_t again; /* when what is missing is tried again */
	unsigned int failures;
	enum nvme_mptcp_role role; /* of the last round */
	int64_t urgent; /* when something may have to be done at once */
	struct keep_pulse pulse;
	struct nvme_mptcp_plan *done; /* at once, not yet handed out, the first one first */
	bool has_acted; /* at once, since the round has looked */
	struct nvme_mptcp_plan *applied; /* now, or NULL */
	struct metric_totals *totals; /* of its metrics, or NULL */
	void (*totals_free)(struct metric_totals *totals);
};

int64_t keeper_now(const struct nvme_mptcp_keeper *k);

/* Something happened to a link or an address: does it have to be looked at soon? */
void keeper_take_urgent(struct nvme_mptcp_keeper *k, const struct notice *n);

/* Does at once what @snap calls for. 1: something was tried, 0: there was nothing, or -ENOMEM. */
int keeper_act(struct nvme_mptcp_keeper *k, struct nvme_mptcp_snapshot *snap);

/* Takes in what happened, and does what cannot wait, if it is due. 0 or -errno. */
int keeper_hear(struct nvme_mptcp_keeper *k);

/* Of keep.c: what happened may call for a round. */
void keeper_take_notice(const struct notice *n, void *arg);

/* The service of a keeper in pauses of a round, see base/pause.h; NULL where it does not listen. */
struct pause_service;
const struct pause_service *keeper_service(struct nvme_mptcp_keeper *k, struct pause_service *room);
