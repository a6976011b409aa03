// SPDX-License-Identifier: LGPL-2.1-or-later
/* When the keeper makes a round and what it leaves to others, by a clock and a machine that are made up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/pause.h"
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
	bool is_connected; /* by eth1 and eth2, to a port of this target */
	bool is_dead; /* eth1 */
	bool tells; /* the kernel does, of that link */
	unsigned int deeds;
	bool renews; /* there is a step that has to do with nothing else */
	bool dies; /* eth1, while a round is in a pause, if it is alive */
	unsigned int plans;
	enum subflow_pulse pulse;
	unsigned int looks; /* at subflows */
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
		add_endpoint(snap, 1, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
}

static void connect_hosts(struct nvme_mptcp_snapshot *snap)
{
	struct nvme_mptcp_connection *conn =
		array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

	assert_non_null(conn);
	conn->token = 5;
	conn->has_token = true;
	conn->state = STATE_ESTABLISHED;
	conn->local.port = 4420;
	for (int i = 1; i <= 2; i++) {
		struct nvme_mptcp_subflow *sf =
			array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));

		assert_non_null(sf);
		sf->token = 5;
		sf->has_token = true;
		sf->state = STATE_ESTABLISHED;
		sf->family = AF_INET;
		sf->ifindex = i;
		sf->local.ip = numbered(V4, i);
		if (i == 1 && world.pulse == SUBFLOWS_SILENT) {
			sf->value[NVME_MPTCP_TIMEOUTS] = sf->value[NVME_MPTCP_UNACKED] = 1;
			sf->value[NVME_MPTCP_LAST_ACK_RECV_MS] = 810;
			sf->value[NVME_MPTCP_LAST_DATA_RECV_MS] = 810;
		}
	}
	assert_int_equal(snapshot_join(snap), 0);
	snap->other.first = snap->connections;
}

static int take(const char *netns, struct nvme_mptcp_snapshot **ret)
{
	*ret = machine(2);
	fill(*ret);
	if (world.is_dead)
		(*ret)->links[0].flags = IFF_UP;
	if (world.is_connected)
		connect_hosts(*ret);
	return 0;
}

static int glance(const char *netns, struct nvme_mptcp_snapshot **ret)
{
	return take(netns, ret);
}

static int feel(const char *netns, const struct keep_pulse *pulse, struct subflow_beats *ret,
		enum subflow_pulse *found)
{
	assert_int_equal(pulse->places.ports[0], 4420);
	assert_true(pulse->places.is_local);
	assert_true(pulse->places.has_v4);
	assert_false(pulse->places.has_v6);
	world.looks++;
	*ret = (struct subflow_beats){};
	*found = world.pulse;
	return 0;
}

static int act(struct nvme_mptcp_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		plan->steps[i].state = NVME_MPTCP_STEP_DONE;
		world.is_there = plan->steps[i].action == STEP_ADD;
		world.deeds++;
	}
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

static int hear(struct notices *notices, void (*fn)(const struct notice *notice, void *arg),
		void *arg)
{
	const struct notice address = { .kind = NOTICE_ADDRESS, .ifindex = 2 };

	const struct notice link = { .kind = NOTICE_LINK,
				     .ifindex = 1,
				     .name = "eth1",
				     .flags = world.is_dead ? IFF_UP : UP };

	if (world.hears)
		fn(&address, arg);
	if (world.tells)
		fn(&link, arg);
	world.hears = world.tells = false;
	return 0;
}

/* A pause of a round, as the peers need it to see a removal. */
static void wait_for_peers(void)
{
	if (world.dies)
		world.is_dead = world.tells = true;
	world.dies = false;
	pause_for(1);
}

static int plan_round(struct keep_round *r)
{
	const struct pm_limits old = { 2, 0 }, new = { 4, 0 };
	struct endpoint_spec spec = { .ip = ip("10.1.1.2"),
				      .flags = NVME_MPTCP_ENDPOINT_SUBFLOW,
				      .ifindex = 1,
				      .device = "eth1" };

	if (world.refusal && !world.applies)
		return world.refusal;
	r->role = world.is_connected ? NVME_MPTCP_ROLE_TARGET : NVME_MPTCP_ROLE_HOST;
	r->again = KEEP_NEVER;
	r->plan = plan_new(r->snap, r->role, NVME_MPTCP_METHOD_SUBFLOW);
	if (!world.is_there)
		assert_non_null(plan_step(r->plan, STEP_ADD, NULL, &spec, "It is wanted"));
	else if (world.renews)
		plan_limits_step(r->plan, &old, &new, "A step");
	keep_plan_filter(r);
	world.plans++;
	if (!world.renews)
		wait_for_peers();
	return 0;
}

static int apply_plan(struct nvme_mptcp_plan *plan)
{
	wait_for_peers();
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
	.hear = hear,
	.plan = plan_round,
	.glance = glance,
	.act = act,
	.feel = feel,
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

/* Somebody deletes what it made: how many steps its next round has. */
static int lose(nvme_mptcp_keeper_t k, int64_t ms)
{
	world.now += ms;
	assert_int_equal(make_round(k), 0);
	world.is_there = false;
	return make_round(k);
}

TEST(a_fight_is_left_for_a_while)
{
	assert_int_equal(make_round(*state), 1);
	/* Once may be a mistake, and twice in a minute is none. */
	assert_int_equal(lose(*state, 10 * SECOND), 1);
	assert_int_equal(lose(*state, 10 * SECOND), 0);
	world.now += MINUTE - 1;
	assert_int_equal(make_round(*state), 0);
	world.now += 1;
	assert_int_equal(make_round(*state), 1);
	/* They do it again: twice as long. */
	assert_int_equal(lose(*state, 10 * SECOND), 0);
	world.now += 2 * MINUTE - 1;
	assert_int_equal(make_round(*state), 0);
	world.now += 1;
	assert_int_equal(make_round(*state), 1);
	/* The administrator knows better. */
	assert_int_equal(lose(*state, 10 * SECOND), 0);
	nvme_mptcp_keeper_forgive(*state);
	assert_int_equal(make_round(*state), 1);
}

TEST(a_later_keeper_knows_what_was_made)
{
	const char *file = nvme_mptcp_keeper_file(*state);
	nvme_mptcp_plan_t plan = NULL;

	assert_memory_equal(file, directory, sizeof(directory) - 1);
	assert_string_equal(file + sizeof(directory) - 1, "/netns-7");
	assert_int_equal(make_round(*state), 1);
	nvme_mptcp_keeper_close(*state);
	*state = begin();
	assert_int_equal(nvme_mptcp_keeper_restore(*state, &plan), 0);
	assert_int_equal(plan->n_steps, 1);
	assert_int_equal(nvme_mptcp_keeper_apply(*state, plan), 0);
	assert_false(world.is_there);
	assert_int_equal(access(nvme_mptcp_keeper_file(*state), F_OK), -1);
	nvme_mptcp_plan_free(plan);
}

/* The kernel says that eth1 is dead, or is not. */
static void tell(nvme_mptcp_keeper_t k, bool is_dead)
{
	world.is_dead = is_dead;
	world.tells = true;
	assert_int_equal(nvme_mptcp_keeper_read(k), 0);
}

static size_t count_done(nvme_mptcp_keeper_t k)
{
	nvme_mptcp_plan_t done = nvme_mptcp_keeper_done(k);
	const size_t n = done ? done->n_steps : 0;

	nvme_mptcp_plan_free(done);
	return n;
}

/* Nothing rests, and nothing waits until it is quiet. */
TEST(a_dead_link_is_no_matter_of_rounds)
{
	world.is_connected = world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	happen(*state);
	assert_int_equal(world.deeds, 0);
	tell(*state, true);
	assert_int_equal(world.deeds, 1);
	assert_false(world.is_there);
	assert_int_equal(count_done(*state), 1);
	assert_int_equal(count_done(*state), 0);
	assert_string_equal(nvme_mptcp_keeper_out(*state, 0), "eth1");
	assert_null(nvme_mptcp_keeper_out(*state, 1));
	/* A round does not put back what is out. */
	after(*state, SECOND);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 0);
	assert_int_equal(make_round(*state), 0);
	assert_false(world.is_there);
	/* What is heard of it goes on being so. */
	tell(*state, false);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), KEEP_CALM_MS);
	after(*state, KEEP_CALM_MS);
	assert_true(world.is_there);
	assert_int_equal(world.deeds, 2);
	assert_null(nvme_mptcp_keeper_out(*state, 0));
}

/* What happens in a pause of a round does not wait for its end. */
TEST(a_link_that_dies_meanwhile_is_no_matter_of_rounds)
{
	nvme_mptcp_plan_t done;

	world.is_connected = world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	/* While it is planned: what was planned is old then. */
	world.dies = true;
	world.plans = 0;
	assert_int_equal(make_round(*state), 0);
	assert_int_equal(world.plans, 2);
	assert_int_equal(world.deeds, 1);
	assert_false(world.is_there);
	tell(*state, false);
	after(*state, KEEP_CALM_MS);
	assert_true(world.is_there);
	/* While it is done: the steps that are left are another round's, which comes soon. */
	world.renews = world.dies = true;
	assert_int_equal(make_round(*state), 1);
	assert_int_equal(world.deeds, 3);
	assert_false(world.is_there);
	after(*state, SECOND);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), 0);
	/* All of it is told, in its order. */
	for (int i = 0; i < 3; i++) {
		done = nvme_mptcp_keeper_done(*state);
		assert_int_equal(done->n_steps, 1);
		assert_int_equal(done->steps[0].action, i == 1 ? STEP_ADD : STEP_DELETE);
		nvme_mptcp_plan_free(done);
	}
	assert_null(nvme_mptcp_keeper_done(*state));
}

/* It does not leave to nobody what it took out of use. */
TEST(one_that_ends_puts_back)
{
	world.is_connected = world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	assert_int_equal(nvme_mptcp_keeper_end(*state), 0);
	assert_int_equal(count_done(*state), 0);
	tell(*state, true);
	assert_int_equal(count_done(*state), 1);
	assert_int_equal(nvme_mptcp_keeper_end(*state), 0);
	assert_true(world.is_there);
	assert_int_equal(count_done(*state), 1);
	assert_null(nvme_mptcp_keeper_out(*state, 0));
}

/* Killed while the link was out, and started when it is back: before anything else is planned. */
TEST(a_later_keeper_puts_back_first)
{
	world.is_connected = world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	tell(*state, true);
	nvme_mptcp_keeper_close(*state);
	world.is_dead = false;
	*state = begin();
	assert_int_equal(make_round(*state), 0);
	assert_int_equal(world.deeds, 2);
	assert_true(world.is_there);
}

/* Once in a while when nothing is under way, twenty times a second while something is. */
TEST(a_silent_path_is_found)
{
	world.is_connected = world.is_there = true;
	assert_int_equal(make_round(*state), 0);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), KEEP_IDLE_MS);
	after(*state, KEEP_IDLE_MS - 1);
	assert_int_equal(world.looks, 0);
	after(*state, 1);
	assert_int_equal(world.looks, 1);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), KEEP_IDLE_MS);
	world.pulse = SUBFLOWS_BUSY;
	after(*state, KEEP_IDLE_MS);
	assert_int_equal(nvme_mptcp_keeper_wait(*state), KEEP_BUSY_MS);
	world.pulse = SUBFLOWS_SILENT;
	after(*state, KEEP_BUSY_MS);
	assert_int_equal(world.deeds, 1);
	assert_false(world.is_there);
	/* Its link looks well: time alone shows more. */
	world.pulse = SUBFLOWS_IDLE;
	after(*state, 1999);
	assert_false(world.is_there);
	after(*state, 1);
	assert_true(world.is_there);
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
