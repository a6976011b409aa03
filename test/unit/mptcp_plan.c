/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans on recorded snapshots: which endpoints and limits are planned for which links, addresses
 * and kernels; that a second plan is empty; that what fails is undone.
 */
#include <json-c/json.h>

#include "mptcp_setup.h"

TEST(target_signals_each_link)
{
	for (int n = 2; n <= 8; n++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);

		assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SIGNAL);
		assert_int_equal(count(plan, STEP_ADD), n);
		assert_int_equal(plan->steps[0].action, STEP_LIMITS);
		assert_int_equal(plan->n_steps, (size_t)n + 1);
		for (int i = 0; i < n; i++) {
			const struct nvme_mptcp_step *step = &plan->steps[i + 1];

			assert_int_equal(step->new.flags, NVME_MPTCP_ENDPOINT_SIGNAL);
			assert_int_equal(step->new.ifindex, i + 1);
			assert_true(address_is_v4(&step->new.ip));
		}
		/* It limits joins, and hosts may have more links. */
		assert_int_equal(plan->limits.subflows, 8);
		assert_int_equal(plan->limits.add_addr_accepted, 0);
		settles(snap, plan, NULL, false, false);
	}
}

TEST(one_link_needs_no_endpoints)
{
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(1);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, role, NULL, true, true);

		assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_SINGLE);
		assert_int_equal(plan->n_wanted, 0);
		assert_int_equal(plan->n_steps, role == NVME_MPTCP_ROLE_TARGET);
		/* Hosts may have more links. */
		if (role == NVME_MPTCP_ROLE_TARGET)
			assert_int_equal(plan->limits.subflows, 8);
		settles(snap, plan, NULL, true, true);
	}
}

TEST(an_address_for_each_link_needs_no_endpoints)
{
	for (int i = 0; i < 14; i++) {
		const bool laminar = i % 2;
		const int n = 2 + i / 2;
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
		const char *const *traddrs = targets(V4_TARGET, n);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_HOST, traddrs, laminar, false);

		assert_int_equal(nvme_mptcp_plan_method(plan), NVME_MPTCP_METHOD_ANNOUNCED);
		assert_int_equal(plan->n_steps, 1);
		assert_int_equal(count(plan, STEP_LIMITS), 1);
		assert_true(plan->limits.add_addr_accepted >= n - 1);
		assert_true(plan->limits.add_addr_accepted <= 8);
		/* A link that was dead has two subflows, and the first one has to come back. */
		assert_true(plan->limits.subflows >= (n > 4 ? 8 : 2 * n - 1));
		assert_true(has_note(plan, "--role target --traddr 10.1.1.1"));
		settles(snap, plan, traddrs, laminar, false);
	}
}

TEST(one_address_gets_a_subflow_from_each_link)
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
			assert_int_equal(plan->limits.add_addr_accepted, 4);
			assert_true(has_note(plan, "add_addr_accepted is 4 and stays so"));
			assert_int_equal(plan->wanted[0].flags, NVME_MPTCP_ENDPOINT_SUBFLOW);
			assert_int_equal(!address_is_v4(&plan->wanted[0].ip), family);
			settles(snap, plan, one[family], true, false);
		}
	}
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

/* Its setting is a name, or on other kernels a number; the command writes what is there. */
TEST(a_path_manager_in_user_space_is_noted)
{
	static const struct {
		const char *name, *value, *command;
	} cases[] = {
		{ "path_manager", "userspace", "sysctl -w net.mptcp.path_manager=kernel" },
		{ "path_manager", "other", "sysctl -w net.mptcp.path_manager=kernel" },
		{ "pm_type", "1", "sysctl -w net.mptcp.pm_type=0" },
		{ "path_manager", "kernel", NULL },
		{ "pm_type", "0", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
		struct setting *setting =
			array_add(&snap->settings, &snap->n_settings, sizeof(*setting));

		assert_non_null(setting);
		setting->name = strdup(cases[i].name);
		setting->value = strdup(cases[i].value);
		plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, targets("10.1.#.1", 2), false, false);
		assert_int_equal(has_note(plan, "path manager in user space"),
				 cases[i].command != NULL);
		if (cases[i].command)
			assert_true(has_note(plan, cases[i].command));
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

TEST(what_others_made_is_kept)
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
	assert_true(has_note(plan, "endpoint 2 (10.1.2.2) has other settings"));
	assert_true(has_note(plan, "endpoint 3 (10.1.3.2) has other settings"));
	assert_true(has_note(plan, "endpoint 4 (10.7.7.7) is not part of this plan"));

	other = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, true);
	assert_int_equal(count(other, STEP_DELETE), 1);
	assert_int_equal(count(other, STEP_FLAGS), 1);
	assert_int_equal(count(other, STEP_REPLACE), 1);
	assert_int_equal(count(other, STEP_LIMITS), 1);
	assert_int_equal(other->n_steps, 4);
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

TEST(the_kernels_own_give_way)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	add_endpoint(snap, 1, ip("10.1.1.2"), 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(count(plan, STEP_ADD), 2);
	assert_int_equal(plan->n_notes, 0);
}

/* One with a port is another endpoint for the kernel: the plain one is missing. */
TEST(announced_with_a_port_is_another)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	add_endpoint(snap, 1, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SIGNAL);
	snap->endpoints[0].port = 4421;
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(count(plan, STEP_ADD), 2);
}

TEST(wrong_questions)
{
	static const char *const mixed[] = { "10.1.1.1", "fd00::1", NULL };
	static const char *const name[] = { "disk.example", NULL };
	static const char *const nowhere[] = { "eth7", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct nvme_mptcp_setup_args args = { .snap = snap, .args_size = sizeof(args) };
	struct planner p = { .snap = snap, .lead = lead, .way = way, .speed = speed };
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
TEST(failure_is_undone)
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

TEST(limits_fall_back_to_what_the_kernel_takes)
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
	/* What is reported is what was done. */
	assert_int_equal(plan->limit_max, 5);
	assert_int_equal(plan->limits.subflows, 5);
	assert_string_equal(plan->steps[0].command,
			    "ip mptcp limits set subflows 5 add_addr_accepted 0");
	assert_true(has_note(plan, "The limit subflows becomes 5 instead of 8"));
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

TEST(limits_of_others_are_kept)
{
	static const char *const one[] = { "10.9.9.9", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t kept = NULL, lowered = NULL;

	have_gateways = true;
	snap->limit_subflows = snap->limit_add_addr_accepted = 8;
	kept = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_int_equal(count(kept, STEP_LIMITS), 0);
	assert_true(has_note(kept, "--replace sets it to 0"));
	lowered = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, true);
	assert_int_equal(count(lowered, STEP_LIMITS), 1);
	assert_int_equal(lowered->limits.add_addr_accepted, 0);
	assert_int_equal(lowered->limits.subflows, 8);
	assert_true(has_note(lowered, "whatever program made it"));
	settles(snap, lowered, one, false, true);
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

TEST(documents)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	_cleanup_(free) char *document = nvme_mptcp_plan_to_json(plan, false);
	_cleanup_(free) char *config = nvme_mptcp_plan_to_config(plan);
	struct json_object *top = json_tokener_parse(document), *value;

	assert_true(json_object_object_get_ex(top, "steps", &value));
	assert_int_equal(json_object_array_length(value), 3);
	json_object_put(top);
	top = json_tokener_parse(config);
	assert_true(json_object_object_get_ex(top, "endpoints", &value));
	value = json_object_array_get_idx(value, 1);
	assert_string_equal(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN),
			    "{\"address\":\"10.1.2.2\",\"dev\":\"eth2\",\"flags\":[\"signal\"]}");
	json_object_put(top);
}

EACH_TEST(start_afresh, NULL)
