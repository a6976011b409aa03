// SPDX-License-Identifier: LGPL-2.1-or-later
/* Routes steered packets to lo: a routing rule for their mark, and a table with one route. */
#include <sys/socket.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "steering.h"

/* Add the rule with a priority, or remove the first one of @priority; -1: of any. */
static int talk_rule(struct nl *nl, int family, bool add, int64_t priority)
{
	struct nlmsghdr *req = nl_request(nl, add ? RTM_NEWRULE : RTM_DELRULE,
					  add ? NLM_F_CREATE | NLM_F_EXCL : 0);
	struct fib_rule_hdr *rule = mnl_nlmsg_put_extra_header(req, sizeof(*rule));

	rule->family = (uint8_t)family;
	rule->action = FR_ACT_TO_TBL;
	if (priority >= 0)
		mnl_attr_put_u32(req, FRA_PRIORITY, (uint32_t)priority);
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
	talk_rule(nl, family, false, -1);
	talk_route(nl, family, false);
}

/* Priorities of the relay's rule, -1 without one, and of the first rule of others. */
struct priorities {
	int64_t own, first;
};

static int note_rule(const struct nlmsghdr *nlh, void *arg)
{
	struct priorities *p = arg;
	const struct nlattr *tb[FRA_TABLE + 1];
	uint32_t priority = 0, mark = 0, table = 0;

	if (nl_msg_attrs(nlh, sizeof(struct fib_rule_hdr), tb, FRA_TABLE))
		return -EBADMSG;
	nl_u32(tb[FRA_PRIORITY], &priority);
	nl_u32(tb[FRA_FWMARK], &mark);
	nl_u32(tb[FRA_TABLE], &table);
	if (mark == RELAY_MARK && table == RELAY_TABLE)
		p->own = priority;
	else if (priority && priority < p->first) /* 0: the table local */
		p->first = priority;
	return 0;
}

/*
 * Add the rule before all others, or move it there: without a given priority, the kernel adds a rule
 * before the present ones, and one for a source address would send steered packets to the target.
 */
static int put_rule_first(struct nl *nl, int family)
{
	struct priorities p = { .own = -1, .first = RELAY_PRIORITY + 1 };
	struct nlmsghdr *req = nl_request(nl, RTM_GETRULE, NLM_F_DUMP);
	struct fib_rule_hdr *rule = mnl_nlmsg_put_extra_header(req, sizeof(*rule));
	int err;

	rule->family = (uint8_t)family;
	err = nl_dump(nl, note_rule, NULL, &p);
	if (err || (p.own >= 0 && p.own < p.first))
		return err;
	err = talk_rule(nl, family, true, p.first - 1);
	if (!err && p.own >= 0)
		talk_rule(nl, family, false, p.own);
	return err;
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
			err = put_rule_first(&nl, families[i]);
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

int relay_routes_watch(struct nl *nl)
{
	int err = nl_open(nl, NETLINK_ROUTE);

	if (!err)
		err = nl_join(nl, RTNLGRP_IPV4_RULE);
	return err ? err : nl_join(nl, RTNLGRP_IPV6_RULE);
}

int relay_routes_follow(const struct nvme_mptcp_relay *relay, struct nl *nl)
{
	bool any = false;
	ssize_t n;

	while ((n = nl_receive(nl, MSG_DONTWAIT)) >= 0 || n == -ENOBUFS)
		any = true;
	return any ? relay_routes_set(relay) : 0;
}

void relay_routes_remove(void)
{
	_cleanup_(nl_close) struct nl nl;

	if (nl_open(&nl, NETLINK_ROUTE))
		return;
	for (size_t i = 0; i < 2; i++)
		remove_family(&nl, families[i]);
}
