/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What connect-all has to connect: items whose portal answers come first, those whose portal is silent
 * come last. What becomes of them is printed in the order in which they were asked for, each as soon as
 * all before it is known.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include "frame/frame.h"
#include "portal.h"
#include "shared/text.h"

/* The reason of what skip() reports. */
#define QUEUE_SKIPPED "not tried, as the portal has just left another attempt without an answer"

struct queue;

/* The first member of what is queued, which is to be had by malloc(). */
struct queue_item {
	struct queue_item *next;
	struct portal *portal;
	const char *place; /* what messages start with, or NULL */
	/* Connects it, once. Returns an exit status. */
	int (*run)(struct queue *queue, struct queue_item *item);
	/* Instead of run(), where the item before it on a silent portal failed. */
	int (*skip)(struct queue *queue, struct queue_item *item);
	struct text messages; /* for standard error */
	struct queue_result *result;
	bool done;
};

/* One line under -v, one object in JSON. */
struct queue_row {
	const char *transport, *traddr, *trsvcid, *subnqn;
	const char *device; /* or NULL */
	const char *result;
	bool brief; /* the line is of the device alone, and there without -v */
};

/* NULL after a message. */
struct queue *queue_new(struct command *cmd);
void queue_free(struct queue *queue);

/*
 * Takes over @item, which leads to @address. From within run() it is queued behind the item that runs,
 * and what that has queued before.
 */
void queue_add(struct queue *queue, struct queue_item *item, const struct portal_address *address);

/* What has become of the item that runs; copied. */
void queue_report(struct queue *queue, const struct queue_row *row);

/* Runs and prints everything. Returns an exit status: 1 if one of them is. */
int queue_run(struct queue *queue);

#endif /* QUEUE_H */
