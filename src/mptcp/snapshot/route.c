// SPDX-License-Identifier: LGPL-2.1-or-later
/* By which interface the kernel sends, asked address by address. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "snapshot.h"

/* A gateway may be of the other family: RTA_VIA is that, and then the way is not followed further. */
static void take_hop(const struct nlattr *gateway, const struct nlattr *via,
		     struct route_answer *answer)
{
	struct in6_addr hop;

	answer->gateway = gateway || via;
	if (gateway && (!nl_addr4(gateway, &hop) || !nl_addr6(gateway, &hop)))
		answer->hop = hop;
	else if (answer->gateway)
		answer->hop = in6addr_any;
}

static int take_answer(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[RTA_VIA + 1];
	const struct rtmsg *msg = mnl_nlmsg_get_payload(nlh);
	struct route_answer *answer = arg;
	uint32_t ifindex;

	if (nlh->nlmsg_type != RTM_NEWROUTE ||
	    nl_msg_attrs(nlh, sizeof(struct rtmsg), tb, sizeof(tb) / sizeof(*tb) - 1) ||
	    nl_u32(tb[RTA_OIF], &ifindex) || ifindex > INT32_MAX)
		return -EBADMSG;
	answer->ifindex = (int)ifindex;
	if (nl_u32(tb[RTA_TABLE], &answer->table))
		answer->table = msg->rtm_table;
	if (nl_addr4(tb[RTA_PREFSRC], &answer->source))
		nl_addr6(tb[RTA_PREFSRC], &answer->source);
	take_hop(tb[RTA_GATEWAY], tb[RTA_VIA], answer);
	return 0;
}

static const void *raw_ip(const struct in6_addr *ip, size_t *size)
{
	*size = address_is_v4(ip) ? 4 : 16;
	return address_is_v4(ip) ? (const void *)&ip->s6_addr32[3] : ip;
}

static void route_request(struct nl *nl, const struct in6_addr *src, int ifindex,
			  const struct in6_addr *dst, unsigned int flags)
{
	const void *raw;
	struct rtmsg *msg;
	size_t size;

	raw = raw_ip(dst, &size);
	msg = mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETROUTE, 0), sizeof(*msg));
	msg->rtm_family = size == 4 ? AF_INET : AF_INET6;
	msg->rtm_dst_len = (uint8_t)(8 * size);
	msg->rtm_flags = RTM_F_LOOKUP_TABLE | flags;
	mnl_attr_put(nl->req, RTA_DST, size, raw);
	if (src) {
		msg->rtm_src_len = (uint8_t)(8 * size);
		mnl_attr_put(nl->req, RTA_SRC, size, raw_ip(src, &size));
	}
	if (ifindex)
		mnl_attr_put_u32(nl->req, RTA_OIF, (uint32_t)ifindex);
}

bool route_is_none(int err)
{
	/* What unreachable, prohibit and blackhole routes, and none at all, answer. */
	return err == -ENETUNREACH || err == -EHOSTUNREACH || err == -EACCES || err == -EINVAL ||
	       err == -ENODEV || err == -ENONET;
}

int route_ask(struct nl *nl, const struct in6_addr *src, int ifindex, const struct in6_addr *dst,
	      struct route_answer *ret)
{
	struct route_answer answer = { .hop = *dst };
	int err;

	if (src && !address_same_family(dst, src))
		return -EINVAL;
	route_request(nl, src, ifindex, dst, 0);
	err = nl_talk(nl, take_answer, &answer);
	/* With a device IPv4 never fails; asked for the entry of its table, it admits there is none. */
	if (!err && ifindex && !answer.gateway && address_is_v4(dst)) {
		int entry;

		route_request(nl, src, ifindex, dst, RTM_F_FIB_MATCH);
		entry = nl_talk(nl, NULL, NULL);
		answer.assumed = entry == -ENETUNREACH || entry == -EHOSTUNREACH;
		err = route_is_none(entry) ? 0 : entry;
	}
	if (!err)
		*ret = answer;
	return err;
}

int route_ask_connect(struct nl *nl, const struct in6_addr *dst, struct route_answer *ret)
{
	struct in6_addr source;
	int err = route_ask(nl, NULL, 0, dst, ret);

	if (err || IN6_IS_ADDR_UNSPECIFIED(&ret->source) || !address_same_family(&ret->source, dst))
		return err;
	source = ret->source;
	return route_ask(nl, &source, 0, dst, ret);
}

/* The entry of the table, whose destination is a network. */
static int take_entry(const struct nlmsghdr *nlh, void *arg)
{
	const struct rtmsg *msg = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type != RTM_NEWROUTE || mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return -EBADMSG;
	*(bool *)arg = !msg->rtm_dst_len;
	return 0;
}

int route_ask_bound(struct nl *nl, const struct in6_addr *src, int ifindex,
		    const struct in6_addr *dst, struct route_answer *ret)
{
	struct route_answer answer;
	int err = route_ask(nl, src, ifindex, dst, &answer);

	/* Asked with a source, IPv6 answers by any link; for a socket that is bound it does not. */
	if (!err && answer.ifindex != ifindex && !address_is_v4(dst)) {
		src = NULL;
		err = route_ask(nl, NULL, ifindex, dst, &answer);
	}
	if (err)
		return err;
	route_request(nl, src, ifindex, dst, RTM_F_FIB_MATCH);
	err = nl_talk(nl, take_entry, &answer.is_default);
	if (err)
		answer.is_default = false;
	if (err && !route_is_none(err))
		return err;
	*ret = answer;
	return 0;
}

static int take_ways(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[RTA_MULTIPATH + 1];

	if (nlh->nlmsg_type != RTM_NEWROUTE ||
	    nl_msg_attrs(nlh, sizeof(struct rtmsg), tb, RTA_MULTIPATH))
		return -EBADMSG;
	*(bool *)arg = tb[RTA_MULTIPATH];
	return 0;
}

bool route_has_hops(struct nl *nl, const struct in6_addr *dst)
{
	bool several = false;

	/* The entry of the table, and not the next hop that was picked from it. */
	route_request(nl, NULL, 0, dst, RTM_F_FIB_MATCH);
	return !nl_talk(nl, take_ways, &several) && several;
}

static int take_neighbour(const struct nlmsghdr *nlh, void *arg)
{
	const struct ndmsg *msg = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type != RTM_NEWNEIGH || mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return -EBADMSG;
	*(int *)arg = msg->ndm_state;
	return 0;
}

int route_ask_neighbour(struct nl *nl, int ifindex, const struct in6_addr *ip)
{
	int state = 0, err;
	struct ndmsg *msg;
	const void *raw;
	size_t size;

	raw = raw_ip(ip, &size);
	msg = mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETNEIGH, 0), sizeof(*msg));
	msg->ndm_family = size == 4 ? AF_INET : AF_INET6;
	msg->ndm_ifindex = ifindex;
	mnl_attr_put(nl->req, NDA_DST, size, raw);
	err = nl_talk(nl, take_neighbour, &state);
	return err ? err : state;
}

/* Rules may select by protocol and ports, so the question has those of the socket. */
static int ask_as_socket(struct nl *nl, const struct nvme_mptcp_subflow *sf, unsigned int flags,
			 nl_fn fn, void *arg)
{
	route_request(nl, &sf->local.ip, 0, &sf->remote.ip, flags);
	mnl_attr_put_u8(nl->req, RTA_IP_PROTO, IPPROTO_TCP);
	mnl_attr_put_u16(nl->req, RTA_SPORT, htons(sf->local.port));
	mnl_attr_put_u16(nl->req, RTA_DPORT, htons(sf->remote.port));
	return nl_talk(nl, fn, arg);
}

/* Do next hops that are alive leave by different links? The kernel picks one for each socket, by a hash. */
static int take_links(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[RTA_MULTIPATH + 1];
	const struct rtnexthop *hop;
	int left, first = 0;

	if (nlh->nlmsg_type != RTM_NEWROUTE ||
	    nl_msg_attrs(nlh, sizeof(struct rtmsg), tb, RTA_MULTIPATH))
		return -EBADMSG;
	if (!tb[RTA_MULTIPATH])
		return 0;
	left = mnl_attr_get_payload_len(tb[RTA_MULTIPATH]);
	for (hop = mnl_attr_get_payload(tb[RTA_MULTIPATH]); RTNH_OK(hop, left);
	     left -= RTNH_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop)) {
		if (hop->rtnh_flags & RTNH_F_DEAD)
			continue;
		*(bool *)arg |= first && first != hop->rtnh_ifindex;
		first = hop->rtnh_ifindex;
	}
	return 0;
}

/* The port that is the same for all connections of a target; the other one is any that was free. */
static uint16_t service_port(const struct nvme_mptcp_subflow *sf)
{
	return sf->local.port < sf->remote.port ? sf->local.port : sf->remote.port;
}

int route_problem(struct nvme_mptcp_snapshot *snap, int err)
{
	/* Once for all questions. */
	if (snap->problem[NVME_MPTCP_LINKS].err != -err)
		problem_set(snap, NVME_MPTCP_LINKS, err, "routes: %s", strerror(-err));
	return err == -ENOMEM ? err : 0;
}

static int by_ends(const void *a, const void *b)
{
	const struct nvme_mptcp_subflow *x = *(struct nvme_mptcp_subflow *const *)a;
	const struct nvme_mptcp_subflow *y = *(struct nvme_mptcp_subflow *const *)b;
	int order = memcmp(&x->local.ip, &y->local.ip, sizeof(x->local.ip));

	if (!order)
		order = memcmp(&x->remote.ip, &y->remote.ip, sizeof(x->remote.ip));
	return order ? order : (int)service_port(x) - (int)service_port(y);
}

static int find_route(struct nvme_mptcp_snapshot *snap, struct nl *nl,
		      struct nvme_mptcp_subflow *sf)
{
	const struct local_address *owner;
	struct route_answer answer = {};
	bool several = false;
	int err = ask_as_socket(nl, sf, 0, take_answer, &answer);

	if (!err && !ask_as_socket(nl, sf, RTM_F_FIB_MATCH, take_links, &several) && several)
		return 0;
	if (!err)
		sf->link = link_by_index(snap, answer.ifindex);
	sf->has_no_route = err == -ENETUNREACH || err == -EHOSTUNREACH || err == -EACCES;
	owner = sf->link ? NULL : snapshot_find_address(snap, &sf->local.ip);
	if (owner)
		sf->link = link_by_index(snap, owner->ifindex);
	return err && !route_is_none(err) ? route_problem(snap, err) : 0;
}

/*
 * A socket that is bound to no device goes where the route to its peer leads, which need not be the
 * interface that has its address. One question for each pair of addresses and each service. Of several
 * next hops it is not known which one the kernel picked.
 */
int snapshot_read_routes(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(free) struct nvme_mptcp_subflow **unbound = NULL;
	_cleanup_(nl_close) struct nl nl = {};
	size_t n = 0;
	int err;

	if (!snap->n_subflows)
		return 0;
	unbound = calloc(snap->n_subflows, sizeof(struct nvme_mptcp_subflow *));
	if (!unbound)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (!snap->subflows[i].ifindex)
			unbound[n++] = &snap->subflows[i];
	if (!n)
		return 0;
	qsort(unbound, n, sizeof(struct nvme_mptcp_subflow *), by_ends);

	err = nl_open(&nl, NETLINK_ROUTE);
	if (err)
		return route_problem(snap, err);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_ends(&unbound[i - 1], &unbound[i])) {
			err = find_route(snap, &nl, unbound[i]);
			if (err)
				return err;
			continue;
		}
		unbound[i]->link = unbound[i - 1]->link;
		unbound[i]->has_no_route = unbound[i - 1]->has_no_route;
	}
	return 0;
}
