/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits of what commands and features have as effects, by their names in the specification. */
#pragma once

#include <stdint.h>

#include "frame/out.h"

/* "  CSUPP+  LBCC-": each name with whether its bit is set. Text only. */
void log_out_effects(struct out *out, const struct out_flag *effects, uint32_t value);
