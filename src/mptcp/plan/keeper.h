/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keeper of a network namespace: rounds (keep.c) and immediate actions (keeper-urgent.c). */
#pragma once

#include "keeper-kernel.h"
#include "keep-fast.h"

#define KEEPER_PORTS 65536

struct nvme_mptcp_keeper {
	const struct keeper_ops *ops;
	int64_t (*clock)(void *arg); /* NULL: CLOCK_MONOTONIC */
	void *clock_arg;
	char *netns;
	char *path;
	bool keeps; /* holds the lock, and may change something */
	struct keep_lock lock;
	struct keep_own own;
	struct plan_known known;
	struct nvme_mptcp_snapshot *snap; /* of the last round */
	struct notices notices;
	struct idmap *tokens; /* tokens of the connections whose events are handled */
	bool ports[KEEPER_PORTS]; /* ports whose connections are handled */
	struct keep_debounce quiet;
	int64_t rested; /* earliest time of the next round */
	int64_t inspect; /* time of the next inspection of endpoints, limits and settings */
	int64_t again; /* time of the next attempt at what is missing */
	unsigned int failures;
	enum nvme_mptcp_role role; /* of the last round */
	int64_t urgent; /* time when an immediate action may be needed */
	struct keep_poll pulse;
	struct nvme_mptcp_plan *done; /* plans applied at once and not fetched yet, oldest first */
	bool has_acted; /* something was done at once since the round read the network */
	struct nvme_mptcp_plan *applied; /* plan that is being applied, or NULL */
	struct metric_totals *totals; /* totals of its metrics, or NULL */
	void (*totals_free)(struct metric_totals *totals);
};

int64_t keeper_now(const struct nvme_mptcp_keeper *k);

/* Handle a notice: set k->urgent if it may require an immediate action. */
void keeper_check_urgent(struct nvme_mptcp_keeper *k, const struct notice *n);

/* Do at once what @snap requires. Return 1 if something was tried, else 0, or -ENOMEM. */
int keeper_act(struct nvme_mptcp_keeper *k, struct nvme_mptcp_snapshot *snap);

/* Handle notices, and do what is due and cannot wait. Return 0 or -errno. */
int keeper_process_notices(struct nvme_mptcp_keeper *k);

/* Handle a notice that may require a round (keep.c). */
void keeper_handle_notice(const struct notice *n, void *arg);

/*
 * Set *@room to the service of a keeper in the pauses of a round, see base/pause.h. Return NULL if
 * the keeper does not listen or may not change anything.
 */
struct pause_service;
const struct pause_service *keeper_service(struct nvme_mptcp_keeper *k, struct pause_service *room);
