/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands that change something have in common. */
#ifndef PLUGINS_MPTCP_PLAN_H
#define PLUGINS_MPTCP_PLAN_H

#include "mptcp.h"

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

/* "a,b" as an array ended by NULL, or NULL for NULL. 0, or an exit status after a message. */
int split_list(struct command *cmd, const char *text, const char ***ret);
void free_list(const char **list);

static inline void free_list_cleanup(const char ***list)
{
	free_list(*list);
}

/* "host" or "target"; NVME_MPTCP_ROLE_AUTO for NULL. 0, or an exit status after a message. */
int parse_side(struct command *cmd, const char *text, enum nvme_mptcp_role *ret);

void show_steps(struct command *cmd, nvme_mptcp_plan_t plan);
void show_notes(struct command *cmd, nvme_mptcp_plan_t plan);
int show_plan_json(struct command *cmd, nvme_mptcp_plan_t plan);

/* Says on stderr that applying failed. Return: 1 */
int apply_failed(struct command *cmd, int err);

#endif /* PLUGINS_MPTCP_PLAN_H */
