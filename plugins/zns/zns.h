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

/* Read the layout from both kinds of Identify Namespace (CNS 00h and 05h). */
int zns_read_layout(struct command *cmd, const struct device *dev, uint32_t nsid,
		    struct zns_layout *layout);

/* clang-format off */
/* The commands in the order of the help. */
#define ZNS_COMMANDS(X) \
	X(list) X(id_ctrl) X(id_ns) X(report_zones) X(reset_zone) X(close_zone) \
	X(finish_zone) X(open_zone) X(offline_zone) X(set_zone_desc) X(zrwa_flush_zone) \
	X(changed_zone_list) X(zone_mgmt_recv) X(zone_mgmt_send) X(zone_append)
#define ZNS_DECLARED(name) extern const struct command_spec zns_##name##_command;
ZNS_COMMANDS(ZNS_DECLARED)
/* clang-format on */
