/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme mptcp setup, and what --relay adds to it. */
#pragma once

#include "plan.h"

struct setup_args {
	const char *netns;
	const char *role;
	const char *traddr;
	const char *dev;
	const char *save;
	bool apply;
	bool replace;
	bool relay;
	const char *trsvcid;
	const char *port;
};

/* All of these: 0, or an exit status after a message. Do the options of --relay fit, and can it be written? */
int relay_setup_check(struct command *cmd, enum nvme_mptcp_role role);
/* Adds the step that changes the configuration. */
int relay_setup_plan(struct command *cmd, nvme_mptcp_plan_t plan,
		     const struct nvme_mptcp_setup_args *made);
/* Adds those that start the service, and does them if @run. */
int relay_setup_start(struct command *cmd, nvme_mptcp_plan_t plan, bool run);
