// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * VLANs on a bridge that filters them, as hypervisors have: the bridge itself and at least one of
 * its ports must let a VLAN pass (net/bridge/br_vlan.c).
 */
#include <stdlib.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "snapshot.h"

struct passage {
	int ifindex;
	uint16_t first, last;
};

struct passages {
	struct passage *passage;
	size_t n;
};

static int take_passages(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[IFLA_AF_SPEC + 1], *attr;
	const struct ifinfomsg *msg = mnl_nlmsg_get_payload(nlh);
	struct passages *all = arg;
	uint16_t begin = 0;

	if (nlh->nlmsg_type != RTM_NEWLINK || nl_msg_attrs(nlh, sizeof(*msg), tb, IFLA_AF_SPEC))
		return -EBADMSG;
	if (!tb[IFLA_AF_SPEC])
		return 0;
	mnl_attr_for_each_nested(attr, tb[IFLA_AF_SPEC])
	{
		struct bridge_vlan_info info;
		struct passage one;

		if (mnl_attr_get_type(attr) != IFLA_BRIDGE_VLAN_INFO ||
		    mnl_attr_get_payload_len(attr) < sizeof(info))
			continue;
		memcpy(&info, mnl_attr_get_payload(attr), sizeof(info));
		one = (struct passage){ msg->ifi_index, info.vid, info.vid };
		if (info.flags & BRIDGE_VLAN_INFO_RANGE_END)
			one.first = begin;
		begin = info.vid;
		if (!(info.flags & BRIDGE_VLAN_INFO_RANGE_BEGIN) &&
		    array_push(&all->passage, &all->n, &one, sizeof(one)))
			return -ENOMEM;
	}
	return 0;
}

/* Return the filtering bridge that a VLAN is on; NULL if there is none. */
static const struct nvme_mptcp_link *bridge_of(const struct nvme_mptcp_snapshot *snap,
					       const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *below =
		link->vlan && link->parent ? link_by_index(snap, link->parent) : NULL;

	return below && below->filters_vlans ? below : NULL;
}

/* Return the port that most likely leads outside, such as a card beside the links of guests. */
static int find_uplink(const struct nvme_mptcp_snapshot *snap, int bridge)
{
	const struct nvme_mptcp_link *best = NULL;

	FOR_EACH(port, snap->links, snap->n_links)
		if (port->master == bridge && link_is_alive(port) &&
		    (!best || port->kind < best->kind))
			best = port;
	return best ? best->ifindex : 0;
}

static int find_gate(const struct nvme_mptcp_snapshot *snap, const struct passages *all, int bridge,
		     int vlan)
{
	bool here = false, beyond = false;

	FOR_EACH(one, all->passage, all->n) {
		const struct nvme_mptcp_link *port;

		if (vlan < one->first || vlan > one->last)
			continue;
		port = link_by_index(snap, one->ifindex);
		here |= one->ifindex == bridge;
		beyond |= port && port->master == bridge && link_is_alive(port);
	}
	return !here ? bridge : beyond ? 0 : find_uplink(snap, bridge);
}

int snapshot_read_gates(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(nl_close) struct nl nl = {};
	struct passages all = {};
	struct ifinfomsg *msg;
	bool any = false;
	int err;

	FOR_EACH(link, snap->links, snap->n_links)
		any |= bridge_of(snap, link) != NULL;
	if (!any)
		return 0;
	err = nl_open(&nl, NETLINK_ROUTE);
	/* What is not known completely stops nothing. */
	if (err)
		return err == -ENOMEM ? err : 0;
	msg = mnl_nlmsg_put_extra_header(nl_request(&nl, RTM_GETLINK, 0), sizeof(*msg));
	msg->ifi_family = AF_BRIDGE;
	mnl_attr_put_u32(nl.req, IFLA_EXT_MASK, RTEXT_FILTER_BRVLAN_COMPRESSED);
	err = nl_dump_array(&nl, take_passages, &all.n, &all);
	err = err ? err : nl.reply.interrupted || nl.reply.malformed ? -EAGAIN : 0;
	FOR_EACH(link, snap->links, err ? 0 : snap->n_links) {
		const struct nvme_mptcp_link *bridge = bridge_of(snap, link);

		if (bridge)
			link->vlan_gate = find_gate(snap, &all, bridge->ifindex, link->vlan);
	}
	free(all.passage);
	return err == -ENOMEM ? err : 0;
}
