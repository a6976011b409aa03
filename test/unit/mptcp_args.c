// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structures of arguments of programs that were built against an earlier or a later header. */
#include <pthread.h>

#include <nvme/mptcp.h>

#include "fake_sysfs.h"
#include "mptcp_machine.h"
#include "mptcp_standin.h"

#define LATER 24 /* bytes that a later version has more */

union args {
	struct nvme_mptcp_check_args check;
	struct nvme_mptcp_keep_args keep;
	struct nvme_mptcp_keeper_args keeper;
	struct nvme_mptcp_metrics_args metrics;
	struct nvme_mptcp_repair_args repair;
	struct nvme_mptcp_report_args report;
	struct nvme_mptcp_setup_args setup;
	struct nvme_mptcp_trial_args trial;
};

static struct nvme_mptcp_snapshot *own;
static char nowhere[] = "there-is-none";
static const char *const portals[] = { "10.1.1.1", NULL };

/* Each returns 0, or errno, of a call that ends without waiting for anybody. */
static int taken(int err)
{
	return err ? errno : 0;
}

#define CALL(caller, member, function, result_t, release) \
	static int call_##caller(const union args *args) \
	{ \
		result_t result = NULL; \
		int err = taken(function(&args->member, &result)); \
\
		release(result); \
		return err; \
	} \
	_Static_assert(true, "")

CALL(check, check, nvme_mptcp_check, nvme_mptcp_findings_t, nvme_mptcp_findings_free);
CALL(look, keeper, nvme_mptcp_keeper_look, nvme_mptcp_keeper_t, nvme_mptcp_keeper_close);
CALL(repair, repair, nvme_mptcp_repair, nvme_mptcp_plan_t, nvme_mptcp_plan_free);
CALL(setup, setup, nvme_mptcp_setup, nvme_mptcp_plan_t, nvme_mptcp_plan_free);
CALL(try, trial, nvme_mptcp_try, nvme_mptcp_trial_t, nvme_mptcp_trial_free);

static int call_keep(const union args *args)
{
	const struct nvme_mptcp_keeper_args where = { .args_size = sizeof(where) };
	nvme_mptcp_keeper_t keeper = NULL;
	nvme_mptcp_plan_t plan = NULL;
	int err;

	assert_int_equal(nvme_mptcp_keeper_look(&where, &keeper), 0);
	err = taken(nvme_mptcp_keeper_plan(keeper, &args->keep, &plan));
	nvme_mptcp_plan_free(plan);
	nvme_mptcp_keeper_close(keeper);
	return err;
}

static int call_metrics(const union args *args)
{
	char *text = nvme_mptcp_metrics(&args->metrics);
	int err = taken(!text);

	/* What a shorter one does not have is as if nothing was asked for. */
	if (text)
		assert_int_equal(*text, '#');
	free(text);
	return err;
}

static int call_report(const union args *args)
{
	char *text = nvme_mptcp_report(&args->report);
	int err = taken(!text);

	/* Not indented. */
	if (text)
		assert_memory_equal(text, "{\"", 2);
	free(text);
	return err;
}

/* Of no side, nothing is tried. */
static int call_setup_try(const union args *args)
{
	nvme_mptcp_trial_t trial = NULL;
	int err = taken(nvme_mptcp_setup_try(&args->setup, &trial));

	assert_null(trial);
	return err;
}

#define SIZE(member) sizeof(((union args *)0)->member)
#define FORM(member, caller, result, ...) \
	{ \
		.name = #caller, .size = SIZE(member), \
		.at = offsetof(union args, member.args_size), .call = call_##caller, \
		.known = result, .args.member = { \
			__VA_ARGS__ \
		} \
	}

static const struct form {
	const char *name;
	size_t size, at;
	int (*call)(const union args *args);
	int known; /* what comes of one that is taken */
	union args args;
} forms[] = {
	FORM(check, check, 0, .args_size = 0),
	FORM(keep, keep, 0, .traddrs = NULL),
	FORM(keeper, look, ENOENT, .netns = "there-is-none"),
	FORM(metrics, metrics, 0, .args_size = 0),
	FORM(repair, repair, 0, .args_size = 0),
	FORM(report, report, 0, .args_size = 0),
	FORM(setup, setup, ENOENT, .traddrs = portals),
	FORM(setup, setup_try, 0, .traddrs = portals),
	FORM(trial, try, ENOENT, .netns = "there-is-none", .traddr = "10.1.1.1"),
};

/* What the call makes of @size bytes, the last of which, beyond the structure, are @more. */
static int give(const struct form *form, size_t size, int more)
{
	const size_t room = size > form->at + sizeof(int) ? size : form->at + sizeof(int);
	unsigned char *bytes = malloc(room); /* exactly: the sanitizer watches its end */
	const int args_size = (int)size;
	int ret;

	assert_non_null(bytes);
	memset(bytes, more, room);
	memcpy(bytes, &form->args, room < form->size ? room : form->size);
	memcpy(bytes + form->at, &args_size, sizeof(args_size));
	if (form->call != call_keep && form->call != call_look && form->call != call_try)
		memcpy(bytes, &own, sizeof(own));
	own->netns = form->call == call_setup ? nowhere : NULL;
	ret = form->call((const union args *)(const void *)bytes);
	own->netns = NULL;
	free(bytes);
	return ret;
}

TEST(an_earlier_one_is_filled_up)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		for (size_t size = forms[i].at + sizeof(int); size <= forms[i].size; size++) {
			print_message("%s with %zu of %zu bytes\n", forms[i].name, size,
				      forms[i].size);
			assert_int_equal(give(&forms[i], size, 0), forms[i].known);
		}
}

TEST(a_later_one_is_taken_if_it_asks_for_no_more)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		print_message("%s\n", forms[i].name);
		assert_int_equal(give(&forms[i], forms[i].size + LATER, 0), forms[i].known);
		assert_int_equal(give(&forms[i], forms[i].size + LATER, 1), E2BIG);
		assert_int_equal(give(&forms[i], 1 << 20, 0), E2BIG);
	}
}

TEST(one_that_was_never_is_refused)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		print_message("%s\n", forms[i].name);
		assert_int_equal(give(&forms[i], forms[i].at + sizeof(int) - 1, 0), EINVAL);
		assert_int_equal(give(&forms[i], 0, 0), EINVAL);
	}
}

/* Begins what nvme_mptcp_error() has for @err with @expected? */
static void expect_sentence(int err, const char *expected)
{
	const char *text = nvme_mptcp_error(err);

	if (strncmp(text, expected, strlen(expected)) != 0)
		fail_msg("\"%s\" is not \"%s...\"", text, expected);
}

static void *fail_elsewhere(void *arg)
{
	const union args args = { .trial.traddr = "other", .trial.args_size = sizeof(args.trial) };

	assert_int_equal(call_try(&args), EINVAL);
	expect_sentence(EINVAL, "traddr=other: an IP address is needed");
	return arg;
}

TEST(what_is_refused_has_a_sentence)
{
	static const char *const mixed[] = { "10.1.1.1", "fd00::1", NULL };
	static const char *const nobody[] = { "nosuch0", NULL };
	static const struct {
		int (*call)(const union args *args);
		union args args;
		int err;
		const char *text;
	} cases[] = {
#define CASE(call, member, err, text, ...) \
	{ call, { .member = { __VA_ARGS__, .args_size = SIZE(member) } }, err, text }
		CASE(call_try, trial, EINVAL, "trsvcid=0: a port from 1 to 65535 is needed",
		     .traddr = "10.1.1.1", .trsvcid = "0"),
		CASE(call_try, trial, ENOENT,
		     "network namespace there-is-none: No such file or directory (ip netns",
		     .traddr = "10.1.1.1", .netns = "there-is-none"),
		CASE(call_look, keeper, EINVAL,
		     "network namespace /dev/null: not a network namespace (ip netns",
		     .netns = "/dev/null"),
		CASE(call_setup, setup, EINVAL,
		     "traddr=10.1.1.1,fd00::1: all must be IP addresses of one family",
		     .role = NVME_MPTCP_ROLE_HOST, .traddrs = mixed),
		CASE(call_setup, setup, EINVAL, "role=0: ", .role = 0),
		CASE(call_repair, repair, ENODEV,
		     "dev=nosuch0: no such network interface (ip link lists them)",
		     .devices = nobody),
		CASE(call_check, check, EINVAL, "trsvcid=4420: a port without an address",
		     .trsvcid = "4420"),
		CASE(call_check, check, EINVAL, "trsvcid=70000: a port from 1 to 65535 is needed",
		     .traddr = "10.1.1.1", .trsvcid = "70000"),
		CASE(call_check, check, EINVAL, "role=7: unknown side", .role = 7),
		CASE(call_metrics, metrics, EINVAL, "format=9: unknown format", .format = 9),
		{ call_report, { .report.args_size = 1 }, EINVAL, "args_size=1: smaller than any" },
	};
	pthread_t other;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		union args args = cases[i].args;

		if (cases[i].call != call_try && cases[i].call != call_look)
			args.report.snap = own;
		assert_int_equal(cases[i].call(&args), cases[i].err);
		expect_sentence(cases[i].err, cases[i].text);
		/* Another errno was left by something else. */
		assert_string_equal(nvme_mptcp_error(EXDEV), strerror(EXDEV));
	}
	assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, NULL), 0);
	pthread_join(other, NULL);
	expect_sentence(EINVAL, "args_size=1: smaller than any");
}

static int begin(void **state)
{
	fake_sysfs_begin();
	fake_subsystem(0, FAKE_NQN);
	fake_fabrics(0, 0, "mptcp", STANDIN_ADDRESS, FAKE_NQN);
	own = clean_host();
	return own ? 0 : -1;
}

static int end(void **state)
{
	nvme_mptcp_snapshot_free(own);
	fake_sysfs_end();
	return 0;
}

ALL_TESTS(begin, end)
