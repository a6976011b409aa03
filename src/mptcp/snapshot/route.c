// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask the kernel for the outgoing interface of a socket. */
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "snapshot.h"

/* RTA_VIA: a gateway of the other address family. */
static bool take_via(const struct nlattr *via, struct in6_addr *ret)
{
	const struct rtvia *hop = mnl_attr_get_payload(via);

	if (mnl_attr_get_payload_len(via) < sizeof(*hop) + sizeof(*ret) ||
	    hop->rtvia_family != AF_INET6)
		return false;
	memcpy(ret, hop->rtvia_addr, sizeof(*ret));
	return true;
}

static void take_hop(const struct nlattr *gateway, const struct nlattr *via,
		     struct route_answer *answer)
{
	struct in6_addr hop;

	answer->gateway = gateway || via;
	if ((gateway && (!nl_addr4(gateway, &hop) || !nl_addr6(gateway, &hop))) ||
	    (via && take_via(via, &hop)))
		answer->hop = hop;
	else if (answer->gateway)
		answer->hop = in6addr_any;
}

/* Return one of the route's metrics: RTAX_*. */
static uint32_t take_metric(const struct nlattr *metrics, unsigned int type)
{
	const struct nlattr *tb[RTAX_MAX + 1];
	uint32_t value;

	return !metrics || nl_nested(metrics, tb, RTAX_MAX) || nl_u32(tb[type], &value) ? 0 : value;
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
	/* TCP connects to no broadcast address. */
	if (msg->rtm_type == RTN_BROADCAST)
		return -ENETUNREACH;
	answer->ifindex = (int)ifindex;
	if (nl_u32(tb[RTA_TABLE], &answer->table))
		answer->table = msg->rtm_table;
	answer->hop_limit = take_metric(tb[RTA_METRICS], RTAX_HOPLIMIT);
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

/* Properties of the sending socket: routing rules can select by any of them. */
struct route_question {
	const struct in6_addr *src; /* NULL: chosen by the route */
	const struct socket_address *dst; /* port 0: unknown */
	int ifindex; /* bound to it; 0: unbound */
	uint16_t sport; /* 0: unknown */
	uint8_t tos;
	uint32_t mark;
	int64_t uid; /* negative: the caller's */
};

/* For routing, MPTCP subflows are TCP. */
static void put_selectors(struct nl *nl, const struct route_question *q)
{
	mnl_attr_put_u8(nl->req, RTA_IP_PROTO, IPPROTO_TCP);
	if (q->sport)
		mnl_attr_put_u16(nl->req, RTA_SPORT, htons(q->sport));
	if (q->dst->port)
		mnl_attr_put_u16(nl->req, RTA_DPORT, htons(q->dst->port));
	if (q->mark)
		mnl_attr_put_u32(nl->req, RTA_MARK, q->mark);
	if (q->uid >= 0)
		mnl_attr_put_u32(nl->req, RTA_UID, (uint32_t)q->uid);
}

static struct rtmsg *put_question(struct nl *nl, const struct route_question *q, unsigned int flags)
{
	const void *raw;
	struct rtmsg *msg;
	size_t size;

	raw = raw_ip(&q->dst->ip, &size);
	msg = mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETROUTE, 0), sizeof(*msg));
	msg->rtm_family = size == 4 ? AF_INET : AF_INET6;
	msg->rtm_dst_len = (uint8_t)(8 * size);
	msg->rtm_flags = RTM_F_LOOKUP_TABLE | flags;
	mnl_attr_put(nl->req, RTA_DST, size, raw);
	if (q->src) {
		msg->rtm_src_len = (uint8_t)(8 * size);
		mnl_attr_put(nl->req, RTA_SRC, size, raw_ip(q->src, &size));
	}
	if (q->ifindex)
		mnl_attr_put_u32(nl->req, RTA_OIF, (uint32_t)q->ifindex);
	return msg;
}

#define DSCP_MASK 0xfc /* in the TOS field; ECN bits do not affect routing */

static int ask(struct nl *nl, const struct route_question *q, unsigned int flags, nl_fn fn,
	       void *arg)
{
	struct rtmsg *msg = put_question(nl, q, flags);
	int err;

	msg->rtm_tos = q->tos & DSCP_MASK;
	put_selectors(nl, q);
	err = nl_talk(nl, fn, arg);
	if (err != -EOPNOTSUPP)
		return err;
	/* A kernel that rejects these attributes has no rules that select by them. */
	put_question(nl, q, flags);
	return nl_talk(nl, fn, arg);
}

bool route_is_none(int err)
{
	/* Errors of unreachable, prohibit and blackhole routes, and of no route at all. */
	return err == -ENETUNREACH || err == -EHOSTUNREACH || err == -EACCES || err == -EINVAL ||
	       err == -ENODEV || err == -ENONET;
}

int route_ask(struct nl *nl, const struct in6_addr *src, int ifindex,
	      const struct socket_address *dst, struct route_answer *ret)
{
	const struct route_question q = { .src = src, .dst = dst, .ifindex = ifindex, .uid = -1 };
	struct route_answer answer = { .hop = dst->ip };
	int err;

	if (src && !address_same_family(&dst->ip, src))
		return -EINVAL;
	err = ask(nl, &q, 0, take_answer, &answer);
	/* With a device, IPv4 reports a missing route only with RTM_F_FIB_MATCH. */
	if (!err && ifindex && !answer.gateway && address_is_v4(&dst->ip)) {
		int entry = ask(nl, &q, RTM_F_FIB_MATCH, NULL, NULL);

		answer.assumed = entry && route_is_none(entry);
		if (answer.assumed && entry != -ENETUNREACH)
			answer.forbidden = entry;
		err = route_is_none(entry) ? 0 : entry;
	}
	if (!err)
		*ret = answer;
	return err;
}

int route_ask_marked(struct nl *nl, const struct in6_addr *src, int ifindex,
		     const struct socket_address *dst, uint32_t mark, struct route_answer *ret)
{
	const struct route_question q = {
		.src = src, .dst = dst, .ifindex = ifindex, .uid = -1, .mark = mark
	};
	struct route_answer answer = { .hop = dst->ip };
	int err = ask(nl, &q, 0, take_answer, &answer);

	if (!err)
		*ret = answer;
	return err;
}

int route_ask_connect(struct nl *nl, const struct socket_address *dst, struct route_answer *ret)
{
	struct in6_addr source;
	int err = route_ask(nl, NULL, 0, dst, ret);

	if (err || IN6_IS_ADDR_UNSPECIFIED(&ret->source) ||
	    !address_same_family(&ret->source, &dst->ip))
		return err;
	source = ret->source;
	err = route_ask(nl, &source, 0, dst, ret);
	/* The kernel does not report the source that was given. */
	if (!err)
		ret->source = source;
	return err;
}

/* The entry in the table has a network as its destination, and the MTU that the route sets. */
static int take_entry(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[RTA_METRICS + 1];
	const struct rtmsg *msg = mnl_nlmsg_get_payload(nlh);
	struct route_answer *answer = arg;

	if (nlh->nlmsg_type != RTM_NEWROUTE || nl_msg_attrs(nlh, sizeof(*msg), tb, RTA_METRICS))
		return -EBADMSG;
	answer->is_default = msg->rtm_dst_len <= DEFAULT_PREFIX;
	answer->mtu = take_metric(tb[RTA_METRICS], RTAX_MTU);
	return 0;
}

int route_ask_bound(struct nl *nl, const struct in6_addr *src, int ifindex,
		    const struct socket_address *dst, struct route_answer *ret)
{
	struct route_question q = { .src = src, .dst = dst, .ifindex = ifindex, .uid = -1 };
	struct route_answer answer;
	int err = route_ask(nl, src, ifindex, dst, &answer);

	/* With a source, IPv6 may answer with any link, which does not apply to a bound socket. */
	if (!err && answer.ifindex != ifindex && !address_is_v4(&dst->ip)) {
		q.src = NULL;
		err = route_ask(nl, NULL, ifindex, dst, &answer);
	}
	if (err)
		return err;
	err = ask(nl, &q, RTM_F_FIB_MATCH, take_entry, &answer);
	if (err)
		answer.is_default = false;
	if (err && !route_is_none(err))
		return err;
	*ret = answer;
	return 0;
}

/* Links of a route's next hops, without duplicates. */
struct route_hops {
	int ifindex[ROUTE_HOPS];
	size_t n;
	uint32_t group; /* id of a nexthop object or group; 0: none */
};

struct nexthop {
	int ifindex; /* 0: none */
	bool is_dead;
	struct nexthop_grp member[ROUTE_HOPS];
	size_t n;
};

static bool add_hop(struct route_hops *hops, int ifindex)
{
	for (size_t i = 0; i < hops->n; i++)
		if (hops->ifindex[i] == ifindex)
			return true;
	if (hops->n == ROUTE_HOPS)
		return false;
	hops->ifindex[hops->n++] = ifindex;
	return true;
}

/* Take the next hops that are alive. The kernel picks one for each socket, by a hash. */
static int take_hops(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[RTA_NH_ID + 1];
	struct route_hops *hops = arg;
	const struct rtnexthop *hop;
	int left;

	if (nlh->nlmsg_type != RTM_NEWROUTE ||
	    nl_msg_attrs(nlh, sizeof(struct rtmsg), tb, RTA_NH_ID))
		return -EBADMSG;
	if (nl_u32(tb[RTA_NH_ID], &hops->group))
		hops->group = 0;
	if (!tb[RTA_MULTIPATH])
		return 0;
	left = mnl_attr_get_payload_len(tb[RTA_MULTIPATH]);
	for (hop = mnl_attr_get_payload(tb[RTA_MULTIPATH]); RTNH_OK(hop, left);
	     left -= RTNH_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop))
		if (!(hop->rtnh_flags & RTNH_F_DEAD))
			add_hop(hops, hop->rtnh_ifindex);
	return 0;
}

static int take_nexthop(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[NHA_OIF + 1];
	struct nexthop *hop = arg;
	uint32_t ifindex;
	size_t size;

	if (nlh->nlmsg_type != RTM_NEWNEXTHOP ||
	    nl_msg_attrs(nlh, sizeof(struct nhmsg), tb, NHA_OIF))
		return -EBADMSG;
	if (!nl_u32(tb[NHA_OIF], &ifindex) && ifindex <= INT32_MAX)
		hop->ifindex = (int)ifindex;
	hop->is_dead = ((const struct nhmsg *)mnl_nlmsg_get_payload(nlh))->nh_flags & RTNH_F_DEAD;
	size = tb[NHA_GROUP] ? mnl_attr_get_payload_len(tb[NHA_GROUP]) : 0;
	hop->n = size / sizeof(*hop->member);
	if (hop->n > ROUTE_HOPS)
		hop->n = ROUTE_HOPS;
	if (hop->n)
		memcpy(hop->member, mnl_attr_get_payload(tb[NHA_GROUP]),
		       hop->n * sizeof(*hop->member));
	return 0;
}

static int ask_nexthop(struct nl *nl, uint32_t id, struct nexthop *ret)
{
	*ret = (struct nexthop){};
	mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETNEXTHOP, 0), sizeof(struct nhmsg));
	mnl_attr_put_u32(nl->req, NHA_ID, id);
	return nl_talk(nl, take_nexthop, ret);
}

/* With net.ipv4.nexthop_compat_mode=0 a route gives only the id of its group, not the members. */
static void ask_group(struct nl *nl, struct route_hops *hops)
{
	struct nexthop group, member;

	if (hops->n || !hops->group || ask_nexthop(nl, hops->group, &group))
		return;
	for (size_t i = 0; i < group.n; i++)
		if (!ask_nexthop(nl, group.member[i].id, &member) && member.ifindex &&
		    !member.is_dead)
			add_hop(hops, member.ifindex);
}

static int ask_hops(struct nl *nl, const struct route_question *q, struct route_hops *ret)
{
	int err;

	*ret = (struct route_hops){};
	/* RTM_F_FIB_MATCH: the entry in the table, not the next hop that was picked from it. */
	err = ask(nl, q, RTM_F_FIB_MATCH, take_hops, ret);
	if (!err)
		ask_group(nl, ret);
	return err;
}

bool route_has_hops(struct nl *nl, const struct socket_address *dst)
{
	const struct route_question q = { .dst = dst, .uid = -1 };
	struct route_hops hops;

	return !ask_hops(nl, &q, &hops) && hops.n > 1;
}

static int take_neighbour(const struct nlmsghdr *nlh, void *arg)
{
	const struct ndmsg *msg = mnl_nlmsg_get_payload(nlh);
	struct neighbour *ret = arg;
	const struct nlattr *attr;

	if (nlh->nlmsg_type != RTM_NEWNEIGH || mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return -EBADMSG;
	ret->state = msg->ndm_state;
	mnl_attr_for_each(attr, nlh, sizeof(*msg)) if (mnl_attr_get_type(attr) == NDA_LLADDR &&
						       mnl_attr_get_payload_len(attr) ==
							       sizeof(ret->hardware.byte))
	{
		memcpy(ret->hardware.byte, mnl_attr_get_payload(attr), sizeof(ret->hardware.byte));
		ret->has_hardware = true;
	}
	return 0;
}

int route_ask_neighbour(struct nl *nl, int ifindex, const struct in6_addr *ip,
			struct neighbour *ret)
{
	struct ndmsg *msg;
	const void *raw;
	size_t size;

	*ret = (struct neighbour){};
	raw = raw_ip(ip, &size);
	msg = mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETNEIGH, 0), sizeof(*msg));
	msg->ndm_family = size == 4 ? AF_INET : AF_INET6;
	msg->ndm_ifindex = ifindex;
	mnl_attr_put(nl->req, NDA_DST, size, raw);
	return nl_talk(nl, take_neighbour, ret);
}

/* Return the service port, which all connections share: the smaller one; the other is ephemeral. */
static uint16_t service_port(const struct nvme_mptcp_subflow *sf)
{
	return sf->local.port < sf->remote.port ? sf->local.port : sf->remote.port;
}

int route_problem(struct nvme_mptcp_snapshot *snap, int err)
{
	/* Note the problem once, not for each query. */
	if (snap->problem[NVME_MPTCP_LINKS].err != -err)
		problem_set(snap, NVME_MPTCP_LINKS, err, "routes: %s", strerror(-err));
	return err == -ENOMEM ? err : 0;
}

static int by_ends(const void *a, const void *b)
{
	const struct nvme_mptcp_subflow *x = *(struct nvme_mptcp_subflow *const *)a;
	const struct nvme_mptcp_subflow *y = *(struct nvme_mptcp_subflow *const *)b;

	return memcmp(&x->local.ip, &y->local.ip, sizeof(x->local.ip))
		       ?: memcmp(&x->remote.ip, &y->remote.ip, sizeof(x->remote.ip))
		       ?: ((int)service_port(x) - (int)service_port(y))
		       ?: ((x->uid > y->uid) - (x->uid < y->uid))
		       ?: ((x->mark > y->mark) - (x->mark < y->mark))
		       ?: ((int)x->tos - (int)y->tos)
		       ?: ((x->ifindex > y->ifindex) - (x->ifindex < y->ifindex));
}

static void note_hops(const struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_subflow *sf,
		      const struct route_hops *hops)
{
	for (size_t i = 0; i < hops->n; i++) {
		const struct nvme_mptcp_link *link = link_by_index(snap, hops->ifindex[i]);
		size_t at = sf->n_possible;

		if (!link)
			continue;
		/* Sort by link: IPv6 may list the next hops from any of them. */
		for (; at && sf->possible[at - 1] > link; at--)
			sf->possible[at] = sf->possible[at - 1];
		sf->possible[at] = link;
		sf->n_possible++;
	}
}

static int find_route(struct nvme_mptcp_snapshot *snap, struct nl *nl,
		      struct nvme_mptcp_subflow *sf)
{
	const struct route_question q = {
		.src = &sf->local.ip,
		.dst = &sf->remote,
		.sport = sf->local.port,
		.tos = sf->tos,
		.mark = sf->mark,
		.uid = sf->uid,
		.ifindex = sf->ifindex, /* of a VRF */
	};
	const struct local_address *owner;
	struct route_answer answer = {};
	struct route_hops hops;
	int err = ask(nl, &q, 0, take_answer, &answer);

	sf->link = NULL;
	if (!err && !ask_hops(nl, &q, &hops) && hops.n > 1) {
		note_hops(snap, sf, &hops);
		return 0;
	}
	if (!err)
		sf->link = link_by_index(snap, answer.ifindex);
	sf->has_no_route = err == -ENETUNREACH || err == -EHOSTUNREACH || err == -EACCES;
	owner = sf->link ? NULL : snapshot_find_address(snap, &sf->local.ip);
	if (owner)
		sf->link = link_by_index(snap, owner->ifindex);
	return err && !route_is_none(err) ? route_problem(snap, err) : 0;
}

/*
 * The interface of an unbound socket depends on the route to its peer, and need not be the one that
 * has its address. So does that of a socket bound to a VRF, as a target's are that accept there. One
 * query serves all subflows with the same addresses, service port, user, mark, TOS and VRF. Which of
 * several next hops the kernel picked, only counters may show (hops.c).
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
		if (!snap->subflows[i].ifindex ||
		    (snap->subflows[i].link && snap->subflows[i].link->vrf))
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
		unbound[i]->n_possible = unbound[i - 1]->n_possible;
		memcpy(unbound[i]->possible, unbound[i - 1]->possible,
		       sizeof(unbound[i]->possible));
	}
	return hops_resolve(snap, &nl);
}
