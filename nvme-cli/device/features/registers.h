/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers in the form of show-regs, for other commands. */
#pragma once

#include "device/device.h"

#define FEATURE_REGISTERS_SIZE 0x1000 /* bytes to map of a local controller's first BAR */

/* All registers, sorted by offset; word: the name in text. */
extern const struct name feature_registers[];

/* Return the register at @offset, or NULL. */
const struct name *feature_find_register(unsigned int offset);

/* Property Get and Property Set with the command's timeout. Return as nvme_get_property() does. */
int feature_get_property(const struct command *cmd, int fd, unsigned int offset, __u64 *value);
int feature_set_property(const struct command *cmd, int fd, unsigned int offset, uint64_t value);

/* True for the five registers that fabrics have as properties. */
bool feature_is_property(unsigned int offset);

/* Return the name of a register in JSON, which differs from the one in text for the version. */
const char *feature_register_key(const struct name *reg);

/* Find the controller of @dev, which must not be a block device. Return NULL after a message. */
nvme_ctrl_t feature_find_ctrl(struct command *cmd, const struct device *dev);

/* Map the registers of a local controller; the caller unmaps them. Return NULL after a message. */
void *feature_map_registers(struct command *cmd, const char *dir, bool writable);

uint64_t feature_read_register(const volatile void *memory, const struct name *reg);

/* Read CAP, by Property Get or from the registers. Return 0, or the exit status after a message. */
int feature_read_cap(struct command *cmd, const struct device *dev, uint64_t *cap);

/* Registers that determine the meaning of others. */
struct register_context {
	uint32_t cmbsz; /* 0: there is no Controller Memory Buffer, and CMBLOC is meaningless */
	uint32_t pmrctl; /* bit 0 clear: the Persistent Memory Region is disabled and not ready */
};

/* If they were not read, assume that the buffer exists and the region is enabled. */
#define REGISTER_CONTEXT_UNKNOWN \
	{ \
		.cmbsz = UINT32_MAX, .pmrctl = UINT32_MAX \
	}

/* Explain register @offset in the words of nvme-cli 2.x: a line or JSON field for each part, after the value called @key. */
void feature_explain_register(struct out *out, const char *key, unsigned int offset, uint64_t value,
			      const struct register_context *context);
