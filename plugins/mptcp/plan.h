/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands that change something have in common. */
#pragma once

#include "mptcp.h"

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

/* "a,b" as an array ended by NULL, or NULL for NULL. 0, or an exit status after a message. */
int plan_list_split(struct command *cmd, const char *text, const char ***ret);
void plan_list_free(const char **list);

static inline void plan_list_free_cleanup(const char ***list)
{
	plan_list_free(*list);
}

/* "host" or "target"; NVME_MPTCP_ROLE_AUTO for NULL. 0, or an exit status after a message. */
int plan_parse_side(struct command *cmd, const char *text, enum nvme_mptcp_role *ret);

void plan_show_steps(struct command *cmd, nvme_mptcp_plan_t plan);
/* Notes about this side, about the other one, or all. */
enum plan_notes {
	PLAN_NOTES_ALL,
	PLAN_NOTES_HERE,
	PLAN_NOTES_THERE,
};

void plan_show_notes(struct command *cmd, nvme_mptcp_plan_t plan, enum plan_notes which);
int plan_show_json(struct command *cmd, nvme_mptcp_plan_t plan);

/* Says on stderr that applying failed. Return: 1 */
int plan_apply_failed(struct command *cmd, int err);
