/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of commands and directions of their data, by opcode. */
#pragma once

#include "shared/std.h"

/* Base Specification 2.0, figure 86: bits 1:0 of every opcode except that of fabrics commands. */
enum passthru_transfer {
	PASSTHRU_NO_DATA,
	PASSTHRU_TO_DEVICE,
	PASSTHRU_FROM_DEVICE,
	PASSTHRU_BOTH_WAYS,
};

static inline enum passthru_transfer passthru_transfer(uint8_t opcode)
{
	return opcode & 3;
}

/* Return the name of an opcode of the Admin queue or of an I/O queue, or "Vendor Specific". */
const char *passthru_opcode_name(bool admin, uint8_t opcode);
