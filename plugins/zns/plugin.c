// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns: namespaces of the Zoned Namespace command set. */
#include "zns.h"

static const struct command_spec *const commands[] = {
	&zns_list_command,
	&zns_id_ctrl_command,
	&zns_id_ns_command,
	&zns_report_zones_command,
	&zns_reset_zone_command,
	&zns_close_zone_command,
	&zns_finish_zone_command,
	&zns_open_zone_command,
	&zns_offline_zone_command,
	&zns_set_zone_desc_command,
	&zns_zrwa_flush_zone_command,
	&zns_changed_zone_list_command,
	&zns_zone_mgmt_recv_command,
	&zns_zone_mgmt_send_command,
	&zns_zone_append_command,
	NULL,
};

extern const struct plugin zns_plugin;

const struct plugin zns_plugin = {
	.name = "zns",
	.summary = "Show and manage zoned namespaces",
	.commands = commands,
};
