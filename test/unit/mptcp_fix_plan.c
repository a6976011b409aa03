/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands of findings that come from a plan: limits that this or another kernel takes, and no doubles. */
#include "mptcp/plan/setup.h"
#include "mptcp_findings.h"

static char printed[4096];
static struct planner planner; /* what setup would ask; without .lead there is no plan */

/* Each link leads to each target, by a route of its own. */
static enum link_reach reach(struct planner *p, const struct in6_addr *src, int ifindex,
			     const struct in6_addr *dst)
{
	if (address_equal(dst, link_external_address(address_is_v4(dst))))
		return LINK_REACH_NONE;
	return link_network_has(p->snap, ifindex, dst) ? LINK_REACH_ON_LINK : LINK_REACH_GATEWAY;
}

static int connect_route(struct planner *p, const struct in6_addr *dst, struct route_answer *ret)
{
	*ret = (struct route_answer){ .ifindex = 1, .hop = *dst };
	return 0;
}

static int64_t speed(struct planner *p, const struct nvme_mptcp_link *link)
{
	return NVME_MPTCP_UNKNOWN;
}

static int answer_plan(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
		       nvme_mptcp_plan_t *ret)
{
	const struct nvme_mptcp_setup_args args = {
		.snap = c->snap, .traddrs = traddrs, .args_size = sizeof(args), .role = role
	};

	planner.snap = c->snap;
	return planner.reach ? plan_setup(&planner, &args, ret) : -EPERM;
}

static int begin(void **state)
{
	planner = (struct planner){
		.reach = reach, .connect_route = connect_route, .speed = speed, .limit_max = 8
	};
	return 0;
}

/* Runs the rules, and keeps their commands in @printed: a line each, behind its side. */
static void print_fixes(struct check *c, struct nvme_mptcp_snapshot *snap, const char *traddr,
			enum nvme_mptcp_role role)
{
	struct nvme_mptcp_findings *findings;
	struct check_ops planning = ops;
	size_t n = 0;

	planning.plan = answer_plan;
	findings = run_rules(c, snap, &planning, traddr, role);
	assert_int_equal(fix_remove_duplicates(findings), 0);
	printed[0] = '\0';
	nvme_mptcp_for_each_finding(findings, f) {
		enum nvme_mptcp_role side;
		const char *command;

		for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++)
			n += (size_t)snprintf(printed + n, sizeof(printed) - n, "%s %s\n",
					      nvme_mptcp_role_name(side), command);
	}
	assert_true(n < sizeof(printed));
	end_rules(c, findings, snap);
}

static void print_host(struct nvme_mptcp_snapshot *snap)
{
	struct check c = {};

	print_fixes(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO);
}

static void expect_line(const char *line)
{
	const char *at = strstr(printed, line);

	if (!at || (at != printed && at[-1] != '\n') || at[strlen(line)] != '\n')
		fail_msg("not printed: %s\nbut:\n%s", line, printed);
}

static void expect_no(const char *part)
{
	if (strstr(printed, part))
		fail_msg("printed: %s\nin:\n%s", part, printed);
}

/* A host with nothing but links. */
static struct nvme_mptcp_snapshot *bare_host(void)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	snap->n_endpoints = 0;
	snap->n_subflows = 0;
	for (uint32_t token = 1; token <= 2; token++)
		add_subflow(snap, token, 1);
	set_conn_value(snap, NVME_MPTCP_CONN_EXTRA_SUBFLOWS, 0);
	snap->limit_subflows = 0;
	snap->limit_add_addr_accepted = 0;
	return snap;
}

/* The trial reached the second link by an announced address: an endpoint there would double it. */
TEST(no_endpoint_where_the_trial_joined)
{
	struct nvme_mptcp_snapshot *snap = bare_host();
	struct nvme_mptcp_event closed;
	struct nvme_mptcp_trial trial = trial_of_closed_join(snap, EHOSTUNREACH, &closed);
	struct nvme_mptcp_subflow joined[2];
	struct nvme_mptcp_connection conn = snap->connections[0];
	struct check c = { .trial = &trial };

	joined[0] = joined[1] = snap->subflows[0];
	joined[0].link = &snap->links[0];
	joined[1].link = &snap->links[1];
	joined[1].remote.ip = ip("10.1.2.1");
	conn.subflows = joined;
	conn.n_subflows = 2;
	trial.conn = &conn;
	trial.n_events = 0;
	trial.expected = trial.established = 2;
	print_fixes(&c, snap, "10.1.1.1", NVME_MPTCP_ROLE_HOST);
	assert_non_null(strstr(printed, "endpoint add 10.1.3.2 dev eth3"));
	expect_no("dev eth2");
}

/* A host whose endpoint goes to each of twelve announced addresses, of a kernel that takes @max. */
static void print_little_room(int64_t limit, uint32_t max)
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	planner.reach = NULL;
	kernel.limit_max = max;
	snap->limit_subflows = limit;
	snap->endpoints[0].flags |= NVME_MPTCP_ENDPOINT_FULLMESH;
	set_conn_value(snap, NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED, 12);
	print_host(snap);
}

/* Some kernels refuse more than 8. */
TEST(limits_that_the_kernel_takes)
{
	print_little_room(4, 64);
	expect_line("host ip mptcp limits set subflows 14");
	print_little_room(4, 8);
	expect_line("host ip mptcp limits set subflows 8");
	/* Nothing that could be raised, and nothing to try again. */
	print_little_room(8, 8);
	expect_no("limits");
	expect_no("repair");
	/* Not known here: whoever sets it up may ask. */
	print_little_room(8, 0);
	expect_no("limits");
	expect_line("host nvme mptcp setup --role host --traddr 10.1.1.1 --apply");
}

static void target_that_rejects(int64_t limit, uint32_t max)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);

	planner.reach = NULL;
	kernel.limit_max = max;
	snap->limit_subflows = limit;
	count(snap, "MPTcpExt", "MPJoinRejected", 1);
	print_fixes(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET);
}

TEST(limits_that_are_more_than_now)
{
	target_that_rejects(2, 8);
	expect_line("target ip mptcp limits set subflows 8");
	target_that_rejects(8, 64);
	expect_line("target ip mptcp limits set subflows 16");
	target_that_rejects(8, 8);
	expect_no("limits");
}

EACH_TEST(begin, NULL)
