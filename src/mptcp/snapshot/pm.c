// SPDX-License-Identifier: LGPL-2.1-or-later
/* Endpoints and limits of the in-kernel path manager: net/mptcp/pm_netlink.c. */
#include <linux/genetlink.h>

#include "pm.h"
#include "snapshot.h"

static int parse_multicast_group(const struct nlattr *group, struct genl_family *family)
{
	const struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];
	const char *name;
	uint32_t id;

	if (nl_nested(group, tb, CTRL_ATTR_MCAST_GRP_MAX) ||
	    nl_u32(tb[CTRL_ATTR_MCAST_GRP_ID], &id))
		return -EBADMSG;
	name = nl_str(tb[CTRL_ATTR_MCAST_GRP_NAME]);
	if (name && !strcmp(name, PM_EVENTS))
		family->events = id;
	return 0;
}

int pm_parse_family(const struct nlmsghdr *nlh, struct genl_family *ret)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct genl_family family = {};
	const char *at;
	size_t len;

	if (nl_msg_attrs(nlh, sizeof(struct genlmsghdr), tb, CTRL_ATTR_MAX) ||
	    nl_u16(tb[CTRL_ATTR_FAMILY_ID], &family.id) || family.id < GENL_MIN_ID)
		return -EBADMSG;
	if (tb[CTRL_ATTR_MCAST_GROUPS]) {
		/* An array: the type of each attribute is its index. */
		at = mnl_attr_get_payload(tb[CTRL_ATTR_MCAST_GROUPS]);
		len = mnl_attr_get_payload_len(tb[CTRL_ATTR_MCAST_GROUPS]);
		while (len >= sizeof(struct nlattr)) {
			const struct nlattr *group = (const void *)at;

			if (group->nla_len < sizeof(*group) || group->nla_len > len ||
			    parse_multicast_group(group, &family))
				return -EBADMSG;
			nl_advance(&at, &len, group->nla_len);
		}
	}
	*ret = family;
	return 0;
}

static int take_family(const struct nlmsghdr *nlh, void *arg)
{
	return pm_parse_family(nlh, arg);
}

int pm_open(struct nl *nl, struct genl_family *ret)
{
	int err = nl_open(nl, NETLINK_GENERIC);

	if (err)
		return err;
	*ret = (struct genl_family){};
	nl_genl_request(nl, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(nl->req, CTRL_ATTR_FAMILY_NAME, PM_FAMILY);
	err = nl_talk(nl, take_family, ret);
	if (err == -ENOENT || (!err && !ret->id))
		err = -EOPNOTSUPP;
	if (err)
		nl_close(nl);
	return err;
}

int pm_parse_endpoint(const struct nlmsghdr *nlh, struct nvme_mptcp_endpoint *ret)
{
	struct nvme_mptcp_endpoint ep = { .flags = NVME_MPTCP_UNKNOWN,
					  .subflows = NVME_MPTCP_UNKNOWN };
	const struct nlattr *top[PM_ATTR_MAX + 1];
	const struct nlattr *tb[PM_ADDR_MAX + 1];
	uint32_t flags, ifindex = 0;
	uint16_t family;
	int err;

	if (nl_msg_attrs(nlh, sizeof(struct genlmsghdr), top, PM_ATTR_MAX) ||
	    nl_nested(top[PM_ATTR_ADDR], tb, PM_ADDR_MAX) || nl_u16(tb[PM_ADDR_FAMILY], &family) ||
	    nl_u8(tb[PM_ADDR_ID], &ep.id) || !ep.id)
		return -EBADMSG;

	err = family == AF_INET	   ? nl_addr4(tb[PM_ADDR_ADDR4], &ep.ip)
	      : family == AF_INET6 ? nl_addr6(tb[PM_ADDR_ADDR6], &ep.ip)
				   : -EBADMSG;
	if (err)
		return -EBADMSG;
	/* In host byte order, although older descriptions of the interface say otherwise. */
	if (nl_u16(tb[PM_ADDR_PORT], &ep.port) == -EBADMSG ||
	    nl_u32(tb[PM_ADDR_IF_IDX], &ifindex) == -EBADMSG || ifindex > INT_MAX)
		return -EBADMSG;
	ep.ifindex = (int)ifindex;
	err = nl_u32(tb[PM_ADDR_FLAGS], &flags);
	if (err == -EBADMSG)
		return err;
	if (!err)
		ep.flags = flags;
	address_text(&ep.ip, ep.address);
	*ret = ep;
	return 0;
}

static int take_endpoint(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct nvme_mptcp_endpoint ep;

	return pm_parse_endpoint(nlh, &ep)
		       ?: array_push(&snap->endpoints, &snap->n_endpoints, &ep, sizeof(ep));
}

int pm_parse_limits(const struct nlmsghdr *nlh, struct pm_limits *ret)
{
	const struct nlattr *tb[PM_ATTR_MAX + 1];
	uint32_t subflows, accepted;
	int no_subflows, no_accepted;

	if (nl_msg_attrs(nlh, sizeof(struct genlmsghdr), tb, PM_ATTR_MAX))
		return -EBADMSG;
	no_subflows = nl_u32(tb[PM_ATTR_SUBFLOWS], &subflows);
	no_accepted = nl_u32(tb[PM_ATTR_RCV_ADD_ADDRS], &accepted);
	if (no_subflows == -EBADMSG || no_accepted == -EBADMSG)
		return -EBADMSG;
	ret->subflows = no_subflows ? NVME_MPTCP_UNKNOWN : (int64_t)subflows;
	ret->add_addr_accepted = no_accepted ? NVME_MPTCP_UNKNOWN : (int64_t)accepted;
	return 0;
}

static int take_limits(const struct nlmsghdr *nlh, void *arg)
{
	return pm_parse_limits(nlh, arg);
}

int pm_read(struct nvme_mptcp_snapshot *snap)
{
	struct pm_limits limits = { NVME_MPTCP_UNKNOWN, NVME_MPTCP_UNKNOWN };
	_cleanup_(nl_close) struct nl nl = {};
	struct genl_family family;
	int err = pm_open(&nl, &family);

	if (err == -ENOMEM)
		return err;
	if (err) {
		const char *why = err == -EOPNOTSUPP ? "this kernel has no MPTCP path manager"
						     : strerror(-err);

		problem_set(snap, NVME_MPTCP_LIMITS, err, "limits: %s", why);
		problem_set(snap, NVME_MPTCP_ENDPOINTS, err, "endpoints: %s", why);
		return 0;
	}

	nl_genl_request(&nl, family.id, 0, PM_GET_LIMITS, PM_VERSION);
	err = nl_talk(&nl, take_limits, &limits);
	problem_of_answer(snap, NVME_MPTCP_LIMITS, &nl, err, "limits");
	snap->limit_subflows = limits.subflows;
	snap->limit_add_addr_accepted = limits.add_addr_accepted;

	nl_genl_request(&nl, family.id, 0, PM_GET_ADDR, PM_VERSION);
	err = nl_dump_array(&nl, take_endpoint, &snap->n_endpoints, snap);
	if (err == -ENOMEM)
		return err;
	problem_of_answer(snap, NVME_MPTCP_ENDPOINTS, &nl, err, "endpoints");
	return 0;
}
