// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-property, set-property, show-regs: the properties (registers) of a controller */
#include <sys/mman.h>

#include "device/in-use.h"
#include "frame/parts.h"
#include "registers.h"

struct property_args {
	uint32_t offset; /* UINT32_MAX: not given */
	uint64_t value;
	bool human;
};
#define ARGS struct property_args

/* clang-format off */
#define REGISTER_NAME(id, name, word) { NVME_REG_##id, name, word }
/* NVM Express Base Specification 2.0, "Controller Properties"; word: the name in show-regs. */
const struct name feature_registers[] = {
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
/* clang-format on */

static int check_offset(struct command *cmd, const struct property_args *args)
{
	return args->offset == UINT32_MAX ? command_fail(cmd, 0, "offset required param") : 0;
}

const struct name *feature_find_register(unsigned int offset)
{
	for (const struct name *reg = feature_registers; reg->name; reg++)
		if (reg->value == offset)
			return reg;
	return NULL;
}

/* Offset and value are strings in JSON, as in nvme-cli 2.x. */
static void out_property(struct out *out, const char *key, unsigned int offset, uint64_t value)
{
	char text[20];

	out_object(out, NULL);
	snprintf(text, sizeof(text), "0x%02x", offset);
	out_str(out, key, text);
	out_str(out, "name", name_of(feature_registers, offset));
	snprintf(text, sizeof(text), "%" PRIx64,
		 nvme_is_64bit_reg(offset) ? value : value & UINT32_MAX);
	out_str(out, "value", text);
}

int feature_get_property(const struct command *cmd, int fd, unsigned int offset, __u64 *value)
{
	struct nvme_get_property_args command = {
		.value = value,
		.args_size = sizeof(command),
		.fd = fd,
		.timeout = cmd->common.timeout,
		.offset = (int)offset,
	};

	return nvme_get_property(&command);
}

int feature_set_property(const struct command *cmd, int fd, unsigned int offset, uint64_t value)
{
	__u32 result;
	struct nvme_set_property_args command = {
		.value = value,
		.result = &result,
		.args_size = sizeof(command),
		.fd = fd,
		.timeout = cmd->common.timeout,
		.offset = (int)offset,
	};

	return nvme_set_property(&command);
}

static int get_property(struct command *cmd)
{
	static const struct register_context unknown = REGISTER_CONTEXT_UNKNOWN;
	const struct property_args *args = cmd->args;
	const bool explains = args->human || cmd->common.verbose;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct out *out = cmd->out;
	unsigned int offset = args->offset;
	const struct name *reg;
	__u64 value = 0;
	int ret;

	if (check_offset(cmd, args) || device_open(cmd, &dev))
		return 1;
	ret = feature_get_property(cmd, dev.fd, offset, &value);
	if (ret)
		return device_result(cmd, ret, "get-property");
	reg = feature_find_register(offset);
	if (!explains) {
		out_text(out, "property: %#04x (%s), value: %#" PRIx64 "\n", offset,
			 name_of(feature_registers, offset), (uint64_t)value);
		out_property(out, "property", offset, value);
		return out_end(out);
	}
	out_text(out, "%s: %#" PRIx64 "\n", name_of(feature_registers, offset), (uint64_t)value);
	if (reg) {
		out_object(out, NULL);
		feature_explain_register(out, reg->word, offset, value, &unknown);
		return out_end(out);
	}
	out_text(out, "unknown register: %#04x (%s), value: %#" PRIx64 "\n", offset,
		 name_of(feature_registers, offset), (uint64_t)value);
	out_property(out, "unknown property", offset, value);
	return out_end(out);
}

DEVICE_COMMAND(get_property_command, "get-property", "Show a property of a fabrics controller",
	       GENERIC(OPT(UINT, "offset", 'O', ARGS, offset, "N",
			   "offset of the property (required)"),
		       OPT_FLAG("human-readable", 'H', ARGS, human, "explain the bits")),
	       ARGS, .defaults = &(const struct property_args){ .offset = UINT32_MAX },
	       .run = get_property);

static int set_property(struct command *cmd)
{
	const struct property_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	unsigned int offset = args->offset;
	struct out *out = cmd->out;
	int ret;

	if (check_offset(cmd, args))
		return 1;
	if (args->value == UINT64_MAX)
		return command_fail(cmd, 0, "value required param");
	if (device_open(cmd, &dev) || in_use_require_nvme(cmd, &dev))
		return 1;
	ret = feature_set_property(cmd, dev.fd, offset, args->value);
	if (ret)
		return device_result(cmd, ret, "set-property");
	out_text(out, "set-property: %#04x (%s), value: %#" PRIx64 "\n", offset,
		 name_of(feature_registers, offset), args->value);
	out_property(out, "property", offset, args->value);
	return out_end(out);
}

DEVICE_COMMAND(
	set_property_command, "set-property", "Set a property of a fabrics controller",
	GENERIC(OPT(UINT, "offset", 'O', ARGS, offset, "N", "offset of the property (required)"),
		OPT(SUFFIX, "value", 'V', ARGS, value, "N", "new value (required)")),
	ARGS,
	.defaults = &(const struct property_args){ .offset = UINT32_MAX, .value = UINT64_MAX },
	.run = set_property);

/* Size of the output of -o binary: all registers up to the last one. */
#define BYTES_SIZE (NVME_REG_PMRMSCU + 4)

const char *feature_register_key(const struct name *reg)
{
	return reg->value == NVME_REG_VS ? "vs" : reg->word;
}

static bool is_explained(const struct command *cmd)
{
	const struct property_args *args = cmd->args;

	return args->human || cmd->common.verbose;
}

/* Explain a register; in JSON as an array of one object, as in nvme-cli 2.x. */
static void explain_registers(struct out *out, const struct name *reg, uint64_t value,
			      const struct register_context *context)
{
	out_inner(out, feature_register_key(reg));
	feature_explain_register(out, reg->word, reg->value, value, context);
	out_ends(out, 2);
	out_text(out, "\n");
}

/* Property Get always returns 64 bits, so clear the upper half for 32-bit registers. */
static void show_register(struct command *cmd, const struct name *reg, uint64_t value,
			  const struct register_context *context)
{
	struct out *out = cmd->out;

	if (!nvme_is_64bit_reg(reg->value))
		value &= UINT32_MAX;
	if (is_explained(cmd)) {
		out_text(out, "%-8s: %#" PRIx64 "\n", reg->word, value);
		explain_registers(out, reg, value, context);
		return;
	}
	out_label(out, reg->word);
	/* nvme-cli 2.x prints most 32-bit registers as signed numbers in JSON. */
	if (!out_is_json(out) || nvme_is_64bit_reg(reg->value) || reg->value == NVME_REG_PMRMSCL ||
	    reg->value == NVME_REG_PMRMSCU)
		out_uint_as(out, feature_register_key(reg), value, "%#" PRIx64, value);
	else
		out_int(out, feature_register_key(reg), (int32_t)value);
}

/* JSON has the same fields for any transport: print an unread register with all bits set. */
static void show_unread(struct command *cmd, const struct name *reg)
{
	static const struct register_context unknown = REGISTER_CONTEXT_UNKNOWN;

	if (out_is_json(cmd->out))
		show_register(cmd, reg, UINT64_MAX, &unknown);
}

static void put_register(unsigned char *bytes, const struct name *reg, uint64_t value)
{
	const __le64 le = htole64(value);

	memcpy(bytes + reg->value, &le, nvme_is_64bit_reg(reg->value) ? 8 : 4);
}

bool feature_is_property(unsigned int offset)
{
	return offset == NVME_REG_CAP || offset == NVME_REG_VS || offset == NVME_REG_CC ||
	       offset == NVME_REG_CSTS || offset == NVME_REG_NSSR;
}

/* Over fabrics there are only five properties, which the Property Get command reads. */
static int show_fabrics(struct command *cmd, int fd, unsigned char *bytes)
{
	static const struct register_context none = { 0 };
	unsigned int n_read = 0;
	int ret, first = 0;

	for (const struct name *reg = feature_registers; reg->name; reg++) {
		__u64 value = 0;

		if (!feature_is_property(reg->value)) {
			show_unread(cmd, reg);
			continue;
		}
		ret = feature_get_property(cmd, fd, reg->value, &value);
		if (ret < 0)
			return device_result(cmd, ret, "get-property");
		if (ret) {
			first = first ? first : ret;
			show_unread(cmd, reg);
			continue;
		}
		n_read++;
		if (bytes)
			put_register(bytes, reg, value);
		else
			show_register(cmd, reg, value, &none);
	}
	return n_read ? 0 : device_result(cmd, first, "get-property");
}

static const volatile __u32 *at(const volatile void *memory, unsigned int offset)
{
	return (const volatile void *)((const volatile char *)memory + offset);
}

uint64_t feature_read_register(const volatile void *memory, const struct name *reg)
{
	uint64_t value = le32toh(*at(memory, reg->value));

	if (nvme_is_64bit_reg(reg->value))
		value |= (uint64_t)le32toh(*at(memory, reg->value + 4)) << 32;
	return value;
}

void *feature_map_registers(struct command *cmd, const char *dir, bool writable)
{
	_cleanup_(free) char *path = text_format("%s/device/resource0", dir);
	_cleanup_(close) int fd = -1;
	void *memory;

	if (!path) {
		command_fail(cmd, ENOMEM, "%s", cmd->name);
		return NULL;
	}
	fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_SYNC | O_CLOEXEC);
	if (fd < 0) {
		command_fail(cmd, errno, "%s", path);
		return NULL;
	}
	memory = mmap(NULL, FEATURE_REGISTERS_SIZE, PROT_READ | (writable ? PROT_WRITE : 0),
		      MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		/* CONFIG_IO_STRICT_DEVMEM, which Debian's kernels set, causes EINVAL. */
		command_fail(
			cmd, 0, "Failed to map %s: %s%s", path, strerror(errno),
			errno == EINVAL
				? " (if the kernel reserves the registers for the driver, boot it "
				  "with iomem=relaxed)"
				: "");
		return NULL;
	}
	return memory;
}

static int show_memory(struct command *cmd, const char *dir, unsigned char *bytes)
{
	void *memory = feature_map_registers(cmd, dir, false);

	if (!memory)
		return 1;

	const struct register_context context = {
		.cmbsz = le32toh(*at(memory, NVME_REG_CMBSZ)),
		.pmrctl = le32toh(*at(memory, NVME_REG_PMRCTL)),
	};

	for (unsigned int i = 0; bytes && i < BYTES_SIZE; i += sizeof(__u32)) {
		const __u32 value = *at(memory, i);

		memcpy(bytes + i, &value, sizeof(value));
	}
	for (const struct name *reg = feature_registers; !bytes && reg->name; reg++)
		show_register(cmd, reg, feature_read_register(memory, reg), &context);
	munmap(memory, FEATURE_REGISTERS_SIZE);
	return 0;
}

int feature_read_cap(struct command *cmd, const struct device *dev, uint64_t *cap)
{
	static const struct name reg = { NVME_REG_CAP, NULL, NULL };
	__u64 value = 0;
	int ret = feature_get_property(cmd, dev->fd, NVME_REG_CAP, &value);
	void *memory;
	nvme_ctrl_t c;

	*cap = value;
	if (ret <= 0)
		return device_result(cmd, ret, "get-property");
	if (!command_root(cmd))
		return 1;
	c = nvme_scan_ctrl(cmd->root, dev->name);
	if (!c || nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS))
		return device_result(cmd, ret, "get-property");
	memory = feature_map_registers(cmd, nvme_ctrl_get_sysfs_dir(c), false);
	if (!memory)
		return 1;
	*cap = feature_read_register(memory, &reg);
	munmap(memory, FEATURE_REGISTERS_SIZE);
	return 0;
}

nvme_ctrl_t feature_find_ctrl(struct command *cmd, const struct device *dev)
{
	nvme_ctrl_t c;

	if (dev->is_block) {
		command_fail(cmd, 0, "Only character device is allowed (%s is a block device)",
			     dev->path);
		return NULL;
	}
	if (!command_root(cmd))
		return NULL;
	c = nvme_scan_ctrl(cmd->root, dev->name);
	if (!c)
		command_fail(cmd, 0, "%s: no such controller in /sys (is it an NVMe controller?)",
			     dev->path);
	return c;
}

static int show_regs(struct command *cmd)
{
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	const bool binary = out_format(cmd->out) == OUT_BINARY;
	unsigned char bytes[BYTES_SIZE], *into = binary ? bytes : NULL;
	nvme_ctrl_t c;
	int status;

	memset(bytes, 0xff, sizeof(bytes));
	if (device_open(cmd, &dev))
		return 1;
	c = feature_find_ctrl(cmd, &dev);
	if (!c)
		return 1;
	out_listing(cmd->out, NULL, OUT_PAD_COLON, 8);
	if (nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS))
		status = show_fabrics(cmd, dev.fd, into);
	else
		status = show_memory(cmd, nvme_ctrl_get_sysfs_dir(c), into);
	out_end(cmd->out);
	return binary && !status ? bytes_write(cmd, bytes, sizeof(bytes)) : status;
}

DEVICE_COMMAND_BINARY(show_regs_command, "show-regs", "Show the registers of a controller",
		      GENERIC(OPT_FLAG("human-readable", 'H', ARGS, human, "explain the bits")),
		      ARGS, .run = show_regs);
