// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme nbft: the boot connections of the firmware. */
#include "nbft.h"

static const struct command_spec *const commands[] = {
	&nbft_show_command,
	NULL,
};

extern const struct plugin nbft_plugin;

const struct plugin nbft_plugin = {
	.name = "nbft",
	.summary = "Show the NVMe Boot Firmware Table",
	.commands = commands,
};
