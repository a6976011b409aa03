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

#define REGISTER_NAME(id, name, word) \
	{ \
		NVME_REG_##id, name, word \
	}
#define REGISTER_BITS(id, shift, width, key, label) \
	{ \
		NVME_REG_##id, shift, width, key, label, 0 \
	}

/* clang-format off */
/* NVM Express Base Specification 2.0, "Controller Properties"; word: the name of show-regs. */
static const struct name register_names[] = {
	REGISTER_NAME(CAP, "Controller Capabilities", "cap"),
	REGISTER_NAME(VS, "Version", "version"),
	REGISTER_NAME(INTMS, "Interrupt Vector Mask Set", "intms"),
	REGISTER_NAME(INTMC, "Interrupt Vector Mask Clear", "intmc"),
	REGISTER_NAME(CC, "Controller Configuration", "cc"),
	REGISTER_NAME(CSTS, "Controller Status", "csts"),
	REGISTER_NAME(NSSR, "NVM Subsystem Reset", "nssr"),
	REGISTER_NAME(AQA, "Admin Queue Attributes", "aqa"),
	REGISTER_NAME(ASQ, "Admin Submission Queue Base Address", "asq"),
	REGISTER_NAME(ACQ, "Admin Completion Queue Base Address", "acq"),
	REGISTER_NAME(CMBLOC, "Controller Memory Buffer Location", "cmbloc"),
	REGISTER_NAME(CMBSZ, "Controller Memory Buffer Size", "cmbsz"),
	REGISTER_NAME(BPINFO, "Boot Partition Information", "bpinfo"),
	REGISTER_NAME(BPRSEL, "Boot Partition Read Select", "bprsel"),
	REGISTER_NAME(BPMBL, "Boot Partition Memory Buffer Location", "bpmbl"),
	REGISTER_NAME(CMBMSC, "Controller Memory Buffer Memory Space Control", "cmbmsc"),
	REGISTER_NAME(CMBSTS, "Controller Memory Buffer Status", "cmbsts"),
	REGISTER_NAME(CMBEBS, "Controller Memory Buffer Elasticity Buffer Size", "cmbebs"),
	REGISTER_NAME(CMBSWTP, "Controller Memory Buffer Sustained Write Throughput", "cmbswtp"),
	REGISTER_NAME(NSSD, "NVM Subsystem Shutdown", "nssd"),
	REGISTER_NAME(CRTO, "Controller Ready Timeouts", "crto"),
	REGISTER_NAME(PMRCAP, "Persistent Memory Region Capabilities", "pmrcap"),
	REGISTER_NAME(PMRCTL, "Persistent Memory Region Control", "pmrctl"),
	REGISTER_NAME(PMRSTS, "Persistent Memory Region Status", "pmrsts"),
	REGISTER_NAME(PMREBS, "Persistent Memory Region Elasticity Buffer Size", "pmrebs"),
	REGISTER_NAME(PMRSWTP, "Persistent Memory Region Sustained Write Throughput", "pmrswtp"),
	REGISTER_NAME(PMRMSCL, "Persistent Memory Region Memory Space Control Lower", "pmrmscl"),
	REGISTER_NAME(PMRMSCU, "Persistent Memory Region Memory Space Control Upper", "pmrmscu"),
	{ 0, NULL, NULL },
};

static const struct bits register_bits[] = {
	REGISTER_BITS(CAP, 59, 2, "crms", "Controller Ready Modes Supported (CRMS)"),
	REGISTER_BITS(CAP, 58, 1, "nsss", "NVM Subsystem Shutdown Supported (NSSS)"),
	REGISTER_BITS(CAP, 57, 1, "cmbs", "Controller Memory Buffer Supported (CMBS)"),
	REGISTER_BITS(CAP, 56, 1, "pmrs", "Persistent Memory Region Supported (PMRS)"),
	REGISTER_BITS(CAP, 52, 4, "mpsmax", "Memory Page Size Maximum (MPSMAX), 2^(12+n)"),
	REGISTER_BITS(CAP, 48, 4, "mpsmin", "Memory Page Size Minimum (MPSMIN), 2^(12+n)"),
	REGISTER_BITS(CAP, 46, 2, "cps", "Controller Power Scope (CPS)"),
	REGISTER_BITS(CAP, 45, 1, "bps", "Boot Partition Support (BPS)"),
	REGISTER_BITS(CAP, 37, 8, "css", "Command Sets Supported (CSS)"),
	REGISTER_BITS(CAP, 36, 1, "nssrs", "NVM Subsystem Reset Supported (NSSRS)"),
	REGISTER_BITS(CAP, 32, 4, "dstrd", "Doorbell Stride (DSTRD), 2^(2+n) bytes"),
	REGISTER_BITS(CAP, 24, 8, "to", "Timeout (TO) in 500 ms"),
	REGISTER_BITS(CAP, 17, 2, "ams", "Arbitration Mechanism Supported (AMS)"),
	REGISTER_BITS(CAP, 16, 1, "cqr", "Contiguous Queues Required (CQR)"),
	REGISTER_BITS(CAP, 0, 16, "mqes", "Maximum Queue Entries Supported (MQES), 0's based"),
	REGISTER_BITS(VS, 16, 16, "mjr", "Major Version (MJR)"),
	REGISTER_BITS(VS, 8, 8, "mnr", "Minor Version (MNR)"),
	REGISTER_BITS(VS, 0, 8, "ter", "Tertiary Version (TER)"),
	REGISTER_BITS(CC, 24, 1, "crime", "Controller Ready Independent of Media Enable (CRIME)"),
	REGISTER_BITS(CC, 20, 4, "iocqes", "I/O Completion Queue Entry Size (IOCQES), 2^n"),
	REGISTER_BITS(CC, 16, 4, "iosqes", "I/O Submission Queue Entry Size (IOSQES), 2^n"),
	REGISTER_BITS(CC, 14, 2, "shn", "Shutdown Notification (SHN)"),
	REGISTER_BITS(CC, 11, 3, "ams", "Arbitration Mechanism Selected (AMS)"),
	REGISTER_BITS(CC, 7, 4, "mps", "Memory Page Size (MPS), 2^(12+n)"),
	REGISTER_BITS(CC, 4, 3, "css", "I/O Command Set Selected (CSS)"),
	REGISTER_BITS(CC, 0, 1, "en", "Enable (EN)"),
	REGISTER_BITS(CSTS, 6, 1, "st", "Shutdown Type (ST)"),
	REGISTER_BITS(CSTS, 5, 1, "pp", "Processing Paused (PP)"),
	REGISTER_BITS(CSTS, 4, 1, "nssro", "NVM Subsystem Reset Occurred (NSSRO)"),
	REGISTER_BITS(CSTS, 2, 2, "shst", "Shutdown Status (SHST)"),
	REGISTER_BITS(CSTS, 1, 1, "cfs", "Controller Fatal Status (CFS)"),
	REGISTER_BITS(CSTS, 0, 1, "rdy", "Ready (RDY)"),
	REGISTER_BITS(AQA, 16, 12, "acqs", "Admin Completion Queue Size (ACQS), 0's based"),
	REGISTER_BITS(AQA, 0, 12, "asqs", "Admin Submission Queue Size (ASQS), 0's based"),
	{ 0, 0, 0, NULL, NULL, 0 },
};
/* clang-format on */

static int check_offset(struct command *cmd, const struct property_args *args)
{
	if (args->offset == UINT32_MAX)
		return command_fail(cmd, 0, "offset required param");
	if (args->offset >= REGISTERS_SIZE)
		return command_fail(cmd, 0, "Invalid --offset %#x: properties end at %#x",
				    args->offset, REGISTERS_SIZE);
	return 0;
}

/* In JSON offset and value are text, as in nvme-cli 2.x. */
static void out_property(struct out *out, unsigned int offset, uint64_t value)
{
	char text[20];

	out_object(out, NULL);
	snprintf(text, sizeof(text), "0x%02x", offset);
	out_str(out, "property", text);
	out_str(out, "name", name_of(register_names, offset));
	snprintf(text, sizeof(text), "%" PRIx64,
		 nvme_is_64bit_reg(offset) ? value : value & UINT32_MAX);
	out_str(out, "value", text);
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
		return device_result(cmd, ret, "get-property");
	if (args->human || cmd->common.verbose)
		out_text(out, "%s: 0x%" PRIx64 "\n", name_of(register_names, offset),
			 (uint64_t)value);
	else
		out_text(out, "property: %#04x (%s), value: %#" PRIx64 "\n", offset,
			 name_of(register_names, offset), (uint64_t)value);
	out_property(out, offset, value);
	if (args->human || cmd->common.verbose)
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
		return command_fail(cmd, 0, "value required param");
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
		return device_result(cmd, ret, "set-property");
	out_text(out, "set-property: %#04x (%s), value: %#" PRIx64 "\n", offset,
		 name_of(register_names, offset), args->value);
	out_property(out, offset, args->value);
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

/* The version has another name in JSON than in text. */
static const char *register_key(const struct name *reg)
{
	return reg->value == NVME_REG_VS ? "vs" : reg->word;
}

/* Property Get answers with 64 bits in any case. */
static void show_register(struct command *cmd, const struct name *reg, uint64_t value)
{
	const struct show_regs_args *args = cmd->args;
	struct out *out = cmd->out;

	if (!nvme_is_64bit_reg(reg->value))
		value &= UINT32_MAX;
	out_label(out, reg->word);
	out_uint_as(out, register_key(reg), value, "%#" PRIx64, value);
	if (!out_is_json(out) && (args->human || cmd->common.verbose))
		out_bits(out, register_bits, reg->value, value);
}

/* JSON has every register, so that its fields do not depend on the transport. */
static void show_unread(struct command *cmd, const struct name *reg)
{
	out_json_only(cmd->out);
	if (nvme_is_64bit_reg(reg->value))
		out_uint(cmd->out, register_key(reg), UINT64_MAX);
	else if (reg->value == NVME_REG_PMRMSCL || reg->value == NVME_REG_PMRMSCU)
		out_uint(cmd->out, register_key(reg), UINT32_MAX);
	else
		out_int(cmd->out, register_key(reg), -1);
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
				return device_result(cmd, ret, "get-property");
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
	return n_read ? 0 : device_result(cmd, first, "get-property");
}

static int show_memory(struct command *cmd, const char *dir)
{
	_cleanup_(free) char *path = NULL;
	_cleanup_(close) int fd = -1;
	const volatile void *memory;

	if (asprintf(&path, "%s/device/resource0", dir) < 0) {
		path = NULL;
		return command_fail(cmd, ENOMEM, "show-regs");
	}
	fd = open(path, O_RDONLY | O_SYNC | O_CLOEXEC);
	if (fd < 0)
		return command_fail(cmd, errno, "%s", path);
	memory = mmap(NULL, REGISTERS_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return command_fail(cmd, errno, "Failed to map %s", path);
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
		return command_fail(cmd, 0,
				    "Only character device is allowed (%s is a block device)",
				    dev.path);
	if (!command_root(cmd))
		return 1;
	c = nvme_scan_ctrl(cmd->root, dev.name);
	if (!c)
		return command_fail(cmd, 0,
				    "%s: no such controller in /sys (is it an NVMe controller?)",
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
