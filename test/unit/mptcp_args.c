// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structures of arguments of programs that were built against an earlier or a later header. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <libnvme.h>
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

static int call_check(const union args *args)
{
	nvme_mptcp_findings_t findings = NULL;
	int err = taken(nvme_mptcp_check(&args->check, &findings));

	nvme_mptcp_findings_free(findings);
	return err;
}

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

static int call_look(const union args *args)
{
	nvme_mptcp_keeper_t keeper = NULL;

	assert_int_equal(nvme_mptcp_keeper_look(&args->keeper, &keeper), -1);
	return errno;
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

static int call_repair(const union args *args)
{
	nvme_mptcp_plan_t plan = NULL;
	int err = taken(nvme_mptcp_repair(&args->repair, &plan));

	nvme_mptcp_plan_free(plan);
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

static int call_setup(const union args *args)
{
	nvme_mptcp_plan_t plan = NULL;

	assert_int_equal(nvme_mptcp_setup(&args->setup, &plan), -1);
	return errno;
}

/* Of no side, nothing is tried. */
static int call_setup_try(const union args *args)
{
	nvme_mptcp_trial_t trial = NULL;
	int err = taken(nvme_mptcp_setup_try(&args->setup, &trial));

	assert_null(trial);
	return err;
}

static int call_try(const union args *args)
{
	nvme_mptcp_trial_t trial = NULL;

	assert_int_equal(nvme_mptcp_try(&args->trial, &trial), -1);
	return errno;
}

#define FORM(member, caller, result, ...) \
	{ \
		.name = #caller, .size = sizeof(((union args *)0)->member), \
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
	static const char *const rules[] = { "Z99", NULL };
	static const struct {
		int (*call)(const union args *args);
		union args args;
		int err;
		const char *text;
	} cases[] = {
		{ call_try,
		  { .trial = { .traddr = "disk",
			       .args_size = sizeof(struct nvme_mptcp_trial_args) } },
		  EINVAL,
		  "traddr=disk: an IP address is needed" },
		{ call_try,
		  { .trial = { .traddr = "10.1.1.1",
			       .trsvcid = "0",
			       .args_size = sizeof(struct nvme_mptcp_trial_args) } },
		  EINVAL,
		  "trsvcid=0: a port from 1 to 65535 is needed" },
		{ call_try,
		  { .trial = { .traddr = "10.1.1.1",
			       .netns = "there-is-none",
			       .args_size = sizeof(struct nvme_mptcp_trial_args) } },
		  ENOENT,
		  "network namespace there-is-none: No such file or directory (ip netns" },
		{ call_look,
		  { .keeper = { .netns = "/dev/null",
				.args_size = sizeof(struct nvme_mptcp_keeper_args) } },
		  EINVAL,
		  "network namespace /dev/null: not a network namespace (ip netns" },
		{ call_setup,
		  { .setup = { .role = NVME_MPTCP_ROLE_HOST,
			       .traddrs = mixed,
			       .args_size = sizeof(struct nvme_mptcp_setup_args) } },
		  EINVAL,
		  "traddr=10.1.1.1,fd00::1: all must be IP addresses of one family" },
		{ call_setup,
		  { .setup = { .role = NVME_MPTCP_ROLE_TARGET,
			       .devices = nobody,
			       .args_size = sizeof(struct nvme_mptcp_setup_args) } },
		  ENODEV,
		  "dev=nosuch0: no such network interface (ip link lists them)" },
		{ call_setup,
		  { .setup.args_size = sizeof(struct nvme_mptcp_setup_args) },
		  EINVAL,
		  "role=0: " },
		{ call_repair,
		  { .repair = { .devices = nobody,
				.args_size = sizeof(struct nvme_mptcp_repair_args) } },
		  ENODEV,
		  "dev=nosuch0: no such network interface (ip link lists them)" },
		{ call_check,
		  { .check = { .ignore = rules,
			       .args_size = sizeof(struct nvme_mptcp_check_args) } },
		  EINVAL,
		  "ignore: unknown rule Z99" },
		{ call_check,
		  { .check = { .trsvcid = "4420",
			       .args_size = sizeof(struct nvme_mptcp_check_args) } },
		  EINVAL,
		  "trsvcid=4420: a port without an address" },
		{ call_metrics,
		  { .metrics = { .format = 9,
				 .args_size = sizeof(struct nvme_mptcp_metrics_args) } },
		  EINVAL,
		  "format=9: unknown format" },
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
	fake_fabrics(0, 0, "mptcp",
		     "traddr=" STANDIN_PORTAL ",trsvcid=4420,src_addr=" STANDIN_SOURCE, FAKE_NQN);
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
