/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins that fail because the number of TCP connections is limited, as by nft's ct count. */
#pragma once

#include "ask-path.h"

struct nvme_mptcp_connection;
struct nvme_mptcp_finding;

/* A limit on the number of TCP connections to a target. */
struct limited {
	bool refused; /* further connections get a reset or an ICMP error; else no reply */
	size_t open; /* connections that are open when it is reached */
	bool is_tried; /* by connections of our own: further ones fail while others are open */
	struct path_ends same; /* else: ends where subflows work and new connections fail */
};

/*
 * True if probes prove that plain TCP connections fail as the join, or the connection, between
 * @ends does, because others are open: either the trial's, or subflows that work. @conn: the
 * connection of the join, or NULL. @way: the probe between @ends that failed, or NULL.
 */
bool check_is_limited(struct check *c, const struct path_ends *ends,
		      const struct nvme_mptcp_connection *conn, const struct probe_result *way,
		      struct limited *ret);

/* Complete "The join gets no reply" or "is refused". */
void check_say_limited(struct check *c, struct nvme_mptcp_finding *f,
		       const struct limited *limited);

/* True if such a limit is reported. It explains other joins that fail the same way. */
bool check_knows_limit(const struct check *c);
