/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Network interfaces as the kernel lists them, and those that it describes wrongly. */
#include <errno.h>
#include <linux/rtnetlink.h>

#include <nvme/mptcp.h>

#include "mptcp_messages.h"
#include "mptcp_standin.h"

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

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
typedef void (*damage_t)(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu);

static void no_number(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	((struct ifinfomsg *)mnl_nlmsg_get_payload(nlh))->ifi_index = 0;
}

static void negative_number(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	((struct ifinfomsg *)mnl_nlmsg_get_payload(nlh))->ifi_index = -1;
}

static void no_name(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	name->nla_type = IFLA_IFALIAS;
}

static void endless_name(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	memset(mnl_attr_get_payload(name), 'x', mnl_attr_get_payload_len(name));
}

static void short_master(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	mtu->nla_type = IFLA_MASTER;
	mtu->nla_len -= 2;
}

static void short_parent(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	mtu->nla_type = IFLA_LINK;
	mtu->nla_len -= 2;
}

static void link_that_is_gone(struct nlmsghdr *nlh, struct nlattr *name, struct nlattr *mtu)
{
	nlh->nlmsg_type = RTM_DELLINK;
}

static damage_t damage;

static void damage_second(void *data, size_t length)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)data;
	int left = (int)length;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		const struct ifinfomsg *msg = mnl_nlmsg_get_payload(nlh);
		struct nlattr *name;

		if (nlh->nlmsg_type != RTM_NEWLINK || msg->ifi_index != 2)
			continue;
		name = mnl_nlmsg_get_payload_offset(nlh, sizeof(*msg));
		damage(nlh, name, mnl_attr_next(name));
	}
}

/* Without a word, a link that carries subflows would count as one that is not there. */
TEST(links_left_out_are_told)
{
	static const damage_t damages[] = { no_number,	      negative_number, no_name,
					    endless_name,     short_master,    short_parent,
					    link_that_is_gone };

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;

		damage = damages[i];
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
