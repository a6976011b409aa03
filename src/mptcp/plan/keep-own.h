/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What keep made and when it acts again: which endpoints are its own, whether another program
 * contests them, and how long to wait for quiet and after a failure. Times are in milliseconds of
 * CLOCK_MONOTONIC, given by the caller.
 */
#pragma once

#include "keep-out.h"
#include "mptcp/snapshot/snapshot.h"

#define KEEP_NEVER INT64_MAX

/*
 * A round is due once no change has come for KEEP_SETTLED_MS, since changes with one cause come
 * together; at the latest KEEP_AT_MOST_MS after the first change.
 */
#define KEEP_SETTLED_MS 1000
#define KEEP_AT_MOST_MS 5000

/* Two changes by other programs within this time are a fight, in ms. */
#define KEEP_FIGHT_MS 60000

/*
 * Time that a contested item is left to other programs after the first fight, in ms; it doubles
 * with each further fight, up to the maximum.
 */
#define KEEP_TRUCE_MS 60000
#define KEEP_TRUCE_MOST_MS 3600000

struct keep_quiet {
	int64_t since, last; /* times of the first and the last change; 0: none */
};

/* Record a change. */
void keep_stir(struct keep_quiet *quiet, int64_t now);
/* Return when the changes have settled; KEEP_NEVER without a change. */
int64_t keep_quiet_due(const struct keep_quiet *quiet);

/*
 * Return the pause after @failures failures in a row: 2, 4, 8, ... seconds, up to a minute, in ms.
 */
int64_t keep_pause(unsigned int failures);

/* Whether an endpoint or a value is still as keep made it, or other programs contest it. */
struct keep_claim {
	bool seen; /* was as keep made it at the last check */
	bool contested; /* left to other programs until @until */
	int64_t until; /* end of the truce; 0: there was no fight */
	unsigned int fights; /* number of fights in a row */
	int64_t lost; /* time of the last change by another program; 0: never */
};

/* Return the truce after @fights fights in a row: 1, 2, 4, ... minutes, up to an hour, in ms. */
int64_t keep_truce(unsigned int fights);

/* Record whether the item is as keep made it. Return true if it has just become contested. */
bool keep_claim_look(struct keep_claim *claim, bool is_there, int64_t now);

/* An endpoint that keep made, or adopted. */
struct keep_endpoint {
	struct endpoint_spec spec; /* id 0 until the kernel has shown it */
	/*
	 * While one endpoint replaces another, either may exist: a crash may come before or after
	 * the exchange.
	 */
	bool is_changing;
	struct endpoint_spec was;
	bool adopted; /* existed as required before; keep_plan_restore() leaves it */
	bool lent; /* made for a subflow of an announced address, see keep-out.h */
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
	struct keep_out *outs; /* endpoints of any program that are out of use */
	size_t n_outs;
};

void keep_own_clear(struct keep_own *own);

/* Return the endpoint with this address and port, or NULL. */
struct keep_endpoint *keep_own_find(const struct keep_own *own, const struct in6_addr *ip,
				    uint16_t port);

/*
 * True if keep made this endpoint and no other program contests it. Flags that the kernel can
 * change in place may differ; an endpoint with another id, device or other flags was made by
 * another program. False if @own is NULL.
 */
bool keep_owns(const struct keep_own *own, const struct nvme_mptcp_endpoint *ep);

/* Add @spec, or replace the endpoint that has its address and port. Return NULL without memory. */
struct keep_endpoint *keep_own_add(struct keep_own *own, const struct endpoint_spec *spec,
				   bool adopted);
void keep_own_drop(struct keep_own *own, struct keep_endpoint *kept);

/* True if any endpoint is lent: the host then follows announcements, not setup's plan. */
bool keep_own_has_lent(const struct keep_own *own);

/*
 * Return the endpoint of the snapshot with the address and port of @spec, or NULL. Implicit
 * endpoints match only if @spec is implicit.
 */
const struct nvme_mptcp_endpoint *keep_find_there(const struct nvme_mptcp_snapshot *snap,
						  const struct endpoint_spec *spec);

/*
 * Return the link that the endpoint works on: its device, else the link that has its address or had
 * it last. NULL if none is known or that link is gone.
 */
const struct nvme_mptcp_link *keep_link(const struct nvme_mptcp_snapshot *snap,
					const struct keep_endpoint *kept);

/* True if @ep is unchanged since keep made it; false if @ep is NULL. */
bool keep_is_as_made(const struct nvme_mptcp_endpoint *ep, const struct keep_endpoint *kept);

/* Return the present value; NVME_MPTCP_UNKNOWN if it is unknown. */
int64_t keep_value_there(const struct nvme_mptcp_snapshot *snap, enum keep_value_name name);

/* Update @own with what other programs have changed since the last call. */
void keep_own_look(struct keep_own *own, const struct nvme_mptcp_snapshot *snap, int64_t now);

/* True if endpoints, limits, path manager, net.mptcp.enabled and relay are the same in both. */
bool keep_sees_same(nvme_mptcp_snapshot_t a, nvme_mptcp_snapshot_t b);

/*
 * End all truces: other programs are assumed to have stopped. Contested endpoints are forgotten,
 * and made again where they are planned.
 */
void keep_own_forgive(struct keep_own *own);
