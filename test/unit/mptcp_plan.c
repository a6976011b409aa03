/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans on recorded snapshots: which endpoints and limits are planned for which links, addresses
 * and kernels; that a second plan is empty; that what fails is undone.
 */
#include <json-c/json.h>

#include "mptcp_planned.h"

/* How this machine sends: each network by its own link, and all links have a gateway or none. */
static bool have_gateways;
static int all_routes_by; /* every address by this link; 0: by the link of its network */

static int route(struct planner *p, int ifindex, const struct in6_addr *dst,
		 struct route_answer *ret)
{
	*ret = (struct route_answer){ .ifindex = ifindex, .gateway = have_gateways };
	if (ifindex)
		return 0;
	ret->ifindex = all_routes_by;
	for (size_t i = 0; !ret->ifindex && i < p->snap->n_addresses; i++)
		if (!memcmp(&p->snap->addresses[i].ip, dst, 15))
			ret->ifindex = p->snap->addresses[i].ifindex;
	return ret->ifindex ? 0 : -ENETUNREACH;
}

static struct nvme_mptcp_plan *plan_as(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
				       const char *const *traddrs, bool laminar, bool replace)
{
	struct planner p = { .snap = snap, .route = route, .limit_max = 8, .laminar = laminar };
	const struct nvme_mptcp_setup_args args = {
		.snap = snap,
		.traddrs = traddrs,
		.args_size = sizeof(args),
		.role = role,
		.replace = replace,
	};
	struct nvme_mptcp_plan *plan = NULL;

	assert_int_equal(plan_setup(&p, &args, &plan), 0);
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

static void target_signals_each_link(void **state)
{
	for (int n = 2; n <= 8; n++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		const bool raises = n > 3; /* two besides the initial one are permitted */

		assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SIGNAL);
		assert_int_equal(count(plan, STEP_ADD), n);
		assert_int_equal(count(plan, STEP_LIMITS), raises);
		assert_int_equal(plan->n_steps, (size_t)n + raises);
		for (int i = 0; i < n; i++) {
			const struct nvme_mptcp_step *step = &plan->steps[i + raises];

			assert_int_equal(step->new.flags, NVME_MPTCP_ENDPOINT_SIGNAL);
			assert_int_equal(step->new.ifindex, i + 1);
			assert_true(address_is_v4(&step->new.ip));
		}
		assert_true(plan->limits.subflows >= n - 1 && plan->limits.subflows <= 8);
		assert_int_equal(plan->limits.add_addr_accepted, 0);
		settles(snap, plan, NULL, false, false);
	}
}

static void one_link_needs_nothing(void **state)
{
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(1);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, role, NULL, true, true);

		assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SINGLE);
		assert_int_equal(plan->n_steps, 0);
	}
}

static void an_address_for_each_link_needs_no_endpoints(void **state)
{
	const bool laminar = *state != NULL;

	have_gateways = false;
	for (int n = 2; n <= 8; n++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
		const char *const *traddrs = targets(V4_TARGET, n);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_HOST, traddrs, laminar, false);

		assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_ANNOUNCED);
		assert_int_equal(plan->n_steps, 1);
		assert_int_equal(count(plan, STEP_LIMITS), 1);
		assert_true(plan->limits.add_addr_accepted >= n - 1);
		assert_true(plan->limits.add_addr_accepted <= 8);
		assert_true(has_note(plan, "--role target --traddr 10.1.1.1"));
		settles(snap, plan, traddrs, laminar, false);
	}
}

static void one_address_gets_a_subflow_from_each_link(void **state)
{
	static const char *const one[][2] = { { "10.9.9.9", NULL }, { "fd00:9::9", NULL } };

	have_gateways = true;
	for (int family = 0; family < 2; family++) {
		for (int n = 2; n <= 8; n++) {
			_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
			_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

			snap->limit_add_addr_accepted = 4;
			plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one[family], true, false);
			assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SUBFLOW);
			assert_int_equal(count(plan, STEP_ADD), n);
			assert_int_equal(plan->limits.add_addr_accepted, 0);
			assert_int_equal(plan->wanted[0].flags, NVME_MPTCP_ENDPOINT_SUBFLOW);
			assert_int_equal(!address_is_v4(&plan->wanted[0].ip), family);
			settles(snap, plan, one[family], true, false);
		}
	}
}

static void links_that_do_not_lead_there_are_left_out(void **state)
{
	static const char *const one[] = { "10.1.1.1", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	/* A second link into the target's network. */
	have_gateways = false;
	add_address(snap, 2, ip("10.1.1.3"));
	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SUBFLOW);
	assert_int_equal(plan->n_links, 2);
	assert_string_equal(plan->links[1].address, "10.1.1.3");
	assert_true(has_note(plan, "eth3 is left out"));
	assert_true(has_note(plan, "eth4 is left out"));
}

static void laminar_where_routes_do_not_separate(void **state)
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
	all_routes_by = 0;
}

static void what_others_made_is_kept(void **state)
{
	static const char *const one[] = { "10.9.9.9", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL, other = NULL;

	have_gateways = true;
	/* Right; wrong flag; wrong device; elsewhere; the kernel's own; of the other family. */
	add_endpoint(snap, 1, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 2, ip("10.1.2.2"), 2,
		     NVME_MPTCP_ENDPOINT_SUBFLOW | NVME_MPTCP_ENDPOINT_BACKUP);
	add_endpoint(snap, 3, ip("10.1.3.2"), 0, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 4, ip("10.7.7.7"), 0, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 5, ip("fd00:1:1::2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);

	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_int_equal(plan->n_steps, 1);
	assert_int_equal(plan->steps[0].action, STEP_LIMITS); /* for the one elsewhere */
	assert_true(has_note(plan, "endpoint 2 (10.1.2.2) is there with other settings"));
	assert_true(has_note(plan, "endpoint 3 (10.1.3.2) is there with other settings"));
	assert_true(has_note(plan, "endpoint 4 (10.7.7.7) was made by somebody else"));

	other = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, true);
	assert_int_equal(count(other, STEP_DELETE), 1);
	assert_int_equal(count(other, STEP_FLAGS), 1);
	assert_int_equal(count(other, STEP_REPLACE), 1);
	assert_int_equal(other->n_steps, 3);
	for (size_t i = 0; i < other->n_steps; i++) {
		if (other->steps[i].action == STEP_FLAGS)
			assert_string_equal(other->steps[i].command,
					    "ip mptcp endpoint change id 2 nobackup");
		if (other->steps[i].action == STEP_REPLACE)
			assert_string_equal(other->steps[i].command,
					    "ip mptcp endpoint delete id 3 && ip mptcp endpoint "
					    "add 10.1.3.2 dev eth3 id 3 subflow");
	}
	settles(snap, other, one, false, true);
}

static void the_kernels_own_give_way(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	add_endpoint(snap, 1, ip("10.1.1.2"), 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(count(plan, STEP_ADD), 2);
	assert_int_equal(plan->n_notes, 0);
}

static void unfit_links(void **state)
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

static void wrong_questions(void **state)
{
	static const char *const mixed[] = { "10.1.1.1", "fd00::1", NULL };
	static const char *const name[] = { "disk.example", NULL };
	static const char *const nowhere[] = { "eth7", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct nvme_mptcp_setup_args args = { .snap = snap, .args_size = sizeof(args) };
	struct planner p = { .snap = snap, .route = route };
	struct nvme_mptcp_plan *plan = NULL;

	assert_int_equal(plan_setup(&p, &args, &plan), -EINVAL);
	args.role = NVME_MPTCP_ROLE_HOST;
	args.traddrs = mixed;
	assert_int_equal(plan_setup(&p, &args, &plan), -EINVAL);
	args.traddrs = name;
	assert_int_equal(plan_setup(&p, &args, &plan), -EINVAL);
	args.traddrs = NULL;
	args.devices = nowhere;
	assert_int_equal(plan_setup(&p, &args, &plan), -ENODEV);
	args.devices = NULL;
	snap->links[0].flags = snap->links[1].flags = 0;
	assert_int_equal(plan_setup(&p, &args, &plan), -ENOLINK);
	problem_set(snap, NVME_MPTCP_LIMITS, EPERM, "limits");
	assert_int_equal(plan_setup(&p, &args, &plan), -ENODATA);
	assert_null(plan);
	args.args_size = 1;
	assert_int_equal(nvme_mptcp_setup(&args, &plan), -1);
	assert_int_equal(errno, EINVAL);
}

/* Whichever request is refused: what was there before is there again. */
static void failure_is_undone(void **state)
{
	for (int fail_at = 1; fail_at <= 5; fail_at++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		struct kernel k = kernel_of(snap);
		size_t living = 0;

		k.fail_at = fail_at;
		assert_int_equal(plan->n_steps, 5);
		assert_int_equal(plan_follow(plan, &k.e), -EPERM);
		for (int i = 0; i < 5; i++)
			assert_int_equal(plan->steps[i].state,
					 i + 1 < fail_at    ? NVME_MPTCP_STEP_UNDONE
					 : i + 1 == fail_at ? NVME_MPTCP_STEP_FAILED
							    : NVME_MPTCP_STEP_PLANNED);
		assert_non_null(strstr(plan->steps[fail_at - 1].error, "refused"));
		for (size_t i = 0; i < snap->n_endpoints; i++)
			living += snap->endpoints[i].id != 0;
		assert_int_equal(living, 0);
		assert_int_equal(snap->limit_subflows, 2);
		assert_int_equal(k.requests, 2 * fail_at - 1);
	}
}

static void half_an_exchange_is_undone(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct kernel k = kernel_of(snap);

	add_endpoint(snap, 7, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, true);
	assert_int_equal(plan->steps[0].action, STEP_REPLACE);
	k.fail_at = 2;
	assert_int_equal(plan_follow(plan, &k.e), -EPERM);
	assert_string_equal(k.log, "remove add add ");
	assert_int_equal(plan->steps[0].state, NVME_MPTCP_STEP_FAILED);
	assert_int_equal(plan->steps[1].state, NVME_MPTCP_STEP_PLANNED);
}

static void limits_fall_back_to_what_the_kernel_takes(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(8);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	const struct pm_limits now = { 2, 0 };
	struct kernel k = kernel_of(snap);
	uint32_t max = 0;

	k.limit_max = 5;
	assert_int_equal(editor_limit_max(&k.e, &now, &max), 0);
	assert_int_equal(max, 5);
	assert_int_equal(plan_follow(plan, &k.e), 0);
	assert_int_equal(snap->limit_subflows, 5);
	k.fail_at = k.requests + 1;
	assert_int_equal(editor_limit_max(&k.e, &now, &max), -EPERM);

	assert_int_equal(editor_parse_limit_max("limit greater than maximum (64)", &max), 0);
	assert_int_equal(max, 64);
	assert_int_equal(editor_parse_limit_max("", &max), -ENODATA);
	assert_int_equal(editor_parse_limit_max("too great (really)", &max), -ENODATA);
	assert_int_equal(editor_parse_limit_max("maximum (8", &max), -ENODATA);
	assert_int_equal(editor_parse_limit_max("maximum (-8)", &max), -ENODATA);
	assert_int_equal(editor_parse_limit_max("maximum (99999999999999999999)", &max), -ENODATA);
	assert_int_equal(max, 64);
}

static void more_links_than_the_kernel_permits(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(10);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);

	assert_int_equal(plan->limits.subflows, 8);
	assert_true(has_note(plan, "permits 8 subflows besides the initial one: 10 links"));
}

static void documents(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	_cleanup_(free) char *document = nvme_mptcp_plan_to_json(plan, false);
	_cleanup_(free) char *config = nvme_mptcp_plan_to_config(plan);
	struct json_object *top = json_tokener_parse(document), *value;

	assert_true(json_object_object_get_ex(top, "steps", &value));
	assert_int_equal(json_object_array_length(value), 2);
	json_object_put(top);
	top = json_tokener_parse(config);
	assert_true(json_object_object_get_ex(top, "endpoints", &value));
	value = json_object_array_get_idx(value, 1);
	assert_string_equal(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN),
			    "{\"address\":\"10.1.2.2\",\"dev\":\"eth2\",\"flags\":[\"signal\"]}");
	json_object_put(top);
}

int main(void)
{
	static char with_laminar[] = "laminar";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(target_signals_each_link),
		cmocka_unit_test(one_link_needs_nothing),
		cmocka_unit_test(an_address_for_each_link_needs_no_endpoints),
		cmocka_unit_test_prestate(an_address_for_each_link_needs_no_endpoints,
					  with_laminar),
		cmocka_unit_test(one_address_gets_a_subflow_from_each_link),
		cmocka_unit_test(links_that_do_not_lead_there_are_left_out),
		cmocka_unit_test(laminar_where_routes_do_not_separate),
		cmocka_unit_test(what_others_made_is_kept),
		cmocka_unit_test(the_kernels_own_give_way),
		cmocka_unit_test(unfit_links),
		cmocka_unit_test(wrong_questions),
		cmocka_unit_test(failure_is_undone),
		cmocka_unit_test(half_an_exchange_is_undone),
		cmocka_unit_test(limits_fall_back_to_what_the_kernel_takes),
		cmocka_unit_test(more_links_than_the_kernel_permits),
		cmocka_unit_test(documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
