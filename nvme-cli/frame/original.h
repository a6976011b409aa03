/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another program of the name "nvme" that this one stands for: installed beside nvme-cli, this is
 * nvme-mptcp, and where it is called nvme it has been put in the place of nvme-cli's, which was
 * moved. What this one does not have is a matter of that one.
 *
 * Whatever this program is called, the plugins of nvme-cli that it does not have are known by name: a
 * command of theirs is nvme-cli's, which gets it where it is installed.
 */
#pragma once

#include <stdbool.h>

/* Before anything else: @argv0 is what this process was called as. */
void original_setup(const char *argv0);

/* Where the other program was moved to; NULL: this one stands for no other. */
const char *original_path(void);

/* Is it there, and not this program once more? */
bool original_is_there(void);

/*
 * Is @word, without its dashes, a plugin of nvme-cli 2.x that this program does not have, as in "intel"
 * or "intel-smart-log-add"?
 */
bool original_has_plugin(const char *word);

/* Where the program with these plugins is, or would be. */
const char *original_plugin_path(void);

/*
 * Becomes the other program, with the same arguments: the one that this one stands for, or for a
 * plugin of nvme-cli's the one that has it. Returns 0 where there is none, else -errno.
 */
int original_take_over(char **argv);
