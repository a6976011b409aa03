/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connecting the controllers of a configuration. */
#ifndef CONFIGURED_H
#define CONFIGURED_H

#include "fabrics.h"
#include "mptcp-hint.h"

struct configured {
	const char *context; /* only this application's subsystems, or NULL */
	struct fresh *fresh;
	/* One line under -v and one object in JSON for each, no discovery controllers: connect-all. */
	bool reports;
};

/* Every fabrics controller that is described for @h and not connected yet. An exit status. */
int configured_connect(struct command *cmd, nvme_host_t h, const struct configured *how);

#endif /* CONFIGURED_H */
