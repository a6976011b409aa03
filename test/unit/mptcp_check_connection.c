/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules about connections and targets: a clean machine gives no finding, and one fault gives that
 * finding and no other.
 */
#include <errno.h>
#include <stddef.h>
#include <json-c/json.h>

#include "mptcp_machine.h"

static struct nvme_mptcp_subflow *pending(struct nvme_mptcp_snapshot *snap, int link)
{
	struct nvme_mptcp_subflow *sf = NULL;

	for (size_t i = 0; i < snap->n_subflows; i++) {
		if (snap->subflows[i].ifindex != link)
			continue;
		sf = &snap->subflows[i];
		sf->state = STATE_SYN_SENT;
		sf->value[NVME_MPTCP_TIMEOUTS] = 2;
	}
	return sf;
}

#define FIN_WAIT1 4

TEST(connection_faults)
{
	struct nvme_mptcp_snapshot *snap;

	snap = clean_host();
	snap->connections[0].fallback = 1;
	expect(snap, "C01");
	snap = clean_host();
	snap->subflows[0].flags = NVME_MPTCP_SUBFLOW_MCAP_LOC;
	expect(snap, "C02");
	snap = clean_host();
	/* Two connections, one way: one finding. */
	pending(snap, 3);
	expect(snap, "F01");
	snap = clean_host();
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex == 3)
			snap->subflows[i].remote.ip = ip("10.1.2.1");
	pending(snap, 3);
	snap->n_ctrls = 1;
	snap->ctrls[0].portal.ip = ip("10.1.1.1");
	kernel.no_gateway = true;
	expect(snap, "R01 R01");
	/* Its endpoint waits for announcements, so that no route to the portal is asked of it. */
	snap = clean_host();
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex == 3)
			snap->subflows[i].remote.ip = ip("10.1.2.1");
	pending(snap, 3);
	snap->n_ctrls = 1;
	snap->ctrls[0].portal.ip = ip("10.1.1.1");
	snap->endpoints[0].flags = NVME_MPTCP_ENDPOINT_FULLMESH;
	snap->endpoints[1].flags = NVME_MPTCP_ENDPOINT_FULLMESH;
	kernel.no_gateway = true;
	expect(snap, "R01 R03");
	snap = clean_host();
	snap->links[2].flags = IFF_UP;
	pending(snap, 3);
	expect(snap, "A07");
	/* One queue's acknowledgements are late, and not those of the other on the same link. */
	snap = clean_host();
	snap->subflows[2].value[NVME_MPTCP_RTT_US] = 100000;
	expect(snap, "");
	snap = clean_host();
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex == 3)
			snap->subflows[i].value[NVME_MPTCP_RTT_US] = 100000;
	expect(snap, "C07");
	snap = clean_host();
	/* The last subflow of the last connection is gone. */
	snap->n_subflows--;
	expect(snap, "C05");
	/* It closes, and the endpoint of its address has no other. */
	snap = clean_host();
	snap->subflows[snap->n_subflows - 1].state = FIN_WAIT1;
	expect(snap, "C05");
	/* One has a subflow more than the other, and nothing is missing. */
	snap = clean_host();
	add_subflow(snap, 1, 2)->local.port++;
	expect(snap, "C06 C14");
}

TEST(controller_faults)
{
	struct nvme_mptcp_snapshot *snap;
	struct nvme_mptcp_ctrl *ctrl;

	snap = clean_host();
	free(snap->ctrls[0].state);
	snap->ctrls[0].state = strdup("connecting");
	expect(snap, "N02");
	snap = clean_host();
	snap->ctrls[0].expected = 3;
	expect(snap, "N04");
	snap = clean_host();
	snap->ctrls[0].portal.port = 4421;
	/* What is in this namespace says nothing about the controller, nor where it is. */
	expect(snap, "N04");
	snap = clean_host();
	snap->ctrls[0].portal.port = 4421;
	snap->ctrls[0].is_served = snap->ctrls[0].is_bypassed = true;
	expect(snap, "N09");
	snap = clean_host();
	snap->ctrls[0].host_iface = strdup("eth1");
	for (int i = 0; i < 2; i++)
		snap->connections[i].ifindex = 1;
	snap->endpoints[0].ifindex = 0;
	expect(snap, "N05");
	snap = clean_host();
	snap->ctrls[0].expected = 1;
	ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
	*ctrl = (struct nvme_mptcp_ctrl){ .name = strdup("nvme1"),
					  .transport = strdup("mptcp"),
					  .state = strdup("live"),
					  .expected = 1,
					  .portal = snap->ctrls[0].portal,
					  .has_portal = true };
	expect(snap, "N03");
}

/* Beside connections of its own: what is another namespace's is a note, unless it is asked for. */
TEST(one_of_two_in_another_namespace)
{
	static const char *const names[] = { "nvme1", NULL };

	for (int asked = 0; asked <= 1; asked++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_ctrl *ctrl;
		struct check c = { .ctrls = asked ? names : NULL };
		nvme_mptcp_findings_t findings;
		bool found = false;

		ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
		*ctrl = (struct nvme_mptcp_ctrl){ .name = strdup("nvme1"),
						  .transport = strdup("mptcp"),
						  .state = strdup("live"),
						  .expected = 1,
						  .portal = { ip("10.1.1.1"), 4421 },
						  .has_portal = true,
						  .source = ip("10.1.1.2"),
						  .has_source = true };
		kernel.other_netns = "storage";
		findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
		nvme_mptcp_for_each_finding(findings, f) {
			if (strcmp(nvme_mptcp_finding_rule(f), "N07"))
				continue;
			assert_int_equal(nvme_mptcp_finding_severity(f),
					 asked ? NVME_MPTCP_ERROR : NVME_MPTCP_INFO);
			found = true;
		}
		assert_true(found);
		end_rules(&c, findings, snap);
	}
}

static void target_fault(void (*break_it)(struct nvme_mptcp_snapshot *, struct check *),
			 const char *expected)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);

	break_it(snap, &c);
	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, expected);
}

static void listen_on_one_address(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	snap->listeners[0].local.ip = ip("10.1.2.2");
	c->nvmet.ports[0].address.ip = ip("10.1.2.2");
}

/* A port of its own makes the kernel listen there itself. */
static void announce_with_ports(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	listen_on_one_address(snap, c);
	snap->endpoints[0].port = 4421;
	snap->endpoints[1].port = 4421;
}

static void enable(struct target_port *port)
{
	*(char **)array_add(&port->subsystems, &port->n_subsystems, sizeof(char *)) = strdup("nqn");
}

static void enabled_elsewhere(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	snap->n_listeners = 0;
	enable(&c->nvmet.ports[0]);
}

/* Endpoints here announce nothing for it, and need not. */
static void enabled_elsewhere_without_endpoints(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	enabled_elsewhere(snap, c);
	snap->n_endpoints = 0;
}

/* Two connections of one host, of which the second has @subflows. */
static void connect_host(struct nvme_mptcp_snapshot *snap, int subflows)
{
	for (uint32_t token = 1; token <= 2; token++) {
		struct nvme_mptcp_connection *conn;

		add_connection(snap, token);
		conn = &snap->connections[token - 1];
		conn->local = (struct socket_address){ ip("10.1.1.2"), 4420 };
		conn->remote = (struct socket_address){ ip("10.1.1.1"), (uint16_t)(40000 + token) };
		for (int i = 1; i <= (token == 1 ? 3 : subflows); i++) {
			struct nvme_mptcp_subflow *sf = add_subflow(snap, token, i);

			sf->local.port = 4420;
			sf->remote.port = (uint16_t)(40000 + 10 * token + (uint32_t)i);
		}
	}
}

static void confirm_late(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	connect_host(snap, 2);
	replace(snap, "add_addr_timeout", "120");
	count(snap, "MPTcpExt", "AddAddrTx", 4);
	count(snap, "MPTcpExt", "EchoAdd", 3);
}

static void confirm_soon(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	confirm_late(snap, c);
	replace(snap, "add_addr_timeout", "2");
}

static void confirm_after_all(struct nvme_mptcp_snapshot *snap, struct check *c)
{
	connect_host(snap, 3);
	replace(snap, "add_addr_timeout", "120");
	count(snap, "MPTcpExt", "AddAddrTx", 5);
	count(snap, "MPTcpExt", "EchoAdd", 4);
}

TEST(target_faults)
{
	static const struct {
		const char *group, *name, *expected;
	} counters[] = {
		{ "TcpExt", "SyncookiesSent", "K10" },
		{ "MPTcpExt", "MismatchPortSynRx", "T10" },
		{ "MPTcpExt", "MPJoinNoTokenFound", "T10" },
		{ "MPTcpExt", "MPJoinAckHMacFailure", "T10" },
		{ "MPTcpExt", "MPCapableEndpAttempt", "T10" },
	};

	target_fault(announce_with_ports, "");
	target_fault(enabled_elsewhere, "T14");
	target_fault(enabled_elsewhere_without_endpoints, "T14");
	target_fault(confirm_late, "T15");
	target_fault(confirm_soon, "");
	target_fault(confirm_after_all, "");
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		struct check c = {};
		struct nvme_mptcp_snapshot *snap = clean_target(&c);

		count(snap, counters[i].group, counters[i].name, 1);
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, counters[i].expected);
	}
}

/*
 * An endpoint at the address that connections start from takes the place of a lost initial subflow: that
 * is one more to have room for, and nothing is left over once it has been started.
 */
TEST(a_lost_initial_subflow_needs_room_for_another)
{
	static const struct {
		int64_t extra; /* as many as the limit */
		bool lacks_room;
	} cases[] = { { 2, true }, { 3, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();
		struct nvme_mptcp_findings *findings;
		struct check c = {};
		bool lacks_room = false;

		add_endpoint(snap, 3, "10.1.1.2", 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
		snap->limit_subflows = cases[i].extra;
		for (size_t j = 0; j < snap->n_connections; j++) {
			int64_t *value = snap->connections[j].value;

			value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] = cases[i].extra;
			value[NVME_MPTCP_CONN_SUBFLOWS_MAX] = cases[i].extra;
		}
		/* What came in its place leads to another address of the target. */
		for (size_t j = 0; j < snap->n_subflows; j++)
			if (snap->subflows[j].ifindex == 1)
				snap->subflows[j].remote.ip = ip("10.1.2.1");
		findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_HOST);
		nvme_mptcp_for_each_finding(findings, f)
			lacks_room |= !strcmp(nvme_mptcp_finding_rule(f), "H05");
		assert_int_equal(lacks_room, cases[i].lacks_room);
		end_rules(&c, findings, snap);
	}
}

TEST(the_worst_come_first_and_all_is_in_json)
{
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct check c = { .snap = snap, .findings = findings, .ops = &ops };
	_cleanup_(free) char *text = NULL;
	struct json_object *top, *list, *first, *value;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;

	replace(snap, "scheduler", "burst");
	snap->endpoints[1].ifindex = 2;
	end_subflows(snap, 3);
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(check_prepare(&c, NULL, NULL, NVME_MPTCP_ROLE_HOST), 0);
	assert_int_equal(check_run(&c), 0);
	f = nvme_mptcp_finding_next(findings, NULL);
	assert_string_equal(nvme_mptcp_finding_rule(f), "H08");
	assert_int_equal(nvme_mptcp_finding_severity(f), NVME_MPTCP_ERROR);
	assert_string_equal(nvme_mptcp_finding_subject(f), "endpoint 2 (10.1.3.2)");
	assert_int_equal(nvme_mptcp_finding_kind(f), NVME_MPTCP_SUBJECT_ENDPOINT);
	assert_string_equal(nvme_mptcp_finding_object(f, 0), "2");
	assert_string_equal(nvme_mptcp_finding_object(f, 1), "10.1.3.2");
	assert_null(nvme_mptcp_finding_object(f, 2));
	assert_string_equal(nvme_mptcp_finding_fix(f, 1, &side),
			    "ip mptcp endpoint add 10.1.3.2 dev eth3 id 2 subflow");
	assert_int_equal(side, NVME_MPTCP_ROLE_HOST);
	assert_null(nvme_mptcp_finding_fix(f, 2, &side));
	f = nvme_mptcp_finding_next(findings, f);
	assert_string_equal(nvme_mptcp_finding_rule(f), "K08");
	assert_null(nvme_mptcp_finding_next(findings, f));

	text = nvme_mptcp_findings_to_json(findings, false);
	top = json_tokener_parse(text);
	assert_true(json_object_object_get_ex(top, "findings", &list));
	assert_int_equal(json_object_array_length(list), 2);
	first = json_object_array_get_idx(list, 0);
	assert_true(json_object_object_get_ex(first, "severity", &value));
	assert_string_equal(json_object_get_string(value), "error");
	assert_true(json_object_object_get_ex(first, "evidence", &value));
	assert_true(json_object_object_get_ex(value, "dev", &value));
	assert_string_equal(json_object_get_string(value), "eth2");
	json_object_put(top);
	end_rules(&c, findings, snap);
}

TEST(wrong_questions)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = snapshot_new();
	struct nvme_mptcp_check_args args = { .snap = snap, .args_size = sizeof(args) };
	nvme_mptcp_findings_t findings = NULL;

	args.traddr = "example.org";
	assert_int_equal(nvme_mptcp_check(&args, &findings), -1);
	assert_int_equal(errno, EINVAL);
	args.traddr = "10.1.1.1";
	args.trsvcid = "70000";
	assert_int_equal(nvme_mptcp_check(&args, &findings), -1);
	args.trsvcid = "4420";
	args.role = 7;
	assert_int_equal(nvme_mptcp_check(&args, &findings), -1);
	assert_null(findings);
}

TEST(rules_have_ids_of_their_own)
{
	const char *title, *other;
	size_t n = 0;

	for (const char *id; (id = nvme_mptcp_rule(n, &title)); n++) {
		assert_true(strlen(title) > 5);
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(nvme_mptcp_rule(i, &other), id);
	}
	assert_true(n > 50);
}

/* Sockets that are denied show only where no subflow could be made. */
TEST(sockets_of_subflows_denied)
{
	struct nvme_mptcp_snapshot *snap = clean_host();
	struct nvme_mptcp_findings *findings;
	struct check c = {};
	size_t n = 0;

	snap->subflows[1] = snap->subflows[3];
	snap->n_subflows = 2;
	count(snap, "MPTcpExt", "MPJoinSynTxCreatSkErr", 3);
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
	nvme_mptcp_for_each_finding(findings, f) {
		if (strcmp(nvme_mptcp_finding_rule(f), "K11") != 0)
			continue;
		assert_int_equal(nvme_mptcp_finding_severity(f), NVME_MPTCP_WARNING);
		expect_text(f, "MPJoinSynTxCreatSkErr", "3");
		n++;
	}
	assert_int_equal(n, 1);
	end_rules(&c, findings, snap);
}
