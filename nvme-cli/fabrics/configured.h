/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connecting the controllers of a configuration. */
#ifndef CONFIGURED_H
#define CONFIGURED_H

#include "fabrics.h"
#include "mptcp-hint.h"
#include "queue.h"

struct configured {
	const char *context; /* only this application's subsystems, or NULL */
	struct fresh *fresh;
	/* Or NULL. Of connect-all: they are queued, and no discovery controllers are among them. */
	struct queue *queue;
};

/* Do the options mean this host of the configuration? Without --hostnqn and --hostid, they mean all. */
bool configured_is_meant(nvme_host_t h, const struct fabrics_args *args);

/* Every fabrics controller that is described for @h and not connected yet. An exit status. */
int configured_connect(struct command *cmd, nvme_host_t h, const struct configured *how);

#endif /* CONFIGURED_H */
