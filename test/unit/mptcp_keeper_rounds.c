// SPDX-License-Identifier: LGPL-2.1-or-later
/* When the keeper makes a round and what it leaves to others, by a clock and a machine that are made up. */
#include <sys/epoll.h>
#include <unistd.h>

#include "mptcp/plan/keeper-kernel.h"
#include "mptcp_planned.h"

#define SECOND 1000LL
#define MINUTE (60 * SECOND)

/* The machine: one endpoint is wanted, on the address of eth1. */
static struct {
	int64_t now;
	bool is_there;
	bool relays;
	int64_t limit;
	int refusal; /* -errno of what is planned or applied */
	bool applies; /* that is of the latter only */
	bool hears; /* something happened since it was asked */
	unsigned int inspections;
} world;

static char directory[] = "/tmp/nvme-keeper-XXXXXX";

static int64_t clock_of(void *arg)
{
	assert_ptr_equal(arg, &world);
	return world.now;
}

static int enter(const char *netns, struct keep_lock *lock, pid_t *holder, uint64_t *cookie)
{
	*cookie = 7;
	return 0;
}

static void fill(struct nvme_mptcp_snapshot *snap)
{
	snap->limit_subflows = world.limit;
	if (world.relays) {
		snap->relay = calloc(1, sizeof(*snap->relay));
		assert_non_null(snap->relay);
	}
	if (world.is_there)
		new_endpoint(snap, 1, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
}

static int take(const char *netns, struct nvme_mptcp_snapshot **ret)
{
	*ret = machine(2);
	fill(*ret);
	return 0;
}

static int sample_subflows(const char *netns, const struct keep_poll *pulse,
			   struct subflow_samples *ret, enum subflow_activity *found)
{
	*ret = (struct subflow_samples){};
	*found = SUBFLOWS_IDLE;
	return 0;
}

static int act(struct nvme_mptcp_plan *plan)
{
	return 0;
}

static int inspect(const char *netns, struct nvme_mptcp_snapshot *ret)
{
	world.inspections++;
	ret->limit_add_addr_accepted = 0;
	fill(ret);
	return 0;
}

static int learn(const char *netns, const struct nvme_mptcp_snapshot *snap,
		 struct plan_known *known)
{
	return 0;
}

static int start_listening(const char *netns, struct notices *ret)
{
	*ret = (struct notices){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
	return 0;
}

static int read_notices(struct notices *notices, void (*fn)(const struct notice *notice, void *arg),
			void *arg)
{
	const struct notice address = { .kind = NOTICE_ADDRESS, .ifindex = 2 };

	if (world.hears)
		fn(&address, arg);
	world.hears = false;
	return 0;
}

static int plan_round(struct keep_round *r)
{
	struct endpoint_spec spec = { .ip = ip("10.1.1.2"),
				      .flags = NVME_MPTCP_ENDPOINT_SUBFLOW,
				      .ifindex = 1,
				      .device = "eth1" };

	if (world.refusal && !world.applies)
		return world.refusal;
	r->role = NVME_MPTCP_ROLE_HOST;
	r->again = KEEP_NEVER;
	r->plan = plan_new(r->snap, r->role, NVME_MPTCP_METHOD_SUBFLOW);
	if (!world.is_there)
		assert_non_null(plan_step(r->plan, STEP_ADD, NULL, &spec, "It is wanted"));
	keep_plan_filter(r);
	return 0;
}

static int apply_plan(struct nvme_mptcp_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps && !world.refusal && !plan->is_stale; i++) {
		plan->steps[i].state = NVME_MPTCP_STEP_DONE;
		world.is_there = plan->steps[i].action == STEP_ADD;
	}
	return world.refusal;
}

static int64_t used(void)
{
	return 0;
}

static const struct keeper_ops ops = {
	.enter = enter,
	.take = take,
	.inspect = inspect,
	.learn = learn,
	.listen = start_listening,
	.read_notices = read_notices,
	.plan = plan_round,
	.take_fast = take,
	.act = act,
	.sample_subflows = sample_subflows,
	.apply = apply_plan,
	.used = used,
};

static nvme_mptcp_keeper_t begin(void)
{
	const struct nvme_mptcp_keeper_args args = { .state_dir = directory,
						     .clock = clock_of,
						     .clock_arg = &world,
						     .args_size = sizeof(args) };
	nvme_mptcp_keeper_t k = NULL;
	pid_t holder = 0;

	assert_int_equal(keeper_open(&args, &ops, &k, &holder), 0);
	return k;
}

static int set_up(void **state)
{
	memset(&world, 0, sizeof(world));
	world.now = 1000 * SECOND;
	world.limit = 2;
	*state = begin();
	return nvme_mptcp_keeper_listen(*state) < 0;
}

static int tear_down(void **state)
{
	unlink(nvme_mptcp_keeper_file(*state));
	nvme_mptcp_keeper_close(*state);
	return 0;
}

/* A round as a program makes it: how many steps it had, or -errno. */
static int make_round(nvme_mptcp_keeper_t k)
{
	const struct nvme_mptcp_keep_args args = { .args_size = sizeof(args) };
	nvme_mptcp_plan_t plan = NULL;
	int ret;

	if (nvme_mptcp_keeper_plan(k, &args, &plan))
		return -errno;
	ret = (int)plan->n_steps;
	if (ret && nvme_mptcp_keeper_apply(k, plan))
		ret = -errno;
	nvme_mptcp_plan_free(plan);
	return ret;
}

static void happen(nvme_mptcp_keeper_t k)
{
	world.hears = true;
	assert_int_equal(nvme_mptcp_keeper_read(k), 0);
}

static void after(nvme_mptcp_keeper_t k, int64_t ms)
{
	world.now += ms;
	assert_int_equal(nvme_mptcp_keeper_read(k), 0);
}

TEST(the_first_round_is_due_at_once)
{
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 0);
	assert_int_equal(make_round(*state), 1);
	assert_true(world.is_there);
	/* Until the subflows of it are there. */
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 2500);
	after(*state, 2500);
	assert_int_equal(make_round(*state), 0);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 20 * SECOND);
}

TEST(what_happens_is_waited_out)
{
	world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	happen(*state);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), SECOND);
	world.now += 900;
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 100);
	happen(*state);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), SECOND);
	/* What never rests is looked at five seconds after it began. */
	for (int i = 0; i < 4; i++) {
		world.now += 900;
		happen(*state);
	}
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 500);
	world.now += 500;
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 0);
}

TEST(pauses_grow_with_failures)
{
	static const int64_t pauses[] = { 2, 4, 8, 16, 32, 60, 60 };

	world.refusal = -EPERM;
	/* The listener's look is none of it. */
	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		const int64_t pause = pauses[i] * SECOND;

		assert_int_equal(make_round(*state), -EPERM);
		happen(*state);
		world.now += pause - 1;
		assert_int_not_equal(nvme_mptcp_keeper_wait(*state), 0);
		world.now++;
		assert_int_equal(nvme_mptcp_keeper_wait(*state), 0);
	}
	assert_int_equal(make_round(*state), -EPERM);
	nvme_mptcp_keeper_forgive(*state);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), SECOND);
	world.refusal = 0;
	world.now += SECOND;
	assert_int_equal(make_round(*state), 1);
	/* And it begins with the shortest again. */
	world.refusal = -EPERM;
	assert_int_equal(make_round(*state), -EPERM);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 2 * SECOND);
	/* To plan what failed once more is no success; that nothing is left to do is one. */
	world.applies = true;
	for (int i = 0; i < 3; i++) {
		world.is_there = i == 1;
		assert_int_equal(make_round(*state), world.is_there ? 0 : -EPERM);
		assert_true(i == 1 || nvme_mptcp_keeper_wait(*state) == (i ? 2 : 4) * SECOND);
	}
}

TEST(endpoints_and_relays_are_looked_at)
{
	world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	after(*state, 20 * SECOND - 1);
	assert_int_equal(world.inspections, 0);
	after(*state, 1);
	assert_int_equal(world.inspections, 1);
	/* As they were: the next look is due, and no round. */
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 20 * SECOND);
	world.limit++;
	after(*state, 20 * SECOND);
	assert_int_equal(world.inspections, 2);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), SECOND);
	assert_int_equal(make_round(*state), 0);
	world.relays = true;
	after(*state, 20 * SECOND);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), SECOND);
	assert_int_equal(make_round(*state), 0);
	world.is_there = false;
	after(*state, 20 * SECOND);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), SECOND);
}

static int round_after(nvme_mptcp_keeper_t k, int64_t ms)
{
	world.now += ms;
	return make_round(k);
}

/* Somebody deletes what it made: how many steps its next round has. */
static int lose(nvme_mptcp_keeper_t k, int64_t ms)
{
	assert_int_equal(round_after(k, ms), 0);
	world.is_there = false;
	return make_round(k);
}

TEST(a_fight_is_left_for_a_while)
{
	assert_int_equal(make_round(*state), 1);
	/* Once may be a mistake, and twice in a minute is none. */
	assert_int_equal(lose(*state, 10 * SECOND), 1);
	assert_int_equal(lose(*state, 10 * SECOND), 0);
	assert_int_equal(round_after(*state, MINUTE - 1), 0);
	assert_int_equal(round_after(*state, 1), 1);
	/* They do it again: twice as long. */
	assert_int_equal(lose(*state, 10 * SECOND), 0);
	assert_int_equal(round_after(*state, 2 * MINUTE - 1), 0);
	assert_int_equal(round_after(*state, 1), 1);
	/* The administrator knows better. */
	assert_int_equal(lose(*state, 10 * SECOND), 0);
	nvme_mptcp_keeper_forgive(*state);
	assert_int_equal(make_round(*state), 1);
}

static int make_directory(void **state)
{
	return !mkdtemp(directory);
}

static int remove_directory(void **state)
{
	return rmdir(directory);
}

EACH_TEST(set_up, tear_down)
ALL_TESTS(make_directory, remove_directory)
