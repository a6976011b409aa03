/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Setup on recorded snapshots: other cards and kernels; test/cli and test/shapes have the rest. */
#include "mptcp_planned.h"

/* How this machine sends: each network by its own link, and all links have a gateway or none. */
static bool have_gateways;
static int all_routes_by; /* every address by this link; 0: by the link of its network */
static unsigned int default_links; /* bit i: link i has a default route */

static enum link_reach reach(struct planner *p, const struct in6_addr *src, int ifindex,
			     const struct in6_addr *dst)
{
	const bool is_far = address_equal(dst, link_external_address(address_is_v4(dst)));

	assert_true(address_same_family(src, dst));
	if (link_network_has(p->snap, ifindex, dst))
		return LINK_REACH_ON_LINK;
	if (have_gateways && !is_far)
		return LINK_REACH_GATEWAY;
	return default_links & 1U << ifindex ? LINK_REACH_DEFAULT_ROUTE : LINK_REACH_NONE;
}

static int connect_route(struct planner *p, const struct in6_addr *dst, struct route_answer *ret)
{
	*ret = (struct route_answer){ .ifindex = all_routes_by };
	for (size_t i = 0; !ret->ifindex && i < p->snap->n_addresses; i++)
		if (!memcmp(&p->snap->addresses[i].ip, dst, 15))
			ret->ifindex = p->snap->addresses[i].ifindex;
	for (int i = 1; !ret->ifindex && i <= MAX_LINK_COUNT; i++)
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
static bool laminar, replace;

static struct nvme_mptcp_snapshot *snap;
static struct nvme_mptcp_plan *plan;

static int end(void **state)
{
	nvme_mptcp_plan_free(plan);
	nvme_mptcp_snapshot_free(snap);
	plan = NULL;
	snap = NULL;
	return 0;
}

static void set_machine(int links)
{
	end(NULL);
	snap = machine(links);
}

static int begin(void **state)
{
	have_gateways = laminar = replace = false;
	all_routes_by = 0;
	default_links = 0;
	devices = NULL;
	nvmet = (struct target){};
	table_size = 0;
	limit_max = 8;
	set_machine(2);
	return 0;
}

static int try_plan(enum nvme_mptcp_role role, const char *const *traddrs)
{
	struct planner p = {
		.snap = snap,
		.reach = reach,
		.connect_route = connect_route,
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

	nvme_mptcp_plan_free(plan);
	plan = NULL;
	return plan_setup(&p, &args, &plan);
}

static void plan_host(const char *const *traddrs)
{
	assert_int_equal(try_plan(NVME_MPTCP_ROLE_HOST, traddrs), 0);
}

static void plan_target(void)
{
	assert_int_equal(try_plan(NVME_MPTCP_ROLE_TARGET, NULL), 0);
}

/* The first @n addresses of a target in @family's networks. */
static const char *const *targets(const char *fmt, int n)
{
	static char text[MAX_LINK_COUNT][ADDRESS_TEXT];
	static const char *list[MAX_LINK_COUNT + 1];

	for (int i = 0; i < n; i++) {
		struct in6_addr address = numbered(fmt, i + 1);

		address_text(&address, text[i]);
		list[i] = text[i];
	}
	list[n] = NULL;
	return list;
}

/* Follows the plan of a host on a stand-in for the kernel, and sees that a second one is empty. */
static void settles(const char *const *traddrs)
{
	struct kernel k = kernel_of(snap);

	assert_int_equal(plan_execute(plan, &k.e), 0);
	nvme_mptcp_for_each_step(plan, step)
		assert_int_equal(nvme_mptcp_step_state(step), NVME_MPTCP_STEP_DONE);
	plan_host(traddrs);
	assert_int_equal(plan->n_steps, 0);
}

TEST(laminar_where_routes_do_not_separate)
{
	have_gateways = true;
	all_routes_by = 1;
	for (int known = 0; known < 2; known++) {
		const char *const *traddrs = targets("10.8.#.1", 4);

		set_machine(4);
		laminar = known;
		plan_host(traddrs);
		assert_int_equal(nvme_mptcp_plan_method(plan),
				 laminar ? NVME_MPTCP_METHOD_LAMINAR : NVME_MPTCP_METHOD_SUBFLOW);
		assert_int_equal(plan->wanted[0].flags, laminar ? NVME_MPTCP_ENDPOINT_LAMINAR
								: NVME_MPTCP_ENDPOINT_SUBFLOW);
		assert_int_equal(plan->limits.add_addr_accepted > 0, laminar);
		settles(traddrs);
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
		set_machine(cases[i].links);
		snap->limit_subflows = cases[i].now;
		plan_host(one);
		assert_int_equal(plan->limits.subflows, cases[i].planned);
		settles(one);
	}
}

TEST(the_kernels_own_give_way)
{
	new_endpoint(snap, 1, ip("10.1.1.2"), 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	plan_target();
	assert_int_equal(count(plan, STEP_ADD), 2);
	assert_int_equal(plan->n_notes, 0);
}

TEST(half_an_exchange_is_undone)
{
	struct kernel k = kernel_of(snap);

	replace = true;
	snap->limit_subflows = 8;
	new_endpoint(snap, 7, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
	plan_target();
	assert_int_equal(plan->steps[0].action, STEP_REPLACE);
	k.fail_at = 2;
	assert_int_equal(plan_execute(plan, &k.e), -EPERM);
	assert_string_equal(k.log, "remove add add ");
	/* What is there again is noted no more, and what is lost stays noted. */
	assert_int_equal(k.intended.n_endpoints, 0);
	assert_int_equal(plan->steps[0].state, NVME_MPTCP_STEP_FAILED);
	assert_int_equal(plan->steps[1].state, NVME_MPTCP_STEP_PLANNED);
}

/* Four links, and seven endpoints of somebody else: ten subflows. */
static int64_t limit_of_a_crowd(int64_t now, uint32_t most)
{
	set_machine(4);
	limit_max = most;
	table_size = 64;
	snap->limit_subflows = now;
	have_gateways = true;
	for (int i = 1; i <= 7; i++)
		new_endpoint(snap, 100 + i, numbered("10.7.7.#", i), 0,
			     NVME_MPTCP_ENDPOINT_SUBFLOW);
	plan_host(targets("10.9.9.#", 1));
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
	problem_set(snap, NVME_MPTCP_LIMITS, EPERM, "limits");
	assert_int_equal(try_plan(NVME_MPTCP_ROLE_TARGET, NULL), -ENODATA);
}

static const char *planned_links(void)
{
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < plan->n_links; i++) {
		const size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "", plan->links[i].name);
	}
	return text;
}

static void set_kinds(enum nvme_mptcp_link_kind first, enum nvme_mptcp_link_kind second)
{
	snap->links[0].kind = first;
	snap->links[1].kind = second;
	snap->links[2].kind = NVME_MPTCP_LINK_VIRTUAL;
}

TEST(kinds_of_links)
{
	static const char *const bridge[] = { "eth1", "eth3", NULL };

	set_machine(3);
	laminar = true;
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		const char *const *told =
			role == NVME_MPTCP_ROLE_HOST ? targets(V4_TARGET, 3) : NULL;

		devices = NULL;
		set_kinds(NVME_MPTCP_LINK_PHYSICAL, NVME_MPTCP_LINK_VETH);
		assert_int_equal(try_plan(role, told), 0);
		assert_string_equal(planned_links(), "eth1");
		assert_true(has_note(plan, "eth2, eth3. Use --dev"));
		set_kinds(NVME_MPTCP_LINK_VETH, NVME_MPTCP_LINK_VETH);
		assert_int_equal(try_plan(role, told), 0);
		assert_string_equal(planned_links(), "eth1 eth2");
		devices = bridge;
		assert_int_equal(try_plan(role, targets(V4_TARGET, 3)), 0);
		assert_string_equal(planned_links(), "eth1 eth3");
	}
	/* Nothing else: what has the target in its network. */
	devices = NULL;
	set_kinds(NVME_MPTCP_LINK_VIRTUAL, NVME_MPTCP_LINK_VIRTUAL);
	for (int n = 1; n <= 2; n++) {
		plan_host(targets(V4_TARGET, n));
		assert_int_equal(plan->n_links, n);
	}
	laminar = false;
	assert_int_equal(try_plan(NVME_MPTCP_ROLE_TARGET, NULL), -ENOLINK);
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
	struct kernel k = kernel_of(snap);

	nvmet = (struct target){ .ports = &port, .n_ports = 1 };
	plan_target();
	k.e.set_setting = kernel_set_port;
	k.fail_at = (int)plan->n_steps;
	assert_int_equal(plan_execute(plan, &k.e), -EPERM);
	assert_string_equal(k.log, "limits port add add remove port limits ");
	assert_int_equal(port_takes, -1);
}

TEST(links_of_the_same_address)
{
	set_machine(3);
	snap->addresses[1].ip = ip("10.1.1.2");
	plan_target();
	assert_string_equal(planned_links(), "eth1 eth3");
	assert_true(has_note(plan, "eth2 is left out: it has the same address as eth1"));
}

EACH_TEST(begin, end)
