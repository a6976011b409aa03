/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the rules on simulated machines, and compares what they find. */
#pragma once

#include "mptcp_machine.h"

/* It is read alone, in a log or in JSON: a sentence that begins with what it is about. */
static inline void assert_begins_with_subject(const char *why)
{
	static const char *const words[] = { "It", "Its", "They", "Their", "There" };

	assert_true(strlen(why) > 20);
	/* Names of services are as they are. */
	if (*why >= 'a' && *why <= 'z' && strncmp(why, "mptcpd ", strlen("mptcpd ")))
		fail_msg("begins in the middle of a sentence: %s", why);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i]);

		if (!strncmp(why, words[i], length) && why[length] == ' ')
			fail_msg("begins without its subject: %s", why);
	}
}

static inline struct nvme_mptcp_findings *run_rules_on(struct check *c,
						       struct nvme_mptcp_snapshot *snap,
						       const struct check_ops *kernel_ops,
						       const char *traddr,
						       enum nvme_mptcp_role role)
{
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));

	c->snap = snap;
	c->findings = findings;
	c->ops = kernel_ops;
	assert_int_equal(check_prepare(c, traddr, NULL, role), 0);
	assert_int_equal(check_run(c), 0);
	return findings;
}

/* Runs all rules over a snapshot as if it had just been taken; the findings are the caller's. */
static inline struct nvme_mptcp_findings *run_rules(struct check *c,
						    struct nvme_mptcp_snapshot *snap,
						    const struct check_ops *kernel_ops,
						    const char *traddr, enum nvme_mptcp_role role)
{
	cover(snap);
	return run_rules_on(c, snap, kernel_ops, traddr, role);
}

/* The same without sums of subflows, which rules about endpoints do not need. */
static inline struct nvme_mptcp_findings *run_rules_of_endpoints(struct check *c,
								 struct nvme_mptcp_snapshot *snap,
								 enum nvme_mptcp_role role)
{
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	return run_rules_on(c, snap, &ops, NULL, role);
}

static inline void end_rules(struct check *c, nvme_mptcp_findings_t findings,
			     nvme_mptcp_snapshot_t snap)
{
	nvme_mptcp_findings_free(findings);
	nvme_mptcp_snapshot_free(c->before);
	check_clear(c);
	nvme_mptcp_snapshot_free(snap);
}

/* A program that has the commands under another name can run what is printed, as a shell gets it. */
static inline void assert_is_runnable(const char *command)
{
	static const char *const programs[] = {
		"another ",  "echo ",  "ethtool ",	"grep ",    "ip ",	   "ln ",
		"modprobe ", "mount ", "nft ",		"nsenter ", "nvme reset ", "ping ",
		"rm ",	     "sh -c ", "sudo another ", "sysctl ",  "systemctl ",  "tc ",
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (!strncmp(command, programs[i], strlen(programs[i])))
			return;
	fail_msg("no program of that name: %s", command);
}

static inline void assert_names_its_program(const char *text)
{
	assert_null(strstr(text, "nvme mptcp"));
	assert_null(strstr(text, "nvme connect"));
}

/* Runs the rules; @expected are the ids that must come out, in the order of severity. */
static inline void expect_with(struct check *c, struct nvme_mptcp_snapshot *snap,
			       const char *traddr, enum nvme_mptcp_role role, const char *expected)
{
	struct nvme_mptcp_findings *findings;
	enum nvme_mptcp_role side;
	const char *command;
	char got[256] = "";
	size_t n = 0;

	nvme_mptcp_set_command("another");
	findings = run_rules(c, snap, &ops, traddr, role);
	nvme_mptcp_set_command(NULL);
	nvme_mptcp_for_each_finding(findings, f) {
		assert_non_null(nvme_mptcp_finding_subject(f));
		/* Its rule's title stands where a finding says nothing of its own. */
		if (!f->why)
			fail_msg("%s does not say why", nvme_mptcp_finding_rule(f));
		assert_begins_with_subject(nvme_mptcp_finding_why(f));
		assert_names_its_program(nvme_mptcp_finding_why(f));
		for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++) {
			assert_names_its_program(command);
			assert_is_runnable(command);
		}
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", n ? " " : "",
				      nvme_mptcp_finding_rule(f));
	}
	assert_string_equal(got, expected);
	end_rules(c, findings, snap);
}

/* A trial of a clean host whose join by the third link was closed with @err: @closed is its event. */
static inline struct nvme_mptcp_trial trial_of_closed_join(const struct nvme_mptcp_snapshot *snap,
							   int64_t err,
							   struct nvme_mptcp_event *closed)
{
	*closed = (struct nvme_mptcp_event){ .type = NVME_MPTCP_EVENT_SUBFLOW_CLOSED,
					     .has_local = true,
					     .has_remote = true,
					     .local = { ip("10.1.3.2"), 40003 },
					     .remote = { ip("10.1.1.1"), 4420 } };
	for (int i = 0; i < NVME_MPTCP_EVENT_VALUES; i++)
		closed->value[i] = NVME_MPTCP_UNKNOWN;
	closed->value[NVME_MPTCP_EVENT_ERROR] = err;
	closed->value[NVME_MPTCP_EVENT_IFINDEX] = 3;
	return (struct nvme_mptcp_trial){ .outcome = NVME_MPTCP_TRIAL_MPTCP,
					  .portal = snap->ctrls[0].portal,
					  .conn = &snap->connections[0],
					  .expected = 3,
					  .established = 2,
					  .has_events = true,
					  .events = closed,
					  .n_events = 1 };
}

static inline void expect(struct nvme_mptcp_snapshot *snap, const char *expected)
{
	struct check c = {};

	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, expected);
}

/* A clean host on which this is changed, and its findings. */
#define EXPECT_HOST(expected, ...) \
	do { \
		struct nvme_mptcp_snapshot *snap = clean_host(); \
		__VA_ARGS__; \
		expect(snap, expected); \
	} while (0)
#define EXPECT_TARGET(expected, ...) \
	do { \
		struct check c = {}; \
		struct nvme_mptcp_snapshot *snap = clean_target(&c); \
		__VA_ARGS__; \
		expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, expected); \
	} while (0)

/* The worst one. */
static inline nvme_mptcp_finding_t first(nvme_mptcp_findings_t findings, const char *rule,
					 enum nvme_mptcp_severity severity)
{
	nvme_mptcp_finding_t f = nvme_mptcp_finding_next(findings, NULL);

	assert_string_equal(nvme_mptcp_finding_rule(f), rule);
	assert_int_equal(nvme_mptcp_finding_severity(f), severity);
	return f;
}

/* Is this among what a finding rests on? */
static inline void expect_text(nvme_mptcp_finding_t f, const char *name, const char *expected)
{
	const char *key, *value;

	for (size_t i = 0; (key = nvme_mptcp_finding_evidence(f, i, &value)); i++)
		if (!strcmp(key, name)) {
			assert_string_equal(value, expected);
			return;
		}
	fail_msg("%s is no evidence", name);
}

/* The worst finding; what is not given is not compared. */
struct expected {
	const char *rule, *subject, *why, *part; /* of why */
	bool any_severity, only;
	enum nvme_mptcp_severity severity;
	size_t n_fixes;
	const char *fixes[4]; /* the first commands; "": there is none */
	enum nvme_mptcp_role side; /* on which they run */
	const char *evidence[2][2];
};

static inline void expect_finding(struct check *c, struct nvme_mptcp_snapshot *snap,
				  const char *traddr, enum nvme_mptcp_role role,
				  const struct expected *expected)
{
	struct nvme_mptcp_findings *findings = run_rules(c, snap, &ops, traddr, role);
	nvme_mptcp_finding_t f = nvme_mptcp_finding_next(findings, NULL);
	enum nvme_mptcp_role side;

	assert_non_null(f);
	if (expected->rule)
		assert_string_equal(nvme_mptcp_finding_rule(f), expected->rule);
	if (!expected->any_severity)
		assert_int_equal(nvme_mptcp_finding_severity(f), expected->severity);
	if (expected->only && nvme_mptcp_finding_next(findings, f))
		fail_msg("%s is found as well", nvme_mptcp_finding_rule(&findings->finding[1]));
	if (expected->subject)
		assert_string_equal(nvme_mptcp_finding_subject(f), expected->subject);
	if (expected->why)
		assert_string_equal(nvme_mptcp_finding_why(f), expected->why);
	if (expected->part)
		assert_non_null(strstr(nvme_mptcp_finding_why(f), expected->part));
	if (expected->n_fixes)
		assert_int_equal(f->n_fixes, expected->n_fixes);
	for (size_t i = 0; i < 2 && expected->evidence[i][0]; i++)
		expect_text(f, expected->evidence[i][0], expected->evidence[i][1]);
	for (size_t i = 0; i < 4 && expected->fixes[i]; i++) {
		const char *command = nvme_mptcp_finding_fix(f, i, &side);

		assert_string_equal(command ? command : "", expected->fixes[i]);
		if (command && expected->side)
			assert_int_equal(side, expected->side);
	}
	end_rules(c, findings, snap);
}

#define EXPECT_FINDING(c, snap, traddr, role, ...) \
	expect_finding(c, snap, traddr, role, &(const struct expected){ __VA_ARGS__ })
#define EXPECT_HOST_FINDING(snap, ...) \
	do { \
		struct check own = {}; \
		EXPECT_FINDING(&own, snap, NULL, NVME_MPTCP_ROLE_HOST, __VA_ARGS__); \
	} while (0)
