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
	add_endpoint(snap, 1, ip("10.1.1.2"), 1, SUBFLOW)->device = &snap->links[0];
	add_endpoint(snap, 2, ip("10.1.2.2"), 2, SUBFLOW)->device = &snap->links[1];
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
		keep_plan_retire(&s.r, true);
		assert_int_equal(s.r.plan->n_steps, cases[i].is_own ? 3 : 0);
		end_scene(&s);
	}
}

/* A crash may come before or after the exchange, and before the id is known. */
TEST(either_of_two_is_own_while_they_are_exchanged)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct endpoint_spec old = spec_of("10.1.1.2", 1), new = spec_of("10.1.1.2", 2);
	struct nvme_mptcp_endpoint *ep = add_endpoint(snap, 3, ip("10.1.1.2"), 1, SUBFLOW);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_SUBFLOW);
	char path[] = "/tmp/nvme-keep-XXXXXX";
	struct keep_own own = {}, read = {};

	close(mkstemp(path));
	old.id = new.id = 3;
	plan_step(plan, STEP_REPLACE, &old, &new, "why");
	assert_non_null(keep_own_add(&own, &old, false));
	assert_int_equal(keep_plan_promise(plan, &own), 0);
	assert_int_equal(keep_state_write(path, &own), 0);
	keep_own_clear(&own);
	for (int ifindex = 1; ifindex <= 2; ifindex++) {
		ep->ifindex = ifindex;
		assert_int_equal(keep_state_read(path, &read), 0);
		assert_true(keep_owns(&read, ep));
		keep_own_look(&read, snap, 1000);
		assert_false(read.endpoints[0].is_changing);
		assert_true(keep_is_as_made(ep, &read.endpoints[0]));
		ep->id = 4;
		assert_false(keep_owns(&read, ep));
		ep->id = 3;
		keep_own_clear(&read);
	}
	unlink(path);
}

TEST(own_endpoints_are_known_by_address_and_port)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	const struct endpoint_spec spec = spec_of("10.1.1.2", 1);
	struct nvme_mptcp_endpoint *ep = add_endpoint(snap, 3, ip("10.1.1.2"), 1, SUBFLOW);
	struct keep_own own = {};
	struct endpoint_spec again = spec;

	assert_false(keep_owns(&own, ep));
	assert_false(keep_owns(NULL, ep));
	again.id = 3;
	assert_non_null(keep_own_add(&own, &again, false));
	assert_int_equal(own.endpoints[0].spec.id, 3);
	assert_true(keep_owns(&own, ep));
	again.ifindex = 2;
	assert_non_null(keep_own_add(&own, &again, true));
	assert_int_equal(own.n_endpoints, 1);
	assert_int_equal(own.endpoints[0].spec.ifindex, 2);
	assert_false(own.endpoints[0].adopted);
	ep->port = 4420;
	assert_false(keep_owns(&own, ep));
	ep->port = 0;
	ep->ifindex = 2;
	assert_true(keep_owns(&own, ep));
	own.endpoints[0].claim.contested = true;
	assert_false(keep_owns(&own, ep));
	keep_own_drop(&own, &own.endpoints[0]);
	assert_int_equal(own.n_endpoints, 0);
	keep_own_clear(&own);
}

TEST(what_others_change_is_noticed)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(1);
	const struct endpoint_spec spec = spec_of("10.1.1.2", 1);
	struct nvme_mptcp_endpoint *ep = add_endpoint(snap, 1, ip("10.1.1.2"), 1, SUBFLOW);
	struct keep_own own = {};
	struct keep_claim *claim;

	assert_non_null(keep_own_add(&own, &spec, false));
	own.values[KEEP_SUBFLOWS] = (struct keep_value){ .is_set = true, .before = 2, .now = 8 };
	snap->limit_subflows = 8;
	claim = &own.endpoints[0].claim;
	keep_own_look(&own, snap, 1000);
	assert_true(claim->seen && own.values[KEEP_SUBFLOWS].claim.seen);
	ep->flags |= NVME_MPTCP_ENDPOINT_BACKUP;
	snap->limit_subflows = 3;
	keep_own_look(&own, snap, 2000);
	assert_int_equal(claim->lost, 2000);
	assert_int_equal(own.values[KEEP_SUBFLOWS].claim.lost, 2000);
	ep->flags = SUBFLOW;
	keep_own_look(&own, snap, 3000);
	ep->ifindex = 7;
	keep_own_look(&own, snap, 4000);
	assert_true(claim->contested);
	assert_false(own.values[KEEP_SUBFLOWS].claim.contested);
	keep_own_forgive(&own);
	assert_int_equal(own.n_endpoints, 0);
	keep_own_clear(&own);
}

TEST(names_of_links_are_followed)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	const struct endpoint_spec spec = spec_of("10.1.2.2", 2);
	struct keep_own own = {};

	add_endpoint(snap, 1, ip("10.1.2.2"), 2, SUBFLOW);
	assert_non_null(keep_own_add(&own, &spec, false));
	link_by_index(snap, 2)->name[0] = 'x';
	keep_own_look(&own, snap, 1000);
	assert_string_equal(own.endpoints[0].spec.device, link_by_index(snap, 2)->name);
	assert_true(own.endpoints[0].claim.seen);
	keep_own_clear(&own);
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

TEST(others_are_left_alone)
{
	static const enum step_action actions[] = { STEP_DELETE, STEP_REPLACE, STEP_FLAGS,
						    STEP_RENEW };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		step(&s, actions[i], 1);
		step(&s, actions[i], 0);
	}
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(s.r.plan->steps[i].action, actions[i]);
		assert_int_equal(s.r.plan->steps[i].old.id, 1);
	}
	assert_int_equal(s.r.plan->n_notes, 4);
	end_scene(&s);
}

TEST(what_carries_subflows_is_not_replaced)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	snap->endpoints[0].subflows = 2;
	step(&s, STEP_REPLACE, 0);
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 0);
	assert_int_equal(s.r.plan->n_notes, 1);
	/* What stands on a link that is down is of no use to anybody. */
	snap->links[0].flags = 0;
	step(&s, STEP_REPLACE, 0);
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 1);
	/* So are the subflows of a device that was made again, although the new one has the address. */
	snap->links[0].flags = UP;
	snap->endpoints[0].link = &snap->links[0];
	snap->endpoints[0].device = NULL;
	snap->endpoints[0].ifindex = s.own.endpoints[0].spec.ifindex = 99;
	step(&s, STEP_REPLACE, 0);
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 2);
	end_scene(&s);
}

/* Without a device its link is the one that has its address. */
TEST(an_endpoint_without_a_device_is_judged_by_its_link)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct endpoint_spec spec = spec_of("10.1.1.2", 0);
	struct nvme_mptcp_endpoint *ep;
	struct scene s;

	set_scene(&s, snap);
	memset(spec.device, 0, sizeof(spec.device));
	assert_non_null(keep_own_add(&s.own, &spec, false));
	ep = &snap->endpoints[0];
	ep->ifindex = 0;
	ep->device = NULL;
	ep->link = &snap->links[0];
	ep->subflows = 2;
	step(&s, STEP_REPLACE, 0);
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 0);
	keep_own_look(&s.own, snap, 1000);
	assert_ptr_equal(keep_link(snap, &s.own.endpoints[0]), &snap->links[0]);
	/* It is not wanted any more. */
	ep->subflows = 0;
	keep_plan_retire(&s.r, true);
	assert_int_equal(s.r.plan->n_steps, 1);
	nvme_mptcp_plan_free(s.r.plan);
	s.r.plan = plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_SUBFLOW);
	/* Its address left with the carrier, and may come back with it. */
	snap->addresses[0].ip = ip("10.1.1.99");
	snap->links[0].flags = 0;
	keep_own_look(&s.own, snap, 2000);
	keep_plan_retire(&s.r, true);
	assert_int_equal(s.r.plan->n_steps, 0);
	snap->links[0].flags = UP;
	keep_plan_retire(&s.r, false);
	assert_int_equal(s.r.plan->n_steps, 1);
	end_scene(&s);
}

TEST(what_is_fought_over_is_left)
{
	const struct pm_limits old = { 2, 0 }, new = { 8, 0 };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	s.own.endpoints[0].claim.contested = true;
	s.own.values[KEEP_SUBFLOWS].claim.contested = true;
	step(&s, STEP_ADD, 0);
	step(&s, STEP_RENEW, 0);
	plan_limits_step(s.r.plan, &old, &new, "why");
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 0);
	end_scene(&s);
}

TEST(renewing_waits_for_its_pause)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	s.own.endpoints[0].not_before = s.r.now + 4000;
	step(&s, STEP_RENEW, 0);
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 0);
	assert_int_equal(s.r.again, s.r.now + 4000);
	s.r.now += 4000;
	step(&s, STEP_RENEW, 0);
	keep_plan_filter(&s.r);
	assert_int_equal(s.r.plan->n_steps, 1);
	s.r.plan->steps[0].state = NVME_MPTCP_STEP_DONE;
	keep_plan_settle(s.r.plan, &s.own, s.own.values, s.r.now);
	assert_int_equal(s.own.endpoints[0].failures, 1);
	assert_int_equal(s.own.endpoints[0].not_before, s.r.now + 2000);
	end_scene(&s);
}

TEST(endpoints_retire_when_nothing_can_use_them)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	/* It is not wanted, but who wants what is not sure yet. */
	keep_plan_retire(&s.r, false);
	assert_int_equal(s.r.plan->n_steps, 0);
	snap->endpoints[0].subflows = 1;
	keep_plan_retire(&s.r, true);
	assert_int_equal(s.r.plan->n_steps, 0);
	snap->endpoints[0].subflows = 0;
	step(&s, STEP_ADD, 1);
	keep_plan_retire(&s.r, true);
	assert_int_equal(s.r.plan->n_steps, 2);
	assert_int_equal(s.r.plan->steps[0].action, STEP_DELETE);
	assert_int_equal(s.r.plan->steps[0].old.id, 1);
	end_scene(&s);
}

TEST(a_gone_address_retires_its_endpoint_on_a_living_link)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct scene s;

	set_scene(&s, snap);
	snap->addresses[0].ip = ip("10.1.1.99");
	snap->endpoints[0].subflows = 3;
	snap->links[0].flags = 0;
	keep_plan_retire(&s.r, true);
	assert_int_equal(s.r.plan->n_steps, 0);
	snap->links[0].flags = UP;
	keep_plan_retire(&s.r, false);
	assert_int_equal(s.r.plan->n_steps, 1);
	end_scene(&s);
}

TEST(promises_are_written_before_the_deed)
{
	const struct endpoint_spec spec = spec_of("10.1.1.2", 1), other = spec_of("10.1.2.2", 2);
	const struct pm_limits old = { 2, 0 }, new = { 8, 0 };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_new(snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_SUBFLOW);
	const struct keep_value before[KEEP_VALUES] = {};
	struct keep_own own = {};

	plan_limits_step(plan, &old, &new, "why");
	plan_step(plan, STEP_ADD, NULL, &spec, "why");
	plan_step(plan, STEP_ADD, NULL, &other, "why");
	assert_int_equal(keep_plan_promise(plan, &own), 0);
	assert_int_equal(own.n_endpoints, 2);
	assert_true(own.values[KEEP_SUBFLOWS].is_set);
	assert_false(own.values[KEEP_ADD_ADDR_ACCEPTED].is_set);
	plan->steps[0].state = NVME_MPTCP_STEP_UNDONE;
	plan->steps[1].state = NVME_MPTCP_STEP_STUCK;
	plan->steps[2].state = NVME_MPTCP_STEP_FAILED;
	keep_plan_settle(plan, &own, before, 0);
	assert_false(own.values[KEEP_SUBFLOWS].is_set);
	assert_int_equal(own.n_endpoints, 1);
	assert_memory_equal(&own.endpoints[0].spec.ip, &spec.ip, sizeof(spec.ip));
	keep_own_clear(&own);
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
		assert_int_equal(keep_plan_promise(plan, &own), 0);
		assert_int_equal(plan_follow(plan, &k.e), 0);
		keep_plan_settle(plan, &own, before, now);
		assert_int_equal(own.values[KEEP_SUBFLOWS].now, 8);
		assert_int_equal(own.values[KEEP_SUBFLOWS].before, 2);
		snap->limit_subflows = 2;
		keep_own_look(&own, snap, now);
	}
	assert_true(own.values[KEEP_SUBFLOWS].claim.contested);
	keep_own_clear(&own);
}

TEST(restoring_takes_back_what_was_made)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	const struct endpoint_spec adopted = spec_of("10.1.2.2", 2);
	const struct endpoint_spec changed = spec_of("10.1.3.2", 3);
	struct scene s;

	set_scene(&s, snap);
	add_endpoint(snap, 3, ip("10.1.3.2"), 3, SUBFLOW | NVME_MPTCP_ENDPOINT_BACKUP);
	assert_non_null(keep_own_add(&s.own, &adopted, true));
	assert_non_null(keep_own_add(&s.own, &changed, false));
	s.own.values[KEEP_SUBFLOWS] = (struct keep_value){ .is_set = true, .before = 2, .now = 8 };
	s.own.values[KEEP_ADD_ADDR_ACCEPTED] =
		(struct keep_value){ .is_set = true, .before = 0, .now = 8 };
	snap->limit_subflows = 8;
	snap->limit_add_addr_accepted = 5;
	assert_int_equal(keep_plan_restore(snap, &s.own, &plan), 0);
	assert_int_equal(plan->n_steps, 2);
	assert_int_equal(plan->steps[0].action, STEP_DELETE);
	assert_int_equal(plan->steps[0].old.id, 1);
	assert_int_equal(plan->steps[1].new_limits.subflows, 2);
	assert_int_equal(plan->steps[1].new_limits.add_addr_accepted, 5);
	/* The changed endpoint, and the limit that somebody else chose. */
	assert_int_equal(plan->n_notes, 2);
	end_scene(&s);
}
