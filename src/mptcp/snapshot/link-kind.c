// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kinds of links, and which links share a wire. The kernel names a kind for each device that is not
 * a plain network card (IFLA_INFO_KIND). A device on top of another has the kind of the lower one;
 * a tunnel is on the wire of the interface that its packets leave over.
 */
#include <net/if.h>
#include <netinet/in.h>
#include <linux/if_bonding.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>

#include "wire.h"

/* Maximum depth of stacked devices; more is a loop that changed while it was read */
#define MAX_DEPTH 8

enum link_role {
	ROLE_CARD, /* a network card, or an unknown kind */
	ROLE_VETH,
	ROLE_VIRTUAL,
	ROLE_UPPER, /* on top of its parent */
	ROLE_BOND, /* has the kind of its best port */
	ROLE_BRIDGE, /* like a bond, but virtual unless a port is a network card */
	ROLE_VRF, /* its ports keep their addresses */
};

static const struct {
	const char *kind;
	enum link_role role;
} roles[] = {
	{ "amt", ROLE_VIRTUAL },    { "bareudp", ROLE_VIRTUAL },   { "bond", ROLE_BOND },
	{ "bridge", ROLE_BRIDGE },  { "dummy", ROLE_VIRTUAL },	   { "erspan", ROLE_VIRTUAL },
	{ "geneve", ROLE_VIRTUAL }, { "gre", ROLE_VIRTUAL },	   { "gretap", ROLE_VIRTUAL },
	{ "gtp", ROLE_VIRTUAL },    { "ifb", ROLE_VIRTUAL },	   { "ip6erspan", ROLE_VIRTUAL },
	{ "ip6gre", ROLE_VIRTUAL }, { "ip6gretap", ROLE_VIRTUAL }, { "ip6tnl", ROLE_VIRTUAL },
	{ "ipip", ROLE_VIRTUAL },   { "ipvlan", ROLE_UPPER },	   { "ipvtap", ROLE_UPPER },
	{ "macsec", ROLE_UPPER },   { "macvlan", ROLE_UPPER },	   { "macvtap", ROLE_UPPER },
	{ "netkit", ROLE_VETH },    { "nlmon", ROLE_VIRTUAL },	   { "ovpn", ROLE_VIRTUAL },
	{ "ppp", ROLE_VIRTUAL },    { "sit", ROLE_VIRTUAL },	   { "team", ROLE_BOND },
	{ "tun", ROLE_VIRTUAL },    { "veth", ROLE_VETH },	   { "vlan", ROLE_UPPER },
	{ "vrf", ROLE_VRF },	    { "vti", ROLE_VIRTUAL },	   { "vti6", ROLE_VIRTUAL },
	{ "vxlan", ROLE_VIRTUAL },  { "wireguard", ROLE_VIRTUAL }, { "xfrm", ROLE_VIRTUAL },
};

void link_set_kind(struct nvme_mptcp_link *link, const char *kind, int parent)
{
	link->role = ROLE_CARD;
	link->type = NULL;
	for (size_t i = 0; kind && i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].kind, kind)) {
			link->role = roles[i].role;
			link->type = roles[i].kind;
		}
	link->vrf = link->role == ROLE_VRF;
	link->parent = link->role == ROLE_UPPER ? parent : 0;
}

/* Take the bond's LACP: the aggregator in use, and whether the other end takes part. */
static void take_lacp(struct nvme_mptcp_link *link, const struct nlattr *info)
{
	static const struct hardware none;
	const struct nlattr *tb[IFLA_BOND_AD_INFO_PARTNER_MAC + 1] = {};
	const struct nlattr *partner;

	if (!info || nl_nested(info, tb, IFLA_BOND_AD_INFO_PARTNER_MAC))
		return;
	partner = tb[IFLA_BOND_AD_INFO_PARTNER_MAC];
	nl_u16(tb[IFLA_BOND_AD_INFO_AGGREGATOR], &link->aggregator);
	link->no_partner = partner && mnl_attr_get_payload_len(partner) == sizeof(none) &&
			   !memcmp(mnl_attr_get_payload(partner), &none, sizeof(none));
}

static void take_bond(struct nvme_mptcp_link *link, const struct nlattr *data)
{
	const struct nlattr *tb[IFLA_BOND_AD_INFO + 1] = {};
	uint32_t port = 0, by_carrier = 1, by_arp = 0;
	uint8_t mode = BOND_MODE_ACTIVEBACKUP;

	if (nl_nested(data, tb, IFLA_BOND_AD_INFO))
		return;
	nl_u32(tb[IFLA_BOND_ACTIVE_SLAVE], &port);
	nl_u32(tb[IFLA_BOND_MIIMON], &by_carrier);
	nl_u32(tb[IFLA_BOND_ARP_INTERVAL], &by_arp);
	nl_u8(tb[IFLA_BOND_MODE], &mode);
	link->active_port = (int)port;
	link->spreads = mode == BOND_MODE_ROUNDROBIN || mode == BOND_MODE_XOR;
	link->unmonitored = !by_carrier && !by_arp;
	take_lacp(link, tb[IFLA_BOND_AD_INFO]);
}

void link_take_data(struct nvme_mptcp_link *link, const struct nlattr *data)
{
	const struct nlattr *tb[IFLA_BR_VLAN_FILTERING + 1] = {};
	uint32_t u32;

	if (!link->type || !data || nl_nested(data, tb, IFLA_BR_VLAN_FILTERING))
		return;
	link->filters_vlans = link->role == ROLE_BRIDGE && tb[IFLA_BR_VLAN_FILTERING] &&
			      mnl_attr_get_payload_len(tb[IFLA_BR_VLAN_FILTERING]) >= 1 &&
			      mnl_attr_get_u8(tb[IFLA_BR_VLAN_FILTERING]);
	if (!strcmp(link->type, "vlan") && tb[IFLA_VLAN_ID] &&
	    mnl_attr_get_payload_len(tb[IFLA_VLAN_ID]) >= sizeof(uint16_t))
		link->vlan = mnl_attr_get_u16(tb[IFLA_VLAN_ID]);
	if (link_is_bond(link))
		take_bond(link, data);
	if (link->vrf && !nl_u32(tb[IFLA_VRF_TABLE], &u32))
		link->table = u32;
}

bool link_is_tunnel(const struct nvme_mptcp_link *link)
{
	return link->role == ROLE_VIRTUAL && link->parent;
}

bool link_is_bond(const struct nvme_mptcp_link *link)
{
	return link->type && !strcmp(link->type, "bond");
}

bool link_joins_ports(const struct nvme_mptcp_link *link)
{
	return link && (link->role == ROLE_BOND || link->role == ROLE_BRIDGE);
}

/* True if a bond or bridge has ports, all of which are switched off. */
static bool has_ports_off(const struct nvme_mptcp_snapshot *snap,
			  const struct nvme_mptcp_link *link)
{
	size_t n = 0, n_off = 0;

	FOR_EACH(port, snap->links, link_joins_ports(link) ? snap->n_links : 0)
		if (port->master == link->ifindex) {
			n++;
			n_off += !nvme_mptcp_link_is_up(port);
		}
	return n && n == n_off;
}

bool link_is_off(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link)
{
	for (int depth = 0; link && depth < MAX_DEPTH; depth++) {
		if (link_is_switched_off(link) || has_ports_off(snap, link))
			return true;
		link = link->role == ROLE_UPPER && link->parent ? link_by_index(snap, link->parent)
								: NULL;
	}
	return false;
}

/* Return the next interface that @link's packets pass on this machine; NULL for the last one. */
static const struct nvme_mptcp_link *lower_link(const struct nvme_mptcp_snapshot *snap,
						const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *master =
		link->master ? link_by_index(snap, link->master) : NULL;

	if (link_joins_ports(master))
		return master;
	return link->parent ? link_by_index(snap, link->parent) : NULL;
}

static int wire_of(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link)
{
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		const struct nvme_mptcp_link *next = lower_link(snap, link);

		if (!next)
			break;
		link = next;
	}
	return link->ifindex;
}

static enum nvme_mptcp_link_kind own_kind(const struct nvme_mptcp_link *link)
{
	switch (link->role) {
	case ROLE_VETH:
		return NVME_MPTCP_LINK_VETH;
	case ROLE_VIRTUAL:
	case ROLE_BRIDGE:
	case ROLE_VRF:
		return NVME_MPTCP_LINK_VIRTUAL;
	default:
		return NVME_MPTCP_LINK_PHYSICAL;
	}
}

/* Return the kind of the lowest device. It may be a bond, whose kind depends on its ports. */
static enum nvme_mptcp_link_kind kind_below(const struct nvme_mptcp_snapshot *snap,
					    const struct nvme_mptcp_link *link)
{
	for (int depth = 0; depth < MAX_DEPTH && link->role == ROLE_UPPER; depth++) {
		const struct nvme_mptcp_link *parent =
			link->parent ? link_by_index(snap, link->parent) : NULL;

		if (!parent)
			break;
		link = parent;
	}
	return link->kind;
}

/* A bridge of veths connects containers: only a network card among its ports makes it physical. */
static void apply_port_kind(struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *port)
{
	struct nvme_mptcp_link *master = port->master ? link_by_index(snap, port->master) : NULL;
	enum nvme_mptcp_link_kind kind = kind_below(snap, port);

	if (!link_joins_ports(master))
		return;
	if (master->role == ROLE_BRIDGE && kind != NVME_MPTCP_LINK_PHYSICAL)
		return;
	if (kind < master->kind)
		master->kind = kind;
}

const struct nvme_mptcp_link *link_vrf(const struct nvme_mptcp_snapshot *snap,
				       const struct nvme_mptcp_link *link)
{
	if (link && link->in_vrf)
		return link_by_index(snap, link->master);
	return link && link->vrf ? link : NULL;
}

const struct nvme_mptcp_link *link_vrf_of(const struct nvme_mptcp_snapshot *snap,
					  const struct in6_addr *own)
{
	const struct local_address *address = own ? snapshot_find_address(snap, own) : NULL;

	return address ? link_vrf(snap, link_by_index(snap, address->ifindex)) : NULL;
}

void link_find_vrfs(struct nvme_mptcp_snapshot *snap)
{
	FOR_EACH(link, snap->links, snap->n_links) {
		const struct nvme_mptcp_link *master =
			link->master ? link_by_index(snap, link->master) : NULL;

		link->in_vrf = master && master->vrf;
		link->vrf_is_down = link->in_vrf && !nvme_mptcp_link_is_up(master);
	}
}

void link_classify(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_links; i++) {
		struct nvme_mptcp_link *link = &snap->links[i];

		link->kind = link->role == ROLE_BOND ? NVME_MPTCP_LINK_VIRTUAL : own_kind(link);
		link->wire = wire_of(snap, link);
	}
	link_find_vrfs(snap);
	/* A bond may be a port of a bridge, so a second pass is needed. */
	for (int look = 0; look < 2; look++)
		for (size_t i = 0; i < snap->n_links; i++)
			apply_port_kind(snap, &snap->links[i]);
	for (size_t i = 0; i < snap->n_links; i++)
		if (snap->links[i].role == ROLE_UPPER)
			snap->links[i].kind = kind_below(snap, &snap->links[i]);
}

GETTER(enum nvme_mptcp_link_kind, nvme_mptcp_link_kind, nvme_mptcp_link_t, kind);

const char *nvme_mptcp_link_kind_name(enum nvme_mptcp_link_kind kind)
{
	static const char *const names[] = {
		[NVME_MPTCP_LINK_PHYSICAL] = "physical",
		[NVME_MPTCP_LINK_VETH] = "veth",
		[NVME_MPTCP_LINK_VIRTUAL] = "virtual",
	};

	return (unsigned int)kind < sizeof(names) / sizeof(*names) ? names[kind] : "unknown";
}

bool link_shares_segment(const struct nvme_mptcp_link *one, const struct nvme_mptcp_link *other)
{
	return one == other || (one && other && one->wire && one->wire == other->wire);
}

nvme_mptcp_link_t nvme_mptcp_link_wire(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link)
{
	return link->wire ? link_by_index(snap, link->wire) : link;
}

#define MOST_ATTRIBUTES 63

/* Attributes in IFLA_INFO_DATA of each kind: interface below and far end; 0: none. */
static const struct {
	const char *kind;
	uint8_t link, remote, remote6;
} tunnels[] = {
	{ "erspan", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "geneve", 0, IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6 },
	{ "gre", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "gretap", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "ip6erspan", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "ip6gre", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "ip6gretap", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "ip6tnl", IFLA_IPTUN_LINK, IFLA_IPTUN_REMOTE, 0 },
	{ "ipip", IFLA_IPTUN_LINK, IFLA_IPTUN_REMOTE, 0 },
	{ "sit", IFLA_IPTUN_LINK, IFLA_IPTUN_REMOTE, 0 },
	{ "vti", IFLA_VTI_LINK, IFLA_VTI_REMOTE, 0 },
	{ "vti6", IFLA_VTI_LINK, IFLA_VTI_REMOTE, 0 },
	{ "vxlan", IFLA_VXLAN_LINK, IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6 },
};

static void take_far_end(struct tunnel *tunnel, const struct nlattr *attr)
{
	struct in6_addr ip;

	/* Its length distinguishes the families. */
	if (attr && (!nl_addr4(attr, &ip) || !nl_addr6(attr, &ip)) &&
	    !(address_is_v4(&ip) && !ip.s6_addr32[3]))
		tunnel->far_end = ip;
}

int link_take_tunnel(struct tunnels *all, int ifindex, const char *kind, const struct nlattr *data)
{
	const struct nlattr *tb[MOST_ATTRIBUTES + 1];
	uint32_t below = 0;

	for (size_t i = 0; kind && data && i < sizeof(tunnels) / sizeof(*tunnels); i++) {
		struct tunnel *tunnel;

		if (strcmp(tunnels[i].kind, kind) != 0 || nl_nested(data, tb, MOST_ATTRIBUTES))
			continue;
		tunnel = array_add(&all->tunnel, &all->n, sizeof(*tunnel));
		if (!tunnel)
			return -ENOMEM;
		tunnel->ifindex = ifindex;
		if (tunnels[i].link && !nl_u32(tb[tunnels[i].link], &below))
			tunnel->below = (int)below;
		take_far_end(tunnel, tb[tunnels[i].remote]);
		if (tunnels[i].remote6)
			take_far_end(tunnel, tb[tunnels[i].remote6]);
	}
	return 0;
}

/* Return the interface below; 0 if unknown: a route with several next hops has several wires. */
static int find_below(const struct tunnel *tunnel, struct nl *nl)
{
	const struct socket_address far = { .ip = tunnel->far_end };
	struct route_answer route = {};

	if (tunnel->below)
		return tunnel->below;
	if (IN6_IS_ADDR_UNSPECIFIED(&far.ip) || IN6_IS_ADDR_MULTICAST(&far.ip) ||
	    route_has_hops(nl, &far) || route_ask(nl, NULL, 0, &far, &route) || route.assumed)
		return 0;
	return route.ifindex;
}

void link_place_tunnels(const struct tunnels *all, struct nvme_mptcp_snapshot *snap, struct nl *nl)
{
	for (size_t i = 0; i < all->n; i++) {
		struct nvme_mptcp_link *link = link_by_index(snap, all->tunnel[i].ifindex);
		const struct nvme_mptcp_link *below =
			link_by_index(snap, find_below(&all->tunnel[i], nl));

		if (link)
			link->far_end = all->tunnel[i].far_end;
		if (link && below && below != link && !(below->flags & IFF_LOOPBACK))
			link->parent = below->ifindex;
	}
}
