/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "device/logs/log-page.h"

/* clang-format off */
#define FDP_OPT_ENDURANCE_GROUP \
	OPT(SHORT, "endgrp-id", 'e', struct log_page_args, lsi, "N", "Endurance Group")
/* clang-format on */

/* Run log_page_run() for an Endurance Group, which must be given. */
int fdp_log_run(struct command *cmd);

extern const struct command_spec fdp_configs_command;
extern const struct command_spec fdp_usage_command;
extern const struct command_spec fdp_stats_command;
extern const struct command_spec fdp_events_command;
extern const struct command_spec fdp_status_command;
extern const struct command_spec fdp_update_command;
extern const struct command_spec fdp_set_events_command;
extern const struct command_spec fdp_feature_command;
