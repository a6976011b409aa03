/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits of Identify data; the id is the offset of the number in the structure. */
#pragma once

#include "frame/frame.h"

extern const struct bits id_ctrl_bits[];
extern const struct bits id_ns_bits[];
