/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What keep made, whether another program contests it, and when keep acts again after a change or a
 * failure. Times are in milliseconds of CLOCK_MONOTONIC, given by the caller.
 */
#pragma once

#include "keep-outage.h"
#include "mptcp/snapshot/snapshot.h"

#define KEEP_NEVER INT64_MAX

/* A round is due KEEP_SETTLED_MS after the last change, at most KEEP_SETTLED_MAX_MS after the first. */
#define KEEP_SETTLED_MS 1000
#define KEEP_SETTLED_MAX_MS 5000

/* Two changes by other programs within this time are a fight, in ms. */
#define KEEP_CONFLICT_MS 60000

/* Time that a contested item is left to others, in ms; each fight doubles it up to the maximum. */
#define KEEP_CONFLICT_BACKOFF_MS 60000
#define KEEP_CONFLICT_BACKOFF_MAX_MS 3600000

struct keep_debounce {
	int64_t since, last; /* times of the first and the last change; 0: none */
};

void keep_debounce_note(struct keep_debounce *quiet, int64_t now);
/* Return when the changes have settled; KEEP_NEVER without a change. */
int64_t keep_debounce_due(const struct keep_debounce *quiet);

/* Return @first, doubled for each time after the first, but no more than @most. */
int64_t keep_backoff(int64_t first, int64_t most, unsigned int times);

/* Return the pause after @failures failures in a row: 2, 4, 8, ... s, up to a minute, in ms. */
int64_t keep_retry_delay_ms(unsigned int failures);

/* Whether an endpoint or a value is still as keep made it, or other programs contest it. */
struct keep_claim {
	bool seen; /* was as keep made it at the last check */
	bool contested; /* left to other programs until @until */
	int64_t until; /* end of the pause; 0: there was no conflict */
	unsigned int conflicts; /* number of fights in a row */
	int64_t lost; /* time of the last change by another program; 0: never */
};

/* Return the pause after @conflicts conflicts in a row: 1, 2, 4, ... minutes, up to an hour, in ms. */
int64_t keep_conflict_backoff_ms(unsigned int conflicts);

/* Record whether the item is as keep made it. Return true if it has just become contested. */
bool keep_claim_update(struct keep_claim *claim, bool is_there, int64_t now);

/* An endpoint that keep made, or adopted. */
struct keep_endpoint {
	struct endpoint_spec spec; /* id 0 until the kernel has shown it */
	/* One endpoint replaces another: after a crash, either may exist. */
	bool is_changing;
	struct endpoint_spec was;
	bool adopted; /* existed as required before; keep_plan_restore() leaves it */
	bool lent; /* made for a subflow of an announced address, see keep-outage.h */
	struct keep_claim claim;
	int link; /* ifindex of the last link with its address; 0: unknown */
	unsigned int failures; /* failed attempts to restore its subflows */
	int64_t not_before; /* earliest time of the next attempt */
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
	struct keep_outage *outs; /* endpoints of any program that are out of use */
	size_t n_outs;
};

void keep_own_clear(struct keep_own *own);

struct keep_endpoint *keep_own_find(const struct keep_own *own, const struct in6_addr *ip,
				    uint16_t port);

/*
 * True if keep made this endpoint, no other program contests it, and it differs at most in flags
 * that the kernel can change in place. False if @own is NULL.
 */
bool keep_owns(const struct keep_own *own, const struct nvme_mptcp_endpoint *ep);

/* Add @spec, or replace the endpoint that has its address and port. Return NULL without memory. */
struct keep_endpoint *keep_own_add(struct keep_own *own, const struct endpoint_spec *spec,
				   bool adopted);
void keep_own_drop(struct keep_own *own, struct keep_endpoint *kept);

/* True if any endpoint is lent: the host then follows announcements, not setup's plan. */
bool keep_own_has_lent(const struct keep_own *own);

/* The endpoint with the address and port of @spec, or NULL; implicit ones match only such. */
const struct nvme_mptcp_endpoint *keep_find_endpoint(const struct nvme_mptcp_snapshot *snap,
						     const struct endpoint_spec *spec);

/* The endpoint's link: its device, else the one that has or last had its address; NULL if gone. */
const struct nvme_mptcp_link *keep_link(const struct nvme_mptcp_snapshot *snap,
					const struct keep_endpoint *kept);

/* True if @ep is unchanged since keep made it; false if @ep is NULL. */
bool keep_is_unmodified(const struct nvme_mptcp_endpoint *ep, const struct keep_endpoint *kept);

/* Return the present value; NVME_MPTCP_UNKNOWN if it is unknown. */
int64_t keep_current_value(const struct nvme_mptcp_snapshot *snap, enum keep_value_name name);

/* Update @own with what other programs have changed since the last call. */
void keep_own_update(struct keep_own *own, const struct nvme_mptcp_snapshot *snap, int64_t now);

/* True if endpoints, limits, path manager, net.mptcp.enabled and relay are the same in both. */
bool keep_is_same_state(nvme_mptcp_snapshot_t a, nvme_mptcp_snapshot_t b);

/* End all truces: contested endpoints are forgotten, and made again where they are planned. */
void keep_own_reset_conflicts(struct keep_own *own);
