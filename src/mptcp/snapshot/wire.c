// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kinds of links, and which links share a wire. The kernel names a kind for each device that is not
 * a plain network card (IFLA_INFO_KIND). A device on top of another has the kind of the lower one.
 */
#include <string.h>

#include "shared/getter.h"
#include "snapshot.h"

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
	for (size_t i = 0; kind && i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].kind, kind))
			link->role = roles[i].role;
	link->vrf = link->role == ROLE_VRF;
	link->parent = link->role == ROLE_UPPER ? parent : 0;
}

static bool joins_ports(const struct nvme_mptcp_link *link)
{
	return link && (link->role == ROLE_BOND || link->role == ROLE_BRIDGE);
}

/* Return the next interface that @link's packets pass on this machine; NULL for the last one. */
static const struct nvme_mptcp_link *lower_link(const struct nvme_mptcp_snapshot *snap,
						const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *master =
		link->master ? link_by_index(snap, link->master) : NULL;

	if (joins_ports(master))
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

	if (!joins_ports(master))
		return;
	if (master->role == ROLE_BRIDGE && kind != NVME_MPTCP_LINK_PHYSICAL)
		return;
	if (kind < master->kind)
		master->kind = kind;
}

void link_sort_out(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_links; i++) {
		struct nvme_mptcp_link *link = &snap->links[i];
		const struct nvme_mptcp_link *master;

		link->kind = link->role == ROLE_BOND ? NVME_MPTCP_LINK_VIRTUAL : own_kind(link);
		link->wire = wire_of(snap, link);
		master = link->master ? link_by_index(snap, link->master) : NULL;
		link->in_vrf = master && master->vrf;
	}
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

bool link_same_wire(const struct nvme_mptcp_link *one, const struct nvme_mptcp_link *other)
{
	return one == other || (one && other && one->wire && one->wire == other->wire);
}

nvme_mptcp_link_t nvme_mptcp_link_wire(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link)
{
	return link->wire ? link_by_index(snap, link->wire) : link;
}
