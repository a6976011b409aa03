// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-property, set-property, show-regs: the properties (registers) of a controller */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "commands.h"
#include "device/device.h"

#define REGISTERS_SIZE 0x1000 /* of the memory behind a local controller's first BAR */

struct property_args {
	uint32_t offset; /* UINT32_MAX: not given */
	uint64_t value;
	bool human;
};

static const struct arg get_property_options[] = {
	OPT(UINT, "offset", 'O', struct property_args, offset, "N",
	    "offset of the property (required)"),
	OPT_FLAG("human-readable", 'H', struct property_args, human, "explain the bits"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int check_offset(struct command *cmd, const struct property_args *args)
{
	if (args->offset == UINT32_MAX)
		return fail(cmd, 0, "offset required param");
	if (args->offset >= REGISTERS_SIZE)
		return fail(cmd, 0, "Invalid --offset %#x: properties end at %#x", args->offset,
			    REGISTERS_SIZE);
	return 0;
}

static int get_property(struct command *cmd)
{
	const struct property_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct out *out = cmd->out;
	unsigned int offset = args->offset;
	__u64 value = 0;
	int ret;

	if (check_offset(cmd, args) || device_open(cmd, &dev))
		return 1;

	struct nvme_get_property_args command = {
		.value = &value,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.offset = (int)offset,
	};

	ret = nvme_get_property(&command);
	if (ret)
		return nvme_result(cmd, ret, "get-property");
	if (args->human || cmd->common.verbose)
		out_text(out, "%s: 0x%" PRIx64 "\n", name_of(register_names, offset),
			 (uint64_t)value);
	else
		out_text(out, "property: %#04x (%s), value: 0x%" PRIx64 "\n", offset,
			 name_of(register_names, offset), (uint64_t)value);
	out_object(out, NULL);
	out_uint(out, "property", offset);
	out_str(out, "name", name_of(register_names, offset));
	out_uint(out, "value", value);
	if (out_is_json(out) || args->human || cmd->common.verbose)
		out_bits(out, register_bits, offset, value);
	return out_end(out);
}

const struct command_spec get_property_command = {
	.name = "get-property",
	.summary = "Show a property of a fabrics controller",
	.operands = "DEVICE",
	.options = get_property_options,
	.args_size = sizeof(struct property_args),
	.defaults = &(const struct property_args){ .offset = UINT32_MAX },
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = get_property,
};

static const struct arg set_property_options[] = {
	OPT(UINT, "offset", 'O', struct property_args, offset, "N",
	    "offset of the property (required)"),
	OPT(SUFFIX, "value", 'V', struct property_args, value, "N", "new value (required)"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int set_property(struct command *cmd)
{
	const struct property_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	unsigned int offset = args->offset;
	struct out *out = cmd->out;
	__u32 result;
	int ret;

	if (check_offset(cmd, args))
		return 1;
	if (args->value == UINT64_MAX)
		return fail(cmd, 0, "value required param");
	if (device_open(cmd, &dev))
		return 1;

	struct nvme_set_property_args command = {
		.value = args->value,
		.result = &result,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.offset = (int)offset,
	};

	ret = nvme_set_property(&command);
	if (ret)
		return nvme_result(cmd, ret, "set-property");
	out_text(out, "set-property: %#04x (%s), value: %#" PRIx64 "\n", offset,
		 name_of(register_names, offset), args->value);
	out_object(out, NULL);
	out_uint(out, "property", offset);
	out_str(out, "name", name_of(register_names, offset));
	out_uint(out, "value", args->value);
	return out_end(out);
}

const struct command_spec set_property_command = {
	.name = "set-property",
	.summary = "Set a property of a fabrics controller",
	.operands = "DEVICE",
	.options = set_property_options,
	.args_size = sizeof(struct property_args),
	.defaults = &(const struct property_args){ .offset = UINT32_MAX, .value = UINT64_MAX },
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = set_property,
};

struct show_regs_args {
	bool human;
};

static const struct arg show_regs_options[] = {
	OPT_FLAG("human-readable", 'H', struct show_regs_args, human, "explain the bits"),
	GENERIC_OPTIONS,
	OPT_END,
};

static void show_register(struct command *cmd, const struct name *reg, uint64_t value)
{
	const struct show_regs_args *args = cmd->args;
	struct out *out = cmd->out;

	out_uint_as(out, reg->word, value, "%#" PRIx64, value);
	if (!out_is_json(out) && (args->human || cmd->common.verbose))
		out_bits(out, register_bits, reg->value, value);
}

/* JSON has every register, so that its fields do not depend on the transport. */
static void show_unread(struct command *cmd, const struct name *reg)
{
	out_json_only(cmd->out);
	if (nvme_is_64bit_reg(reg->value))
		out_uint(cmd->out, reg->word, UINT64_MAX);
	else
		out_int(cmd->out, reg->word, -1);
}

/* Over fabrics there are five properties; the Property Get command reads them. */
static int show_fabrics(struct command *cmd, int fd)
{
	struct nvme_get_property_args command = {
		.args_size = sizeof(command),
		.fd = fd,
		.timeout = cmd->common.timeout,
	};
	unsigned int n_read = 0;
	int ret, first = 0;

	for (const struct name *reg = register_names; reg->name; reg++) {
		__u64 value = 0;

		switch (reg->value) {
		case NVME_REG_CAP:
		case NVME_REG_VS:
		case NVME_REG_CC:
		case NVME_REG_CSTS:
		case NVME_REG_NSSR:
			command.value = &value;
			command.offset = (int)reg->value;
			ret = nvme_get_property(&command);
			if (ret < 0)
				return nvme_result(cmd, ret, "get-property");
			if (!ret) {
				show_register(cmd, reg, value);
				n_read++;
				break;
			}
			first = first ? first : ret;
			show_unread(cmd, reg);
			break;
		default:
			show_unread(cmd, reg);
		}
	}
	return n_read ? 0 : nvme_result(cmd, first, "get-property");
}

static int show_memory(struct command *cmd, const char *dir)
{
	_cleanup_(free) char *path = NULL;
	_cleanup_(close) int fd = -1;
	const volatile void *memory;

	if (asprintf(&path, "%s/device/resource0", dir) < 0) {
		path = NULL;
		return fail(cmd, ENOMEM, "show-regs");
	}
	fd = open(path, O_RDONLY | O_SYNC | O_CLOEXEC);
	if (fd < 0)
		return fail(cmd, errno, "%s", path);
	memory = mmap(NULL, REGISTERS_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return fail(cmd, errno, "Failed to map %s", path);
	for (const struct name *reg = register_names; reg->name; reg++) {
		const volatile __u32 *at =
			(const volatile void *)((const volatile char *)memory + reg->value);
		uint64_t value = le32toh(at[0]);

		if (nvme_is_64bit_reg(reg->value))
			value |= (uint64_t)le32toh(at[1]) << 32;
		show_register(cmd, reg, value);
	}
	munmap((void *)memory, REGISTERS_SIZE);
	return 0;
}

static int show_regs(struct command *cmd)
{
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	nvme_ctrl_t c;
	int status;

	if (device_open(cmd, &dev))
		return 1;
	if (dev.is_block)
		return fail(cmd, 0, "Only character device is allowed (%s is a block device)",
			    dev.path);
	if (!command_root(cmd))
		return 1;
	c = nvme_scan_ctrl(cmd->root, dev.name);
	if (!c)
		return fail(cmd, 0, "%s: no such controller in /sys (is it an NVMe controller?)",
			    dev.path);
	out_listing(cmd->out, NULL, OUT_PAD_COLON, 8);
	if (nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS))
		status = show_fabrics(cmd, dev.fd);
	else
		status = show_memory(cmd, nvme_ctrl_get_sysfs_dir(c));
	out_end(cmd->out);
	return status;
}

const struct command_spec show_regs_command = {
	.name = "show-regs",
	.summary = "Show the registers of a controller",
	.operands = "DEVICE",
	.options = show_regs_options,
	.args_size = sizeof(struct show_regs_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = show_regs,
};
