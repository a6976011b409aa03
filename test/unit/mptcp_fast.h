/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine and a clock that are made up, for what keep does at once: its links, and a kernel that acts. */
#pragma once

#include <unistd.h>
#include <linux/if_addr.h>

#include "mptcp/plan/keep-fast.h"
#include "mptcp/plan/keep-plan.h"
#include "mptcp/plan/keep-state.h"
#include "mptcp_planned.h"

#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW
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
	struct keep_rates rates;
	struct idmap *tokens;
	int64_t now;
	int64_t due;
	enum nvme_mptcp_role role;
	int refusal; /* of every step */
	char done[512]; /* the commands of the last look */
};

static struct scene *scene; /* of the test that runs */

static inline struct nvme_mptcp_snapshot *see(void)
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
			new_endpoint(snap, world.endpoint[i].id, numbered(V4, i), i,
				     world.endpoint[i].flags);
	for (uint32_t token = OURS; token <= THEIRS; token++) {
		add_connection(snap, token);
		for (int i = 1; i <= 4; i++)
			if (world.subflow[token][i])
				add_subflow(snap, token, i, (uint16_t)(1000 * token));
	}
	assert_int_equal(snapshot_join(snap), 0);
	return snap;
}

static inline int link_number(const struct endpoint_spec *spec)
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
static inline int act(struct nvme_mptcp_plan *plan)
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
		assert_true(keep_is_out_of_use(&written, spec));
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
			plan_propagate_id(plan, n);
		if (step->action == STEP_ADD && world.alive[i])
			world.subflow[OURS][i] = true;
	}
	keep_own_clear(&written);
	return scene->refusal;
}

/* What keep does now, by what one of its functions plans, as commands. */
static inline const char *do_planned(int (*plan)(struct keep_fast *f))
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = see();
	struct keep_fast f = { .snap = snap,
			       .own = &scene->own,
			       .tokens = scene->tokens,
			       .rates = &scene->rates,
			       .role = scene->role,
			       .now = scene->now };

	scene->done[0] = '\0';
	assert_int_equal(plan(&f), 0);
	scene->due = f.due;
	if (f.plan->n_steps)
		assert_int_equal(keep_fast_apply(&f, path, act), 0);
	nvme_mptcp_plan_free(f.plan);
	return scene->done;
}

static inline const char *look(void)
{
	return do_planned(keep_fast_plan);
}

static inline const char *after(int64_t ms)
{
	scene->now += ms;
	return look();
}

static inline void set_alive(int i, bool alive)
{
	world.alive[i] = alive;
	if (!alive)
		keep_fast_note_link_loss(&scene->own, i);
}

/* A host with an endpoint on each of four links, and a controller on all of them. */
static inline int set_up(void **state)
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

static inline int tear_down(void **state)
{
	keep_own_clear(&scene->own);
	keep_rates_clear(&scene->rates);
	idmap_free(scene->tokens);
	free(*state);
	return 0;
}

#define BACK_2 "ip mptcp endpoint add 10.1.2.2 dev eth2 id 2 subflow"

/* A file for what keep writes down. */
static int make_file(void **state)
{
	return close(mkstemp(path));
}

static int remove_file(void **state)
{
	return unlink(path);
}

EACH_TEST(set_up, tear_down)
ALL_TESTS(make_file, remove_file)
