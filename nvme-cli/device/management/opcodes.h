/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of commands, and the direction of their data, by opcode. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* NVM Express Base Specification 2.0, figure 86: bits 1:0 of every opcode but that of fabrics commands. */
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

/* The name of a command of the Admin queue (@admin) or of an I/O queue; "Vendor Specific" for others. */
const char *passthru_opcode_name(bool admin, uint8_t opcode);
