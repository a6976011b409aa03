/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The built-in commands, each defined in the file of its family. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "command.h"

extern const struct command_spec connect_all_command;
extern const struct command_spec connect_command;
extern const struct command_spec disconnect_all_command;
extern const struct command_spec disconnect_command;
extern const struct command_spec discover_command;
extern const struct command_spec gen_hostnqn_command;
extern const struct command_spec help_command;
extern const struct command_spec list_subsys_command;
extern const struct command_spec show_hostnqn_command;
extern const struct command_spec version_command;

#endif /* COMMANDS_H */
