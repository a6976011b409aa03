// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme nbft: what the firmware booted from. */
#include "nbft.h"

static const struct command_spec *const commands[] = {
	&nbft_show_command,
	NULL,
};

extern const struct plugin nbft_plugin;

const struct plugin nbft_plugin = {
	.name = "nbft",
	.summary = "Look at the NVMe Boot Firmware Table",
	.commands = commands,
};
