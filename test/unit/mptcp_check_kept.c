/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules that lean on keep: A14, by what it noted, and C18, by what it decides by. */
#include "mptcp_findings.h"

#define OUT "out 10.1.2.2 port 0 flags 2 ifindex 2 dev eth2 "

/* The clean host without its endpoint on eth2 and the subflows there. */
static struct nvme_mptcp_snapshot *host_without(const char *kept)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	size_t n = 0;

	kernel.kept = kept;
	snap->endpoints[0] = snap->endpoints[--snap->n_endpoints];
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex != 2)
			snap->subflows[n++] = snap->subflows[i];
	snap->n_subflows = n;
	set_conn_value(snap, NVME_MPTCP_CONN_EXTRA_SUBFLOWS, 1);
	set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_USED, 1);
	set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_MAX, 1);
	return snap;
}

/* The only finding's reason and command, "" if it has none. */
static void expect_only(struct nvme_mptcp_snapshot *snap, const char *why, const char *command)
{
	struct check c = {};

	nvme_mptcp_set_command("another");
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, .rule = "A14",
		       .severity = NVME_MPTCP_WARNING, .only = true, .why = why,
		       .fixes = { command });
	nvme_mptcp_set_command(NULL);
}

TEST(dead_links)
{
	struct nvme_mptcp_snapshot *snap = host_without(OUT "deleted id 1 since 88000\n");

	snap->links[1].flags = IFF_UP;
	expect_only(
		snap,
		"Link eth2 has been out of use for 12 s: keep deleted its "
		"endpoint (10.1.2.2), since it has no carrier; keep puts it back once the link is "
		"well; check cable, switch port and the other end",
		"");
	snap = host_without(OUT "deleted id 1\n");
	snap->links[1].flags = LOWER_UP;
	expect_only(snap,
		    "Link eth2 has been out of use: keep deleted its endpoint "
		    "(10.1.2.2), since it is down; keep puts it back once the link is well",
		    "ip link set dev eth2 up");
	/* It stays, as a backup, where deleting it would end a connection: A07 has nothing to add. */
	snap = clean_host();
	kernel.kept = OUT "backup id 1 since 1\n";
	kernel.keep_has_ended = true;
	snap->links[1].flags = IFF_UP;
	end_subflows(snap, 2);
	expect_only(
		snap,
		"Link eth2 has been out of use for 99 s: keep made its endpoint a "
		"backup (10.1.2.2), since it has no carrier; keep no longer runs here; when "
		"it starts again, it puts the link back; check cable, switch port and the other end",
		"");
}

/* Nothing is advised against what keep does: a link that works is no idle one, nor lacks subflows. */
TEST(links_that_look_well)
{
	struct nvme_mptcp_snapshot *snap = host_without(OUT "deleted id 1 since 1000\n");

	expect_only(snap,
		    "Link eth2 has been out of use for 99 s: keep deleted its "
		    "endpoint (10.1.2.2), since it was dead or silent; keep puts it back when "
		    "the link has worked for a while; check cable, switch port and the other end",
		    "");
	snap = clean_host();
	kernel.kept = OUT "slow id 1 since 1000\n";
	snap->endpoints[0].flags |= NVME_MPTCP_ENDPOINT_BACKUP;
	expect_only(snap,
		    "Link eth2 has been out of use for 99 s: keep made its endpoint a "
		    "backup (10.1.2.2), since it delivers less than a quarter of what other links "
		    "do; keep tries it again later; check cable, duplex and switch port",
		    "");
}

/* What is in use again is none; nor is what was put back, dead as it was, when keep ended. */
TEST(nothing_out)
{
	EXPECT_HOST("", kernel.kept =
				"endpoint 10.1.2.2 port 0 flags 2 ifindex 2 dev eth2 made id 1\n");
	EXPECT_HOST("A07", kernel.kept = OUT "left id 1\n", snap->links[1].flags = IFF_UP);
	expect(host_without(NULL), "A11");
}

/* One finding for a link, whatever endpoints it has; an endpoint whose device is gone has its name. */
TEST(several_endpoints)
{
	struct nvme_mptcp_snapshot *snap =
		host_without(OUT "deleted id 1\n"
				 "out fd00:2::2 port 0 flags 2 ifindex 2 dev eth2 deleted id 3\n"
				 "out 10.1.9.2 port 0 flags 2 ifindex 9 dev eth9 deleted id 9\n"
				 "out 10.1.8.2 port 0 flags 2 ifindex 0 dev - deleted id 8\n");

	snap->links[1].flags = IFF_UP;
	expect(snap, "A14 A14 A14");
}

#define LOAD (600 << 10)

/* Two samples, between which the first connection received so much; the link of @slow is found slow. */
static struct nvme_mptcp_snapshot *loaded(struct check *c, int64_t moved, const char *slow)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	c->before = clean_host();
	kernel.slow = slow;
	snap->taken = c->before->taken + 1000;
	c->before->connections[0].value[NVME_MPTCP_CONN_BYTES_RECEIVED] = 1000;
	snap->connections[0].value[NVME_MPTCP_CONN_BYTES_RECEIVED] = 1000 + moved;
	for (size_t i = 0; i < 3; i++)
		snap->subflows[i].value[NVME_MPTCP_DELIVERY_RATE] = i == 1 ? 100 : 1000;
	assert_int_equal(snapshot_join(c->before), 0);
	return snap;
}

TEST(a_link_that_became_slow)
{
	struct check c = {};

	EXPECT_FINDING(&c, loaded(&c, LOAD, "10.1.2.2"), NULL, NVME_MPTCP_ROLE_HOST, .rule = "C18",
		       .severity = NVME_MPTCP_WARNING, .only = true, .subject = "eth2",
		       .part = "ethtool eth2", .fixes = { "ip mptcp endpoint change id 1 backup" },
		       .side = NVME_MPTCP_ROLE_HOST,
		       .evidence = { { "delivery_rate", "100" },
				     { "others_delivery_rate", "1000" } });
	/* The initial subflow's address is no endpoint: there is nothing to change. */
	c = (struct check){};
	EXPECT_FINDING(&c, loaded(&c, LOAD, "10.1.1.2"), NULL, NVME_MPTCP_ROLE_HOST, .rule = "C18",
		       .severity = NVME_MPTCP_WARNING, .fixes = { "" });
}
