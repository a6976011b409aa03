// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-reg, set-reg: single registers, by MMIO or by Property Get and Set */
#include <sys/mman.h>

#include "device/in-use.h"
#include "frame/parts.h"
#include "registers.h"

#define REG_COUNT 28 /* number of feature_registers */
#define REG_NO_OFFSET UINT32_MAX

struct reg_args {
	uint32_t offset;
	uint64_t value;
	bool has_value, human, mmio32;
	bool several; /* more than one is read: continue if one cannot be read */
	bool wanted[REG_COUNT];
	uint64_t values[REG_COUNT];
};
#define ARGS struct reg_args

/* clang-format off */
/* Index in feature_registers, and name on the command line. */
#define REGS_READ_ONLY(X) \
	X(0, "cap"), X(1, "vs"), X(10, "cmbloc"), X(11, "cmbsz"), X(12, "bpinfo"), X(16, "cmbsts"), \
	X(17, "cmbebs"), X(18, "cmbswtp"), X(20, "crto"), X(21, "pmrcap"), X(23, "pmrsts"), \
	X(24, "pmrebs"), X(25, "pmrswtp")
#define REGS_WRITABLE(X) \
	X(2, "intms"), X(3, "intmc"), X(4, "cc"), X(5, "csts"), X(6, "nssr"), X(7, "aqa"), X(8, "asq"), \
	X(9, "acq"), X(13, "bprsel"), X(14, "bpmbl"), X(15, "cmbmsc"), X(19, "nssd"), X(22, "pmrctl"), \
	X(26, "pmrmscl"), X(27, "pmrmscu")
#define REG_FLAG(index, name) \
	OPT_FLAG(name, 0, ARGS, wanted[index], "the register of this name")
#define REG_VALUE(index, name) \
	OPT_NOTED(SUFFIX, name, 0, ARGS, values[index], wanted[index], "N", \
		  "new value of the register of this name")

static const struct arg set_reg_options[] = {
	OPT(UINT, "offset", 'O', ARGS, offset, "N", "offset of the register"),
	OPT_NOTED(SUFFIX, "value", 'V', ARGS, value, has_value, "N", "its new value"),
	OPT_FLAG("mmio32", 'm', ARGS, mmio32, "write 64 bits as two 32-bit writes"),
	REGS_WRITABLE(REG_VALUE),
	GENERIC_OPTIONS,
	OPT_END,
};
/* clang-format on */

/* Access to the registers: by commands to @fd, or in memory. */
struct place {
	int fd;
	void *memory; /* NULL: over fabrics */
};

#define PLACE_NONE \
	{ \
		.fd = -1 \
	}

static void place_close_cleanup(struct place *place)
{
	if (place->memory)
		munmap(place->memory, FEATURE_REGISTERS_SIZE);
}

static int find_place(struct command *cmd, bool writable, struct place *place)
{
	nvme_ctrl_t c = feature_find_ctrl(cmd, cmd->device);

	if (!c)
		return 1;
	place->fd = cmd->device->fd;
	if (nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS))
		return 0;
	place->memory = feature_map_registers(cmd, nvme_ctrl_get_sysfs_dir(c), writable);
	return place->memory ? 0 : 1;
}

/* Mark the register at --offset as wanted; @other is the register if that offset has no name. */
static int find_wanted(struct command *cmd, struct name *other)
{
	struct reg_args *args = cmd->args;
	const struct name *reg = feature_find_register(args->offset);
	bool any = args->offset != REG_NO_OFFSET;

	*other = (struct name){ 0 };
	for (int i = 0; i < REG_COUNT; i++)
		any |= args->wanted[i];
	if (!any)
		return command_fail(cmd, 0, "offset required param");
	if (args->offset == REG_NO_OFFSET)
		return 0;
	if (args->offset >= FEATURE_REGISTERS_SIZE || args->offset % 4)
		return command_fail(cmd, 0, "Invalid --offset %#x: use a multiple of 4 below %#x",
				    args->offset, FEATURE_REGISTERS_SIZE);
	if (!reg) {
		*other = (struct name){ args->offset, "Unknown", "unknown" };
		return 0;
	}
	args->wanted[reg - feature_registers] = true;
	args->values[reg - feature_registers] = args->value;
	return 0;
}

static int check_place(struct command *cmd, const struct place *place, const struct name *reg)
{
	const struct reg_args *args = cmd->args;

	if (place->memory || feature_is_property(reg->value))
		return 0;
	if (!args->several)
		return command_fail(cmd, 0, "register: %#04x (%s) not fabrics", reg->value,
				    reg->name);
	command_warn(cmd, 0, "register: %#04x (%s) not fabrics", reg->value, reg->name);
	return 1;
}

/* Call @act for every wanted register, @other first. Stop at a failure unless args->several. */
static int for_each(struct command *cmd, const struct place *place, const struct name *other,
		    int (*act)(struct command *, const struct place *, const struct name *,
			       uint64_t))
{
	const struct reg_args *args = cmd->args;
	int status = other->name ? act(cmd, place, other, args->value) : 0;

	for (int i = 0; (!status || args->several) && i < REG_COUNT; i++)
		if (args->wanted[i] && act(cmd, place, &feature_registers[i], args->values[i]))
			status = 1;
	return status;
}

static int read_one(struct command *cmd, const struct place *place, const struct name *reg,
		    uint64_t *value)
{
	const struct reg_args *args = cmd->args;
	__u64 answer = 0;
	int ret;

	if (place->memory) {
		*value = feature_read_register(place->memory, reg);
		return 0;
	}
	ret = check_place(cmd, place, reg);
	if (ret)
		return ret;
	ret = feature_get_property(cmd, place->fd, reg->value, &answer);
	*value = nvme_is_64bit_reg(reg->value) ? answer : answer & UINT32_MAX;
	if (ret <= 0 || !args->several)
		return ret ? device_result(cmd, ret, "get-property") || 1 : 0;
	command_warn(cmd, 0, "register: %#04x (%s): %s", reg->value, reg->name,
		     nvme_status_to_string(ret, false));
	return 1;
}

/* Registers whose only part nvme-cli 2.x prints without an array in JSON. */
static const struct name only_parts[] = {
	{ NVME_REG_INTMC, "Interrupt Vector Mask Clear (IVMC)" },
	{ NVME_REG_NSSR, "NVM Subsystem Reset Control (NSSRC)" },
	{ NVME_REG_ASQ, "Admin Submission Queue Base (ASQB)" },
	{ NVME_REG_ACQ, "Admin Completion Queue Base (ACQB)" },
	{ 0, NULL },
};

static void explain_one(struct out *out, const struct name *reg, uint64_t value)
{
	struct register_context context = REGISTER_CONTEXT_UNKNOWN;
	const char *part = out_is_json(out) ? name_or(only_parts, reg->value, NULL) : NULL;
	char text[20];

	if (reg->value == NVME_REG_CMBSZ)
		context.cmbsz = (uint32_t)value;
	out_text(out, "%s: %#" PRIx64 "\n", reg->name, value);
	out_uint(out, reg->name, value);
	if (part && reg->value == NVME_REG_NSSR) {
		out_uint(out, part, value);
	} else if (part) {
		snprintf(text, sizeof(text), "%#" PRIx64, value);
		out_str(out, part, text);
	} else {
		out_inner(out, feature_register_key(reg));
		feature_explain_register(out, reg->word, reg->value, value, &context);
		out_ends(out, 2);
	}
	out_text(out, "\n");
}

static int show_one(struct command *cmd, const struct place *place, const struct name *reg,
		    uint64_t unused)
{
	const struct reg_args *args = cmd->args;
	struct out *out = cmd->out;
	uint64_t value;
	char key[32];

	if (read_one(cmd, place, reg, &value))
		return 1;
	snprintf(key, sizeof(key), "register: %#04x", reg->value);
	out_array(out, key);
	out_object(out, NULL);
	if ((args->human || cmd->common.verbose) && feature_find_register(reg->value)) {
		explain_one(out, reg, value);
	} else {
		out_text(out, "%s (%s), value: %#" PRIx64 "\n", key, reg->name, value);
		out_str(out, "name", reg->word);
		out_uint(out, "value", value);
	}
	out_ends(out, 2);
	return 0;
}

static int get_reg(struct command *cmd)
{
	struct reg_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(place_close) struct place place = PLACE_NONE;
	struct name other;
	int status, n;

	if (find_wanted(cmd, &other) || device_open(cmd, &dev) || find_place(cmd, false, &place))
		return 1;
	n = other.name ? 1 : 0;
	for (int i = 0; i < REG_COUNT; i++)
		n += args->wanted[i];
	args->several = n > 1;
	out_object(cmd->out, NULL);
	status = for_each(cmd, &place, &other, show_one);
	out_end(cmd->out);
	return status;
}

DEVICE_COMMAND(get_reg_command, "get-reg", "Show registers of a controller",
	       GENERIC(OPT(UINT, "offset", 'O', ARGS, offset, "N", "offset of the register"),
		       OPT_FLAG("human-readable", 'H', ARGS, human, "explain the bits"),
		       REGS_READ_ONLY(REG_FLAG), REGS_WRITABLE(REG_FLAG)),
	       ARGS, .defaults = &(const struct reg_args){ .offset = REG_NO_OFFSET },
	       .run = get_reg);

static int check_value(struct command *cmd, const struct place *place, const struct name *reg,
		       uint64_t value)
{
	if (value > UINT32_MAX && !nvme_is_64bit_reg(reg->value))
		return command_fail(cmd, 0, "invalid value:%#" PRIx64 " (%s: up to 32 bits)", value,
				    reg->name);
	return check_place(cmd, place, reg);
}

static void write_memory(const struct reg_args *args, void *memory, unsigned int offset,
			 uint64_t value)
{
	volatile __le32 *half = (volatile void *)((char *)memory + offset);

	if (nvme_is_64bit_reg(offset) && !args->mmio32) {
		*(volatile __le64 *)(volatile void *)half = htole64(value);
		return;
	}
	half[0] = htole32((uint32_t)value);
	if (nvme_is_64bit_reg(offset))
		half[1] = htole32((uint32_t)(value >> 32));
}

static int write_one(struct command *cmd, const struct place *place, const struct name *reg,
		     uint64_t value)
{
	int ret;

	if (place->memory && !cmd->common.dry_run)
		write_memory(cmd->args, place->memory, reg->value, value);
	ret = place->memory ? 0 : feature_set_property(cmd, place->fd, reg->value, value);
	if (ret && !cmd->was_shown && device_result(cmd, ret, "set-property"))
		return 1;
	if (cmd->common.dry_run && !place->memory)
		return 0;
	out_text(cmd->out, "set-%s: %#02x (%s), value: %#" PRIx64 "\n",
		 place->memory ? "register" : "property", reg->value, reg->name, value);
	out_object(cmd->out, NULL);
	out_uint(cmd->out, "offset", reg->value);
	out_str(cmd->out, "name", reg->word);
	out_uint(cmd->out, "value", value);
	out_end(cmd->out);
	return 0;
}

static int set_reg(struct command *cmd)
{
	const struct reg_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(place_close) struct place place = PLACE_NONE;
	struct name other;
	int status;

	if (find_wanted(cmd, &other))
		return 1;
	if (args->offset != REG_NO_OFFSET && !args->has_value)
		return command_fail(cmd, 0, "value required param");
	if (device_open(cmd, &dev) || in_use_require_nvme(cmd, &dev) ||
	    find_place(cmd, true, &place) || for_each(cmd, &place, &other, check_value))
		return 1;
	out_object(cmd->out, NULL);
	out_array(cmd->out, "result");
	status = for_each(cmd, &place, &other, write_one);
	out_ends(cmd->out, 2);
	return status;
}

DEVICE_COMMAND(set_reg_command, "set-reg", "Set registers of a controller", set_reg_options, ARGS,
	       .defaults = &(const struct reg_args){ .offset = REG_NO_OFFSET }, .run = set_reg);
