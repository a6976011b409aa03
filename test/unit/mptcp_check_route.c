/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about the ways between host and target: each fault alone, and what only looks like one. */
#include <linux/neighbour.h>

#include "mptcp_findings.h"

/* @laminar_max: how many such endpoints the kernel counts. */
static struct nvme_mptcp_snapshot *waiting_without_a_route(int64_t laminar_max)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->endpoints[1].flags = NVME_MPTCP_ENDPOINT_LAMINAR;
	snap->endpoints[1].ip = ip("10.1.4.2");
	add_link(snap, 4);
	snap->endpoints[1].ifindex = 4;
	set_conn_value(snap, NVME_MPTCP_CONN_LOCAL_ADDR_MAX, 1);
	set_conn_value(snap, NVME_MPTCP_CONN_LAMINAR_MAX, laminar_max);
	/* eth2 reaches the target, eth4 only its own network. */
	add_address(snap, 2, "10.1.1.9", 120);
	add_address(snap, 3, "10.1.1.8", 120);
	kernel.no_gateway = true;
	return snap;
}

TEST(a_laminar_endpoint_without_a_route)
{
	struct nvme_mptcp_snapshot *mesh;

	expect(waiting_without_a_route(1), "R03");
	/* On a kernel that does not know the flag no route makes it start something. */
	expect(waiting_without_a_route(NVME_MPTCP_UNKNOWN), "H22");
	/* A mesh answers announcements on that kernel, too. */
	mesh = waiting_without_a_route(NVME_MPTCP_UNKNOWN);
	mesh->endpoints[1].flags |= NVME_MPTCP_ENDPOINT_FULLMESH;
	expect(mesh, "R03");
	/* One that has its subflow found a way. */
	EXPECT_HOST("", snap->endpoints[1].flags = NVME_MPTCP_ENDPOINT_LAMINAR,
		    add_address(snap, 2, "10.1.1.9", 120), kernel.no_gateway = true);
}

/* A target with a connection of the host 10.1.1.2: a subflow on each of its links. */
static struct nvme_mptcp_snapshot *busy_target(struct check *c)
{
	struct nvme_mptcp_snapshot *snap = clean_target(c);

	add_connection(snap, 1);
	for (int i = 1; i <= 3; i++) {
		struct nvme_mptcp_subflow *sf = add_subflow(snap, 1, i);

		sf->local.port = 4420;
		sf->remote.port = (uint16_t)(40000 + i);
	}
	snap->connections[0].local.port = 4420;
	snap->connections[0].remote.port = 40001;
	return snap;
}

TEST(a_target_without_a_way_back)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = busy_target(&c);

	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, "");
	c = (struct check){};
	snap = busy_target(&c);
	kernel.route_error = -ENETUNREACH;
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, "R03 R03");
}

TEST(a_rule_that_wants_no_device)
{
	EXPECT_HOST("R04 R04", kernel.no_gateway = kernel.way_without_device = true);
	/* Where the endpoint gives no device the rule does its work. */
	EXPECT_HOST("", snap->endpoints[0].ifindex = snap->endpoints[1].ifindex = 0,
		    kernel.no_gateway = kernel.way_without_device = true);
}

/* Hosts that join one address from each link come by that link, not by the one that has the address. */
TEST(one_address_that_hosts_reach_by_each_link)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = busy_target(&c);

	for (int i = 0; i < 3; i++)
		snap->subflows[i].local.ip = snap->subflows[0].local.ip;
	/* The one by that link has died. */
	snap->subflows[0].state = 0;
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, "");
}

/* Do the findings print it? They and all else are freed. */
static void expect_command(struct check *c, struct nvme_mptcp_snapshot *snap,
			   enum nvme_mptcp_role role, const char *expected)
{
	nvme_mptcp_findings_t findings = run_rules(c, snap, &ops, NULL, role);
	enum nvme_mptcp_role side;
	const char *command;
	bool found = false;

	nvme_mptcp_for_each_finding(findings, f) {
		for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++)
			found |= !strcmp(command, expected);
	}
	if (!found)
		fail_msg("not printed: %s", expected);
	end_rules(c, findings, snap);
}

#define FILTER(word) "sh -c 'echo 2 > \"$0\"' /proc/sys/net/ipv4/conf/" word "/rp_filter"
#define ADD(word) "ip mptcp endpoint add 10.1.2.2 dev " word " id 1 subflow"
#define QUOTED(word) FILTER(word), ADD(word)

TEST(commands_with_unusual_names)
{
	static const struct {
		const char *link, *filter, *add;
	} names[] = {
		{ "eth2", "sysctl -w net.ipv4.conf.eth2.rp_filter=2", ADD("eth2") },
		/* sysctl(8) takes the dot for a directory's. */
		{ "eth0.5", "sysctl -w net/ipv4/conf/eth0.5/rp_filter=2", ADD("eth0.5") },
		{ "br-1'x", QUOTED("'br-1'\\''x'") },
		{ "a;id;.7", QUOTED("'a;id;.7'") },
		/* It ends its keys there, and refuses separators that follow each other. */
		{ "a=1", QUOTED("a=1") },
		{ "a..1", QUOTED("a..1") },
		{ ".a", QUOTED(".a") },
		{ "a.", QUOTED("a.") },
		{ "\303\251", QUOTED("\"$(printf '\\303\\251')\"") },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct check target = {}, host = {};
		struct nvme_mptcp_snapshot *snap = busy_target(&target);

		kernel.rp_filter = 1;
		kernel.route_link = 1;
		count(snap, "TcpExt", "IPReversePathFilter", 5);
		snprintf(snap->links[1].name, sizeof(snap->links[1].name), "%s", names[i].link);
		expect_command(&target, snap, NVME_MPTCP_ROLE_TARGET, names[i].filter);

		/* On a device that has not its address. */
		snap = clean_host();
		snprintf(snap->links[1].name, sizeof(snap->links[1].name), "%s", names[i].link);
		snap->endpoints[0].ifindex = 3;
		end_subflows(snap, 2);
		expect_command(&host, snap, NVME_MPTCP_ROLE_HOST, names[i].add);
	}
}

/* Without a family, ip-rule(8) means IPv4: "Invalid source address". */
TEST(rules_of_ipv6)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = {};

	snap->endpoints[0].ip = ip("fd00:2::2");
	snprintf(snap->endpoints[0].address, sizeof(snap->endpoints[0].address), "fd00:2::2");
	snap->ctrls[0].portal.ip = ip("fd00:1::1");
	kernel.no_gateway = true;
	kernel.way_without_device = true;
	expect_command(&c, snap, NVME_MPTCP_ROLE_HOST,
		       "ip -6 rule add from fd00:2::2 oif eth2 table 100");
}

/* fe80::1 alone is on every link. */
TEST(a_portal_that_is_link_local)
{
	static const struct {
		uint32_t scope;
		const char *link, *expected;
	} cases[] = {
		{ 2, "eth2", "ip route get fe80::1 dev eth2" },
		{ 2, "e;2", "ip route get fe80::1 dev 'e;2'" },
		{ 0, "eth2", "ip route get fe80::1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_trial trial = { .outcome = NVME_MPTCP_TRIAL_NO_CONNECTION,
						  .portal = { ip("fe80::1"), 4420 },
						  .scope = cases[i].scope,
						  .portal_text = "[fe80::1]:4420",
						  .err = EHOSTUNREACH,
						  .reason = (char[]){ "no route" } };
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .trial = &trial };

		snprintf(snap->links[1].name, sizeof(snap->links[1].name), "%s", cases[i].link);
		expect_command(&c, snap, NVME_MPTCP_ROLE_HOST, cases[i].expected);
	}
}

/* Refused, unreachable, or not even sent: each has its own commands. */
TEST(commands_for_a_trial_that_fails)
{
	static const char target[] = NVME_MPTCP_COMMAND " check --role target";
	static const struct {
		enum nvme_mptcp_trial_outcome outcome;
		int err;
		const char *first, *second;
	} cases[] = {
		{ NVME_MPTCP_TRIAL_NO_CONNECTION, EADDRNOTAVAIL,
		  "sysctl net.ipv4.ip_local_port_range", "ss -s" },
		{ NVME_MPTCP_TRIAL_NO_CONNECTION, ECONNREFUSED,
		  "grep . /sys/kernel/config/nvmet/ports/*/addr_*", target },
		{ NVME_MPTCP_TRIAL_NO_TARGET, 0, "grep . /sys/kernel/config/nvmet/ports/*/addr_*",
		  "" },
		{ NVME_MPTCP_TRIAL_NO_SOCKET, ETIMEDOUT, "ip route get 10.1.1.1", target },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_trial trial = { .outcome = cases[i].outcome,
						  .portal = { ip("10.1.1.1"), 4420 },
						  .portal_text = "10.1.1.1:4420",
						  .err = cases[i].err,
						  .reason = (char[]){ "a reason" } };
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .trial = &trial };

		EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, .any_severity = true,
			       .only = true, .fixes = { cases[i].first, cases[i].second, "" });
	}
}
