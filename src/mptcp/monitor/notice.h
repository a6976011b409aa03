/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * That something happened which may call for another look: to a link, an address, a route, a subflow
 * or a controller. What it means is found out by the look; several sockets are one descriptor.
 */
#pragma once

#include "event-message.h"
#include "mptcp/snapshot/pm.h"

enum notice_kind {
	NOTICE_LINK,
	NOTICE_ADDRESS,
	NOTICE_ROUTE,
	NOTICE_EVENT, /* of the path manager */
	NOTICE_CTRL,
	NOTICE_LOST, /* there were more than could be kept */
};

struct notice {
	enum notice_kind kind;
	int ifindex; /* of a link, an address or a route; 0: unknown, or several */
	unsigned int flags; /* of a link: IFF_* */
	int master; /* of a link, 0: none */
	bool gone; /* the link, or the address */
	const char *name; /* of the link, or NULL */
	struct nvme_mptcp_event event;
};

struct notices {
	struct nl route, pm, uevent;
	struct genl_family family;
	int epoll; /* -1: not open */
};

/*
 * Listens to network namespace @netns, and to controllers wherever they are. 0 or -errno: -EPERM
 * without CAP_NET_ADMIN, -EOPNOTSUPP if the kernel has no path manager.
 */
int notice_open(const char *netns, struct notices *ret);
void notice_close(struct notices *notices);

/* Hands over all that is there, without waiting. 0 or -errno. */
int notice_read(struct notices *notices, void (*fn)(const struct notice *notice, void *arg),
		void *arg);

/* One message of rtnetlink: 1 and the notice, 0 if it is of another kind, or -EBADMSG. */
int notice_parse_route(const struct nlmsghdr *nlh, struct notice *ret);

/* Is a uevent of @length bytes, NUL between its words, one of an NVMe controller? */
bool notice_is_ctrl(const char *text, size_t length);
