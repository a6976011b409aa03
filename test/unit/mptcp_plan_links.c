/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which links setup uses of those that a recorded snapshot has, and what it says of the others. */
#include "mptcp_setup.h"

TEST(links_that_do_not_lead_there_are_left_out)
{
	static const char *const one[] = { "10.1.1.1", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	/* A second link into the target's network. */
	add_address(snap, 2, ip("10.1.1.3"));
	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SUBFLOW);
	assert_int_equal(plan->n_links, 2);
	assert_string_equal(plan->links[1].address, "10.1.1.3");
	assert_true(has_note(plan, "eth3 is left out"));
	assert_true(has_note(plan, "eth4 is left out"));
}

TEST(unfit_links)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(6);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	const char *address;

	snap->links[0].flags = UP | IFF_LOOPBACK;
	snap->links[1].flags = 0;
	snap->links[2].flags = IFF_UP;
	snap->links[3].master = 9;
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(nvme_mptcp_plan_link(plan, 0, &address), "eth5");
	assert_string_equal(address, "10.1.5.2");
	assert_string_equal(nvme_mptcp_plan_link(plan, 1, &address), "eth6");
	assert_null(nvme_mptcp_plan_link(plan, 2, &address));
	assert_true(has_note(plan, "eth2 is left out: it is down"));
	assert_true(has_note(plan, "eth3 is left out: it has no carrier"));
	assert_true(has_note(plan, "eth4 is left out: it belongs to a bond"));
}

static const char *links_of(const struct nvme_mptcp_plan *plan)
{
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < plan->n_links; i++) {
		const size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "", plan->links[i].name);
	}
	return text;
}

TEST(more_links_than_the_table_holds)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(10);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL, all = NULL;

	/* eth9 has an endpoint, eth10 is fast, eth2 is slow, eth3 has small packets. */
	add_endpoint(snap, 1, ip("10.1.9.2"), 9, NVME_MPTCP_ENDPOINT_SIGNAL);
	for (int i = 0; i < 10; i++) {
		snap->links[i].speed = i == 9 ? 25000 : i == 1 ? 1000 : 10000;
		snap->links[i].mtu = i == 2 ? 1280 : 1500;
	}
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(plan), "eth1 eth4 eth5 eth6 eth7 eth8 eth9 eth10");
	assert_true(has_note(plan, "eth2 is left out: the kernel's table has space for 8,"));
	assert_true(has_note(plan, "eth3 is left out: the kernel's table has space for 8,"));
	settles(snap, plan, NULL, false, false);

	/* A kernel that holds more, and permits 8 subflows in addition to the initial one. */
	table_size = 64;
	all = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(all->n_links, 9);
	assert_true(has_note(all, "eth2 is left out: a connection has at most 9 subflows, of"));
}

TEST(endpoints_of_others_take_room)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL, instead = NULL;
	struct nvme_mptcp_plan *none = NULL;

	for (int i = 1; i <= 6; i++)
		add_endpoint(snap, i, numbered("10.7.7.#", i), 0, NVME_MPTCP_ENDPOINT_SIGNAL);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(plan), "eth1 eth2");
	assert_true(has_note(plan, "eth4 is left out: the kernel's table has space for 2,"));
	instead = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, true);
	assert_int_equal(count(instead, STEP_DELETE), 6);
	assert_int_equal(count(instead, STEP_ADD), 4);
	for (int i = 7; i <= 8; i++)
		add_endpoint(snap, i, numbered("10.7.7.#", i), 0, NVME_MPTCP_ENDPOINT_SIGNAL);
	assert_int_equal(try_plan(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false, &none),
			 -ENOSPC);
	assert_null(none);
}

TEST(more_links_than_routes_can_use)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(10);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 10), false, false);

	assert_int_equal(plan->n_wanted, 0);
	assert_int_equal(plan->limits.subflows, 8);
	assert_true(has_note(plan, "permits 8 subflows in addition to the initial one: 10 links"));
}

/* eth3 has the default route of the machine. */
TEST(a_default_route_makes_no_storage_link)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t two = NULL, one = NULL, own = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t asked = NULL;
	static const char *const all[] = { "eth1", "eth2", "eth3", NULL };

	default_links = 1 << 3;
	two = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 2), true, false);
	assert_int_equal(two->method, NVME_MPTCP_METHOD_ANNOUNCED);
	assert_string_equal(links_of(two), "eth1 eth2");
	assert_true(has_note(two, "eth3 is left out: only its default route leads to 10.1.1.1"));
	assert_true(has_note(two, "--dev"));
	/* eth2 may lead to what is announced, eth3 certainly does not. */
	one = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 1), true, false);
	assert_string_equal(links_of(one), "eth1 eth2");
	own = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(own), "eth1 eth2");
	assert_true(has_note(own, "eth3 is left out: it has a default route"));

	/* Asked for, it starts a subflow to the portal beside what routes choose. */
	devices = all;
	asked = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 2), true, false);
	assert_string_equal(links_of(asked), "eth1 eth2 eth3");
	assert_int_equal(asked->n_wanted, 1);
	assert_string_equal(asked->wanted[0].device, "eth3");
	assert_int_equal(asked->wanted[0].flags, NVME_MPTCP_ENDPOINT_SUBFLOW);
	settles(snap, asked, targets(V4_TARGET, 2), true, false);
}

TEST(one_storage_link_beside_a_default_route)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	default_links = 1 << 2;
	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 1), true, false);
	assert_int_equal(plan->method, NVME_MPTCP_METHOD_SINGLE);
	assert_int_equal(plan->n_steps, 0);
}

/* Where all links have a default route, none is marked by it. */
TEST(default_routes_of_all_links)
{
	static const char *const far[] = { "10.9.9.9", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t by_default = NULL, near = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t named = NULL, own = NULL;

	default_links = 0x1e;
	by_default = plan_as(snap, NVME_MPTCP_ROLE_HOST, far, true, false);
	assert_int_equal(by_default->method, NVME_MPTCP_METHOD_SUBFLOW);
	assert_int_equal(by_default->n_links, 4);
	near = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 1), true, false);
	assert_int_equal(near->method, NVME_MPTCP_METHOD_SUBFLOW);
	assert_int_equal(near->n_links, 4);
	/* Addresses in two networks were named, and the links of those are meant. */
	named = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 2), true, false);
	assert_string_equal(links_of(named), "eth1 eth2");
	own = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(own->n_links, 4);
}

static void set_kinds(struct nvme_mptcp_snapshot *snap, const enum nvme_mptcp_link_kind *kinds)
{
	for (size_t i = 0; i < snap->n_links; i++)
		snap->links[i].kind = kinds[i];
}

TEST(kinds_of_links)
{
	static const enum nvme_mptcp_link_kind with_card[] = {
		NVME_MPTCP_LINK_PHYSICAL,
		NVME_MPTCP_LINK_VETH,
		NVME_MPTCP_LINK_VIRTUAL,
	};
	static const enum nvme_mptcp_link_kind without[] = {
		NVME_MPTCP_LINK_VETH,
		NVME_MPTCP_LINK_VETH,
		NVME_MPTCP_LINK_VIRTUAL,
	};
	static const enum nvme_mptcp_link_kind alone[] = {
		NVME_MPTCP_LINK_VIRTUAL,
		NVME_MPTCP_LINK_VIRTUAL,
		NVME_MPTCP_LINK_VIRTUAL,
	};
	static const char *const bridge[] = { "eth1", "eth3", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	struct nvme_mptcp_plan *none = NULL;

	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		const char *const *told =
			role == NVME_MPTCP_ROLE_HOST ? targets(V4_TARGET, 3) : NULL;
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t cards = NULL, veths = NULL;

		devices = NULL;
		set_kinds(snap, with_card);
		cards = plan_as(snap, role, told, true, false);
		assert_string_equal(links_of(cards), "eth1");
		assert_true(has_note(cards, "eth2, eth3; --dev"));
		set_kinds(snap, without);
		veths = plan_as(snap, role, told, true, false);
		assert_string_equal(links_of(veths), "eth1 eth2");
	}
	devices = bridge;
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t asked =
			plan_as(snap, role, targets(V4_TARGET, 3), true, false);

		assert_string_equal(links_of(asked), "eth1 eth3");
	}
	/* Nothing else: what has the target in its network. */
	devices = NULL;
	set_kinds(snap, alone);
	for (int n = 1; n <= 2; n++) {
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, n), true, false);

		assert_int_equal(plan->n_links, n);
	}
	assert_int_equal(try_plan(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false, &none),
			 -ENOLINK);
}

/* A default route marks no link that hosts connect to. */
TEST(the_link_of_a_port_is_used)
{
	struct target_port port = {
		.address = { .ip = ip("10.1.2.2") },
		.has_address = true,
		.subflows = true,
	};
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	default_links = 1 << 2 | 1 << 3;
	nvmet = (struct target){ .ports = &port, .n_ports = 1 };
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(plan), "eth1 eth2");
}

TEST(links_on_one_wire)
{
	static const char *const both[] = { "eth2", "eth3", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t first = NULL, chosen = NULL, host = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t asked = NULL;
	static const char *const one[] = { "10.1.3.1", "10.1.2.1", "10.1.1.1", NULL };

	snap->links[1].wire = snap->links[2].wire = 4;
	snap->links[3].flags = 0;
	first = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(first), "eth1 eth2");
	assert_true(has_note(first, "eth3 is left out: it shares the wire of eth2"));
	host = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_string_equal(links_of(host), "eth1 eth3");
	add_endpoint(snap, 1, ip("10.1.3.2"), 3, NVME_MPTCP_ENDPOINT_SIGNAL);
	chosen = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(chosen), "eth1 eth3");
	devices = both;
	asked = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(asked), "eth2 eth3");
	assert_true(has_note(asked, "eth2 shares the wire of eth3"));
}

TEST(the_port_says_which_family)
{
	static const struct {
		const char *address;
		bool is_v4;
	} cases[] = { { "::", false }, { "0.0.0.0", true }, { "fd00:1:1::2", false } };
	static const char *const v4[] = { "10.1.1.2", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct target_port port = { .has_address = true, .subflows = true };
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t told = NULL, old = NULL;

	nvmet = (struct target){ .ports = &port, .n_ports = 1 };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

		port.address.ip = ip(cases[i].address);
		plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		assert_int_equal(address_is_v4(&plan->wanted[0].ip), cases[i].is_v4);
		assert_int_equal(has_note(plan, "serves hosts of both families"), i == 0);
	}
	port.address.ip = ip("::");
	told = plan_as(snap, NVME_MPTCP_ROLE_TARGET, v4, false, false);
	assert_true(address_is_v4(&told->wanted[0].ip));
	/* No link has an address of the port's family. */
	snap->n_addresses = 2;
	old = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_true(address_is_v4(&old->wanted[0].ip));
}

/* Two targets in networks of their own, and a third link that leads to the portal only. */
static const char *command_of_ports(const struct nvme_mptcp_plan *plan)
{
	const char *found = NULL;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct nvme_mptcp_step *step = &plan->steps[i];

		if (step->action == STEP_SETTING &&
		    strstr(step->command, "param_inline_data_size")) {
			assert_null(found);
			found = step->command;
		}
	}
	return found;
}

/* While a port is not enabled, and nobody has chosen; what is enabled gets a note. */
TEST(ports_take_writes_with_their_commands)
{
	static char *offered[] = { (char *)"disk" };
	static const struct {
		struct target_port port;
		bool step, note;
	} cases[] = {
		{ { .inline_size = -1, .has_inline_size = true, .subflows = true }, .step = true },
		{ { .inline_size = 4096, .has_inline_size = true, .subflows = true } },
		{ { .inline_size = -1, .has_inline_size = true } },
		{ { .inline_size = -1, .subflows = true } },
		{ { .inline_size = 16384,
		    .has_inline_size = true,
		    .subflows = true,
		    .subsystems = offered,
		    .n_subsystems = 1 },
		  .note = true },
		{ { .inline_size = 131072,
		    .has_inline_size = true,
		    .subflows = true,
		    .subsystems = offered,
		    .n_subsystems = 1 } },
	};
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t one = machine(1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL, single = NULL;
		struct target_port port = cases[i].port;

		port.name = (char *)"7";
		nvmet = (struct target){ .ports = &port, .n_ports = 1 };
		plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		assert_int_equal(!!command_of_ports(plan), cases[i].step);
		if (cases[i].step)
			assert_string_equal(command_of_ports(plan),
					    "echo 131072 >/sys/kernel/config/nvmet/ports/7/"
					    "param_inline_data_size");
		assert_int_equal(has_note(plan, "port 7 takes 16384 bytes of a write"),
				 cases[i].note);
		/* One link waits for no other. */
		single = plan_as(one, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		assert_null(command_of_ports(single));
		assert_false(has_note(single, "port 7"));
	}
}

static int64_t port_takes;

static int kernel_set_port(struct editor *e, const char *name, int64_t value)
{
	assert_string_equal(name, "/sys/kernel/config/nvmet/ports/7/param_inline_data_size");
	port_takes = value;
	return request(e, "port");
}

TEST(a_port_takes_what_it_took_before_a_failure)
{
	struct target_port port = {
		.name = (char *)"7", .inline_size = -1, .has_inline_size = true, .subflows = true
	};
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct kernel k = kernel_of(snap);

	nvmet = (struct target){ .ports = &port, .n_ports = 1 };
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	k.e.set_setting = kernel_set_port;
	k.fail_at = (int)plan->n_steps;
	assert_int_equal(plan_follow(plan, &k.e), -EPERM);
	assert_string_equal(k.log, "limits port add add remove port limits ");
	assert_int_equal(port_takes, -1);
}

TEST(a_link_that_no_route_chooses_gets_an_endpoint)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	add_address(snap, 3, ip("10.1.1.3"));
	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets(V4_TARGET, 2), false, false);
	assert_int_equal(plan->method, NVME_MPTCP_METHOD_ANNOUNCED);
	assert_string_equal(links_of(plan), "eth1 eth2 eth3");
	assert_int_equal(plan->n_wanted, 1);
	assert_string_equal(plan->wanted[0].device, "eth3");
	assert_true(plan->limits.add_addr_accepted >= 1 && plan->limits.subflows >= 2);
	assert_true(has_note(plan, "eth4 is left out"));
	settles(snap, plan, targets(V4_TARGET, 2), false, false);
}

TEST(links_of_the_same_address)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	snap->addresses[1].ip = ip("10.1.1.2");
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(plan), "eth1 eth3");
	assert_true(has_note(plan, "eth2 is left out: it has the same address as eth1"));
}

EACH_TEST(start_afresh, NULL)
