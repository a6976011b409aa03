/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "device/request.h"

#define BLOCKS_MAX_RANGES 256

/* Parse one number per range. Return their count, or -1 after a message beginning with @refusal. */
int request_parse_ranges(struct command *cmd, const char *refusal, const char *option,
			 const char *text, uint64_t max, uint64_t numbers[BLOCKS_MAX_RANGES]);
