/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a trial connection brought, for its rules and its encoder. */
#pragma once

#include "mptcp/monitor/event-message.h"
#include "mptcp/snapshot/json.h"
#include "mptcp/snapshot/pm.h"
#include "mptcp/snapshot/snapshot.h"
#include <nvme/mptcp/trial.h>

struct nvme_mptcp_trial {
	struct nvme_mptcp_snapshot *before, *after;
	struct socket_address portal, local;
	char portal_text[ADDRESS_TEXT];
	uint32_t scope; /* of a link-local portal: the index of its link, or 0 */
	enum nvme_mptcp_trial_outcome outcome;
	int err; /* why there is no socket or no connection: a positive errno, else 0 */
	char *reason;
	const struct nvme_mptcp_connection *conn; /* of @after, or NULL */
	int64_t starting; /* endpoints of this host that could each give a subflow */
	int64_t expected;
	int64_t established, pending; /* subflows; NVME_MPTCP_UNKNOWN if they cannot be seen */
	int64_t announced;
	int64_t lasted; /* ms */
	bool has_events; /* the kernel let us listen, and none were lost */
	struct nvme_mptcp_event *events; /* of this connection */
	size_t n_events;
};

/* Counts subflows and announcements once the snapshots are there. */
void trial_judge(struct nvme_mptcp_trial *trial);

/* The address that an event announces for the first time, if it adds a path; else NULL. */
const struct in6_addr *trial_announced(const struct nvme_mptcp_trial *trial, size_t i);

/* As JSON, to be freed. 0 or -ENOMEM. */
int trial_to_json(nvme_mptcp_trial_t trial, char **ret);

/* trial-watch.c */

struct watch {
	struct nl nl;
	struct genl_family family;
	bool listening, lost;
};

/* Before connecting; without the right to listen, or a path manager, it just does not. */
int trial_watch_begin(struct watch *watch);

/* Waits until the subflows of @fd have not changed for a while, @most ms at most. */
void trial_watch_subflows(int fd, unsigned int most);

/* Takes the events of the connection with @token. 0 or -ENOMEM. */
int trial_watch_end(struct watch *watch, uint32_t token, struct nvme_mptcp_trial *trial);

/* Milliseconds of a clock that only goes forward. */
int64_t trial_clock(void);
