/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notices that a link, address, route, subflow or controller has changed. They carry few details:
 * the receiver looks at the new state. Several sockets share one descriptor.
 */
#pragma once

#include "event-message.h"
#include "mptcp/snapshot/pm.h"

enum notice_kind {
	NOTICE_LINK,
	NOTICE_ADDRESS,
	NOTICE_ROUTE,
	NOTICE_EVENT, /* from the path manager */
	NOTICE_CTRL,
	NOTICE_LOST, /* the kernel dropped notices */
};

struct notice {
	enum notice_kind kind;
	int ifindex; /* of a link, address or route; 0: unknown or several */
	unsigned int flags; /* IFF_* of a link */
	int master; /* of a link, 0: none */
	bool gone; /* the link or address was removed */
	const char *name; /* of a link, or NULL */
	struct nvme_mptcp_event event;
};

struct notices {
	struct nl route, pm, uevent;
	struct genl_family family;
	int epoll; /* -1: not open */
};

/*
 * Watch network namespace @netns, and controllers in all namespaces. Returns 0 or -errno: -EPERM
 * without CAP_NET_ADMIN, -EOPNOTSUPP without a path manager.
 */
int notice_open(const char *netns, struct notices *ret);
void notice_close(struct notices *notices);

/* Pass all pending notices to @fn without waiting. Returns 0 or -errno. */
int notice_read(struct notices *notices, void (*fn)(const struct notice *notice, void *arg),
		void *arg);

/* Parse an rtnetlink message. Returns 1 and the notice, 0 for other messages, or -EBADMSG. */
int notice_parse_route(const struct nlmsghdr *nlh, struct notice *ret);

/* True if a uevent of @length bytes, NUL-separated words, is about the nvme subsystem. */
bool notice_is_ctrl(const char *text, size_t length);
