/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of nvme mptcp setup, and the functions of --relay. */
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

/*
 * Check the options of --relay, and that the configuration can be written. This function and the
 * next three return 0, or an exit status after a message.
 */
int relay_setup_check(struct command *cmd, enum nvme_mptcp_role role);
/* Without --dev, get the links that the configuration has for the relay, as keep does. */
int relay_setup_links(struct command *cmd, const char ***devices);
/* Add the step that changes the configuration to the plan. */
int relay_setup_plan(struct command *cmd, nvme_mptcp_plan_t plan,
		     const struct nvme_mptcp_setup_args *made);
/* Add the steps that start the services, and execute them if @run. */
int relay_setup_start(struct command *cmd, nvme_mptcp_plan_t plan, bool run);
