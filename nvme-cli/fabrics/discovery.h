/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by discover, connect-all and connect --config: the walk of a command, and its output. */
#pragma once

#include "fabrics.h"
#include "input/walk.h"
#include "mptcp-hint.h"

struct discovery_row;

/* State of a command that walks through the configuration and discovery logs. */
struct discovery {
	struct command *cmd;
	struct fresh fresh; /* controllers that were connected, without discovery controllers */
	int status; /* exit status if a row could not be stored */
	const char *place; /* of the controller to connect next, or NULL */
	struct discovery_row *running; /* row of the queued item in progress, or NULL */
	/* Process a log instead of connecting. Return an exit status. */
	int (*show)(struct command *cmd, const struct nvmf_discovery_log *log, const char *raw);
};

extern const struct arg discovery_options[]; /* for discover and connect-all */

/* Create a walk for @d->cmd with the switches in @setup. Return NULL after a message. */
struct walk *discovery_walk(struct discovery *d, const struct walk_setup *setup);

/* Run discover if @d->show is set, else connect-all. Return the exit status. */
int discovery_run(struct discovery *d);

/* Print a discovery log as text, JSON or bytes, or write its bytes to the file @raw. */
int discovery_show_log(struct command *cmd, const struct nvmf_discovery_log *log, const char *raw);
