/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Network interfaces as the kernel lists them, and those that it describes wrongly. */
#include <linux/rtnetlink.h>

#include <nvme/mptcp.h>

#include "mptcp_messages.h"
#include "mptcp_standin.h"

static nvme_mptcp_snapshot_t read_links(unsigned int mtu)
{
	nvme_mptcp_snapshot_t snap = snapshot_new();

	assert_non_null(snap);
	standin_mtu = mtu;
	assert_int_equal(snapshot_read_links(snap), 0);
	assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_ADDRESSES), 0);
	return snap;
}

/* What is done to the message about the second link. */

static enum damage {
	NO_NUMBER,
	NEGATIVE_NUMBER,
	NO_NAME,
	ENDLESS_NAME,
	SHORT_MASTER,
	SHORT_PARENT,
	LINK_THAT_IS_GONE,
	DAMAGES,
} damage;

static void damage_second(void *data, size_t length)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)data;
	int left = (int)length;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		struct ifinfomsg *msg = mnl_nlmsg_get_payload(nlh);
		struct nlattr *name, *mtu;

		if (nlh->nlmsg_type != RTM_NEWLINK || msg->ifi_index != 2)
			continue;
		name = mnl_nlmsg_get_payload_offset(nlh, sizeof(*msg));
		mtu = mnl_attr_next(name);
		switch (damage) {
		case NO_NUMBER:
		case NEGATIVE_NUMBER:
			msg->ifi_index = damage == NO_NUMBER ? 0 : -1;
			break;
		case NO_NAME:
			name->nla_type = IFLA_IFALIAS;
			break;
		case ENDLESS_NAME:
			memset(mnl_attr_get_payload(name), 'x', mnl_attr_get_payload_len(name));
			break;
		case SHORT_MASTER:
		case SHORT_PARENT:
			mtu->nla_type = damage == SHORT_MASTER ? IFLA_MASTER : IFLA_LINK;
			mtu->nla_len -= 2;
			break;
		default:
			nlh->nlmsg_type = RTM_DELLINK;
		}
	}
}

/* Without a word, a link that carries subflows would count as one that is not there. */
TEST(links_left_out_are_told)
{
	for (damage = 0; damage < DAMAGES; damage++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;

		standin_garble = damage_second;
		snap = read_links(1500);
		standin_garble = NULL;
		assert_int_equal(snap->n_links, STANDIN_LINKS - 1);
		nvme_mptcp_for_each_link(snap, link)
			assert_string_not_equal(nvme_mptcp_link_name(link), "standin1");
		assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_LINKS), EAGAIN);
		assert_string_equal(nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_LINKS),
				    "links: 1 malformed messages were left out");
	}
}
