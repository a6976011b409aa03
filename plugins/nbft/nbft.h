/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "frame/frame.h"

/* Where firmware leaves its tables. */
#define NBFT_TABLES "/sys/firmware/acpi/tables"

extern const struct command_spec nbft_show_command;
