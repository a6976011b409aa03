// SPDX-License-Identifier: LGPL-2.1-or-later
/* Routes steered packets to lo: a routing rule for their mark, and a table with one route. */
#include <errno.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "steering.h"

static int talk_rule(struct nl *nl, int family, bool add)
{
	struct nlmsghdr *req = nl_request(nl, add ? RTM_NEWRULE : RTM_DELRULE,
					  add ? NLM_F_CREATE | NLM_F_EXCL : 0);
	struct fib_rule_hdr *rule = mnl_nlmsg_put_extra_header(req, sizeof(*rule));

	rule->family = (uint8_t)family;
	rule->action = FR_ACT_TO_TBL;
	mnl_attr_put_u32(req, FRA_PRIORITY, RELAY_PRIORITY);
	mnl_attr_put_u32(req, FRA_FWMARK, RELAY_MARK);
	mnl_attr_put_u32(req, FRA_FWMASK, 0xffffffff);
	mnl_attr_put_u32(req, FRA_TABLE, RELAY_TABLE);
	return nl_talk(nl, NULL, NULL);
}

static int talk_route(struct nl *nl, int family, bool add)
{
	struct nlmsghdr *req = nl_request(nl, add ? RTM_NEWROUTE : RTM_DELROUTE,
					  add ? NLM_F_CREATE | NLM_F_EXCL : 0);
	struct rtmsg *route = mnl_nlmsg_put_extra_header(req, sizeof(*route));

	route->rtm_family = (uint8_t)family;
	route->rtm_table = RT_TABLE_UNSPEC;
	route->rtm_protocol = RTPROT_STATIC;
	route->rtm_scope = RT_SCOPE_HOST;
	route->rtm_type = RTN_LOCAL;
	mnl_attr_put_u32(req, RTA_TABLE, RELAY_TABLE);
	mnl_attr_put_u32(req, RTA_OIF, if_nametoindex("lo"));
	return nl_talk(nl, NULL, NULL);
}

static const int families[] = { AF_INET, AF_INET6 };

static void remove_family(struct nl *nl, int family)
{
	talk_rule(nl, family, false);
	talk_route(nl, family, false);
}

/*
 * -EEXIST is no error: a relay that was killed left the same rule and route. In a family without
 * portals, which may be disabled on this machine, remove them.
 */
int relay_routes_set(const struct nvme_mptcp_relay *relay)
{
	_cleanup_(nl_close) struct nl nl;
	int err = nl_open(&nl, NETLINK_ROUTE);

	for (size_t i = 0; !err && i < 2; i++) {
		if (relay->by_address || !relay_has_portals(relay, families[i] == AF_INET)) {
			remove_family(&nl, families[i]);
			continue;
		}
		err = talk_route(&nl, families[i], true);
		if (!err || err == -EEXIST)
			err = talk_rule(&nl, families[i], true);
		if (err == -EEXIST)
			err = 0;
	}
	if (!err)
		return 0;
	relay_routes_remove();
	return failure_note(err, "routing rule %d and table %d for relayed connections: %s%s",
			    RELAY_PRIORITY, RELAY_TABLE, strerror(-err),
			    err == -EPERM ? " (CAP_NET_ADMIN is required)"
			    : err == -ENETDOWN || err == -ENODEV || err == -EINVAL
				    ? " (is the network interface lo up?)"
				    : "");
}

void relay_routes_remove(void)
{
	_cleanup_(nl_close) struct nl nl;

	if (nl_open(&nl, NETLINK_ROUTE))
		return;
	for (size_t i = 0; i < 2; i++)
		remove_family(&nl, families[i]);
}
