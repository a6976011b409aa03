// SPDX-License-Identifier: LGPL-2.1-or-later
/* What keep takes out of use when a link dies, by a machine and a clock that are made up. */
#include <unistd.h>
#include <linux/if_addr.h>

#include "mptcp/plan/keep-fast.h"
#include "mptcp/plan/keep-plan.h"
#include "mptcp/plan/keep-state.h"
#include "mptcp_planned.h"

#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW
#define SIGNAL NVME_MPTCP_ENDPOINT_SIGNAL
#define BACKUP NVME_MPTCP_ENDPOINT_BACKUP
#define SECOND 1000LL

/* The controller's connection, and one of another program. */
#define OURS 1
#define THEIRS 2

/* What the kernel holds: endpoints of so many links, subflows by connection and link. */
static struct {
	bool alive[5];
	bool has_address[5];
	struct {
		uint8_t id;
		int64_t flags;
	} endpoint[5]; /* id 0: none */
	bool subflow[3][5];
	bool is_tentative;
} world;

static char path[] = "/tmp/nvme-fast-XXXXXX";

struct scene {
	struct keep_own own;
	struct idmap *tokens;
	int64_t now;
	int64_t due;
	enum nvme_mptcp_role role;
	int refusal; /* of every step */
	char done[512]; /* the commands of the last look */
};

static struct scene *scene; /* of the test that runs */

static void add_connection_of(struct nvme_mptcp_snapshot *snap, uint32_t token)
{
	struct nvme_mptcp_connection *conn =
		array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

	assert_non_null(conn);
	conn->token = conn->inode = token;
	conn->has_token = true;
	conn->state = STATE_ESTABLISHED;
	conn->local.ip = ip("10.1.1.2");
	for (int i = 1; i <= 4; i++) {
		struct nvme_mptcp_subflow *sf;

		if (!world.subflow[token][i])
			continue;
		sf = array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));
		assert_non_null(sf);
		sf->token = token;
		sf->has_token = true;
		sf->state = STATE_ESTABLISHED;
		sf->ifindex = i;
		sf->local = (struct socket_address){ numbered(V4, i), (uint16_t)(1000 * token) };
		sf->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
	}
}

static struct nvme_mptcp_snapshot *see(void)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	assert_non_null(snap);
	for (int i = 1; i <= 4; i++)
		add_link(snap, i)->flags = world.alive[i] ? UP : IFF_UP;
	for (int i = 1; i <= 4; i++) {
		if (!world.has_address[i])
			continue;
		add_address(snap, i, numbered(V4, i));
		if (world.is_tentative)
			snap->addresses[snap->n_addresses - 1].flags = IFA_F_TENTATIVE;
	}
	for (int i = 1; i <= 4; i++)
		if (world.endpoint[i].id)
			add_endpoint(snap, world.endpoint[i].id, numbered(V4, i), i,
				     world.endpoint[i].flags);
	add_connection_of(snap, OURS);
	add_connection_of(snap, THEIRS);
	assert_int_equal(snapshot_join(snap), 0);
	return snap;
}

static int link_number(const struct endpoint_spec *spec)
{
	for (int i = 1; i <= 4; i++) {
		const struct in6_addr address = numbered(V4, i);

		if (address_equal(&spec->ip, &address))
			return i;
	}
	fail_msg("an endpoint of no link");
	return 0;
}

/* The kernel does it; what is to be known after a crash has to be on disk by then. */
static int act(struct nvme_mptcp_plan *plan)
{
	struct keep_own written = {};

	keep_state_read(path, &written);
	for (size_t n = 0; n < plan->n_steps; n++) {
		struct nvme_mptcp_step *step = &plan->steps[n];
		const struct endpoint_spec *spec =
			step->action == STEP_DELETE ? &step->old : &step->new;
		const size_t length = strlen(scene->done);
		int i;

		snprintf(scene->done + length, sizeof(scene->done) - length, "%s%s",
			 length ? "; " : "", step->command);
		assert_non_null(nvme_mptcp_step_rule(step));
		if (scene->refusal) {
			step->state = NVME_MPTCP_STEP_FAILED;
			continue;
		}
		step->state = NVME_MPTCP_STEP_DONE;
		if (step->action == STEP_CLOSE) {
			world.subflow[step->local.port / 1000]
				     [(ntohl(step->local.ip.s6_addr32[3]) >> 8) & 0xff] = false;
			continue;
		}
		i = link_number(spec);
		assert_true(keep_is_out(&written, spec));
		if (step->action == STEP_DELETE) {
			world.endpoint[i].id = 0;
			world.subflow[OURS][i] = world.subflow[THEIRS][i] = false;
			continue;
		}
		if (step->action == STEP_ADD)
			world.endpoint[i].id = spec->id ? spec->id : (uint8_t)(10 + i);
		step->new.id = world.endpoint[i].id;
		world.endpoint[i].flags = spec->flags;
		if (step->action == STEP_ADD)
			plan_learn_id(plan, n);
		if (step->action == STEP_ADD && world.alive[i])
			world.subflow[OURS][i] = true;
	}
	keep_own_clear(&written);
	return scene->refusal;
}

/* What keep does now, as commands. */
static const char *look(void)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = see();
	struct keep_fast f = { .snap = snap,
			       .own = &scene->own,
			       .tokens = scene->tokens,
			       .role = scene->role,
			       .now = scene->now };

	scene->done[0] = '\0';
	assert_int_equal(keep_fast_plan(&f), 0);
	scene->due = f.due;
	if (f.plan->n_steps)
		assert_int_equal(keep_fast_do(&f, path, act), 0);
	nvme_mptcp_plan_free(f.plan);
	return scene->done;
}

static const char *after(int64_t ms)
{
	scene->now += ms;
	return look();
}

static void set_alive(int i, bool alive)
{
	world.alive[i] = alive;
	if (!alive)
		keep_fast_lose(&scene->own, i);
}

/* A host with an endpoint on each of four links, and a controller on all of them. */
static int set_up(void **state)
{
	scene = calloc(1, sizeof(*scene));
	memset(&world, 0, sizeof(world));
	for (int i = 1; i <= 4; i++) {
		world.alive[i] = world.has_address[i] = world.subflow[OURS][i] = true;
		world.endpoint[i].id = (uint8_t)i;
		world.endpoint[i].flags = SUBFLOW;
	}
	scene->now = 1000 * SECOND;
	scene->role = NVME_MPTCP_ROLE_HOST;
	scene->tokens = idmap_new(1);
	*state = scene;
	unlink(path);
	return idmap_put(scene->tokens, OURS, scene->tokens);
}

static int tear_down(void **state)
{
	keep_own_clear(&scene->own);
	idmap_free(scene->tokens);
	free(*state);
	return 0;
}

#define BACK_2 "ip mptcp endpoint add 10.1.2.2 dev eth2 id 2 subflow"

static void nothing_is_done_while_links_are_well(void **state)
{
	(void)state;
	assert_string_equal(look(), "");
	assert_int_equal(scene->due, KEEP_NEVER);
}

static void a_dead_link_is_taken_out_and_put_back(void **state)
{
	(void)state;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	assert_int_equal(scene->due, KEEP_NEVER);
	assert_string_equal(after(SECOND), "");
	set_alive(2, true);
	assert_string_equal(look(), "");
	assert_int_equal(scene->due, scene->now + KEEP_CALM_MS);
	assert_string_equal(after(KEEP_CALM_MS - 1), "");
	assert_string_equal(after(1), BACK_2);
	assert_int_equal(world.endpoint[2].id, 2);
	/* Nothing of it is left to be known by another start. */
	assert_int_equal(access(path, F_OK), -1);
	assert_string_equal(after(60 * SECOND), "");
}

static void the_initial_one_goes_by_its_endpoint(void **state)
{
	(void)state;
	set_alive(1, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 1");
}

static void an_address_that_disappears_counts_as_well(void **state)
{
	(void)state;
	world.has_address[3] = false;
	assert_string_equal(look(), "ip mptcp endpoint delete id 3");
	world.has_address[3] = world.is_tentative = true;
	assert_string_equal(after(SECOND), "");
	assert_int_equal(scene->due, KEEP_NEVER);
	world.is_tentative = false;
	assert_string_equal(look(), "");
	assert_string_equal(after(KEEP_CALM_MS),
			    "ip mptcp endpoint add 10.1.3.2 dev eth3 id 3 subflow");
}

/* The last link that works stays, and so does what is dead when there is none. */
static void the_last_one_stays(void **state)
{
	(void)state;
	set_alive(1, false);
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 1; ip mptcp endpoint delete id 2");
	set_alive(3, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 3");
	set_alive(4, false);
	assert_string_equal(look(), "");
	assert_true(world.subflow[OURS][4]);
	/* Once another one works, it may go. */
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	assert_string_equal(look(), "ip mptcp endpoint delete id 4");
}

static void all_at_once_stay(void **state)
{
	(void)state;
	for (int i = 1; i <= 4; i++)
		set_alive(i, false);
	assert_string_equal(look(), "");
}

/* An endpoint is everybody's: where another program has nothing else, it becomes a backup. */
static void other_programs_keep_their_only_subflow(void **state)
{
	(void)state;
	world.subflow[THEIRS][2] = true;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint change id 2 backup");
	assert_int_equal(scene->due, scene->now + KEEP_LONG_MS);
	assert_string_equal(after(KEEP_LONG_MS - 1), "");
	/* Only then the controller's is closed, which nobody but the kernel can bring back. */
	assert_string_equal(after(1), "ss -K -t src 10.1.2.2:1000 dst 10.1.1.1:4420");
	assert_true(world.subflow[THEIRS][2]);
	assert_string_equal(after(SECOND), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "ip mptcp endpoint change id 2 nobackup");
	assert_int_equal(world.endpoint[2].flags, SUBFLOW);
}

static void what_others_have_on_other_links_is_no_hindrance(void **state)
{
	(void)state;
	world.subflow[THEIRS][3] = true;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	/* Both links of theirs: one of them must stay. */
	world.subflow[THEIRS][4] = true;
	set_alive(3, false);
	set_alive(4, false);
	assert_string_equal(look(), "ip mptcp endpoint change id 3 backup; "
				    "ip mptcp endpoint change id 4 backup");
}

static void endpoints_that_no_controller_uses_stay(void **state)
{
	(void)state;
	world.subflow[OURS][2] = false;
	world.subflow[THEIRS][2] = world.subflow[THEIRS][3] = true;
	set_alive(2, false);
	assert_string_equal(look(), "");
}

/* Whose flags were backup before stays one. */
static void a_backup_is_put_back_as_one(void **state)
{
	(void)state;
	world.endpoint[2].flags = SUBFLOW | BACKUP;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2 " backup");
}

static void a_target_takes_its_announcement_back(void **state)
{
	(void)state;
	scene->role = NVME_MPTCP_ROLE_TARGET;
	for (int i = 1; i <= 4; i++)
		world.endpoint[i].flags = SIGNAL;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	/* What has no endpoint was not announced, and hosts could not come back. */
	world.endpoint[3].id = 0;
	set_alive(3, false);
	assert_string_equal(look(), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS),
			    "ip mptcp endpoint add 10.1.2.2 dev eth2 id 2 signal");
}

/* The kernel's own note of an address is nobody's endpoint. */
static void hosts_without_endpoints_are_lent_one(void **state)
{
	const struct in6_addr second = ip("10.1.2.2");
	struct keep_own read = {};

	(void)state;
	world.endpoint[1].id = 0;
	world.endpoint[2].flags = NVME_MPTCP_ENDPOINT_IMPLICIT | SUBFLOW;
	set_alive(1, false);
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint add 10.1.1.2 dev eth1 subflow; "
				    "ip mptcp endpoint delete id 11; "
				    "ip mptcp endpoint add 10.1.2.2 dev eth2 subflow; "
				    "ip mptcp endpoint delete id 12");
	assert_int_equal(keep_state_read(path, &read), 0);
	assert_int_equal(read.n_outs, 2);
	assert_true(read.outs[0].lent && read.outs[1].lent);
	assert_int_equal(read.n_endpoints, 0);
	keep_own_clear(&read);
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS),
			    "ip mptcp endpoint add 10.1.2.2 dev eth2 id 12 subflow");
	/* From now on it is keep's, and --restore takes it back. */
	assert_non_null(keep_own_find(&scene->own, &second, 0));
}

/* 1, 2, 4, ... 60 s of calm for a link that dies again as soon as it is used. */
static void a_link_that_flaps_waits_longer(void **state)
{
	static const int64_t holds[] = { 300, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000 };

	(void)state;
	for (size_t i = 0; i < sizeof(holds) / sizeof(*holds); i++) {
		set_alive(2, false);
		assert_string_equal(after(200), "ip mptcp endpoint delete id 2");
		/* It is well for too short a time in between. */
		set_alive(2, true);
		look();
		assert_string_equal(after(holds[i] - 1), "");
		set_alive(2, false);
		assert_string_equal(after(200), "");
		set_alive(2, true);
		assert_string_equal(look(), "");
		assert_int_equal(scene->due, scene->now + holds[i]);
		assert_string_equal(after(holds[i]), BACK_2);
	}
	/* It has proved itself. */
	after(121 * SECOND);
	set_alive(2, false);
	look();
	set_alive(2, true);
	look();
	assert_int_equal(scene->due, scene->now + KEEP_CALM_MS);
}

/* Up for 200 ms, and down for as long: once is enough. */
static void a_link_that_flutters_is_taken_out_once(void **state)
{
	(void)state;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	for (int i = 0; i < 300; i++) {
		set_alive(2, i % 2);
		assert_string_equal(after(200), "");
	}
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
}

/* Also the flutter that is over before anybody looked starts the wait again. */
static void a_short_loss_is_noticed(void **state)
{
	(void)state;
	set_alive(2, false);
	look();
	set_alive(2, true);
	look();
	scene->now += KEEP_CALM_MS - 10;
	set_alive(2, false);
	set_alive(2, true);
	assert_string_equal(after(10), "");
	assert_int_equal(scene->due, scene->now + KEEP_CALM_MS);
}

static void a_later_start_knows_what_is_out(void **state)
{
	(void)state;
	set_alive(2, false);
	look();
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	assert_string_equal(after(SECOND), "");
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	/* One that finds it well has nothing to wait for. */
	set_alive(2, false);
	look();
	keep_own_clear(&scene->own);
	assert_int_equal(keep_state_read(path, &scene->own), 0);
	world.alive[2] = true;
	assert_string_equal(look(), BACK_2);
}

/* Killed between the note and the deed, or between the deed and the note. */
static void a_crash_in_between_loses_nothing(void **state)
{
	(void)state;
	set_alive(2, false);
	look();
	world.endpoint[2].id = 2;
	world.subflow[OURS][2] = true;
	assert_string_equal(after(10), "ip mptcp endpoint delete id 2");
	world.endpoint[2].id = 2;
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "");
	assert_false(keep_is_out(&scene->own, &scene->own.outs[0].spec));
}

static void what_somebody_changed_meanwhile_stays(void **state)
{
	(void)state;
	/* Another endpoint has the id. */
	set_alive(2, false);
	look();
	world.endpoint[3].id = 2;
	set_alive(2, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "ip mptcp endpoint add 10.1.2.2 dev eth2 subflow");
	/* Somebody made one at the address. */
	after(60 * SECOND);
	set_alive(4, false);
	look();
	world.endpoint[4].id = 7;
	world.endpoint[4].flags = SUBFLOW | NVME_MPTCP_ENDPOINT_FULLMESH;
	set_alive(4, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "");
	assert_int_equal(world.endpoint[4].id, 7);
	/* The backup was changed by hand. */
	after(60 * SECOND);
	world.subflow[THEIRS][1] = true;
	set_alive(1, false);
	assert_string_equal(look(), "ip mptcp endpoint change id 1 backup");
	world.endpoint[1].flags = SUBFLOW;
	set_alive(1, true);
	look();
	assert_string_equal(after(KEEP_CALM_MS), "");
}

static void what_the_kernel_refuses_is_tried_again(void **state)
{
	(void)state;
	scene->refusal = -ENOBUFS;
	set_alive(2, false);
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	assert_int_equal(access(path, F_OK), -1);
	scene->refusal = 0;
	assert_string_equal(look(), "ip mptcp endpoint delete id 2");
	set_alive(2, true);
	look();
	scene->refusal = -ENOBUFS;
	assert_string_equal(after(KEEP_CALM_MS), BACK_2);
	assert_string_equal(after(1), "");
	scene->refusal = 0;
	scene->now = scene->due;
	assert_string_equal(look(), BACK_2);
}

static void restoring_puts_back_what_others_made(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct endpoint_spec own = { .ip = ip("10.1.3.2"), .flags = SUBFLOW, .ifindex = 3 };

	(void)state;
	own.id = 3;
	assert_non_null(keep_own_add(&scene->own, &own, false));
	set_alive(2, false);
	set_alive(3, false);
	look();
	snap = see();
	/* Keep's own is gone already; neither is a loss that somebody else caused. */
	keep_own_look(&scene->own, snap, scene->now);
	assert_int_equal(keep_plan_restore(snap, &scene->own, &plan), 0);
	assert_int_equal(plan->n_steps, 1);
	assert_string_equal(plan->steps[0].command, BACK_2);
	assert_int_equal(scene->own.endpoints[0].claim.lost, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_done_while_links_are_well),
		TEST(a_dead_link_is_taken_out_and_put_back),
		TEST(the_initial_one_goes_by_its_endpoint),
		TEST(an_address_that_disappears_counts_as_well),
		TEST(the_last_one_stays),
		TEST(all_at_once_stay),
		TEST(other_programs_keep_their_only_subflow),
		TEST(what_others_have_on_other_links_is_no_hindrance),
		TEST(endpoints_that_no_controller_uses_stay),
		TEST(a_backup_is_put_back_as_one),
		TEST(a_target_takes_its_announcement_back),
		TEST(hosts_without_endpoints_are_lent_one),
		TEST(a_link_that_flaps_waits_longer),
		TEST(a_link_that_flutters_is_taken_out_once),
		TEST(a_short_loss_is_noticed),
		TEST(a_later_start_knows_what_is_out),
		TEST(a_crash_in_between_loses_nothing),
		TEST(what_somebody_changed_meanwhile_stays),
		TEST(what_the_kernel_refuses_is_tried_again),
		TEST(restoring_puts_back_what_others_made),
	};
	const int fd = mkstemp(path);
	int failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
