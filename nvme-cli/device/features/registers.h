/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers that other commands than show-regs go by. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "device/device.h"

/*
 * Controller Capabilities: by Property Get over fabrics, from the registers of a local controller.
 * 0, or the exit status after a message.
 */
int feature_read_cap(struct command *cmd, const struct device *dev, uint64_t *cap);

#endif /* REGISTERS_H */
