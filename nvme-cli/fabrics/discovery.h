/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by discover, connect-all and connect --config: a walk as a command makes it. */
#pragma once

#include "fabrics.h"
#include "input/walk.h"
#include "mptcp-hint.h"

struct discovery_row;

/* What a command does about what its walk comes to. */
struct discovery {
	struct command *cmd;
	struct fresh fresh; /* controllers connected for use */
	int status; /* of what could not be printed */
	const char *place; /* of what is connected next, or NULL */
	struct discovery_row *running; /* of what is queued; NULL: nothing of that runs */
	/* Acts on a log, in place of connecting. Returns an exit status. */
	int (*show)(struct command *cmd, const struct nvmf_discovery_log *log, const char *raw);
};

extern const struct arg discovery_options[]; /* of discover, connect-all */

/* A walk of @d->cmd, with @setup's switches. NULL after a message. */
struct walk *discovery_walk(struct discovery *d, const struct walk_setup *setup);

/* discover with @d->show, or connect-all without. Returns the exit status. */
int discovery_run(struct discovery *d);

/* cmd's output for one discovery log: the listing, JSON, or the bytes; or these in the file @raw. */
int discovery_show_log(struct command *cmd, const struct nvmf_discovery_log *log, const char *raw);
