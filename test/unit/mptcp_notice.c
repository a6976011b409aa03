/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that something happened to a link, an address, a route or a controller. */
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "mptcp/monitor/notice.h"
#include "mptcp_messages.h"

static struct nlmsghdr *put_link(struct datagram *d, uint16_t type)
{
	struct nlmsghdr *nlh = put_header(d, type, 0);
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));

	info->ifi_index = 4;
	info->ifi_flags = IFF_UP;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, "eth3");
	mnl_attr_put_u32(nlh, IFLA_MASTER, 9);
	return nlh;
}

TEST(links)
{
	struct datagram d = {};
	struct notice notice;

	assert_int_equal(notice_parse_route(put_link(&d, RTM_NEWLINK), &notice), 1);
	assert_int_equal(notice.kind, NOTICE_LINK);
	assert_int_equal(notice.ifindex, 4);
	assert_int_equal(notice.flags, IFF_UP);
	assert_int_equal(notice.master, 9);
	assert_string_equal(notice.name, "eth3");
	assert_false(notice.gone);
	d.len = 0;
	assert_int_equal(notice_parse_route(put_link(&d, RTM_DELLINK), &notice), 1);
	assert_true(notice.gone);
}

TEST(addresses_and_routes)
{
	struct datagram d = {};
	struct nlmsghdr *nlh = put_header(&d, RTM_NEWADDR, 0);
	struct ifaddrmsg *address = mnl_nlmsg_put_extra_header(nlh, sizeof(*address));
	struct notice notice;
	struct rtmsg *route;

	address->ifa_index = 6;
	assert_int_equal(notice_parse_route(nlh, &notice), 1);
	assert_int_equal(notice.kind, NOTICE_ADDRESS);
	assert_int_equal(notice.ifindex, 6);
	nlh = put_header(&d, RTM_DELROUTE, 0);
	route = mnl_nlmsg_put_extra_header(nlh, sizeof(*route));
	mnl_attr_put_u32(nlh, RTA_OIF, 7);
	assert_int_equal(notice_parse_route(nlh, &notice), 1);
	assert_int_equal(notice.kind, NOTICE_ROUTE);
	assert_int_equal(notice.ifindex, 7);
	/* What the kernel remembers of a peer is no change of a route. */
	route->rtm_flags = RTM_F_CLONED;
	assert_int_equal(notice_parse_route(nlh, &notice), 0);
	assert_int_equal(notice_parse_route(put_header(&d, RTM_NEWNEIGH, 0), &notice), 0);
}

TEST(short_messages_are_refused)
{
	static const uint16_t types[] = { RTM_NEWLINK, RTM_DELLINK,  RTM_NEWADDR,
					  RTM_DELADDR, RTM_NEWROUTE, RTM_DELROUTE };
	struct datagram d = {};
	struct notice notice = { .ifindex = 77 };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		assert_int_equal(notice_parse_route(put_header(&d, types[i], 0), &notice),
				 -EBADMSG);
	assert_int_equal(notice.ifindex, 77);
}

TEST(controllers)
{
	static const char add[] = "add@/devices/virtual/nvme-fabrics/ctl/nvme0\0ACTION=add\0"
				  "SUBSYSTEM=nvme\0SEQNUM=9";
	static const char other[] = "add@/x\0SUBSYSTEM=nvme-subsystem\0XSUBSYSTEM=nvme";
	/* Without the end of the last word. */
	static const char cut[] = "add@/x\0SUBSYSTEM=nvme";

	assert_true(notice_is_ctrl(add, sizeof(add)));
	assert_false(notice_is_ctrl(other, sizeof(other)));
	assert_true(notice_is_ctrl(cut, sizeof(cut)));
	assert_false(notice_is_ctrl(cut, sizeof(cut) - 1));
	assert_false(notice_is_ctrl("", 0));
}
