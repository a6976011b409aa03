/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setup on recorded snapshots, what networks of this machine do not show: links that are cards, limits
 * and tables of other kernels, requests that fail. test/cli and test/shapes have the rest.
 */
#include "mptcp_planned.h"

/* How this machine sends: each network by its own link, and all links have a gateway or none. */
static bool have_gateways;
static int all_routes_by; /* every address by this link; 0: by the link of its network */
static unsigned int default_links; /* bit i: link i has a default route */

static enum link_lead lead(struct planner *p, const struct in6_addr *src, int ifindex,
			   const struct in6_addr *dst)
{
	const bool is_far = address_equal(dst, link_far_away(address_is_v4(dst)));

	assert_true(address_same_family(src, dst));
	if (link_network_has(p->snap, ifindex, dst))
		return LINK_LEADS_TO_NETWORK;
	if (have_gateways && !is_far)
		return LINK_LEADS_BY_ROUTE;
	return default_links & 1U << ifindex ? LINK_LEADS_BY_DEFAULT : LINK_LEADS_NOWHERE;
}

static int way(struct planner *p, const struct in6_addr *dst, struct route_answer *ret)
{
	*ret = (struct route_answer){ .ifindex = all_routes_by };
	for (size_t i = 0; !ret->ifindex && i < p->snap->n_addresses; i++)
		if (!memcmp(&p->snap->addresses[i].ip, dst, 15))
			ret->ifindex = p->snap->addresses[i].ifindex;
	for (int i = 1; !ret->ifindex && i <= MOST_LINKS; i++)
		if (default_links & 1U << i)
			ret->ifindex = i;
	return ret->ifindex ? 0 : -ENETUNREACH;
}

static int64_t speed(struct planner *p, const struct nvme_mptcp_link *link)
{
	return link->speed;
}

/* What else a plan is made from; tests set it, and each begins with none of it. */
static const char *const *devices;
static struct target nvmet;
static uint32_t table_size, limit_max;

static int reset_machine(void **state)
{
	have_gateways = false;
	all_routes_by = 0;
	default_links = 0;
	devices = NULL;
	nvmet = (struct target){};
	table_size = 0;
	limit_max = 8;
	return 0;
}

static int try_plan(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
		    const char *const *traddrs, bool laminar, bool replace,
		    struct nvme_mptcp_plan **ret)
{
	struct planner p = {
		.snap = snap,
		.lead = lead,
		.way = way,
		.speed = speed,
		.limit_max = limit_max,
		.has = { laminar, table_size },
		.nvmet = nvmet,
	};
	const struct nvme_mptcp_setup_args args = {
		.snap = snap,
		.traddrs = traddrs,
		.devices = devices,
		.args_size = sizeof(args),
		.role = role,
		.replace = replace,
	};

	return plan_setup(&p, &args, ret);
}

static struct nvme_mptcp_plan *plan_as(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
				       const char *const *traddrs, bool laminar, bool replace)
{
	struct nvme_mptcp_plan *plan = NULL;

	assert_int_equal(try_plan(snap, role, traddrs, laminar, replace, &plan), 0);
	return plan;
}

/* The first @n addresses of a target in @family's networks. */
static const char *const *targets(const char *fmt, int n)
{
	static char text[MOST_LINKS][ADDRESS_TEXT];
	static const char *list[MOST_LINKS + 1];

	for (int i = 0; i < n; i++) {
		struct in6_addr address = numbered(fmt, i + 1);

		address_text(&address, text[i]);
		list[i] = text[i];
	}
	list[n] = NULL;
	return list;
}

/* Follows a plan on a stand-in for the kernel, and sees that a second one is empty. */
static void settles(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_plan *plan,
		    const char *const *traddrs, bool laminar, bool replace)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t again = NULL;
	struct kernel k = kernel_of(snap);

	assert_int_equal(plan_follow(plan, &k.e), 0);
	nvme_mptcp_for_each_step(plan, step)
		assert_int_equal(nvme_mptcp_step_state(step), NVME_MPTCP_STEP_DONE);
	again = plan_as(snap, plan->role, traddrs, laminar, replace);
	assert_int_equal(again->n_steps, 0);
}

TEST(laminar_where_routes_do_not_separate)
{
	static const char far[] = "10.8.#.1";

	have_gateways = true;
	all_routes_by = 1;
	for (int laminar = 0; laminar < 2; laminar++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
		const char *const *traddrs = targets(far, 4);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_HOST, traddrs, laminar, false);

		assert_int_equal(nvme_mptcp_plan_method(plan),
				 laminar ? NVME_MPTCP_METHOD_LAMINAR : NVME_MPTCP_METHOD_SUBFLOW);
		assert_int_equal(plan->wanted[0].flags, laminar ? NVME_MPTCP_ENDPOINT_LAMINAR
								: NVME_MPTCP_ENDPOINT_SUBFLOW);
		assert_int_equal(plan->limits.add_addr_accepted > 0, laminar);
		settles(snap, plan, traddrs, laminar, false);
	}
}

TEST(limits_leave_room_for_what_dies)
{
	static const char *const one[] = { "10.9.9.9", NULL };
	/* What takes the place of the initial subflow is counted: two more than two links need. */
	static const struct {
		int links;
		int64_t now, planned;
	} cases[] = {
		{ 2, 2, 2 }, { 2, 1, 4 }, { 3, 2, 6 }, { 3, 3, 3 }, { 4, 3, 8 }, { 8, 7, 8 }
	};

	have_gateways = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
			machine(cases[i].links);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

		snap->limit_subflows = cases[i].now;
		plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
		assert_int_equal(plan->limits.subflows, cases[i].planned);
		settles(snap, plan, one, false, false);
	}
}

TEST(the_kernels_own_give_way)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	add_endpoint(snap, 1, ip("10.1.1.2"), 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(count(plan, STEP_ADD), 2);
	assert_int_equal(plan->n_notes, 0);
}

TEST(half_an_exchange_is_undone)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct kernel k = kernel_of(snap);

	snap->limit_subflows = 8;
	add_endpoint(snap, 7, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, true);
	assert_int_equal(plan->steps[0].action, STEP_REPLACE);
	k.fail_at = 2;
	assert_int_equal(plan_follow(plan, &k.e), -EPERM);
	assert_string_equal(k.log, "remove add add ");
	/* What is there again is noted no more, and what is lost stays noted. */
	assert_int_equal(k.intended.n_endpoints, 0);
	assert_int_equal(plan->steps[0].state, NVME_MPTCP_STEP_FAILED);
	assert_int_equal(plan->steps[1].state, NVME_MPTCP_STEP_PLANNED);
}

/* Four links, and seven endpoints of somebody else: ten subflows. */
static int64_t limit_of_a_crowd(int64_t now, uint32_t most)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	limit_max = most;
	table_size = 64;
	snap->limit_subflows = now;
	have_gateways = true;
	for (int i = 1; i <= 7; i++)
		add_endpoint(snap, 100 + i, numbered("10.7.7.#", i), 0,
			     NVME_MPTCP_ENDPOINT_SUBFLOW);
	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets("10.9.9.#", 1), false, false);
	return plan->limits.subflows;
}

/* What every kernel takes, and what this one is seen to take. */
TEST(no_limit_that_may_be_refused)
{
	assert_int_equal(limit_of_a_crowd(0, 0), 8);
	assert_int_equal(limit_of_a_crowd(9, 0), 9);
	assert_int_equal(limit_of_a_crowd(0, 8), 8);
	assert_int_equal(limit_of_a_crowd(0, 64), 22);
}

TEST(limits_that_cannot_be_read)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct nvme_mptcp_plan *plan = NULL;

	problem_set(snap, NVME_MPTCP_LIMITS, EPERM, "limits");
	assert_int_equal(try_plan(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false, &plan),
			 -ENODATA);
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
		assert_true(has_note(cards, "eth2, eth3. Use --dev"));
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

TEST(links_of_the_same_address)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	snap->addresses[1].ip = ip("10.1.1.2");
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(links_of(plan), "eth1 eth3");
	assert_true(has_note(plan, "eth2 is left out: it has the same address as eth1"));
}

EACH_TEST(reset_machine, NULL)
