/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing endpoints and limits of the in-kernel path manager. */
#pragma once

#include "intent.h"
#include "mptcp/snapshot/pm.h"
#include "mptcp/snapshot/snapshot.h"

/* Room for the path of a setting. */
#define SETTING_PATH 256

/* A limit that every kernel permits. Newer ones permit more, and report how much. */
#define LIMIT_ALWAYS 8

/*
 * A connection to try: between which ends, by which interface (0: any), and from which address by which
 * one (0: any) it is to be joined.
 */
struct join_proof {
	struct socket_address remote;
	struct in6_addr source, ip;
	int ifindex, join_ifindex;
};

/*
 * What makes changes: the kernel, or a test. Each function returns 0 or -errno and sets @text and
 * @is_uncertain. Where the kernel's acknowledgement is lost, what is there afterwards decides.
 */
struct editor {
	int (*add)(struct editor *e, const struct endpoint_spec *spec);
	int (*remove)(struct editor *e, const struct endpoint_spec *spec);
	int (*set_flags)(struct editor *e, const struct endpoint_spec *spec);
	int (*set_limits)(struct editor *e, const struct pm_limits *limits);
	/* @name: of a file in /proc/sys/net/mptcp, or its path */
	int (*set_setting)(struct editor *e, const char *name, int64_t value);
	/* Closes a subflow with these ends, as `ss -K` does; one that is gone is closed. */
	int (*close)(struct editor *e, const struct socket_address *local,
		     const struct socket_address *remote);
	/* The id that the kernel gave what was added: it becomes @spec's. */
	int (*find_id)(struct editor *e, struct endpoint_spec *spec);
	/* Before an endpoint is deleted that is to be added again, and once it is there again. */
	int (*intend)(struct editor *e, const struct endpoint_spec *spec);
	int (*fulfil)(struct editor *e, const struct endpoint_spec *spec);
	/*
	 * The network as it is now, in *ret until the next call. NULL in tests of plans that delete
	 * nothing that lives.
	 */
	int (*look)(struct editor *e, const struct nvme_mptcp_snapshot **ret);
	/* Does a new connection get a subflow that works from @proof->ip? -ENOTCONN: it does not. */
	int (*prove)(struct editor *e, const struct join_proof *proof);
	struct nvme_mptcp_snapshot *seen; /* of look() */
	unsigned int looks; /* until joins are back, each after a pause */
	int pause_ms; /* until the peers have seen a removal */
	struct plan_intent intent;
	struct nl nl;
	struct genl_family family;
	char text[256]; /* the kernel's words about the last request, or "" */
	bool is_uncertain; /* the last request failed, and may have been done nevertheless */
};

/* The kernel of the calling thread's namespace. -EOPNOTSUPP: it has no path manager. */
int editor_open(struct editor *e);
void editor_close(struct editor *e);

/* What was lost before, and was added since, is lost no more. */
void editor_forget_lost(struct editor *e);

static inline void editor_close_cleanup(struct editor *e)
{
	editor_close(e);
}

/* Its close(). */
int editor_close_subflow(struct editor *e, const struct socket_address *local,
			 const struct socket_address *remote);

/*
 * The greatest limit that the kernel takes, learned by asking for too much. If it takes even that, @now
 * are restored; NULL: in a network namespace of one's own. -EPERM without privileges, -ENODATA if it
 * refuses without a number.
 */
int editor_limit_max(struct editor *e, const struct pm_limits *now, uint32_t *ret);

/* "limit greater than maximum (8)" is 8. */
int editor_parse_limit_max(const char *text, uint32_t *ret);
