/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers as show-regs has them, for other commands. */
#pragma once

#include "device/device.h"

#define FEATURE_REGISTERS_SIZE 0x1000 /* of the memory behind a local controller's first BAR */

/* Every register by its offset; word: its name in text. */
extern const struct name feature_registers[];

/* NULL for an offset without one. */
const struct name *feature_find_register(unsigned int offset);

/* Its name in JSON: the version has another one than in text. */
const char *feature_register_key(const struct name *reg);

/* The controller that @dev is, which must be no block device. NULL after a message. */
nvme_ctrl_t feature_find_ctrl(struct command *cmd, const struct device *dev);

/* The registers of a local controller, to be unmapped. NULL after a message. */
void *feature_map_registers(struct command *cmd, const char *dir, bool writable);

uint64_t feature_read_register(const volatile void *memory, const struct name *reg);

/*
 * Controller Capabilities: by Property Get over fabrics, from the registers of a local controller.
 * 0, or the exit status after a message.
 */
int feature_read_cap(struct command *cmd, const struct device *dev, uint64_t *cap);
