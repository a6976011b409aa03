/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes endpoints and limits of the in-kernel path manager. */
#pragma once

#include "intent.h"
#include "mptcp/snapshot/pm.h"

/* Limit that every kernel accepts. Newer ones accept more, and report their maximum. */
#define LIMIT_GUARANTEED 8

/* A trial from @source to @remote over @ifindex that should get a subflow from @ip. */
struct join_proof {
	struct socket_address remote;
	struct in6_addr source, ip;
	int ifindex, join_ifindex;
};

/*
 * Makes changes in the kernel, or in a test. Each function returns 0 or -errno and sets @text and
 * @is_uncertain. If the kernel's acknowledgement is lost, the state that is read back decides.
 */
struct editor {
	int (*add)(struct editor *e, const struct endpoint_spec *spec);
	int (*remove)(struct editor *e, const struct endpoint_spec *spec);
	int (*set_flags)(struct editor *e, const struct endpoint_spec *spec);
	int (*set_limits)(struct editor *e, const struct pm_limits *limits);
	/* @name: name of a file in /proc/sys/net/mptcp, or an absolute path */
	int (*set_setting)(struct editor *e, const char *name, int64_t value);
	/* Close the subflow with these addresses, as `ss -K` does; 0 if it no longer exists. */
	int (*close)(struct editor *e, const struct socket_address *local,
		     const struct socket_address *remote);
	/* Set the id of @spec to that of the endpoint that was added. */
	int (*find_id)(struct editor *e, struct endpoint_spec *spec);
	/* Record an endpoint that is deleted to be added again; remove the record. */
	int (*record_intent)(struct editor *e, const struct endpoint_spec *spec);
	int (*remove_intent)(struct editor *e, const struct endpoint_spec *spec);
	/* A snapshot, valid until the next call. NULL: delete without checking connections. */
	int (*take_snapshot)(struct editor *e, const struct nvme_mptcp_snapshot **ret);
	/* Check that a new connection gets a working subflow from @proof->ip; -ENOTCONN if not. */
	int (*verify_join)(struct editor *e, const struct join_proof *proof);
	struct nvme_mptcp_snapshot *seen; /* latest snapshot of take_snapshot() */
	unsigned int
		max_checks; /* maximum number of checks that joins are back, each after a pause */
	int pause_ms; /* time for peers to process a removal, in ms */
	struct plan_intent intent;
	struct nl nl;
	struct genl_family family;
	char text[256]; /* the kernel's message about the last request, or "" */
	bool is_uncertain; /* the last request failed, but may have taken effect */
};

/* Open the path manager of the thread's namespace: 0, -EOPNOTSUPP if it has none, or -errno. */
int editor_open(struct editor *e);
void editor_close(struct editor *e);

/* Remove the records of endpoints that exist again. */
void editor_forget_lost(struct editor *e);

static inline void editor_close_cleanup(struct editor *e)
{
	editor_close(e);
}

/* Implements close() of struct editor. */
int editor_close_subflow(struct editor *e, const struct socket_address *local,
			 const struct socket_address *remote);

/*
 * Find the highest limit that the kernel accepts by requesting too much. If it accepts even that,
 * restore @now, unless @now is NULL, as in a temporary network namespace. Return 0, -EPERM without
 * privileges, -ENODATA if the kernel refuses without naming its maximum, or other -errno.
 */
int editor_limit_max(struct editor *e, const struct pm_limits *now, uint32_t *ret);

/* Parse the maximum from "limit greater than maximum (8)". Return 0 or -ENODATA. */
int editor_parse_limit_max(const char *text, uint32_t *ret);
