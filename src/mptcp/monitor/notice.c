// SPDX-License-Identifier: LGPL-2.1-or-later
/* Notices: links, addresses, routes (rtnetlink), subflows (path manager), controllers (uevents). */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "notice.h"

#define UEVENTS_OF_KERNEL 1 /* lib/kobject_uevent.c; group 2 is udev's */

static int open_route(struct nl *nl)
{
	static const unsigned int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
					       RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
					       RTNLGRP_IPV6_ROUTE };
	int err = nl_open(nl, NETLINK_ROUTE);

	for (size_t i = 0; !err && i < sizeof(groups) / sizeof(*groups); i++)
		err = nl_join(nl, groups[i]);
	return err;
}

static int open_sockets(void *arg)
{
	struct notices *n = arg;

	return pm_open(&n->pm, &n->family)
	       ?: (n->family.events ? nl_join(&n->pm, n->family.events) : -EOPNOTSUPP)
	       ?: open_route(&n->route)
	       ?: nl_open(&n->uevent, NETLINK_KOBJECT_UEVENT)
	       ?: nl_join(&n->uevent, UEVENTS_OF_KERNEL);
}

int notice_open(const char *netns, struct notices *ret)
{
	struct notices n = { .epoll = epoll_create1(EPOLL_CLOEXEC) };
	int err = (n.epoll < 0 ? -errno : netns_run(netns, open_sockets, &n))
	       ?: nl_watch(&n.route, n.epoll)
	       ?: nl_watch(&n.pm, n.epoll)
	       ?: nl_watch(&n.uevent, n.epoll);

	if (err)
		notice_close(&n);
	else
		*ret = n;
	return err;
}

void notice_close(struct notices *n)
{
	nl_close(&n->route);
	nl_close(&n->pm);
	nl_close(&n->uevent);
	if (n->epoll >= 0)
		close(n->epoll);
	n->epoll = -1;
}

static int parse_link(const struct nlmsghdr *nlh, struct notice *ret)
{
	const struct nlattr *tb[IFLA_MASTER + 1];
	const struct ifinfomsg *info;
	uint32_t master;

	if (nl_msg_attrs(nlh, sizeof(*info), tb, IFLA_MASTER))
		return -EBADMSG;
	info = mnl_nlmsg_get_payload(nlh);
	*ret = (struct notice){ .kind = NOTICE_LINK,
				.ifindex = info->ifi_index,
				.flags = info->ifi_flags,
				.gone = nlh->nlmsg_type == RTM_DELLINK,
				.name = nl_str(tb[IFLA_IFNAME]) };
	if (!nl_u32(tb[IFLA_MASTER], &master))
		ret->master = (int)master;
	return 1;
}

static int parse_address(const struct nlmsghdr *nlh, struct notice *ret)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*info))
		return -EBADMSG;
	*ret = (struct notice){ .kind = NOTICE_ADDRESS,
				.ifindex = (int)info->ifa_index,
				.gone = nlh->nlmsg_type == RTM_DELADDR };
	return 1;
}

static int parse_route(const struct nlmsghdr *nlh, struct notice *ret)
{
	const struct nlattr *tb[RTA_OIF + 1];
	const struct rtmsg *info;
	uint32_t link;

	if (nl_msg_attrs(nlh, sizeof(*info), tb, RTA_OIF))
		return -EBADMSG;
	info = mnl_nlmsg_get_payload(nlh);
	/* Skip cached routes, which the kernel keeps for each peer. */
	if (info->rtm_flags & RTM_F_CLONED)
		return 0;
	*ret = (struct notice){ .kind = NOTICE_ROUTE };
	if (!nl_u32(tb[RTA_OIF], &link))
		ret->ifindex = (int)link;
	return 1;
}

int notice_parse_route(const struct nlmsghdr *nlh, struct notice *ret)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return parse_link(nlh, ret);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return parse_address(nlh, ret);
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return parse_route(nlh, ret);
	default:
		return 0;
	}
}

bool notice_is_ctrl(const char *text, size_t length)
{
	static const char wanted[] = "SUBSYSTEM=nvme";

	for (size_t at = 0; at < length; at += strnlen(text + at, length - at) + 1)
		if (length - at >= sizeof(wanted) && !memcmp(text + at, wanted, sizeof(wanted)))
			return true;
	return false;
}

struct reading {
	struct notices *from;
	void (*fn)(const struct notice *notice, void *arg);
	void *arg;
};

static int take_route(const struct nlmsghdr *nlh, void *arg)
{
	struct reading *r = arg;
	struct notice notice;
	int found = notice_parse_route(nlh, &notice);

	if (found > 0)
		r->fn(&notice, r->arg);
	return found < 0 ? found : 0;
}

static int take_event(const struct nlmsghdr *nlh, void *arg)
{
	struct notice notice = { .kind = NOTICE_EVENT };
	struct reading *r = arg;
	int err;

	if (nlh->nlmsg_type != r->from->family.id)
		return 0;
	err = event_parse(nlh, &notice.event);
	if (!err)
		r->fn(&notice, r->arg);
	return err;
}

/* @fn: for the messages of @nl, or NULL for uevents. */
static int drain(struct nl *nl, nl_fn fn, struct reading *r)
{
	const struct notice lost = { .kind = NOTICE_LOST }, ctrl = { .kind = NOTICE_CTRL };

	for (;;) {
		ssize_t length = nl_receive(nl, MSG_DONTWAIT);

		if (length == -EAGAIN)
			return 0;
		if (length == -ENOBUFS || length == -EMSGSIZE)
			r->fn(&lost, r->arg);
		else if (length < 0)
			return (int)length;
		else if (fn)
			nl_parse_multicasts(nl->buf, (size_t)length, fn, r);
		else if (notice_is_ctrl(nl->buf, (size_t)length))
			r->fn(&ctrl, r->arg);
	}
}

int notice_read(struct notices *n, void (*fn)(const struct notice *notice, void *arg), void *arg)
{
	struct reading r = { .from = n, .fn = fn, .arg = arg };

	return drain(&n->route, take_route, &r)
	       ?: drain(&n->pm, take_event, &r)
	       ?: drain(&n->uevent, NULL, &r);
}
