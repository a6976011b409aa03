/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A queue that is stopped, and a walk whose caller refuses one of the connects. */
#include "unit.h"
#include "input/walk.h"

/* Everything that happens, as words. */
static char story[256];

static void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *fmt, ...)
{
	const size_t length = strlen(story);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(story + length, sizeof(story) - length, fmt, ap);
	va_end(ap);
}

static int run_item(struct queue *queue, struct queue_item *item)
{
	tell("run ");
	return 1;
}

static void print_item(void *arg, struct queue_item *item)
{
	tell("print ");
}

static void forget_item(void *arg, struct queue_item *item)
{
	tell(item->done ? "forget " : "leave ");
}

static bool should_continue(void *arg)
{
	return !*story;
}

static const struct queue_calls until_one_has_run = {
	.print = print_item,
	.forget = forget_item,
	.should_continue = should_continue,
};

/* Without a transport that can be called, each portal is ready. */
TEST(queue_stops)
{
	struct queue *queue = queue_new(&until_one_has_run, NULL, 0);

	assert_non_null(queue);
	for (int i = 0; i < 2; i++) {
		struct queue_item *item = calloc(1, sizeof(*item));

		assert_non_null(item);
		item->run = run_item;
		queue_add(queue, item, &(const struct portal_address){ .transport = "loop" });
	}
	assert_int_equal(queue_run(queue), 1);
	queue_free(queue);
	assert_string_equal(story, "run print forget leave ");
	*story = '\0';
}

int input_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct input_waiter *waiter)
{
	tell("[%s] ", nvme_ctrl_get_subsysnqn(c));
	return 0;
}

nvme_ctrl_t input_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				const struct nvmf_options *options, bool *discover,
				const struct input_waiter *waiter)
{
	errno = ENOTSUP;
	return NULL;
}

static int on_connecting(void *arg, const struct walk_step *step)
{
	return !strcmp(step->subnqn, arg);
}

static void on_done(void *arg, const struct walk_step *step, const struct walk_result *result)
{
	static const char *const ends[] = { "connected", "already", "skipped", "failed" };

	tell("%s %s %d; ", step->subnqn, ends[result->end], result->err);
}

static const struct walk_calls calls = { .connecting = on_connecting, .done = on_done };

TEST(walk_refused)
{
	static const char *const nqns[] = { "one", "two", "three" };
	/* Nothing of this machine: no boot table, and then no file either. */
	const struct discover_args nothing = { .nbft = true, .no_nbft = true };
	nvme_root_t r = nvme_create_root(NULL, -1);
	nvme_host_t h = nvme_lookup_host(r, "nqn.2025-01.test:host", NULL);
	const struct walk_setup setup = {
		.calls = &calls, .arg = (char *)"two", .name = "test", .connects = true, .root = r
	};
	struct walk *walk = walk_new(&setup);
	char want[256];

	assert_non_null(walk);
	for (size_t i = 0; i < 3; i++) {
		nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, nqns[i]);

		assert_non_null(nvme_lookup_ctrl(s, "loop", NULL, NULL, NULL, NULL, NULL));
	}
	assert_int_equal(walk_note_configured(walk), 0);
	assert_int_equal(walk_configured(walk, h, NULL), 0);
	assert_int_equal(walk_run(walk, &nothing), 1);
	snprintf(want, sizeof(want),
		 "[one] one connected 0; two failed %d; [three] three connected 0; ", ECANCELED);
	assert_string_equal(story, want);
	walk_free(walk);
	nvme_free_tree(r);
}
