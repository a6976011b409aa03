/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "device/logs/log-page.h"

/* clang-format off */
#define FDP_OPT_ENDURANCE_GROUP \
	OPT(SHORT, "endgrp-id", 'e', struct log_page_args, lsi, "N", "Endurance Group")
/* clang-format on */

/* Run log_page_run() for an Endurance Group, which must be given. */
int fdp_log_run(struct command *cmd);

/* Parse a list that must not be empty, such as --pids. Return its length, or -1 after a message. */
int fdp_parse(struct command *cmd, const char *text, uint64_t max, const char *what,
	      const char *option, uint64_t *numbers, unsigned int room);

/* clang-format off */
/* The commands in the order of the help. */
#define FDP_COMMANDS(X) \
	X(configs) X(usage) X(stats) X(events) X(status) X(update) X(set_events) X(feature)
#define FDP_DECLARED(name) extern const struct command_spec fdp_##name##_command;
FDP_COMMANDS(FDP_DECLARED)
/* clang-format on */
