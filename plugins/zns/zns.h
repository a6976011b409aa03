/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "device/device.h"

#define ZNS_DESC_EXTENSION_UNIT 64 /* bytes; the unit of zdes */
#define ZNS_DESC_EXTENSION_MAX (255 * ZNS_DESC_EXTENSION_UNIT)

/* Zones of a namespace in its current format. */
struct zns_layout {
	uint64_t blocks; /* size of the namespace (NSZE) */
	uint64_t zone_size; /* in logical blocks */
	uint32_t extension; /* bytes of a zone descriptor extension */
};

/*
 * Read the layout from both kinds of Identify Namespace (CNS 00h and 05h). Return the exit status.
 */
int zns_read_layout(struct command *cmd, const struct device *dev, uint32_t nsid,
		    struct zns_layout *layout);

extern const struct command_spec zns_list_command;
extern const struct command_spec zns_id_ctrl_command;
extern const struct command_spec zns_id_ns_command;
extern const struct command_spec zns_report_zones_command;
extern const struct command_spec zns_reset_zone_command;
extern const struct command_spec zns_close_zone_command;
extern const struct command_spec zns_finish_zone_command;
extern const struct command_spec zns_open_zone_command;
extern const struct command_spec zns_offline_zone_command;
extern const struct command_spec zns_set_zone_desc_command;
extern const struct command_spec zns_zrwa_flush_zone_command;
extern const struct command_spec zns_changed_zone_list_command;
extern const struct command_spec zns_zone_mgmt_recv_command;
extern const struct command_spec zns_zone_mgmt_send_command;
extern const struct command_spec zns_zone_append_command;
