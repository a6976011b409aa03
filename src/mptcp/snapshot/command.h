/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands that are printed, to be pasted into a shell as they are. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/shell.h"

/*
 * A copy of a command that works in network namespace @netns, a name or a path, wherever it is run;
 * as it is if @netns is NULL, or it has nothing to do with one. It is written with NVME_MPTCP_COMMAND or
 * NVME_COMMAND and printed with what nvme_mptcp_set_command() was given. NULL without memory. Freed by the
 * caller.
 */
char *snapshot_command(const char *command, const char *netns);

/* The program to name in a sentence, for NVME_MPTCP_COMMAND, and in "connect", for NVME_COMMAND. */
const char *snapshot_program(void);
const char *snapshot_connect_program(void);

/* Can sysctl(8) be given a setting of a link of this name? It ends a key at '=', for one. */
bool snapshot_is_key(const char *link);
/* Writes " net.ipv4.conf.LINK.NAME=VALUE", after "sysctl -w". */
void snapshot_put_setting(FILE *to, const char *link, const char *name, int value);

/* The name of a link as a word of a command, for as long as the block that it stands in. */
#define LINK_WORD(name) \
	shell_word((name), (char[SHELL_WORD(LINK_NAME)]){ 0 }, SHELL_WORD(LINK_NAME))
