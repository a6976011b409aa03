/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of a trial connection, for rules and the JSON encoder. */
#pragma once

#include "mptcp/monitor/event-message.h"
#include "mptcp/snapshot/json.h"
#include "mptcp/snapshot/pm.h"
#include <nvme/mptcp/trial.h>

struct nvme_mptcp_trial {
	struct nvme_mptcp_snapshot *before, *after;
	struct socket_address portal, local;
	char portal_text[ADDRESS_TEXT];
	uint32_t scope; /* link index of a link-local portal, or 0 */
	enum nvme_mptcp_trial_outcome outcome;
	int err; /* errno of the socket or connection, or 0 */
	char *reason;
	const struct nvme_mptcp_connection *conn; /* in @after, or NULL */
	int64_t starting; /* endpoints of this host that can each give a subflow */
	int64_t expected;
	int64_t established, pending; /* subflows; NVME_MPTCP_UNKNOWN if not visible */
	int64_t announced;
	int64_t lasted; /* ms */
	bool ended_pause; /* of MPTCP, which the kernel had begun because of this trial */
	bool has_events; /* events were received, and none were lost */
	struct nvme_mptcp_event *events; /* of this connection */
	size_t n_events;
};

/* Count subflows and announcements after both snapshots. */
void trial_evaluate(struct nvme_mptcp_trial *trial);

/* Return the address of an announcement if it is the first of that address and adds a path; else NULL. */
const struct in6_addr *trial_announced(const struct nvme_mptcp_trial *trial, size_t i);

/* Encode a trial as JSON, which the caller frees. Returns 0 or -ENOMEM. */
int trial_to_json(nvme_mptcp_trial_t trial, char **ret);

/* watch.c */

struct watch {
	struct nl nl;
	struct genl_family family;
	bool listening, lost;
};

/*
 * Subscribe to events, before connecting. Without privileges or a path manager there are none,
 * which is no error. Returns 0 or -ENOMEM.
 */
int trial_watch_begin(struct watch *watch);

/* Wait until the subflows of @fd have not changed for a while, at most @most ms. */
void trial_watch_subflows(int fd, unsigned int most);

/* Store the events of the connection with @token in @trial. Returns 0 or -ENOMEM. */
int trial_watch_end(struct watch *watch, uint32_t token, struct nvme_mptcp_trial *trial);

/* Return CLOCK_MONOTONIC in ms. */
int64_t trial_clock(void);
