/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits of the effects of commands and features, named as in the specification. */
#pragma once

#include <stdint.h>

#include "frame/out.h"

/* Print each name with whether its bit is set, e.g. "  CSUPP+  LBCC-", in text only. */
void log_out_effects(struct out *out, const struct out_flag *effects, uint32_t value);
