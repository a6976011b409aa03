/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bits of Identify data, by the offset of their number in the structure. */
#pragma once

#include "frame/frame.h"

extern const struct bits id_ctrl_bits[];
extern const struct bits id_ns_bits[];
