/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queue.h"
#include "shared/cleanup.h"

#define SKIPPED "not tried: the portal did not answer an earlier attempt"

struct queue {
	const struct queue_calls *calls;
	void *arg;
	struct portals *portals;
	struct queue_item *first; /* not printed yet */
	struct queue_item **end; /* where to insert the next item */
	size_t n; /* items still to run */
	int status;
	bool silence_deadline;
};

struct queue *queue_new(const struct queue_calls *calls, void *arg, unsigned int silence_timeout)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->portals = portals_new(silence_timeout);
	if (!queue->portals) {
		free(queue);
		return NULL;
	}
	queue->calls = calls;
	queue->arg = arg;
	queue->silence_deadline = silence_timeout;
	queue->end = &queue->first;
	return queue;
}

static void free_item(const struct queue *queue, struct queue_item *item)
{
	if (queue->calls->forget)
		queue->calls->forget(queue->arg, item);
	free(item);
}

void queue_free(struct queue *queue)
{
	if (!queue)
		return;
	while (queue->first) {
		struct queue_item *item = queue->first;

		queue->first = item->next;
		free_item(queue, item);
	}
	portals_free(queue->portals);
	free(queue);
}

void queue_add(struct queue *queue, struct queue_item *item, const struct portal_address *address)
{
	item->portal = portals_add(queue->portals, address);
	item->next = *queue->end;
	*queue->end = item;
	queue->end = &item->next;
	queue->n++;
}

/* Print the finished items before the first one that has yet to run. */
static void print_known(struct queue *queue)
{
	while (queue->first && queue->first->done) {
		struct queue_item *item = queue->first;

		if (queue->calls->print)
			queue->calls->print(queue->arg, item);
		queue->first = item->next;
		free_item(queue, item);
	}
	if (!queue->first)
		queue->end = &queue->first;
}

static int run_one(struct queue *queue, struct queue_item *item)
{
	_cleanup_(free) char *reason = NULL;

	if (queue->silence_deadline && portal_answer(item->portal) == PORTAL_SILENT) {
		reason = portal_failure_text(queue->portals, item->portal);
		return item->refuse(queue, item, reason ? reason : strerror(ENOMEM));
	}
	if (portal_has_failed(item->portal))
		return item->refuse(queue, item, SKIPPED);
	return item->run(queue, item);
}

static void run_next(struct queue *queue, struct queue_item *item)
{
	const bool called = portal_answer(item->portal) != PORTAL_NOT_PROBED;
	int status;

	queue->end = &item->next;
	if (queue->calls->begin)
		queue->calls->begin(queue->arg, item);
	status = run_one(queue, item);
	portals_poll(queue->portals);
	if (status && called && portal_answer(item->portal) != PORTAL_READY)
		portal_mark_failed(item->portal);
	else if (status)
		portals_start(queue->portals);
	/* Items that this one has queued run next if their portals answer. */
	if (queue->end != &item->next)
		portals_wait(queue->portals, true);
	if (queue->calls->end)
		status |= queue->calls->end(queue->arg, item);
	item->done = true;
	queue->n--;
	queue->status |= status;
}

static bool should_continue(const struct queue *queue)
{
	return !queue->calls->should_continue || queue->calls->should_continue(queue->arg);
}

/* Run remaining items whose portal's answer is @worst or better, in one pass. Return how many. */
static size_t run_up_to(struct queue *queue, enum portal_answer worst)
{
	struct queue_item *next;
	size_t n = 0;

	for (struct queue_item *item = queue->first; item && should_continue(queue); item = next) {
		const enum portal_answer answer = portal_answer(item->portal);

		if (!item->done && answer <= worst) {
			run_next(queue, item);
			n++;
		}
		/* print_known() frees the finished items before the first one still to run. */
		for (next = item->next; next && next->done;)
			next = next->next;
		print_known(queue);
	}
	return n;
}

/* True if all remaining items share one portal, without a time limit. *@ready: if one is ready. */
static bool is_one_portal(const struct queue *queue, bool *ready)
{
	const struct queue_item *seen = NULL;
	bool ret = !queue->silence_deadline;

	*ready = false;
	for (const struct queue_item *item = queue->first; item; item = item->next) {
		if (item->done)
			continue;
		if (portal_answer(item->portal) == PORTAL_READY)
			*ready = true;
		if (seen && item->portal != seen->portal)
			ret = false;
		seen = item;
	}
	return ret;
}

int queue_run(struct queue *queue)
{
	bool ready, none_left;

	while (queue->n && should_continue(queue)) {
		if (is_one_portal(queue, &ready)) {
			run_up_to(queue, PORTAL_NOT_PROBED);
			continue;
		}
		none_left = portals_wait(queue->portals, ready);
		if (!run_up_to(queue, PORTAL_READY) && none_left)
			run_up_to(queue, PORTAL_SILENT);
	}
	return queue->status;
}

void queue_run_ready(struct queue *queue)
{
	bool none_left = false;

	while (queue->n && !none_left && should_continue(queue)) {
		none_left = portals_wait(queue->portals, false);
		run_up_to(queue, PORTAL_READY);
	}
}
