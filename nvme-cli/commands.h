/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, and the built-in ones, each defined in the file of its family. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "frame/frame.h"

extern const struct command_table builtin_table;

extern const struct command_spec admin_passthru_command;
extern const struct command_spec ana_log_command;
extern const struct command_spec check_dhchap_key_command;
extern const struct command_spec check_tls_key_command;
extern const struct command_spec compare_command;
extern const struct command_spec config_command;
extern const struct command_spec connect_command;
extern const struct command_spec connect_all_command;
extern const struct command_spec dim_command;
extern const struct command_spec disconnect_command;
extern const struct command_spec disconnect_all_command;
extern const struct command_spec discover_command;
extern const struct command_spec dsm_command;
extern const struct command_spec error_log_command;
extern const struct command_spec flush_command;
extern const struct command_spec gen_dhchap_key_command;
extern const struct command_spec gen_hostnqn_command;
extern const struct command_spec gen_tls_key_command;
extern const struct command_spec get_feature_command;
extern const struct command_spec get_log_command;
extern const struct command_spec get_ns_id_command;
extern const struct command_spec get_property_command;
extern const struct command_spec help_command;
extern const struct command_spec id_ctrl_command;
extern const struct command_spec id_ns_command;
extern const struct command_spec io_passthru_command;
extern const struct command_spec list_command;
extern const struct command_spec list_ctrl_command;
extern const struct command_spec list_ns_command;
extern const struct command_spec list_subsys_command;
extern const struct command_spec ns_descs_command;
extern const struct command_spec ns_rescan_command;
extern const struct command_spec read_command;
extern const struct command_spec reset_command;
extern const struct command_spec set_feature_command;
extern const struct command_spec set_property_command;
extern const struct command_spec show_hostnqn_command;
extern const struct command_spec show_regs_command;
extern const struct command_spec show_topology_command;
extern const struct command_spec smart_log_command;
extern const struct command_spec subsystem_reset_command;
extern const struct command_spec supported_log_pages_command;
extern const struct command_spec tls_key_command;
extern const struct command_spec version_command;
extern const struct command_spec write_command;
extern const struct command_spec write_zeroes_command;

#endif /* COMMANDS_H */
