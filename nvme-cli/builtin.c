// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands. */
#include "commands.h"
#include "config.h"
#include "frame/command-table.h"

static const struct command_spec *const fabrics_commands[] = {
	&discover_command,
	&connect_all_command,
	&connect_command,
	&disconnect_command,
	&disconnect_all_command,
	&gen_hostnqn_command,
	&show_hostnqn_command,
	&config_command,
	&dim_command,
	NULL,
};

static const struct command_spec *const listing_commands[] = {
	&list_subsys_command, &list_ns_command,	      &list_ctrl_command,
	&list_command,	      &show_topology_command, NULL,
};

static const struct command_spec *const identify_commands[] = {
	&id_ctrl_command, &id_ns_command, &ns_descs_command, &get_ns_id_command, NULL,
};

static const struct command_spec *const log_commands[] = {
	&smart_log_command, &error_log_command,		  &ana_log_command,
	&get_log_command,   &supported_log_pages_command, NULL,
};

static const struct command_spec *const setting_commands[] = {
	&get_feature_command,  &set_feature_command, &get_property_command,
	&set_property_command, &show_regs_command,   NULL,
};

static const struct command_spec *const io_commands[] = {
	&flush_command, &read_command,	       &write_command, &compare_command,
	&dsm_command,	&write_zeroes_command, NULL,
};

static const struct command_spec *const controller_commands[] = {
	&reset_command,		 &subsystem_reset_command, &ns_rescan_command,
	&admin_passthru_command, &io_passthru_command,	   NULL,
};

static const struct command_spec *const key_commands[] = {
	&gen_dhchap_key_command, &check_dhchap_key_command, &gen_tls_key_command,
	&check_tls_key_command,	 &tls_key_command,	    NULL,
};

static const struct command_spec *const general_commands[] = {
	&version_command,
	&help_command,
	NULL,
};

static const struct command_group groups[] = {
	{ "Fabrics", fabrics_commands },
	{ "Listing", listing_commands },
	{ "Identify", identify_commands },
	{ "Log pages", log_commands },
	{ "Features and properties", setting_commands },
	{ "Logical blocks", io_commands },
	{ "Controllers", controller_commands },
	{ "Keys", key_commands },
	{ "General", general_commands },
	{ NULL, NULL },
};

extern const struct plugin mptcp_plugin;
extern const struct plugin nbft_plugin;

static const struct plugin *const plugins[] = {
	&mptcp_plugin,
	&nbft_plugin,
	NULL,
};

const struct command_table builtin_table = {
	.version = NVME_VERSION,
	.groups = groups,
	.plugins = plugins,
};
