/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a configuration's mptcp object to changes of the path manager, or to its mistakes. */
#include <json-c/json.h>

#include "config_file.h"
#include "fail_alloc.h"
#include "mptcp/plan/configured.h"
#include "mptcp_planned.h"

#define HOST(members) "[\n{\"hostnqn\":\"nqn.h\"," members "}]"
#define MPTCP(members) HOST("\n\"mptcp\":{" members "}")
#define ENDPOINTS(list) MPTCP("\"endpoints\":[\n" list "]")
#define ONE(more) ENDPOINTS("{\"address\":\"10.1.2.2\"" more "}")
#define LIMITS "\"limits\":{\"subflows\":8,\"add_addr_accepted\":4}"

#define SIGNAL NVME_MPTCP_ENDPOINT_SIGNAL
#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW
#define LAMINAR NVME_MPTCP_ENDPOINT_LAMINAR

static nvme_mptcp_config_t config;
static struct nvme_mptcp_snapshot *snap;
static struct nvme_mptcp_plan *plan;

static int begin(void **state)
{
	make_file();
	config = nvme_mptcp_config_new();
	snap = machine(4);
	plan = NULL;
	return config ? 0 : -1;
}

static int end(void **state)
{
	nvme_mptcp_plan_free(plan);
	nvme_mptcp_snapshot_free(snap);
	nvme_mptcp_config_free(config);
	unlink(path);
	return 0;
}

static void read_text(const char *text)
{
	write_text(text, strlen(text));
	if (nvme_mptcp_config_read(config, path))
		fail_msg("%s", nvme_mptcp_config_error(config));
}

static int make_of(struct capability has, uint32_t limit_max)
{
	const struct config_selection meant = { .config = config };
	struct planner p = { .snap = snap, .has = has, .limit_max = limit_max };

	nvme_mptcp_plan_free(plan);
	plan = NULL;
	return plan_config(&p, &meant, &plan);
}

static int make(void)
{
	return make_of((struct capability){}, 8);
}

static void plan_of(const char *text)
{
	read_text(text);
	if (make())
		fail_msg("%s", nvme_mptcp_config_error(config));
}

/* Plans one endpoint with @flags, for a kernel that has so much. */
static void plan_flags(const char *flags, struct capability has)
{
	char text[256];

	nvme_mptcp_config_free(config);
	config = nvme_mptcp_config_new();
	snprintf(text, sizeof(text), ENDPOINTS("{\"address\":\"10.1.2.2\",\"flags\":[%s]}"), flags);
	read_text(text);
	assert_int_equal(make_of(has, 0), 0);
}

/* Follows the plan; a second one is empty then. */
static void settles(void)
{
	struct kernel k = kernel_of(snap);

	assert_int_equal(plan_execute(plan, &k.e), 0);
	assert_int_equal(make(), 0);
	assert_int_equal(plan->n_steps, 0);
}

TEST(what_a_plan_prints_is_read_again)
{
	_cleanup_(free) char *printed = NULL, *text = NULL;

	plan_of(MPTCP(LIMITS ",\"endpoints\":[{\"address\":\"10.1.2.2\"},"
			     "{\"address\":\"10.1.3.2\",\"dev\":\"eth3\","
			     "\"flags\":[\"signal\"],\"id\":7,\"port\":4420}]"));
	printed = nvme_mptcp_plan_to_config(plan);
	assert_non_null(printed);
	assert_true(asprintf(&text, HOST("\"mptcp\":%s"), printed) > 0);
	nvme_mptcp_config_free(config);
	config = nvme_mptcp_config_new();
	plan_of(text);
	assert_int_equal(plan->n_steps, 3);
	assert_string_equal(plan->steps[0].command,
			    "ip mptcp limits set subflows 8 add_addr_accepted 4");
	assert_string_equal(plan->steps[1].command, "ip mptcp endpoint add 10.1.2.2 subflow");
	assert_string_equal(plan->steps[2].command,
			    "ip mptcp endpoint add 10.1.3.2 dev eth3 id 7 signal port 4420");
	assert_int_equal(plan->steps[2].new.id, 7);
}

TEST(one_limit_leaves_the_other)
{
	plan_of(MPTCP("\"limits\":{\"subflows\":1}"));
	assert_int_equal(plan->n_steps, 1);
	settles();
	assert_int_equal(snap->limit_subflows, 1);
	assert_int_equal(snap->limit_add_addr_accepted, 0);
}

TEST(hosts_agree_about_limits)
{
	char want[512];

	read_text("[{\"hostnqn\":\"nqn.1\",\"mptcp\":{\"limits\":{\"subflows\":4}}},\n"
		  "{\"hostnqn\":\"nqn.2\",\"mptcp\":{\"limits\":{\"subflows\":5}}}]");
	assert_int_equal(make(), -EPROTO);
	assert_null(plan);
	snprintf(want, sizeof(want),
		 "%s:2: $[1].mptcp.limits.subflows: 5, but another host of this configuration "
		 "requires 4, and the limit applies to all hosts",
		 path);
	assert_string_equal(nvme_mptcp_config_error(config), want);
}

/* Addresses of no device, and limits above those of the kernel, are in test/cli. */
TEST(an_address_of_another_device)
{
	plan_of(ENDPOINTS("{\"address\":\"10.1.2.2\",\"dev\":\"eth3\"}"));
	assert_true(has_note(plan, ":4: $[0].mptcp.endpoints[0]: 10.1.2.2 is an address of eth2, "
				   "not of eth3"));
}

/* As a kernel answers in an empty network namespace; one that was not asked has room for none. */
TEST(flag_that_the_kernel_does_not_know)
{
	static const struct {
		struct capability has;
		const char *flags, *note; /* NULL: none */
	} cases[] = {
		{ { false, 8 }, "\"laminar\"", "laminar of 10.1.2.2: no subflow" },
		{ { false, 8 }, "\"laminar\",\"subflow\"", "laminar of 10.1.2.2" },
		{ { false, 8 }, "\"subflow\"", NULL },
		{ { true, 64 }, "\"laminar\"", NULL },
		{ { false, 0 }, "\"laminar\"", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		plan_flags(cases[i].flags, cases[i].has);
		assert_int_equal(plan->n_steps, 1);
		assert_int_equal(has_note(plan, cases[i].note ? cases[i].note : "laminar"),
				 cases[i].note != NULL);
	}
}

/* Some kernels drop it, others show it: where it is not known, it is not asked for. */
TEST(flag_that_the_kernel_drops)
{
	static const struct {
		struct capability has;
		int64_t there;
		const char *flags;
		size_t steps;
	} cases[] = {
		{ { false, 8 }, 0, "\"laminar\"", 0 },
		{ { false, 8 }, LAMINAR, "\"laminar\"", 1 },
		{ { false, 8 }, SUBFLOW, "\"laminar\",\"subflow\"", 0 },
		{ { false, 8 }, LAMINAR, "\"laminar\",\"subflow\"", 1 },
		{ { false, 8 }, 0, "\"subflow\"", 1 },
		{ { true, 64 }, 0, "\"laminar\"", 1 },
		{ { false, 0 }, 0, "\"laminar\"", 1 },
	};

	new_endpoint(snap, 3, ip("10.1.2.2"), 2, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snap->endpoints[0].flags = cases[i].there;
		plan_flags(cases[i].flags, cases[i].has);
		assert_int_equal(plan->n_steps, cases[i].steps);
		assert_int_equal(!!(plan->wanted[0].flags & LAMINAR),
				 strstr(cases[i].flags, "laminar") &&
					 (cases[i].has.laminar || !cases[i].has.endpoints));
	}
}

TEST(unreadable_path_manager)
{
	problem_set(snap, NVME_MPTCP_LIMITS, -EOPNOTSUPP, "limits: this kernel has none");
	read_text(HOST("\"subsystems\":[]"));
	assert_int_equal(make(), 0);
	assert_int_equal(plan->n_steps, 0);
	read_text(ONE(""));
	assert_int_equal(make(), -ENODATA);
	assert_non_null(strstr(nvme_mptcp_config_error(config),
			       ":3: $[0].mptcp: cannot be followed: limits: this kernel has none"));
}

static bool plan_once(void)
{
	int err;

	fail_alloc_begin();
	err = make();
	fail_alloc_end();
	if (err)
		assert_int_equal(err, -ENOMEM);
	assert_true(err ? !plan : plan->n_steps == 4);
	return !err;
}

TEST(without_memory_there_is_no_plan)
{
	new_endpoint(snap, 3, ip("10.1.2.2"), 2, SIGNAL);
	read_text(MPTCP(LIMITS ",\"endpoints\":[{\"address\":\"10.1.2.2\"},"
			       "{\"address\":\"192.0.2.9\"},{\"address\":\"10.1.3.2\"}]"));
	fail_alloc_each(plan_once);
}

EACH_TEST(begin, end)
