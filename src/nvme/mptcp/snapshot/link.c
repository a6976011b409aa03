// SPDX-License-Identifier: LGPL-2.1-or-later
/* Network interfaces, their addresses, and by which of them the kernel sends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>

#include "base/str.h"
#include "snapshot.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

/* IFLA_INFO_KIND: what kind of device it is, if it is not a plain one. */
static bool is_kind(const struct nlattr *info, const char *kind)
{
	const struct nlattr *tb[IFLA_INFO_KIND + 1];
	const char *name;

	if (nl_nested(info, tb, IFLA_INFO_KIND))
		return false;
	name = nl_str(tb[IFLA_INFO_KIND]);
	return name && !strcmp(name, kind);
}

static int take_link(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const struct nlattr *tb[IFLA_LINKINFO + 1];
	const struct ifinfomsg *msg = mnl_nlmsg_get_payload(nlh);
	struct nvme_mptcp_link *link;
	uint32_t mtu, master = 0;
	const char *name;

	if (nlh->nlmsg_type != RTM_NEWLINK || nl_msg_attrs(nlh, sizeof(*msg), tb, IFLA_LINKINFO))
		return -EBADMSG;
	name = nl_str(tb[IFLA_IFNAME]);
	if (!name || msg->ifi_index <= 0 || nl_u32(tb[IFLA_MASTER], &master) == -EBADMSG)
		return -EBADMSG;
	link = array_add(&snap->links, &snap->n_links, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->ifindex = msg->ifi_index;
	link->flags = msg->ifi_flags;
	link->master = (int)master;
	link->mtu = nl_u32(tb[IFLA_MTU], &mtu) ? NVME_MPTCP_UNKNOWN : (int64_t)mtu;
	link->speed = NVME_MPTCP_UNKNOWN;
	link->vrf = is_kind(tb[IFLA_LINKINFO], "vrf");
	bounded_copy(link->name, sizeof(link->name), name, strlen(name));
	return 0;
}

static void drop_links(void *arg)
{
	((struct nvme_mptcp_snapshot *)arg)->n_links = 0;
}

static int take_address(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const struct nlattr *tb[IFA_FLAGS + 1];
	const struct ifaddrmsg *msg = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	struct local_address *added;
	struct in6_addr ip;
	uint32_t flags;
	int err;

	if (nlh->nlmsg_type != RTM_NEWADDR || nl_msg_attrs(nlh, sizeof(*msg), tb, IFA_FLAGS))
		return -EBADMSG;
	/* On a point-to-point interface IFA_ADDRESS is the peer's. */
	attr = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (msg->ifa_family != AF_INET && msg->ifa_family != AF_INET6)
		return 0;
	err = msg->ifa_family == AF_INET ? nl_addr4(attr, &ip) : nl_addr6(attr, &ip);
	if (err || msg->ifa_index > INT32_MAX)
		return -EBADMSG;
	added = array_add(&snap->addresses, &snap->n_addresses, sizeof(*added));
	if (!added)
		return -ENOMEM;
	added->ip = ip;
	added->ifindex = (int)msg->ifa_index;
	added->prefix = msg->ifa_prefixlen + (msg->ifa_family == AF_INET ? 96 : 0);
	added->scope = msg->ifa_scope;
	added->flags = nl_u32(tb[IFA_FLAGS], &flags) ? msg->ifa_flags : flags;
	return 0;
}

static void drop_addresses(void *arg)
{
	((struct nvme_mptcp_snapshot *)arg)->n_addresses = 0;
}

static int by_index(const void *a, const void *b)
{
	const struct nvme_mptcp_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static int by_ip(const void *a, const void *b)
{
	const struct local_address *x = a, *y = b;
	int order = memcmp(&x->ip, &y->ip, sizeof(x->ip));

	return order ? order : (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

struct nvme_mptcp_link *link_by_index(const struct nvme_mptcp_snapshot *snap, int ifindex)
{
	struct nvme_mptcp_link key = { .ifindex = ifindex };

	if (!snap->n_links)
		return NULL;
	return bsearch(&key, snap->links, snap->n_links, sizeof(key), by_index);
}

const struct local_address *snapshot_find_address(const struct nvme_mptcp_snapshot *snap,
						  const struct in6_addr *ip)
{
	size_t low = 0, high = snap->n_addresses;

	/* The first of several interfaces that have it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memcmp(&snap->addresses[middle].ip, ip, sizeof(*ip)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < snap->n_addresses && address_equal(&snap->addresses[low].ip, ip))
		return &snap->addresses[low];
	return NULL;
}

int links_read(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(nl_close) struct nl nl = {};
	struct ifinfomsg *link;
	struct ifaddrmsg *address;
	int err = nl_open(&nl, NETLINK_ROUTE);

	if (err == -ENOMEM)
		return err;
	if (err) {
		problem_set(snap, NVME_MPTCP_LINKS, err, "links: %s", strerror(-err));
		problem_set(snap, NVME_MPTCP_ADDRESSES, err, "addresses: %s", strerror(-err));
		return 0;
	}

	link = mnl_nlmsg_put_extra_header(nl_request(&nl, RTM_GETLINK, 0), sizeof(*link));
	link->ifi_family = AF_UNSPEC;
	mnl_attr_put_u32(nl.req, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	err = nl_dump(&nl, take_link, drop_links, snap);
	if (err == -ENOMEM)
		return err;
	problem_of_answer(snap, NVME_MPTCP_LINKS, &nl, err, "links");

	address = mnl_nlmsg_put_extra_header(nl_request(&nl, RTM_GETADDR, 0), sizeof(*address));
	address->ifa_family = AF_UNSPEC;
	err = nl_dump(&nl, take_address, drop_addresses, snap);
	if (err == -ENOMEM)
		return err;
	problem_of_answer(snap, NVME_MPTCP_ADDRESSES, &nl, err, "addresses");

	if (snap->n_links)
		qsort(snap->links, snap->n_links, sizeof(*snap->links), by_index);
	if (snap->n_addresses)
		qsort(snap->addresses, snap->n_addresses, sizeof(*snap->addresses), by_ip);
	return 0;
}

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

static int take_route(const struct nlmsghdr *nlh, void *arg)
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

int route_ask(struct nl *nl, const struct in6_addr *src, int ifindex, const struct in6_addr *dst,
	      struct route_answer *ret)
{
	struct route_answer answer = { .hop = *dst };
	int err;

	if (src && !address_same_family(dst, src))
		return -EINVAL;
	route_request(nl, src, ifindex, dst, 0);
	err = nl_talk(nl, take_route, &answer);
	/* With a device IPv4 never fails; asked for the entry of its table, it admits there is none. */
	if (!err && ifindex && !answer.gateway && address_is_v4(dst)) {
		int entry;

		route_request(nl, src, ifindex, dst, RTM_F_FIB_MATCH);
		entry = nl_talk(nl, NULL, NULL);
		answer.assumed = entry == -ENETUNREACH || entry == -EHOSTUNREACH;
	}
	if (!err)
		*ret = answer;
	return err;
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

bool route_has_ways(struct nl *nl, const struct in6_addr *dst)
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

int neighbour_ask(struct nl *nl, int ifindex, const struct in6_addr *ip)
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

static int by_ends(const void *a, const void *b)
{
	const struct nvme_mptcp_subflow *x = *(struct nvme_mptcp_subflow *const *)a;
	const struct nvme_mptcp_subflow *y = *(struct nvme_mptcp_subflow *const *)b;
	int order = memcmp(&x->local.ip, &y->local.ip, sizeof(x->local.ip));

	return order ? order : memcmp(&x->remote.ip, &y->remote.ip, sizeof(x->remote.ip));
}

/*
 * A socket that is bound to no device goes where the route to its peer leads, which need not be the
 * interface that has its address. One question for each pair of addresses.
 */
int routes_read(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(free) struct nvme_mptcp_subflow **unbound = NULL;
	_cleanup_(nl_close) struct nl nl = {};
	const struct local_address *owner;
	size_t n = 0;
	int err;

	if (!snap->n_subflows)
		return 0;
	unbound = calloc(snap->n_subflows, sizeof(struct nvme_mptcp_subflow *));
	if (!unbound)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (!snap->subflows[i].link)
			unbound[n++] = &snap->subflows[i];
	if (!n)
		return 0;
	qsort(unbound, n, sizeof(struct nvme_mptcp_subflow *), by_ends);

	err = nl_open(&nl, NETLINK_ROUTE);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < n; i++) {
		struct nvme_mptcp_subflow *sf = unbound[i];
		struct route_answer answer;

		if (i && !by_ends(&unbound[i - 1], &unbound[i])) {
			sf->link = unbound[i - 1]->link;
			continue;
		}
		if (!route_ask(&nl, &sf->local.ip, 0, &sf->remote.ip, &answer))
			sf->link = link_by_index(snap, answer.ifindex);
		owner = sf->link ? NULL : snapshot_find_address(snap, &sf->local.ip);
		if (owner)
			sf->link = link_by_index(snap, owner->ifindex);
	}
	return 0;
}

#define LINK_MODE_WORDS 128 /* the most that the kernel's signed byte can ask for */

/* Asks the driver, over a socket of this namespace: /sys shows the one it was mounted in. */
static int64_t ask_speed(int fd, const char *name)
{
	union {
		struct ethtool_link_settings settings;
		char room[sizeof(struct ethtool_link_settings) + 3 * LINK_MODE_WORDS * 4];
	} query = { .settings.cmd = ETHTOOL_GLINKSETTINGS };
	struct ifreq request = { .ifr_data = (char *)&query };

	bounded_copy(request.ifr_name, sizeof(request.ifr_name), name, strlen(name));
	/* The first answer only says, as a negative number, how long the masks are. */
	if (ioctl(fd, SIOCETHTOOL, &request) || query.settings.link_mode_masks_nwords >= 0)
		return NVME_MPTCP_UNKNOWN;
	query.settings.link_mode_masks_nwords = -query.settings.link_mode_masks_nwords;
	if (ioctl(fd, SIOCETHTOOL, &request) || !query.settings.speed ||
	    query.settings.speed > INT32_MAX)
		return NVME_MPTCP_UNKNOWN;
	return query.settings.speed;
}

static void mark_used(struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link)
{
	if (link)
		snap->links[link - snap->links].used = true;
}

void speeds_read(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(close) int fd = -1;

	for (size_t i = 0; i < snap->n_subflows; i++)
		mark_used(snap, snap->subflows[i].link);
	for (size_t i = 0; i < snap->n_endpoints; i++) {
		mark_used(snap, snap->endpoints[i].device);
		mark_used(snap, snap->endpoints[i].link);
	}
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	for (size_t i = 0; i < snap->n_links; i++)
		if (snap->links[i].used)
			snap->links[i].speed = ask_speed(fd, snap->links[i].name);
}
