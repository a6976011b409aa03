/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "frame/frame.h"

/* Where the kernel exposes the tables of the firmware. */
#define NBFT_TABLES "/sys/firmware/acpi/tables"

extern const struct command_spec nbft_show_command;
