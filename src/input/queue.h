/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is to be connected: items whose portal answers come first, those whose portal is silent come
 * last. The caller hears of them in the order in which they were asked for, each as soon as all before
 * it are done.
 */
#pragma once

#include "portal.h"

struct queue;

/* The first member of what is queued, which is to be had by malloc(). */
struct queue_item {
	struct queue_item *next;
	struct portal *portal;
	const char *place; /* of the line that led to it, or NULL */
	/* Connects it, once. Returns an exit status. */
	int (*run)(struct queue *queue, struct queue_item *item);
	/*
	 * Instead of run(), for a @reason that its silent portal has: the item before it there failed, or
	 * patience is over. Returns an exit status.
	 */
	int (*refuse)(struct queue *queue, struct queue_item *item, const char *reason);
	void *data; /* of the caller, from begin() on */
	bool done;
};

/* Each may be NULL. */
struct queue_calls {
	/* Before and behind run() or refuse(). end() returns an exit status. */
	void (*begin)(void *arg, struct queue_item *item);
	int (*end)(void *arg, struct queue_item *item);
	/* All before it are done, too. */
	void (*print)(void *arg, struct queue_item *item);
	/* Frees @item->data. */
	void (*forget)(void *arg, struct queue_item *item);
	/* False: nothing more is to be run. */
	bool (*goes_on)(void *arg);
};

/* @patience: milliseconds until a silent portal is late, 0 if there are none. NULL without memory. */
struct queue *queue_new(const struct queue_calls *calls, void *arg, unsigned int patience);
void queue_free(struct queue *queue);

/*
 * Takes over @item, which leads to @address. From within run() it is queued behind the item that runs,
 * and what that has queued before.
 */
void queue_add(struct queue *queue, struct queue_item *item, const struct portal_address *address);

/* Runs everything. Returns an exit status: 1 if one of them is. */
int queue_run(struct queue *queue);

/* Runs those whose portals answer, and leaves the others where they are. */
void queue_run_ready(struct queue *queue);
