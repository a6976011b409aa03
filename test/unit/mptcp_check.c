/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about kernel, endpoints and links: one fault gives its finding and no other. */
#include "mptcp/check/ask.h"
#include "mptcp_findings.h"

TEST(clean_machines_have_no_findings)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap;

	expect(clean_host(), "");
	snap = clean_target(&c);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "");
	/* Neither host nor target: only the kernel is looked at. */
	expect(snapshot_new(), "");
}

TEST(kernel_faults)
{
	static const struct {
		const char *setting, *value, *expected;
	} settings[] = {
		{ "scheduler", "burst", "K08" },
		{ "checksum_enabled", "1", "K08" },
	};
	static const struct {
		const char *group, *name, *expected;
	} counters[] = {
		{ "MPTcpExt", "Blackhole", "K07" },
		/* Of any program, as long as subflows are made. */
		{ "MPTcpExt", "MPJoinSynTxCreatSkErr", "" },
		{ "MPTcpExt", "MD5SigReset", "K12" },
		{ "MPTcpExt", "MPCapableSYNTXDrop", "F05" },
		{ "MPTcpExt", "DataCsumErr", "F07" },
	};
	struct nvme_mptcp_snapshot *none = snapshot_new();

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		EXPECT_HOST(settings[i].expected,
			    replace(snap, settings[i].setting, settings[i].value));
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		EXPECT_HOST(counters[i].expected,
			    count(snap, counters[i].group, counters[i].name, 3));
	problem_set(none, NVME_MPTCP_SETTINGS, EOPNOTSUPP, "no MPTCP in this kernel, at all");
	problem_set(none, NVME_MPTCP_CONNECTIONS, EOPNOTSUPP, "no sockets of that kind either");
	expect(none, "K01");
	EXPECT_HOST("K04", problem_set(snap, NVME_MPTCP_SUBFLOWS, EOPNOTSUPP,
				       "TCP sockets: cannot be listed"));
	EXPECT_HOST("O1", problem_set(snap, NVME_MPTCP_OWNERS, EPERM, "owners: for root only"));
	EXPECT_HOST("O2", problem_set(snap, NVME_MPTCP_LINKS, EAGAIN, "links: they kept changing"));
}

TEST(transport_that_is_not_offered)
{
	struct nvme_mptcp_findings *findings;
	struct nvme_mptcp_snapshot *host = clean_host();
	struct check c = {};

	kernel.offers = 0;
	remove_ctrl(host);
	findings = run_rules(&c, host, &ops, "10.1.1.1", NVME_MPTCP_ROLE_AUTO);
	expect_text(first(findings, "K06", NVME_MPTCP_ERROR), "module", "nvme_mptcp");
	assert_null(nvme_mptcp_finding_next(findings, nvme_mptcp_finding_next(findings, NULL)));
	end_rules(&c, findings, host);
	host = clean_host();
	kernel.offers = NVME_MPTCP_UNKNOWN;
	remove_ctrl(host);
	c = (struct check){};
	expect_with(&c, host, "10.1.1.1", NVME_MPTCP_ROLE_AUTO, "");
	/* Whoever has controllers has the transport. */
	EXPECT_HOST("", kernel.offers = 0);
}

TEST(lines_that_show_what_is_offered)
{
	const struct offer offer = { "nvme_tcp", "nvme-mptcp" };

	assert_true(ask_is_alias("alias nvme-mptcp nvme_tcp", &offer));
	assert_true(ask_is_alias("nvme_tcp.alias=nvme-mptcp", &offer));
	assert_false(ask_is_alias("alias nvme-mptcp2 nvme_tcp", &offer));
	assert_false(ask_is_alias("alias nvme-tcp nvme_tcp", &offer));
	assert_false(ask_is_alias("alias nvme-mptcp", &offer));
	assert_false(ask_is_alias("nvme_tcp.alias=nvme-tcp", &offer));
	assert_false(ask_is_alias("", &offer));
	assert_true(
		ask_is_function("0000000000000000 t nvme_mptcp_create_ctrl\t[nvme_tcp]", &offer));
	assert_false(
		ask_is_function("0000000000000000 t nvme_tcp_create_ctrl\t[nvme_tcp]", &offer));
	assert_false(ask_is_function("0000000000000000 t nvmet_mptcp_add\t[nvmet_tcp]", &offer));
	assert_false(ask_is_function("0000000000000000 T mptcp_sendmsg", &offer));
}

TEST(settings_of_several_numbers)
{
	assert_int_equal(ask_setting(NULL, "net/core/somaxconn/none"), NVME_MPTCP_UNKNOWN);
	/* "4096	131072	6291456": the last one is the largest buffer. */
	assert_true(ask_setting(NULL, "net/ipv4/tcp_rmem") > 65536);
	assert_true(snapshot_sysctl_number("net/ipv4/tcp_rmem", 0) > 0);
	assert_int_equal(snapshot_sysctl_number("net/ipv4/tcp_rmem", 2),
			 ask_setting(NULL, "net/ipv4/tcp_rmem"));
	assert_int_equal(snapshot_sysctl_number("net/ipv4/tcp_rmem", 3), NVME_MPTCP_UNKNOWN);
	assert_true(ask_setting(NULL, "kernel/pid_max") > 100);
	assert_int_equal(ask_setting(NULL, "kernel/ostype"), NVME_MPTCP_UNKNOWN);
}

/* What was counted since boot, and does not grow, may have been anything. */
TEST(what_once_happened_explains_nothing)
{
	static const struct {
		const char *name, *expected;
	} counters[] = {
		{ "Blackhole", "C01 K07" },
		{ "MPCapableSYNTXDisabled", "C01 K07" },
		{ "MD5SigFallback", "C01 K12" },
	};

	for (size_t i = 0; i < 2 * (sizeof(counters) / sizeof(*counters)); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .before = clean_host() };
		const char *name = counters[i / 2].name;

		count(c.before, "MPTcpExt", name, 1);
		count(snap, "MPTcpExt", name, 1 + i % 2);
		snap->connections[0].fallback = 1;
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO,
			    i % 2 ? counters[i / 2].expected : "C01");
	}
}

TEST(ipv6_that_is_not_there)
{
	struct nvme_mptcp_trial trial = { .outcome = NVME_MPTCP_TRIAL_NO_SOCKET,
					  .portal = { ip("fd00::1"), 4420 },
					  .portal_text = "[fd00::1]:4420",
					  .err = EAFNOSUPPORT,
					  .reason = (char[]){ "no such family" } };
	/*
	 * Of no use beside IPv4 ones, and in nobody's way on a link that has one of those. That
	 * nothing can be connected to for that reason is no finding of its own.
	 */
	for (int tried = 0; tried <= 1; tried++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .trial = tried ? &trial : NULL };

		kernel.no_ipv6 = true;
		add_endpoint(snap, 9, "fd00:2::2", 2, NVME_MPTCP_ENDPOINT_SUBFLOW);
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, "K03 H04");
	}
}

/* The host without its subflows beyond the initial ones. */
static struct nvme_mptcp_snapshot *bare_host(void)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->n_endpoints = 0;
	snap->n_subflows = 0;
	for (uint32_t token = 1; token <= 2; token++)
		add_subflow(snap, token, 1);
	set_conn_value(snap, NVME_MPTCP_CONN_EXTRA_SUBFLOWS, 0);
	set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_USED, 0);
	set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_MAX, 0);
	return snap;
}

/* What another target announced to this namespace once is no announcement of this one. */
TEST(announcements_as_the_trial_saw_them)
{
	static const struct {
		int64_t announced;
		const char *expected;
	} cases[] = {
		{ 2, "H01 H06" },
		{ 0, "H01" },
		{ NVME_MPTCP_UNKNOWN, "H01 H06" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = bare_host();
		struct nvme_mptcp_trial trial = { .outcome = NVME_MPTCP_TRIAL_MPTCP,
						  .portal = snap->ctrls[0].portal,
						  .conn = &snap->connections[0],
						  .expected = 1,
						  .established = 1,
						  .announced = cases[i].announced,
						  .has_events = true };
		struct check c = { .trial = &trial };

		snap->limit_add_addr_accepted = 0;
		count(snap, "MPTcpExt", "AddAddr", 2);
		expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST, cases[i].expected);
	}
}

/* An announcement that was dropped, and repeated while the trial waited. */
TEST(announcements_that_came_again)
{
	static const struct {
		int64_t established;
		const char *expected;
	} cases[] = { { 3, "" }, { 2, "H21" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_trial trial = { .outcome = NVME_MPTCP_TRIAL_MPTCP,
						  .portal = snap->ctrls[0].portal,
						  .conn = &snap->connections[0],
						  .expected = 3,
						  .established = cases[i].established,
						  .announced = 2,
						  .has_events = true };
		struct check c = { .trial = &trial, .before = clean_host() };

		count(c.before, "MPTcpExt", "AddAddrDrop", 1);
		count(snap, "MPTcpExt", "AddAddrDrop", 2);
		expect_with(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST, cases[i].expected);
	}
}

TEST(announcements_that_were_dropped)
{
	static const struct {
		int dropped, limit,
			accepted; /* by the second connection; the first one followed 2 */
		const char *expected;
	} cases[] = {
		{ 1, 8, 1, "H21" },
		/* Nothing was dropped, or none is followed: what is missing has another reason. */
		{ 0, 8, 1, "" },
		{ 1, 0, 1, "" },
		{ 1, 8, 2, "" }, /* it came after all */
	};
	struct nvme_mptcp_snapshot *snap;
	struct check c = { .before = clean_host() };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snap = clean_host();
		count(snap, "MPTcpExt", "AddAddrDrop", cases[i].dropped);
		snap->limit_add_addr_accepted = cases[i].limit;
		snap->connections[0].value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = 2;
		snap->connections[1].value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = cases[i].accepted;
		expect(snap, cases[i].expected);
	}
	/* It happens right now. */
	snap = clean_host();
	count(c.before, "MPTcpExt", "AddAddrDrop", 1);
	count(snap, "MPTcpExt", "AddAddrDrop", 2);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, "H21");
}

/* A host with endpoints 1 to @n, of which only the first two are of its own links. */
static struct nvme_mptcp_snapshot *crowded_host(int n)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	for (int i = 3; i <= n; i++) {
		char address[32];

		snprintf(address, sizeof(address), "10.99.%d.2", i);
		add_endpoint(snap, i, address, 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	}
	return snap;
}

/* A kernel that knows the flag counts such endpoints; of one that does not, the byte is zero. */
TEST(flag_that_the_kernel_does_not_know)
{
	const int64_t laminar = NVME_MPTCP_ENDPOINT_LAMINAR, subflow = NVME_MPTCP_ENDPOINT_SUBFLOW;
	const struct {
		int64_t counted, flags;
		const char *expected;
		bool is_old_report;
	} cases[] = {
		{ NVME_MPTCP_UNKNOWN, laminar, "H22 A10" },
		{ NVME_MPTCP_UNKNOWN, laminar, "A10", true },
		{ NVME_MPTCP_UNKNOWN, laminar | NVME_MPTCP_ENDPOINT_FULLMESH, "A10" },
		{ NVME_MPTCP_UNKNOWN, laminar | subflow, "C05 A10" },
		{ NVME_MPTCP_UNKNOWN, subflow, "C05 A10" },
		/* Whatever the kernel knows: an endpoint without flags, and what some make of laminar. */
		{ NVME_MPTCP_UNKNOWN, 0, "H22" },
		{ NVME_MPTCP_UNKNOWN, 0, "H22", true },
		{ NVME_MPTCP_UNKNOWN, NVME_MPTCP_ENDPOINT_BACKUP, "H22" },
		{ 1, 0, "H22" },
		{ NVME_MPTCP_UNKNOWN, NVME_MPTCP_ENDPOINT_IMPLICIT, "H12" },
		{ 1, laminar, "A10" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		add_address(snap, 2, "10.1.2.3", 120);
		add_endpoint(snap, 3, "10.1.2.3", 2, cases[i].flags);
		set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_USED, 3);
		set_conn_value(snap, NVME_MPTCP_CONN_LAMINAR_MAX, cases[i].counted);
		if (cases[i].is_old_report)
			snap->values_not_reported = 1ULL << NVME_MPTCP_CONN_LAMINAR_MAX;
		expect(snap, cases[i].expected);
	}
	/* No target is reached from such an address, with whatever flag. */
	struct nvme_mptcp_snapshot *left = clean_host();

	add_address(left, 2, "fe80::2", 64);
	add_endpoint(left, 3, "fe80::2", 2, 0);
	EXPECT_HOST_FINDING(left, .rule = "H22", .severity = NVME_MPTCP_WARNING, .n_fixes = 1,
			    .fixes = { "ip mptcp endpoint delete id 3" });
	/* Subflows leave from this one, by an announcement and its route. */
	EXPECT_HOST("", snap->endpoints[1].flags = laminar);
}

TEST(faults_of_the_table)
{
	const int subflow = NVME_MPTCP_ENDPOINT_SUBFLOW, signal = NVME_MPTCP_ENDPOINT_SIGNAL;
	struct nvme_mptcp_snapshot *crowded;

	EXPECT_HOST("H12", add_endpoint(snap, 3, "10.99.1.2", 0, NVME_MPTCP_ENDPOINT_IMPLICIT));
	/* Eight are as many as many kernels hold, and six of these have no address any more. */
	expect(crowded_host(8), "H10 H12 H12 H12 H12 H12 H12");
	expect(crowded_host(7), "H12 H12 H12 H12 H12");
	/* No kernel holds more than there are identifiers. */
	crowded = crowded_host(254);
	kernel.table = 64;
	assert_false(endpoint_table_is_full(crowded));
	add_endpoint(crowded, 255, "10.98.1.2", 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	assert_true(endpoint_table_is_full(crowded));
	nvme_mptcp_snapshot_free(crowded);
	/* Limits above 8 have only kernels that hold more; of others the answer counts. */
	crowded = crowded_host(8);
	crowded->limit_add_addr_accepted = 9;
	expect(crowded, "H12 H12 H12 H12 H12 H12");
	crowded = crowded_host(8);
	kernel.table = 64;
	expect(crowded, "H12 H12 H12 H12 H12 H12");
	crowded = crowded_host(8);
	kernel.table = 8;
	expect(crowded, "H10 H12 H12 H12 H12 H12 H12");
	EXPECT_HOST("H11", add_endpoint(snap, 3, "10.1.2.2", 2, subflow),
		    set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_USED, 3));
	EXPECT_HOST("H13", snap->endpoints[0].port = 4420);
	EXPECT_TARGET("H13 T02", snap->endpoints[0].flags = signal | NVME_MPTCP_ENDPOINT_FULLMESH);
	EXPECT_HOST("H18", kernel.active = "mptcp NetworkManager");
	/* They do not work in other namespaces. */
	EXPECT_HOST("", kernel.active = "mptcp NetworkManager", snap->netns = strdup("other"));
	EXPECT_HOST("", kernel.active = "NetworkManager");
	EXPECT_TARGET("T02 H19", snap->endpoints[0].flags = subflow,
		      kernel.active = "NetworkManager");
	EXPECT_TARGET("T02 H19", snap->endpoints[0].flags = subflow, kernel.active = "mptcp");
	EXPECT_TARGET("", kernel.active = "NetworkManager");
}

/* Stopping mptcpd may take endpoints away: only where none carries data is that printed. */
TEST(a_service_to_disable)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = {};

	kernel.active = "mptcp NetworkManager";
	EXPECT_HOST_FINDING(snap, .rule = "H18", .severity = NVME_MPTCP_WARNING, .only = true,
			    .part = "running until the next boot", .n_fixes = 1,
			    .fixes = { "systemctl disable mptcp.service" });
	snap = clean_target(&c);
	snap->n_subflows = snap->n_connections = 0;
	FOR_EACH(ep, snap->endpoints, snap->n_endpoints)
		ep->subflows = 0;
	kernel.active = "mptcp NetworkManager";
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, .rule = "H18",
		       .severity = NVME_MPTCP_WARNING, .n_fixes = 1,
		       .fixes = { "systemctl disable --now mptcp.service" });
}

/* A clean host whose eth2 is a bond of eth4 and eth5, which are in these groups of LACP. */
static struct nvme_mptcp_snapshot *host_with_bond(uint16_t used, uint16_t first, uint16_t second)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	for (int i = 4; i <= 5; i++) {
		struct nvme_mptcp_link *port =
			array_add(&snap->links, &snap->n_links, sizeof(*port));

		port->ifindex = i;
		port->master = 2;
		port->flags = IFF_UP | LOWER_UP;
		port->mtu = 1500;
		port->aggregator = i == 4 ? first : second;
		snprintf(port->name, sizeof(port->name), "eth%d", i);
	}
	link_set_kind(&snap->links[1], "bond", 0);
	snap->links[1].aggregator = used;
	link_classify(snap);
	return snap;
}

TEST(ports_of_bonds)
{
	struct nvme_mptcp_snapshot *snap = host_with_bond(1, 1, 2);

	EXPECT_HOST_FINDING(snap, .rule = "A15", .severity = NVME_MPTCP_WARNING, .only = true,
			    .part = "its port eth5 is not in the group", .n_fixes = 1,
			    .fixes = { "ip -d link show master eth2" });
	snap = host_with_bond(2, 1, 2);
	snap->links[1].no_partner = true;
	EXPECT_HOST_FINDING(snap, .rule = "A15", .severity = NVME_MPTCP_WARNING, .only = true,
			    .part = "the bond uses eth5 alone, and drops what arrives at eth4");
	expect(host_with_bond(1, 1, 1), "");
	snap = host_with_bond(0, 0, 0);
	snap->links[1].active_port = 4;
	snap->links[3].flags = IFF_UP;
	EXPECT_HOST_FINDING(snap, .rule = "A15", .severity = NVME_MPTCP_INFO, .only = true,
			    .part = "eth4 of the bond eth2 has no carrier: the bond is left with 1 "
				    "port.");
	snap = host_with_bond(0, 0, 0);
	snap->links[1].active_port = 4;
	snap->links[1].unmonitored = true;
	snap->links[3].flags = IFF_UP;
	EXPECT_HOST_FINDING(snap, .rule = "A15", .severity = NVME_MPTCP_ERROR, .only = true,
			    .part = "over its port eth4 alone, which has no carrier",
			    .fixes = { "ip link set dev eth2 type bond miimon 100" });
	/* It works as long as the port does; one that is switched off is a spare. */
	snap = host_with_bond(0, 0, 0);
	snap->links[1].active_port = 4;
	snap->links[1].unmonitored = true;
	snap->links[4].flags = 0;
	expect(snap, "");
}
