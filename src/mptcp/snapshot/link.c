// SPDX-License-Identifier: LGPL-2.1-or-later
/* Network interfaces and their addresses. */
#include <net/if.h>
#include <sys/ioctl.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>

#include "wire.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

struct link_reader {
	struct nvme_mptcp_snapshot *snap;
	struct tunnels tunnels;
};

/* Take what a port of a bridge or bond has, from IFLA_LINKINFO. */
static void take_port(struct nvme_mptcp_link *link, const struct nlattr *const *info)
{
	const struct nlattr *tb[IFLA_BOND_SLAVE_AD_AGGREGATOR_ID + 1] = {};
	const char *master = nl_str(info[IFLA_INFO_SLAVE_KIND]);

	if (!master || nl_nested(info[IFLA_INFO_SLAVE_DATA], tb, IFLA_BOND_SLAVE_AD_AGGREGATOR_ID))
		return;
	if (!strcmp(master, "bridge"))
		nl_u8(tb[IFLA_BRPORT_STATE], &link->port_state);
	else if (!strcmp(master, "bond"))
		nl_u16(tb[IFLA_BOND_SLAVE_AD_AGGREGATOR_ID], &link->aggregator);
}

static bool has_program(const struct nlattr *xdp)
{
	const struct nlattr *tb[IFLA_XDP_ATTACHED + 1] = {};
	uint8_t attached = XDP_ATTACHED_NONE;

	if (xdp && !nl_nested(xdp, tb, IFLA_XDP_ATTACHED))
		nl_u8(tb[IFLA_XDP_ATTACHED], &attached);
	return attached != XDP_ATTACHED_NONE;
}

static void take_hardware(struct nvme_mptcp_link *link, const struct nlattr *attr)
{
	link->has_hardware = attr && mnl_attr_get_payload_len(attr) == sizeof(link->hardware.byte);
	if (link->has_hardware)
		memcpy(link->hardware.byte, mnl_attr_get_payload(attr),
		       sizeof(link->hardware.byte));
}

/* Take IFLA_LINKINFO, which a plain device does not have. @parent: IFLA_LINK of this network namespace. */
static int take_kind(struct link_reader *reader, struct nvme_mptcp_link *link,
		     const struct nlattr *info, int parent, bool is_here)
{
	const struct nlattr *tb[IFLA_INFO_SLAVE_DATA + 1] = {};
	const bool is_read = !nl_nested(info, tb, IFLA_INFO_SLAVE_DATA);
	const char *kind = is_read ? nl_str(tb[IFLA_INFO_KIND]) : NULL;

	link_set_kind(link, kind, is_here ? parent : 0);
	link_take_data(link, tb[IFLA_INFO_DATA]);
	if (is_read)
		take_port(link, tb);
	return is_here ? link_take_tunnel(&reader->tunnels, link->ifindex, kind, tb[IFLA_INFO_DATA])
		       : 0;
}

static int take_link(const struct nlmsghdr *nlh, void *arg)
{
	struct link_reader *reader = arg;
	struct nvme_mptcp_snapshot *snap = reader->snap;
	const struct nlattr *tb[IFLA_XDP + 1];
	const struct ifinfomsg *msg = mnl_nlmsg_get_payload(nlh);
	uint32_t mtu, master = 0, parent = 0;
	struct nvme_mptcp_link *link;
	const char *name;

	if (nlh->nlmsg_type != RTM_NEWLINK || nl_msg_attrs(nlh, sizeof(*msg), tb, IFLA_XDP))
		return -EBADMSG;
	name = nl_str(tb[IFLA_IFNAME]);
	if (!name || msg->ifi_index <= 0 || nl_u32(tb[IFLA_MASTER], &master) == -EBADMSG ||
	    nl_u32(tb[IFLA_LINK], &parent) == -EBADMSG)
		return -EBADMSG;
	link = array_add(&snap->links, &snap->n_links, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->ifindex = msg->ifi_index;
	link->flags = msg->ifi_flags;
	link->master = (int)master;
	link->mtu = nl_u32(tb[IFLA_MTU], &mtu) ? NVME_MPTCP_UNKNOWN : (int64_t)mtu;
	link->speed = NVME_MPTCP_UNKNOWN;
	link->has_xdp = has_program(tb[IFLA_XDP]);
	take_hardware(link, tb[IFLA_ADDRESS]);
	if (tb[IFLA_QDISC] && nl_str(tb[IFLA_QDISC]))
		str_copy(link->queueing, sizeof(link->queueing), nl_str(tb[IFLA_QDISC]),
			 strlen(nl_str(tb[IFLA_QDISC])));
	str_copy(link->name, sizeof(link->name), name, strlen(name));
	/* With IFLA_LINK_NETNSID, what is below is in another network namespace. */
	return take_kind(reader, link, tb[IFLA_LINKINFO], (int)parent, !tb[IFLA_LINK_NETNSID]);
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

static int by_ifindex(const void *a, const void *b)
{
	const struct nvme_mptcp_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static int by_local_ip(const void *a, const void *b)
{
	const struct local_address *x = a, *y = b;

	return memcmp(&x->ip, &y->ip, sizeof(x->ip))
		       ?: ((x->ifindex > y->ifindex) - (x->ifindex < y->ifindex));
}

int link_compare(const void *a, const void *b)
{
	const struct nvme_mptcp_link *x = *(const struct nvme_mptcp_link *const *)a;
	const struct nvme_mptcp_link *y = *(const struct nvme_mptcp_link *const *)b;

	return x && y ? (x > y) - (x < y) : !x - !y;
}

static bool can_carry(const struct nvme_mptcp_link *link)
{
	return !(link->flags & IFF_LOOPBACK) && !link_trouble(link);
}

static void find_usable(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_addresses; i++) {
		const struct local_address *a = &snap->addresses[i];
		struct nvme_mptcp_link *link = link_by_index(snap, a->ifindex);

		if (link && can_carry(link) && link_address_is_global(a, address_is_v4(&a->ip)))
			link->usable = true;
	}
}

static void tunnels_clear_cleanup(struct link_reader *reader)
{
	free(reader->tunnels.tunnel);
}

int snapshot_read_links(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(nl_close) struct nl nl = {};
	_cleanup_(tunnels_clear) struct link_reader reader = { .snap = snap };
	int err = nl_open(&nl, NETLINK_ROUTE);

	if (err == -ENOMEM)
		return err;
	if (err) {
		problem_set(snap, NVME_MPTCP_LINKS, err, "links: %s", strerror(-err));
		problem_set(snap, NVME_MPTCP_ADDRESSES, err, "addresses: %s", strerror(-err));
		return 0;
	}

	mnl_nlmsg_put_extra_header(nl_request(&nl, RTM_GETLINK, 0), sizeof(struct ifinfomsg));
	mnl_attr_put_u32(nl.req, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	err = nl_dump_array(&nl, take_link, &snap->n_links, &reader);
	if (err == -ENOMEM)
		return err;
	problem_of_answer(snap, NVME_MPTCP_LINKS, &nl, err, "links");

	mnl_nlmsg_put_extra_header(nl_request(&nl, RTM_GETADDR, 0), sizeof(struct ifaddrmsg));
	err = nl_dump_array(&nl, take_address, &snap->n_addresses, snap);
	if (err == -ENOMEM)
		return err;
	problem_of_answer(snap, NVME_MPTCP_ADDRESSES, &nl, err, "addresses");

	if (snap->n_links)
		qsort(snap->links, snap->n_links, sizeof(*snap->links), by_ifindex);
	link_place_tunnels(&reader.tunnels, snap, &nl);
	link_classify(snap);
	if (snap->n_addresses)
		qsort(snap->addresses, snap->n_addresses, sizeof(*snap->addresses), by_local_ip);
	find_usable(snap);
	return 0;
}

#define LINK_MODE_WORDS 128 /* maximum that the kernel's signed byte can request */

/* Ask the driver over a socket of this network namespace: /sys shows the one it was mounted in. */
static int64_t ask_speed(int fd, const char *name)
{
	union {
		struct ethtool_link_settings settings;
		char room[sizeof(struct ethtool_link_settings) + 3 * LINK_MODE_WORDS * 4];
	} query = { .settings.cmd = ETHTOOL_GLINKSETTINGS };
	struct ifreq request = { .ifr_data = (char *)&query };

	str_copy(request.ifr_name, sizeof(request.ifr_name), name, strlen(name));
	/* The first answer only gives the length of the masks, as a negative number. */
	if (ioctl(fd, SIOCETHTOOL, &request) || query.settings.link_mode_masks_nwords >= 0)
		return NVME_MPTCP_UNKNOWN;
	query.settings.link_mode_masks_nwords = -query.settings.link_mode_masks_nwords;
	if (ioctl(fd, SIOCETHTOOL, &request) || !query.settings.speed ||
	    query.settings.speed > INT32_MAX)
		return NVME_MPTCP_UNKNOWN;
	return query.settings.speed;
}

int64_t link_ask_speed(const struct nvme_mptcp_link *link)
{
	_cleanup_(close) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? NVME_MPTCP_UNKNOWN : ask_speed(fd, link->name);
}

static void mark_link_used(struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link)
{
	if (link)
		snap->links[link - snap->links].used = true;
}

void snapshot_read_speeds(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(close) int fd = -1;

	for (size_t i = 0; i < snap->n_subflows; i++)
		mark_link_used(snap, snap->subflows[i].link);
	for (size_t i = 0; i < snap->n_endpoints; i++) {
		mark_link_used(snap, snap->endpoints[i].device);
		mark_link_used(snap, snap->endpoints[i].link);
	}
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	for (size_t i = 0; i < snap->n_links; i++)
		if (snap->links[i].used)
			snap->links[i].speed = ask_speed(fd, snap->links[i].name);
}

struct nvme_mptcp_link *link_by_index(const struct nvme_mptcp_snapshot *snap, int ifindex)
{
	struct nvme_mptcp_link key = { .ifindex = ifindex };

	if (!snap->n_links)
		return NULL;
	return bsearch(&key, snap->links, snap->n_links, sizeof(key), by_ifindex);
}

const char *link_text(const struct nvme_mptcp_snapshot *snap, int ifindex,
		      char text[static LINK_TEXT])
{
	const struct nvme_mptcp_link *link = link_by_index(snap, ifindex);

	if (link)
		snprintf(text, LINK_TEXT, "%s", link->name);
	else
		snprintf(text, LINK_TEXT, "#%d", ifindex);
	return text;
}

bool snapshot_has_listener(const struct nvme_mptcp_snapshot *snap, const struct in6_addr *ip,
			   uint16_t port)
{
	for (size_t i = 0; i < snap->n_listeners; i++)
		if ((!port || snap->listeners[i].local.port == port) &&
		    address_covers(&snap->listeners[i].local.ip, ip))
			return true;
	return false;
}

const struct local_address *snapshot_find_address(const struct nvme_mptcp_snapshot *snap,
						  const struct in6_addr *ip)
{
	size_t low = 0, high = snap->n_addresses;

	/* Several interfaces may have the address: find the first one. */
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

const char *const link_address_flags[LINK_ADDRESS_FLAGS] = {
	"secondary", "nodad",	  "optimistic",	    "dadfailed",     "homeaddress", "deprecated",
	"tentative", "permanent", "managetempaddr", "noprefixroute", "mcautojoin",
};

bool link_is_switched_off(const struct nvme_mptcp_link *link)
{
	return !nvme_mptcp_link_is_up(link) || link->vrf_is_down;
}

bool link_is_alive(const struct nvme_mptcp_link *link)
{
	return !link_is_switched_off(link) && nvme_mptcp_link_has_carrier(link);
}

const char *link_trouble(const struct nvme_mptcp_link *link)
{
	if (!nvme_mptcp_link_is_up(link))
		return "it is down";
	if (!nvme_mptcp_link_has_carrier(link))
		return "it has no carrier";
	if (link->vrf_is_down)
		return "its VRF is down";
	/* Ports of a VRF keep their addresses and routes, which sockets bound to them use. */
	return link->master && !link->in_vrf ? "it belongs to a bond or a bridge" : NULL;
}

bool link_is_loopback_like(const struct nvme_mptcp_link *link)
{
	/* Not a tunnel, which leads to one peer, nor a VRF, which represents its ports. */
	return (link->flags & IFF_LOOPBACK) ||
	       (link->kind == NVME_MPTCP_LINK_VIRTUAL && (link->flags & IFF_NOARP) &&
		!(link->flags & IFF_POINTOPOINT) && !link->vrf);
}

bool link_address_is_global(const struct local_address *a, bool v4)
{
	const uint32_t unfit = IFA_F_DADFAILED | IFA_F_DEPRECATED | IFA_F_TENTATIVE;

	return address_is_v4(&a->ip) == v4 && a->scope == RT_SCOPE_UNIVERSE && !(a->flags & unfit);
}

bool nvme_mptcp_link_is_usable(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link, bool v6)
{
	if (!can_carry(link))
		return false;
	for (size_t i = 0; i < snap->n_addresses; i++)
		if (snap->addresses[i].ifindex == link->ifindex &&
		    link_address_is_global(&snap->addresses[i], !v6))
			return true;
	return false;
}

bool link_address_has(const struct local_address *address, const struct in6_addr *ip)
{
	const struct prefix prefix = { address->ip, address->prefix };

	return prefix_has(&prefix, ip);
}

bool link_network_has(const struct nvme_mptcp_snapshot *snap, int ifindex,
		      const struct in6_addr *ip)
{
	for (size_t i = 0; i < snap->n_addresses; i++)
		if (snap->addresses[i].ifindex == ifindex &&
		    link_address_has(&snap->addresses[i], ip))
			return true;
	return false;
}

ARRAY_GETTER(nvme_mptcp_link_t, nvme_mptcp_link_next, nvme_mptcp_snapshot_t, links, n_links);
GETTER(const char *, nvme_mptcp_link_name, nvme_mptcp_link_t, name);
GETTER(int, nvme_mptcp_link_ifindex, nvme_mptcp_link_t, ifindex);
GETTER_OF(bool, nvme_mptcp_link_is_up, nvme_mptcp_link_t, object->flags &IFF_UP);
GETTER_OF(bool, nvme_mptcp_link_has_carrier, nvme_mptcp_link_t, object->flags &IFF_LOWER_UP);
GETTER(int64_t, nvme_mptcp_link_mtu, nvme_mptcp_link_t, mtu);
GETTER(int64_t, nvme_mptcp_link_speed, nvme_mptcp_link_t, speed);
GETTER(int, nvme_mptcp_link_master, nvme_mptcp_link_t, master);
