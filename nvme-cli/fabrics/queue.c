// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "queue.h"
#include "shared/cleanup.h"

struct queue_result {
	char *transport, *traddr, *trsvcid, *subnqn, *device, *result;
	bool brief;
};

struct queue {
	struct command *cmd;
	struct portals *portals;
	struct queue_item *first; /* not printed yet */
	struct queue_item **end; /* where the next one is queued */
	struct queue_item *running;
	size_t n; /* to be run */
	int status;
};

struct queue *queue_new(struct command *cmd)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	if (queue)
		queue->portals = portals_new();
	if (!queue || !queue->portals) {
		free(queue);
		command_fail(cmd, ENOMEM, "%s", cmd->name);
		return NULL;
	}
	queue->cmd = cmd;
	queue->end = &queue->first;
	return queue;
}

static void free_result(struct queue_result *result)
{
	if (!result)
		return;
	free(result->transport);
	free(result->traddr);
	free(result->trsvcid);
	free(result->subnqn);
	free(result->device);
	free(result->result);
	free(result);
}

DEFINE_CLEANUP(struct queue_result *, free_result);

static void free_item(struct queue_item *item)
{
	free_result(item->result);
	text_wipe_cleanup(&item->messages);
	free(item);
}

void queue_free(struct queue *queue)
{
	if (!queue)
		return;
	while (queue->first) {
		struct queue_item *item = queue->first;

		queue->first = item->next;
		free_item(item);
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

void queue_report(struct queue *queue, const struct queue_row *row)
{
	_cleanup_(free_result) struct queue_result *result = calloc(1, sizeof(*result));

	if (!result || text_copy(&result->transport, row->transport) ||
	    text_copy(&result->traddr, row->traddr) || text_copy(&result->trsvcid, row->trsvcid) ||
	    text_copy(&result->subnqn, row->subnqn) || text_copy(&result->device, row->device) ||
	    text_copy(&result->result, row->result)) {
		queue->status = command_fail(queue->cmd, ENOMEM, "%s", queue->cmd->name);
		return;
	}
	result->brief = row->brief;
	free_result(queue->running->result);
	queue->running->result = result;
	result = NULL;
}

static void print_line(struct out *out, const struct queue_result *row, bool verbose)
{
	const char *device = row->device ? row->device : "-";

	if (row->brief && row->device)
		out_text(out, "device: %s\n", out_safe(out, row->device));
	else if (verbose && !row->brief)
		out_text(out, "%s: %s %s%s%s %s: %s\n", device, row->transport,
			 row->traddr ? out_safe(out, row->traddr) : "-", row->trsvcid ? ":" : "",
			 row->trsvcid ? out_safe(out, row->trsvcid) : "",
			 out_safe(out, row->subnqn), out_safe(out, row->result));
}

static void print_result(struct command *cmd, const struct queue_result *row)
{
	struct out *out = cmd->out;

	print_line(out, row, cmd->common.verbose);
	out_object(out, NULL);
	out_str(out, "transport", row->transport);
	out_str(out, "traddr", row->traddr);
	out_str(out, "trsvcid", row->trsvcid);
	out_str(out, "subnqn", row->subnqn);
	out_str(out, "device", row->device);
	out_str(out, "result", row->result);
	out_end(out);
}

/* Everything up to the first item whose result is not known yet. */
static void print_known(struct queue *queue)
{
	while (queue->first && queue->first->done) {
		struct queue_item *item = queue->first;

		if (item->result)
			print_result(queue->cmd, item->result);
		if (item->messages.length) {
			out_flush(queue->cmd->out);
			fwrite(item->messages.bytes, 1, item->messages.length, stderr);
		}
		queue->first = item->next;
		free_item(item);
	}
	if (!queue->first)
		queue->end = &queue->first;
}

/* Its messages are kept until it is printed. */
static void run(struct queue *queue, struct queue_item *item)
{
	const bool called = portal_answer(item->portal) != PORTAL_UNCALLED;
	struct command *cmd = queue->cmd;
	int status;

	queue->running = item;
	queue->end = &item->next;
	cmd->messages = text_open(&item->messages);
	cmd->place = item->place;
	if (portal_is_given_up(item->portal))
		status = item->skip(queue, item);
	else
		status = item->run(queue, item);
	portals_poll(queue->portals);
	if (status && called && portal_answer(item->portal) != PORTAL_READY)
		portal_give_up(item->portal);
	else if (status)
		portals_start(queue->portals);
	/* What it has led to comes next, where that answers. */
	if (queue->end != &item->next)
		portals_wait(queue->portals, true);
	cmd->place = NULL;
	cmd->messages = NULL;
	if (text_close(&item->messages))
		status = command_fail(cmd, ENOMEM, "%s", cmd->name);
	queue->running = NULL;
	item->done = true;
	queue->n--;
	queue->status |= status;
}

/* One pass over what is left, up to @worst. How many were run? */
static size_t run_those(struct queue *queue, enum portal_answer worst)
{
	struct queue_item *next;
	size_t n = 0;

	for (struct queue_item *item = queue->first; item; item = next) {
		const enum portal_answer answer = portal_answer(item->portal);

		if (!item->done && answer <= worst) {
			run(queue, item);
			n++;
		}
		/* What is printed is gone, as far as the first one that has yet to run. */
		for (next = item->next; next && next->done;)
			next = next->next;
		print_known(queue);
	}
	return n;
}

/* What is left leads to one portal: it delays no other, and the kernel may find out itself. */
static bool is_one_portal(const struct queue *queue, bool *ready)
{
	const struct queue_item *seen = NULL;
	bool ret = true;

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

	while (queue->n) {
		if (is_one_portal(queue, &ready)) {
			run_those(queue, PORTAL_UNCALLED);
			continue;
		}
		none_left = portals_wait(queue->portals, ready);
		if (!run_those(queue, PORTAL_READY) && none_left)
			run_those(queue, PORTAL_SILENT);
	}
	return queue->status;
}
