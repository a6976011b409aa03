/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rule A14: what keep took out of use is no longer in the kernel's table, and is found by what it noted. */
#include "mptcp_machine.h"

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
	for (size_t i = 0; i < snap->n_connections; i++) {
		snap->connections[i].value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] = 1;
		snap->connections[i].value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] = 1;
		snap->connections[i].value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 1;
	}
	return snap;
}

/* The only finding's reason and command, "" if it has none. */
static void expect_only(struct nvme_mptcp_snapshot *snap, const char *why, const char *command)
{
	struct check c = {};
	struct nvme_mptcp_findings *findings;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;
	const char *got;

	nvme_mptcp_set_command("another");
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
	nvme_mptcp_set_command(NULL);
	f = nvme_mptcp_finding_next(findings, NULL);
	assert_non_null(f);
	if (findings->n != 1)
		fail_msg("%s is found as well", nvme_mptcp_finding_rule(&findings->finding[1]));
	assert_string_equal(nvme_mptcp_finding_rule(f), "A14");
	assert_int_equal(nvme_mptcp_finding_severity(f), NVME_MPTCP_WARNING);
	assert_string_equal(nvme_mptcp_finding_why(f), why);
	got = nvme_mptcp_finding_fix(f, 0, &side);
	assert_string_equal(got ? got : "", command);
	nvme_mptcp_findings_free(findings);
	check_clear(&c);
	nvme_mptcp_snapshot_free(snap);
}

static void dead_links(void **state)
{
	struct nvme_mptcp_snapshot *snap = host_without(OUT "deleted id 1 since 88000\n");

	(void)state;
	snap->links[1].flags = IFF_UP;
	expect_only(snap,
		    "Link eth2 has been out of use for 12 s: keep took its endpoint "
		    "away (10.1.2.2), since it has no carrier; keep puts it back once the link is "
		    "well; check cable, switch port and the other end",
		    "");
	snap = host_without(OUT "deleted id 1\n");
	snap->links[1].flags = LOWER_UP;
	expect_only(snap,
		    "Link eth2 has been out of use: keep took its endpoint away "
		    "(10.1.2.2), since it is down; keep puts it back once the link is well",
		    "ip link set dev eth2 up");
	/* It stays, as a backup, where deleting it would end a connection: A07 has nothing to add. */
	snap = clean_host();
	kernel.kept = OUT "backup id 1 since 1\n";
	kernel.keep_has_ended = true;
	snap->links[1].flags = IFF_UP;
	end_subflows(snap, 2);
	expect_only(snap,
		    "Link eth2 has been out of use for 99 s: keep made its endpoint a "
		    "backup (10.1.2.2), since it has no carrier; no keep runs here any more, and "
		    "the next start of it puts it back; check cable, switch port and the other end",
		    "");
}

/* Nothing is advised against what keep does: a link that works is no idle one, nor lacks subflows. */
static void links_that_look_well(void **state)
{
	struct nvme_mptcp_snapshot *snap = host_without(OUT "deleted id 1 since 1000\n");

	(void)state;
	expect_only(snap,
		    "Link eth2 has been out of use for 99 s: keep took its endpoint "
		    "away (10.1.2.2), since it was dead or silent just now; keep puts it back once "
		    "the link stays well; check cable, switch port and the other end",
		    "");
	snap = clean_host();
	kernel.kept = OUT "slow id 1 since 1000\n";
	snap->endpoints[0].flags |= NVME_MPTCP_ENDPOINT_BACKUP;
	expect_only(snap,
		    "Link eth2 has been out of use for 99 s: keep made its endpoint a "
		    "backup (10.1.2.2), since it delivers less than a quarter of what other links "
		    "do; keep tries it again after a while; check cable, duplex and switch port",
		    "");
}

/* What is in use again is none; nor is what was put back, dead as it was, when keep ended. */
static void nothing_out(void **state)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	(void)state;
	kernel.kept = "endpoint 10.1.2.2 port 0 flags 2 ifindex 2 dev eth2 made id 1\n";
	expect(snap, "");
	snap = clean_host();
	kernel.kept = OUT "left id 1\n";
	snap->links[1].flags = IFF_UP;
	expect(snap, "A07");
	snap = host_without(NULL);
	expect(snap, "A11");
}

/* One finding for a link, whatever endpoints it has; an endpoint whose device is gone has its name. */
static void several_endpoints(void **state)
{
	struct nvme_mptcp_snapshot *snap =
		host_without(OUT "deleted id 1\n"
				 "out fd00:2::2 port 0 flags 2 ifindex 2 dev eth2 deleted id 3\n"
				 "out 10.1.9.2 port 0 flags 2 ifindex 9 dev eth9 deleted id 9\n"
				 "out 10.1.8.2 port 0 flags 2 ifindex 0 dev - deleted id 8\n");

	(void)state;
	snap->links[1].flags = IFF_UP;
	expect(snap, "A14 A14 A14");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dead_links),
		cmocka_unit_test(links_that_look_well),
		cmocka_unit_test(nothing_out),
		cmocka_unit_test(several_endpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
