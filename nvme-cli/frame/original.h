/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another program called "nvme", which this one replaces. If nvme-cli is installed as well, this
 * program is nvme-mptcp. If it is nevertheless called nvme, it has been put in the place of
 * nvme-cli's program, which was moved aside, and passes on the commands that it does not have.
 *
 * Under any name, this program knows the names of nvme-cli's plugins that it does not have. It
 * passes on their commands to nvme-cli if that is installed.
 */
#pragma once

#include "shared/std.h"

/* Set up this module; call it first. @argv0 is the name under which this process was started. */
void original_setup(const char *argv0);

/* Return the path that the replaced program was moved to, or NULL if none was replaced. */
const char *original_path(void);

/* True if the replaced program exists and is not a link to this one. */
bool original_is_there(void);

/* True if @word, after dashes, is a plugin of nvme-cli 2.x alone: "intel", "intel-smart-log". */
bool original_has_plugin(const char *word);

/* Return the path of the program with these plugins; if there is none, where it should be. */
const char *original_plugin_path(void);

/* Execute the other program, or the one with the plugin. Return 0 if there is none, else -errno. */
int original_take_over(char **argv);
