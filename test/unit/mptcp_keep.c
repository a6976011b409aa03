/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keep takes for its own, and what it leaves alone. */
#include <unistd.h>

#include "mptcp/plan/keep-plan.h"
#include "mptcp/plan/keep-state.h"
#include "mptcp_planned.h"

#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW

static struct endpoint_spec spec_of(const char *address, int ifindex)
{
	struct endpoint_spec spec = { .ip = ip(address), .flags = SUBFLOW, .ifindex = ifindex };

	snprintf(spec.device, sizeof(spec.device), "eth%d", ifindex);
	return spec;
}

/* A round over a machine with one endpoint of its own on eth1 and another's on eth2. */
struct scene {
	struct keep_round r;
	struct keep_own own;
	struct nvme_mptcp_keep_args args;
};

static void set_scene(struct scene *s, nvme_mptcp_snapshot_t snap)
{
	const struct endpoint_spec spec = spec_of("10.1.1.2", 1);

	*s = (struct scene){ .r = { .snap = snap, .now = 100000, .again = KEEP_NEVER } };
	s->r.own = &s->own;
	s->r.args = &s->args;
	new_endpoint(snap, 1, ip("10.1.1.2"), 1, SUBFLOW)->device = &snap->links[0];
	new_endpoint(snap, 2, ip("10.1.2.2"), 2, SUBFLOW)->device = &snap->links[1];
	assert_non_null(keep_own_add(&s->own, &spec, false));
	s->r.plan = plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_SUBFLOW);
	assert_non_null(s->r.plan);
}

static void end_scene(struct scene *s)
{
	nvme_mptcp_plan_free(s->r.plan);
	keep_own_clear(&s->own);
}

static void step(struct scene *s, enum step_action action, size_t endpoint)
{
	struct endpoint_spec spec;

	endpoint_spec_of(s->r.snap, &s->r.snap->endpoints[endpoint], &spec);
	assert_non_null(plan_step(s->r.plan, action, &spec, &spec, "why"));
}

/* Flags that the kernel changes in place leave it the same; another id, device or kind does not. */
TEST(endpoints_of_others_at_the_same_address_are_not_own)
{
	static const struct {
		int id, ifindex;
		int64_t flags;
		bool is_own;
	} cases[] = {
		{ 3, 1, SUBFLOW, true },
		{ 3, 1, SUBFLOW | NVME_MPTCP_ENDPOINT_BACKUP, true },
		{ 4, 1, SUBFLOW, false },
		{ 3, 2, SUBFLOW, false },
		{ 3, 1, NVME_MPTCP_ENDPOINT_SIGNAL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
		struct endpoint_spec spec = spec_of("10.1.1.2", 1);
		struct nvme_mptcp_endpoint *ep;
		struct scene s;

		set_scene(&s, snap);
		spec.id = 3;
		assert_non_null(keep_own_add(&s.own, &spec, false));
		ep = &snap->endpoints[0];
		ep->id = (uint8_t)cases[i].id;
		ep->ifindex = cases[i].ifindex;
		ep->device = link_by_index(snap, ep->ifindex);
		ep->flags = cases[i].flags;
		assert_int_equal(keep_owns(&s.own, ep), cases[i].is_own);
		step(&s, STEP_REPLACE, 0);
		step(&s, STEP_RENEW, 0);
		keep_plan_filter(&s.r);
		assert_int_equal(s.r.plan->n_steps, cases[i].is_own ? 2 : 0);
		keep_plan_delete_unused(&s.r, true);
		assert_int_equal(s.r.plan->n_steps, cases[i].is_own ? 3 : 0);
		end_scene(&s);
	}
}

/* Member by member: what lies between them may differ. */
static void assert_same_spec(const struct endpoint_spec *a, const struct endpoint_spec *b)
{
	assert_memory_equal(&a->ip, &b->ip, sizeof(a->ip));
	assert_int_equal(a->port, b->port);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->ifindex, b->ifindex);
	assert_string_equal(a->device, b->device);
}

TEST(state_survives)
{
	char path[] = "/tmp/nvme-keep-XXXXXX";
	struct endpoint_spec v6 = spec_of("fd00:1::2", 2);
	const struct endpoint_spec v4 = spec_of("10.1.1.2", 1);
	struct keep_own own = {}, read = {};

	close(mkstemp(path));
	v6.port = 4420;
	v6.flags = NVME_MPTCP_ENDPOINT_SIGNAL;
	memset(v6.device, 0, sizeof(v6.device));
	assert_non_null(keep_own_add(&own, &v4, false));
	assert_non_null(keep_own_add(&own, &v6, true));
	own.values[KEEP_ADD_ADDR_TIMEOUT] =
		(struct keep_value){ .is_set = true, .before = 120, .now = 2 };
	assert_int_equal(keep_state_write(path, &own), 0);
	assert_int_equal(keep_state_read(path, &read), 0);
	assert_int_equal(read.n_endpoints, 2);
	for (int i = 0; i < 2; i++)
		assert_same_spec(&read.endpoints[i].spec, &own.endpoints[i].spec);
	assert_true(!read.endpoints[0].adopted && read.endpoints[1].adopted);
	assert_int_equal(read.values[KEEP_ADD_ADDR_TIMEOUT].before, 120);
	assert_false(read.values[KEEP_SUBFLOWS].is_set);
	keep_own_clear(&read);
	keep_own_clear(&own);
	/* Nothing to remember is no file. */
	assert_int_equal(keep_state_write(path, &own), 0);
	assert_int_equal(keep_state_read(path, &read), -ENOENT);
	assert_int_equal(keep_state_write(path, &own), 0);
}

TEST(damaged_state_is_refused_whole)
{
	static const char *const wrong[] = {
		"endpoint",
		"endpoint 10.1.1.2",
		"endpoint 10.1.1.256 port 0 flags 2 ifindex 1 dev eth1 made",
		"endpoint 10.1.1.2 port 65536 flags 2 ifindex 1 dev eth1 made",
		"endpoint 10.1.1.2 port 0 flags -1 ifindex 1 dev eth1 made",
		"endpoint 10.1.1.2 port 0 flags 2 ifindex 9999999999 dev eth1 made",
		"endpoint 10.1.1.2 port 0 flags 2 ifindex 1 dev eth1 stolen",
		"endpoint 10.1.1.2 port 0 flags 2 ifindex 1 dev eth1 made twice",
		"endpoint 10.1.1.2 port 0 flags 2 ifindex 1 dev 0123456789abcdef made",
		"endpoint 10.1.1.2 flags 2 port 0 ifindex 1 dev eth1 made",
		("endpoint 10.1.1.2 port 0 flags 2 ifindex 1 dev eth1 made\n"
		 "endpoint ::ffff:10.1.1.2 port 0 flags 2 ifindex 1 dev eth1 made"),
		"value subflows 2",
		"value subflows 2 8 9",
		"value subflows two 8",
		"value subflows 2 8\nvalue subflows 2 8",
		"value enabled 0 1",
		"endpoints 1",
	};
	struct keep_own own = { .n_endpoints = 77 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(keep_state_parse(wrong[i], &own), -EBADMSG);
	assert_int_equal(own.n_endpoints, 77);
	assert_int_equal(keep_state_parse("\n\n", &own), 0);
	assert_int_equal(own.n_endpoints, 0);
}

TEST(a_gone_address_retires_its_endpoint_on_a_living_link)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	snap->addresses[0].ip = ip("10.1.1.99");
	snap->endpoints[0].subflows = 3;
	snap->links[0].flags = 0;
	keep_plan_delete_unused(&s.r, true);
	assert_int_equal(s.r.plan->n_steps, 0);
	snap->links[0].flags = UP;
	keep_plan_delete_unused(&s.r, false);
	assert_int_equal(s.r.plan->n_steps, 1);
	end_scene(&s);
}

TEST(a_host_that_follows_announcements_keeps_its_limits)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	const struct keep_value set = { .is_set = true, .before = 2, .now = 4 };
	struct keep_lock lock = {};
	struct scene s;

	set_scene(&s, snap);
	s.r.lock = &lock;
	s.args.role = NVME_MPTCP_ROLE_HOST;
	s.own.endpoints[0].lent = true;
	s.own.values[KEEP_SUBFLOWS] = s.own.values[KEEP_ADD_ADDR_ACCEPTED] = set;
	snap->limit_subflows = 8;
	snap->limit_add_addr_accepted = 0;
	nvme_mptcp_plan_free(s.r.plan);
	assert_int_equal(keep_plan(&s.r), 0);
	assert_int_equal(s.r.plan->n_steps, 1);
	assert_int_equal(s.r.plan->steps[0].new_limits.subflows, 8);
	assert_int_equal(s.r.plan->steps[0].new_limits.add_addr_accepted, 4);
	/* Another program has deleted the endpoint, too: its subflows are missing as long as there are some. */
	for (int n = 0; n < 2; n++) {
		if (n)
			new_ctrl(snap, "nvme0", "10.1.1.1", 4420, 1);
		snap->n_endpoints = 0;
		nvme_mptcp_plan_free(s.r.plan);
		assert_int_equal(keep_plan(&s.r), 0);
		assert_int_equal(s.r.plan->n_steps, 1 + n);
	}
	assert_int_equal(s.r.plan->steps[1].action, STEP_ADD);
	end_scene(&s);
}

/* A kernel that takes less, or a program that undoes at once, is not asked again and again. */
TEST(what_was_done_is_what_the_kernel_took)
{
	const struct pm_limits old = { 2, 0 }, new = { 100, 0 };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_CONFIG);
	struct keep_value before[KEEP_VALUES];
	struct kernel k = kernel_of(snap);
	struct keep_own own = {};

	for (int64_t now = 1000; now <= 2000; now += 1000) {
		memcpy(before, own.values, sizeof(before));
		plan_limits_step(plan, &old, &new, "why");
		assert_int_equal(keep_plan_record_intent(plan, &own), 0);
		assert_int_equal(plan_execute(plan, &k.e), 0);
		keep_plan_record_result(plan, &own, before, now);
		assert_int_equal(own.values[KEEP_SUBFLOWS].now, 8);
		assert_int_equal(own.values[KEEP_SUBFLOWS].before, 2);
		snap->limit_subflows = 2;
		keep_own_update(&own, snap, now);
	}
	assert_true(own.values[KEEP_SUBFLOWS].claim.contested);
	keep_own_clear(&own);
}
