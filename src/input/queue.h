/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A queue of items to connect: items whose portal answers run first, items whose portal is silent
 * run last. The caller's print() gets the items in the order of the requests, each as soon as all
 * before it are done.
 */
#pragma once

#include "portal.h"

struct queue;

/* First member of the items that are queued, which must come from malloc(). */
struct queue_item {
	struct queue_item *next;
	struct portal *portal;
	const char *place; /* configuration line ("file:line") that describes it, or NULL */
	/* Connect the item; called once. Return an exit status. */
	int (*run)(struct queue *queue, struct queue_item *item);
	/*
	 * Called instead of run() if the portal is silent: an earlier item with the same portal
	 * failed or the time limit has passed, as @reason says. Return an exit status.
	 */
	int (*refuse)(struct queue *queue, struct queue_item *item, const char *reason);
	void *data; /* the caller's, from begin() on */
	bool done;
};

/* Callbacks; each may be NULL. */
struct queue_calls {
	/* Called before and after run() or refuse(). end() returns an exit status. */
	void (*begin)(void *arg, struct queue_item *item);
	int (*end)(void *arg, struct queue_item *item);
	/* Called when @item and all items before it are done. */
	void (*print)(void *arg, struct queue_item *item);
	/* Free @item->data. */
	void (*forget)(void *arg, struct queue_item *item);
	/* Return false to stop the queue. */
	bool (*should_continue)(void *arg);
};

/* @silence_timeout: ms after which a silent portal is refused; 0: no limit. Return NULL without memory. */
struct queue *queue_new(const struct queue_calls *calls, void *arg, unsigned int silence_timeout);
void queue_free(struct queue *queue);

/* Queue and own @item for @address; from run() it comes after that item and those it has queued. */
void queue_add(struct queue *queue, struct queue_item *item, const struct portal_address *address);

/* Run all items. Return an exit status: 1 if any item returns 1. */
int queue_run(struct queue *queue);

/* Run the items whose portals answer and leave the others in the queue. */
void queue_run_ready(struct queue *queue);
