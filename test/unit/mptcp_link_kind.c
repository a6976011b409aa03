// SPDX-License-Identifier: LGPL-2.1-or-later
/* What links are, and which of them share a wire. */
#include "unit.h"
#include "mptcp/snapshot/snapshot.h"

struct spec {
	const char *kind; /* IFLA_INFO_KIND */
	int parent, master;
	enum nvme_mptcp_link_kind expected;
	int wire;
};

static void expect(const struct spec *spec, size_t n)
{
	struct nvme_mptcp_link links[16] = {};
	struct nvme_mptcp_snapshot snap = { .links = links, .n_links = n };

	for (size_t i = 0; i < n; i++) {
		links[i].ifindex = (int)i + 1;
		links[i].master = spec[i].master;
		link_set_kind(&links[i], spec[i].kind, spec[i].parent);
	}
	link_classify(&snap);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(nvme_mptcp_link_kind(&links[i]), spec[i].expected);
		assert_int_equal(nvme_mptcp_link_ifindex(nvme_mptcp_link_wire(&snap, &links[i])),
				 spec[i].wire);
	}
}

#define EXPECT(...) \
	expect((const struct spec[]){ __VA_ARGS__ }, \
	       sizeof((const struct spec[]){ __VA_ARGS__ }) / sizeof(struct spec))

TEST(plain)
{
	EXPECT({ NULL, 0, 0, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "veth", 0, 0, NVME_MPTCP_LINK_VETH, 2 },
	       { "dummy", 0, 0, NVME_MPTCP_LINK_VIRTUAL, 3 },
	       { "wireguard", 0, 0, NVME_MPTCP_LINK_VIRTUAL, 4 },
	       { "hitherto-unknown", 0, 0, NVME_MPTCP_LINK_PHYSICAL, 5 });
}

/* A veth's IFLA_LINK is its other end, which it does not lie on. */
TEST(pairs)
{
	EXPECT({ "veth", 2, 0, NVME_MPTCP_LINK_VETH, 1 },
	       { "veth", 1, 0, NVME_MPTCP_LINK_VETH, 2 });
}

TEST(uppers)
{
	EXPECT({ NULL, 0, 0, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "vlan", 1, 0, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "macvlan", 2, 0, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "veth", 0, 0, NVME_MPTCP_LINK_VETH, 4 }, { "vlan", 4, 0, NVME_MPTCP_LINK_VETH, 4 },
	       /* What it lies on is in another network namespace. */
	       { "macvlan", 0, 0, NVME_MPTCP_LINK_PHYSICAL, 6 });
}

TEST(ports)
{
	/* A bridge of containers, and one with a network card. */
	EXPECT({ "bridge", 0, 0, NVME_MPTCP_LINK_VIRTUAL, 1 },
	       { "veth", 0, 1, NVME_MPTCP_LINK_VETH, 1 },
	       { "tun", 0, 1, NVME_MPTCP_LINK_VIRTUAL, 1 },
	       { "bridge", 0, 0, NVME_MPTCP_LINK_PHYSICAL, 4 },
	       { NULL, 0, 4, NVME_MPTCP_LINK_PHYSICAL, 4 },
	       { "veth", 0, 4, NVME_MPTCP_LINK_VETH, 4 });
	/* A bond, a VLAN on it, and a bridge on that. */
	EXPECT({ "bridge", 0, 0, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "vlan", 3, 1, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "bond", 0, 0, NVME_MPTCP_LINK_PHYSICAL, 3 },
	       { NULL, 0, 3, NVME_MPTCP_LINK_PHYSICAL, 3 },
	       { NULL, 0, 3, NVME_MPTCP_LINK_PHYSICAL, 3 });
	/* A bond of veths, as in tests. */
	EXPECT({ "bond", 0, 0, NVME_MPTCP_LINK_VETH, 1 },
	       { "veth", 0, 1, NVME_MPTCP_LINK_VETH, 1 });
}

/* The ports of a VRF keep their addresses, and are links as before. */
TEST(vrf)
{
	EXPECT({ "vrf", 0, 0, NVME_MPTCP_LINK_VIRTUAL, 1 },
	       { NULL, 0, 1, NVME_MPTCP_LINK_PHYSICAL, 2 });
}

/* A table that changed while it was read may hold a circle. */
TEST(circle)
{
	EXPECT({ "vlan", 2, 0, NVME_MPTCP_LINK_PHYSICAL, 1 },
	       { "vlan", 1, 0, NVME_MPTCP_LINK_PHYSICAL, 2 });
}
