/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What keep made, and when it does something again: whose endpoint is whose, whether somebody else
 * fights over it, how long to wait until things are quiet and after a failure. Times are
 * milliseconds of CLOCK_MONOTONIC, given by the caller.
 */
#pragma once

#include "keep-out.h"
#include "mptcp/snapshot/snapshot.h"

#define KEEP_NEVER INT64_MAX

/* Changes of one cause come together; what never rests is looked at as well. */
#define KEEP_SETTLED_MS 1000
#define KEEP_AT_MOST_MS 5000

/* Twice in this time is a fight. */
#define KEEP_FIGHT_MS 60000

/* How long it is left to others after the first fight; twice as long after each more. */
#define KEEP_TRUCE_MS 60000
#define KEEP_TRUCE_MOST_MS 3600000

struct keep_quiet {
	int64_t since, last; /* 0: nothing happened */
};

/* Something happened. */
void keep_stir(struct keep_quiet *quiet, int64_t now);
/* When things are quiet, KEEP_NEVER if nothing happened. */
int64_t keep_quiet_due(const struct keep_quiet *quiet);

/* How long to wait after so many failures in a row: 2, 4, 8, ... seconds, up to a minute. */
int64_t keep_pause(unsigned int failures);

/* Is it ours, or is it fought over? */
struct keep_claim {
	bool seen; /* as it was made, by the last look */
	bool contested; /* it is left to whoever changes it, until ... */
	int64_t until; /* ... then; they may have gone. 0: there was no fight */
	unsigned int fights; /* one soon after the other */
	int64_t lost; /* when it was last changed by somebody else, 0: never */
};

/* How long it is left to others after so many fights: 1, 2, 4, ... minutes, up to an hour. */
int64_t keep_truce(unsigned int fights);

/* It is there as it was made, or not. Return: has it just become contested? */
bool keep_claim_look(struct keep_claim *claim, bool is_there, int64_t now);

/* An endpoint that keep made, or adopted. */
struct keep_endpoint {
	struct endpoint_spec spec; /* its id is 0 until the kernel has shown it */
	/* While one takes the place of another, it may be either: a crash may come before or after. */
	bool is_changing;
	struct endpoint_spec was;
	bool adopted; /* it was there as it should be, and is not taken back */
	bool lent; /* it stands for a subflow of an announced address, see keep-out.h */
	struct keep_claim claim;
	int link; /* ifindex of the link that had its address last, 0: not known */
	unsigned int failures; /* to bring its subflows back */
	int64_t not_before; /* the next attempt */
};

enum keep_value_name {
	KEEP_SUBFLOWS,
	KEEP_ADD_ADDR_ACCEPTED,
	KEEP_ADD_ADDR_TIMEOUT,
	KEEP_VALUES,
};

extern const char *const keep_value_names[KEEP_VALUES];

/* A limit or setting that keep changed. */
struct keep_value {
	bool is_set;
	int64_t before, now;
	struct keep_claim claim;
};

struct keep_own {
	struct keep_endpoint *endpoints;
	size_t n_endpoints;
	struct keep_value values[KEEP_VALUES];
	struct keep_out *outs; /* whoever made them */
	size_t n_outs;
};

void keep_own_clear(struct keep_own *own);

/* The one with this address and port, or NULL. */
struct keep_endpoint *keep_own_find(const struct keep_own *own, const struct in6_addr *ip,
				    uint16_t port);

/*
 * Is this endpoint one that keep made? It may have been changed since as the kernel can change one in
 * place; one with another id, device or other flags was made by another program. NULL owns nothing.
 */
bool keep_owns(const struct keep_own *own, const struct nvme_mptcp_endpoint *ep);

/* Adds @spec, or puts it in place of what has its address. NULL without memory. */
struct keep_endpoint *keep_own_add(struct keep_own *own, const struct endpoint_spec *spec,
				   bool adopted);
void keep_own_drop(struct keep_own *own, struct keep_endpoint *kept);

/* Does any stand for what was announced? Then announcements are followed, and not setup's plan. */
bool keep_own_has_lent(const struct keep_own *own);

/* The endpoint of the snapshot with its address and port, or NULL. The kernel's own only for @spec of one. */
const struct nvme_mptcp_endpoint *keep_find_there(const struct nvme_mptcp_snapshot *snap,
						  const struct endpoint_spec *spec);

/*
 * The link that it works on: its device, else the one that has its address or had it last. NULL: none
 * is known, or that link is gone.
 */
const struct nvme_mptcp_link *keep_link(const struct nvme_mptcp_snapshot *snap,
					const struct keep_endpoint *kept);

/* Is it the one that keep made, without any change since? NULL is not there. */
bool keep_is_as_made(const struct nvme_mptcp_endpoint *ep, const struct keep_endpoint *kept);

/* What a value is by now, NVME_MPTCP_UNKNOWN if that is not known. */
int64_t keep_value_there(const struct nvme_mptcp_snapshot *snap, enum keep_value_name name);

/* What somebody else changed since the last look. */
void keep_own_look(struct keep_own *own, const struct nvme_mptcp_snapshot *snap, int64_t now);

/* Are endpoints, limits and the path manager the same in both? */
bool keep_sees_same(nvme_mptcp_snapshot_t a, nvme_mptcp_snapshot_t b);

/* Those who fought are thought to have stopped. What was left to them is made anew where it is wanted. */
void keep_own_forgive(struct keep_own *own);
