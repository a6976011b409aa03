/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands that are printed, ready to be pasted into a shell. */
#pragma once

#include "base/shell.h"

/*
 * Return a copy of @command that works in network namespace @netns, a name or a path, from
 * anywhere. It is not changed for a namespace if @netns is NULL or the command does not depend on
 * one. @command is written with NVME_MPTCP_COMMAND or NVME_COMMAND; the copy has the name from
 * nvme_mptcp_set_command(). The caller frees it; NULL if out of memory.
 */
char *snapshot_command(const char *command, const char *netns);

/* Return the program to name instead of NVME_MPTCP_COMMAND, and instead of NVME_COMMAND. */
const char *snapshot_program(void);
const char *snapshot_connect_program(void);

/* True if sysctl(8) accepts settings of a link with this name; it ends a key at '='. */
bool snapshot_is_sysctl_key(const char *link);
/* Write " net.ipv4.conf.LINK.NAME=VALUE", the argument of "sysctl -w". */
void snapshot_put_setting(FILE *to, const char *link, const char *name, int value);

/* The name of a link as a shell word, valid until the end of the enclosing block. */
#define LINK_WORD(name) \
	shell_word((name), (char[SHELL_WORD(LINK_NAME)]){ 0 }, SHELL_WORD(LINK_NAME))
