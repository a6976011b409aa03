/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers shared by the subcommands that change something. */
#pragma once

#include "mptcp.h"

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

/*
 * Split "a,b" into a NULL-terminated array; NULL gives NULL. Return 0, or an exit status after a
 * message.
 */
int plan_list_split(struct command *cmd, const char *text, const char ***ret);
void plan_list_free(const char **list);

static inline void plan_list_free_cleanup(const char ***list)
{
	plan_list_free(*list);
}

/*
 * Parse "host" or "target"; NULL gives NVME_MPTCP_ROLE_AUTO. Return 0, or an exit status after a
 * message.
 */
int plan_parse_side(struct command *cmd, const char *text, enum nvme_mptcp_role *ret);

void plan_show_steps(struct command *cmd, nvme_mptcp_plan_t plan);
/* Which notes to show: about this side, the other side, or all. */
enum plan_notes {
	PLAN_NOTES_ALL,
	PLAN_NOTES_HERE,
	PLAN_NOTES_THERE,
};

void plan_show_notes(struct command *cmd, nvme_mptcp_plan_t plan, enum plan_notes which);
int plan_show_json(struct command *cmd, nvme_mptcp_plan_t plan);

/* Print on stderr that applying the plan failed. Return 1. */
int plan_apply_failed(struct command *cmd, int err);
