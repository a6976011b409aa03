/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands that close something: printed only if nothing that works ends with them. */
#include <linux/neighbour.h>

#include "mptcp_findings.h"

#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW
#define SIGNAL NVME_MPTCP_ENDPOINT_SIGNAL

static char printed[4096];

/* Runs the rules: all commands in @printed, one a line; @found: the rules of errors and warnings. */
static void run_all(struct check *c, struct nvme_mptcp_snapshot *snap, const char *traddr,
		    enum nvme_mptcp_role role, const char *expected)
{
	struct nvme_mptcp_findings *findings = run_rules(c, snap, &ops, traddr, role);
	char found[128] = "";
	size_t n = 0, m = 0;

	printed[0] = '\0';
	nvme_mptcp_for_each_finding(findings, f) {
		enum nvme_mptcp_role side;
		const char *command;

		assert_begins_with_subject(nvme_mptcp_finding_why(f));
		if (nvme_mptcp_finding_severity(f) != NVME_MPTCP_INFO)
			m += (size_t)snprintf(found + m, sizeof(found) - m, "%s%s", m ? " " : "",
					      nvme_mptcp_finding_rule(f));
		for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++)
			n += (size_t)snprintf(printed + n, sizeof(printed) - n, "%s\n", command);
	}
	assert_string_equal(found, expected);
	end_rules(c, findings, snap);
}

static void check_host(struct nvme_mptcp_snapshot *snap, const char *expected)
{
	struct check c = {};

	run_all(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, expected);
}

static void assert_closes_nothing(void)
{
	static const char *const words[] = { "delete", " reset ", "rm " };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(printed, words[i]))
			fail_msg("printed: %s", printed);
}

TEST(an_endpoint_that_a_host_serves_others_with)
{
	static const struct {
		const char *listens;
		bool connected;
		uint16_t port;
		const char *expected;
	} cases[] = {
		{ NULL, false, 0, "H02" }, /* nobody is served: a host's mistake */
		{ NULL, false, 4430, "" },
		{ "10.1.1.9", false, 0, "" },
		/* Listening at all addresses says nothing as long as nobody is connected. */
		{ "::", false, 0, "H02" },
		{ "::", true, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		add_endpoint(snap, 7, "10.1.1.9", 1, SIGNAL)->port = cases[i].port;
		add_address(snap, 1, "10.1.1.9", 120);
		if (cases[i].listens)
			add_listener(snap, ip(cases[i].listens), 8080);
		if (cases[i].connected) {
			struct nvme_mptcp_connection *conn = add_connection(snap, 9);

			conn->local = (struct socket_address){ ip("10.1.1.9"), 8080 };
			conn->remote = (struct socket_address){ ip("10.1.1.7"), 999 };
		}
		check_host(snap, cases[i].expected);
		if (*cases[i].expected)
			assert_non_null(strstr(printed, "ip mptcp endpoint delete id 7\n"));
		else
			assert_closes_nothing();
	}
}

/* Its subflows leave by the first link: it is renewed if the target answers by its own, and lives on if not. */
TEST(an_endpoint_whose_subflows_live_elsewhere)
{
	static const struct {
		struct probe_result probe_result;
		bool no_probes, only, renewed, strips_joins;
	} cases[] = {
		{ { .known = true, .sent = true }, false, false, false, false },
		{ { .known = true, .connected = true }, false, false, true, false },
		{ { .known = true, .connected = true }, true, false, false, false },
		{ { .known = true, .connected = true }, false, true, false, false },
		/* Plain TCP passes, and joins do not. */
		{ { .known = true, .connected = true }, false, false, false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct check c = { .no_probes = cases[i].no_probes };

		snap->endpoints[0].ifindex = 0;
		for (size_t j = 0; j < snap->n_subflows; j++) {
			struct nvme_mptcp_subflow *sf = &snap->subflows[j];

			if (sf->ifindex == 2)
				sf->ifindex = 1;
			else if (cases[i].only && sf->token == 1)
				sf->state = 0;
		}
		kernel.route_link = 1;
		kernel.probe_result = cases[i].probe_result;
		kernel.strips_joins = cases[i].strips_joins;
		run_all(&c, snap, NULL, NVME_MPTCP_ROLE_HOST, cases[i].only ? "H07 C05" : "H07");
		/* One for both connections, and none where a packet has shown enough. */
		assert_int_equal(kernel.proofs, cases[i].renewed || cases[i].strips_joins);
		if (cases[i].renewed)
			assert_non_null(strstr(
				printed, "ip mptcp endpoint delete id 1\n"
					 "ip mptcp endpoint add 10.1.2.2 dev eth2 id 1 subflow"));
		else
			assert_closes_nothing();
	}
}

/* Endpoints are on a dummy: IPv4 looks for the target on that link, and nothing leaves by it. */
TEST(a_device_that_nothing_leaves_by)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = {};

	add_link(snap, 4);
	snap->links[3].flags |= IFF_NOARP;
	snap->links[3].kind = NVME_MPTCP_LINK_VIRTUAL;
	snap->n_endpoints = 0;
	for (int i = 1; i <= 2; i++) {
		char text[16];

		snprintf(text, sizeof(text), "10.9.0.%d", i);
		add_address(snap, 4, text, 128);
		add_endpoint(snap, i, text, 4, SUBFLOW);
	}
	kernel.several_ways = true;
	kernel.no_gateway = true;
	/* Without a device the route to the target is by another link. */
	run_all(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST, "R01 R01");
	assert_null(strstr(printed, "dev eth4"));
}

/* Joins by the third link that lead nowhere; @announced: another subflow of it follows an announcement. */
static struct nvme_mptcp_snapshot *hopeless_host(bool announced)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	for (uint32_t token = 1; token <= 2; token++) {
		struct nvme_mptcp_subflow *sf = add_subflow(snap, token, 3);

		sf->local.port = 41000;
		sf->remote.ip = ip("10.1.1.1");
		sf->state = STATE_SYN_SENT;
		sf->value[NVME_MPTCP_TIMEOUTS] = 3;
		snap->connections[token - 1].value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] = announced;
	}
	if (!announced)
		for (size_t i = 0; i < snap->n_subflows; i++)
			if (snap->subflows[i].ifindex == 3 &&
			    snap->subflows[i].state == STATE_ESTABLISHED)
				snap->subflows[i].state = 0;
	kernel.no_gateway = true;
	return snap;
}

TEST(a_hopeless_join)
{
	check_host(hopeless_host(false), "R01");
	assert_closes_nothing();
	assert_non_null(strstr(printed, "setup --role target"));
	check_host(hopeless_host(true), "");
	assert_null(strstr(printed, "delete"));
	assert_null(strstr(printed, "reset"));
}

/* The endpoint is on a device that leads elsewhere: on its own one, it would not be hopeless. */
TEST(a_join_by_the_wrong_device)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->endpoints[1].ifindex = 2;
	for (size_t i = 0; i < snap->n_subflows; i++) {
		struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		if (sf->ifindex != 3)
			continue;
		sf->ifindex = 2;
		sf->remote.ip = ip("10.1.1.1");
		sf->state = STATE_SYN_SENT;
		sf->value[NVME_MPTCP_TIMEOUTS] = 3;
	}
	kernel.no_gateway = true;
	check_host(snap, "H08");
}

/* Announced addresses are joined from its address by its own link: that is what would be lost. */
TEST(a_wrong_device_that_costs_nothing)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->endpoints[1].ifindex = 2;
	kernel.probe_result = (struct probe_result){ .known = true, .connected = true };
	check_host(snap, "");
	assert_closes_nothing();
}

static void give_ctrl(struct nvme_mptcp_snapshot *snap)
{
	struct nvme_mptcp_ctrl *ctrl = add_ctrl(snap, "nvme1", "another", 1, "10.1.2.1", 4420);

	add_connection(snap, 9)->remote = ctrl->portal;
	for (int i = 1; i <= 3; i++)
		add_subflow(snap, 9, i)->remote =
			i == 1 ? ctrl->portal : (struct socket_address){ ip("10.1.1.1"), 4420 };
}

/* Two arrays, and one of them lacks connections: the other one is not touched. */
TEST(a_controller_that_lacks_nothing)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	give_ctrl(snap);
	snap->ctrls[0].expected = 3;
	check_host(snap, "N04");
	assert_non_null(strstr(printed, "reset /dev/nvme0\n"));
	assert_null(strstr(printed, "nvme1"));
}

/* What it was connected over is gone, and it works by the rest: only if its portal answers is it reset. */
TEST(a_controller_that_would_not_come_back)
{
	for (int answers = 0; answers <= 1; answers++) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		end_subflows(snap, 1);
		snap->ctrls[0].expected = 3;
		kernel.probe_result = (struct probe_result){ .known = true, .connected = answers };
		check_host(snap, "N04");
		if (answers)
			assert_non_null(strstr(printed, "reset /dev/nvme0\n"));
		else
			assert_closes_nothing();
	}
}

/* Joins to an announced address are refused, and what hosts have over the port's own address works. */
TEST(a_port_that_hosts_are_connected_to)
{
	for (int connected = 0; connected <= 1; connected++) {
		struct check c = {};
		struct nvme_mptcp_snapshot *snap = clean_target(&c);
		c.nvmet.ports[0].address.ip = snap->listeners[0].local.ip = ip("10.1.1.2");
		enable_port(&c, "nqn");
		if (connected) {
			add_connection(snap, 1)->local.port = 4420;
			add_subflow(snap, 1, 1)->local.port = 4420;
		}
		run_all(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, "T03 T03");
		if (connected)
			assert_closes_nothing();
		else
			assert_non_null(strstr(printed, "rm /sys/kernel/config/nvmet/ports/1/"));
	}
}

/* A disk without any path is worse than whatever its links lack, and comes first. */
TEST(controllers_that_are_not_live)
{
	for (int live = 0; live <= 1; live++) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		give_ctrl(snap);
		set_state(&snap->ctrls[0], "connecting");
		if (live) {
			free(snap->ctrls[1].subsysnqn);
			snap->ctrls[1].subsysnqn = strdup("nqn");
		}
		kernel.no_gateway = true;
		EXPECT_HOST_FINDING(snap, .rule = "N02",
				    .severity = live ? NVME_MPTCP_WARNING : NVME_MPTCP_ERROR);
	}
}
