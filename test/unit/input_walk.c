/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of a queue, and what a walk tells a caller that stops it, or that waits no longer. */
#include "unit.h"
#include "input/walk.h"

#define HOSTNQN "nqn.2025-01.test:host"

/* Everything that happens, as words. */
static char story[1024];

static void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *fmt, ...)
{
	const size_t length = strlen(story);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(story + length, sizeof(story) - length, fmt, ap);
	va_end(ap);
}

static const char *told(void)
{
	static char ret[sizeof(story)];

	memcpy(ret, story, sizeof(ret));
	*story = '\0';
	return ret;
}

#define assert_told(...) \
	do { \
		char want[256]; \
		snprintf(want, sizeof(want), __VA_ARGS__); \
		assert_string_equal(told(), want); \
	} while (0)

/* A queue of letters. */
struct letter {
	struct queue_item item;
	char name;
};

static char stop_at;

static void add_letter(struct queue *queue, char name);

/* Capital letters lead to two others, and 'x' fails. */
static int run_letter(struct queue *queue, struct queue_item *item)
{
	const char name = ((struct letter *)item)->name;

	tell("%c", name);
	if (name == 'A') {
		add_letter(queue, 'B');
		add_letter(queue, 'c');
	}
	if (name == 'B')
		add_letter(queue, 'd');
	return name == 'x';
}

static int refuse_letter(struct queue *queue, struct queue_item *item, const char *reason)
{
	tell("(%c: %s)", ((struct letter *)item)->name, reason);
	return 1;
}

/* Without a transport that can be called, each portal is ready. */
static void add_letter(struct queue *queue, char name)
{
	struct letter *letter = calloc(1, sizeof(*letter));

	assert_non_null(letter);
	letter->name = name;
	letter->item.run = run_letter;
	letter->item.refuse = refuse_letter;
	queue_add(queue, &letter->item, &(const struct portal_address){ .transport = "loop" });
}

static void print_letter(void *arg, struct queue_item *item)
{
	tell("=%c ", ((struct letter *)item)->name);
}

static void forget_letter(void *arg, struct queue_item *item)
{
	if (!item->done)
		tell("-%c ", ((struct letter *)item)->name);
}

static bool should_continue(void *arg)
{
	return !stop_at || !strchr(story, stop_at);
}

static const struct queue_calls letters = {
	.print = print_letter,
	.forget = forget_letter,
	.should_continue = should_continue,
};

static struct queue *queue_of(const char *names)
{
	struct queue *queue = queue_new(&letters, NULL, 0);

	assert_non_null(queue);
	for (; *names; names++)
		add_letter(queue, *names);
	return queue;
}

/* What one leads to comes next, and is told of before what was asked for later. */
TEST(queue_order)
{
	struct queue *queue = queue_of("aAe");

	stop_at = '\0';
	assert_int_equal(queue_run(queue), 0);
	assert_string_equal(told(), "a=a A=A B=B d=d c=c e=e ");
	queue_free(queue);
	assert_string_equal(told(), "");
}

TEST(queue_status)
{
	struct queue *queue = queue_of("axb");

	assert_int_equal(queue_run(queue), 1);
	assert_string_equal(told(), "a=a x=x b=b ");
	queue_free(queue);
}

TEST(queue_stops)
{
	struct queue *queue = queue_of("axb");

	stop_at = 'x';
	assert_int_equal(queue_run(queue), 1);
	stop_at = '\0';
	queue_free(queue);
	assert_string_equal(told(), "a=a x=x -b ");
}

/* The kernel, as far as a walk over described controllers needs one: no answer is 0. */
static int answers[8];
static size_t n_asked, n_disconnected;

int input_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct input_waiter *waiter)
{
	const int err = answers[n_asked++];

	tell("[%s] ", nvme_ctrl_get_subsysnqn(c));
	errno = err;
	return err ? -1 : 0;
}

nvme_ctrl_t input_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				const struct nvmf_options *options, bool *discover,
				const struct input_waiter *waiter)
{
	errno = ENOTSUP;
	return NULL;
}

int __wrap_nvme_disconnect_ctrl(nvme_ctrl_t c);

int __wrap_nvme_disconnect_ctrl(nvme_ctrl_t c)
{
	n_disconnected++;
	return 0;
}

struct caller {
	const char *refuses, *gives_up; /* the NQN of a step */
	struct walk_call *call; /* that is left to it */
};

static bool is(const struct walk_step *step, const char *nqn)
{
	return nqn && !strcmp(step->subnqn, nqn);
}

static int on_connecting(void *arg, const struct walk_step *step)
{
	return is(step, ((struct caller *)arg)->refuses);
}

static int on_block(void *arg, const struct walk_step *step, struct walk_call *call)
{
	struct caller *caller = arg;

	if (is(step, caller->gives_up)) {
		caller->call = call;
		return 1;
	}
	call->run(call);
	return 0;
}

static void on_done(void *arg, const struct walk_step *step, const struct walk_result *result)
{
	static const char *const ends[] = { "connected", "already", "skipped", "failed" };

	tell("%s %s %d; ", step->subnqn, ends[result->end], result->err);
}

static const struct walk_calls calls = {
	.connecting = on_connecting,
	.block = on_block,
	.done = on_done,
};

static nvme_root_t r;

/* A walk over three described controllers, each of a subsystem of its own. Returns its exit status. */
static int run_walk(struct caller *caller, struct walk **walk)
{
	const struct walk_setup setup = {
		.calls = &calls, .arg = caller, .name = "test", .connects = true, .root = r
	};
	/* Nothing of this machine: no boot table, and then no file either. */
	const struct discover_args nothing = { .nbft = true, .no_nbft = true };
	static const char *const nqns[] = { "one", "two", "three" };
	nvme_host_t h = nvme_lookup_host(r, HOSTNQN, NULL);

	n_asked = n_disconnected = 0;
	for (size_t i = 0; i < 3; i++) {
		nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, nqns[i]);

		assert_non_null(nvme_lookup_ctrl(s, "loop", NULL, NULL, NULL, NULL, NULL));
	}
	*walk = walk_new(&setup);
	assert_non_null(*walk);
	assert_int_equal(walk_note_configured(*walk), 0);
	assert_int_equal(walk_configured(*walk, h, NULL), 0);
	return walk_run(*walk, &nothing);
}

static int begin(void **state)
{
	*story = '\0';
	memset(answers, 0, sizeof(answers));
	r = nvme_create_root(NULL, -1);
	return r ? 0 : -1;
}

static int end(void **state)
{
	nvme_free_tree(r);
	return 0;
}

/* One that fails ends nothing, and one that is there already is no failure. */
TEST(walk_results)
{
	struct caller caller = { 0 };
	struct walk *walk;

	answers[1] = ECONNREFUSED;
	answers[2] = ENVME_CONNECT_ALREADY;
	assert_int_equal(run_walk(&caller, &walk), 1);
	assert_told("[one] one connected 0; [two] two failed %d; [three] three already %d; ",
		    ECONNREFUSED, ENVME_CONNECT_ALREADY);
	walk_free(walk);
}

TEST(walk_refused)
{
	struct caller caller = { .refuses = "two" };
	struct walk *walk;

	assert_int_equal(run_walk(&caller, &walk), 1);
	assert_told("[one] one connected 0; two failed %d; [three] three connected 0; ", ECANCELED);
	walk_free(walk);
}

/* Nothing more is asked of a root in which a call is not over; who has the call undoes it. */
static void lose_second(int answer, size_t undone)
{
	struct caller caller = { .gives_up = "two" };
	struct walk *walk;

	answers[1] = answer;
	assert_int_equal(run_walk(&caller, &walk), 1);
	assert_told("[one] one connected 0; two failed %d; three failed %d; ", ETIMEDOUT, EBUSY);
	assert_non_null(caller.call);

	caller.call->run(caller.call);
	assert_int_equal(caller.call->undo(caller.call), 0);
	assert_string_equal(told(), "[two] ");
	assert_int_equal(n_disconnected, undone);
	free(caller.call);
	walk_free(walk);
}

TEST(walk_lost)
{
	lose_second(0, 1);
}

TEST(walk_lost_and_failed)
{
	lose_second(ECONNREFUSED, 0);
}

EACH_TEST(begin, end)
