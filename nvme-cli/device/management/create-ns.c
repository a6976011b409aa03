// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme create-ns: Base 2.1, 5.1.21; data: NVM 1.1, figure 120; Zoned Namespace 1.2, figure 58 */
#include "device/request.h"

#define CREATE_HANDLES 128
#define CREATE_HANDLES_AT 512 /* offset in the data */
#define FLBAS_NONE 0xff
#define MEBIBYTE (1ULL << 20)

struct create_ns_args {
	uint64_t nsze, ncap;
	const char *nsze_si, *ncap_si;
	uint8_t flbas, dps, nmic, csi;
	uint32_t anagrpid;
	uint16_t nvmsetid, endgid, nphndls;
	uint64_t lbstm, block_size;
	bool azr;
	uint32_t rar, ror, rnumzrwa;
	const char *phndls;
	uint16_t handles[CREATE_HANDLES]; /* parsed from phndls, little-endian */
};
#define ARGS struct create_ns_args

#define CREATE(kind, name, letter, member, meta, help) \
	OPT(kind, name, letter, ARGS, member, meta, help)

static const struct request_part create_ns_parts[] = {
	REQUEST_BITS(11, 24, 8, ARGS, csi), REQUEST_BYTES(0, ARGS, nsze),
	REQUEST_BYTES(8, ARGS, ncap),	    REQUEST_BYTES(26, ARGS, flbas),
	REQUEST_BYTES(29, ARGS, dps),	    REQUEST_BYTES(30, ARGS, nmic),
	REQUEST_BYTES(92, ARGS, anagrpid),  REQUEST_BYTES(100, ARGS, nvmsetid),
	REQUEST_BYTES(102, ARGS, endgid),   REQUEST_BYTES(384, ARGS, lbstm),
	REQUEST_BYTES(392, ARGS, nphndls),  REQUEST_BYTES(499, ARGS, azr),
	REQUEST_BYTES(500, ARGS, rar),	    REQUEST_BYTES(504, ARGS, ror),
	REQUEST_BYTES(508, ARGS, rnumzrwa), REQUEST_PART_END,
};

/* Parse --phndls. Return the number of handles, or a negative value. */
static int parse_handles(struct create_ns_args *args)
{
	uint64_t handles[CREATE_HANDLES];
	int n = args_list(args->phndls, UINT16_MAX, handles, CREATE_HANDLES);

	for (int i = 0; i < n; i++)
		args->handles[i] = htole16((uint16_t)handles[i]);
	return n;
}

/* Parse the digits after the decimal point as a fraction of @unit, a power of 10, up to @end. */
static int parse_fraction(const char *digits, uint64_t unit, uint64_t *value, const char **end)
{
	const char *at = digits;

	*value = 0;
	for (; isdigit((unsigned char)*at); at++) {
		unit /= 10;
		*value += unit * (uint64_t)(*at - '0');
	}
	*end = at;
	return at == digits ? -EINVAL : 0;
}

/* Return the number of bytes for "k", "M" and so on, or 0 if it is not a unit. */
static uint64_t unit_of(char letter)
{
	static const char units[] = "kMGTPE";
	const char *unit = letter ? strchr(units, letter == 'K' ? 'k' : letter) : NULL;
	uint64_t bytes = 1;

	for (const char *u = units; unit && u <= unit; u++)
		bytes *= 1000;
	return unit ? bytes : 0;
}

/*
 * Parse a size such as "500G" or "1.5T". Units are decimal, as drives are sold. The size is rounded
 * up to @step, the allocation granularity of the controller, or to a MiB if that is 0. A number
 * without a unit counts blocks and is not rounded.
 */
static int parse_si(const char *text, uint64_t step, uint64_t *value, bool *is_bytes)
{
	uint64_t unit, fraction = 0;
	const char *end;

	errno = 0;
	*value = strtoull(text, (char **)&end, 0);
	if (errno || end == text || strchr(text, '-'))
		return -EINVAL;
	*is_bytes = *end;
	if (!*end)
		return 0;
	unit = unit_of(end[strlen(end) - 1]);
	if (*end == '.' && parse_fraction(end + 1, unit, &fraction, &end))
		return -EINVAL;
	if (!unit || end[1])
		return -EINVAL;
	if (__builtin_mul_overflow(*value, unit, value) ||
	    __builtin_add_overflow(*value, fraction, value))
		return -EINVAL;
	if (!step)
		step = MEBIBYTE;
	if (__builtin_add_overflow(*value, step - 1, value))
		return -EINVAL;
	*value -= *value % step;
	return 0;
}

static int check_si(struct command *cmd, const char *option, const char *text, uint64_t blocks)
{
	uint64_t value;
	bool is_bytes;

	if (!text)
		return 0;
	if (blocks)
		return command_fail(cmd, 0,
				    "Invalid specification of both %s and its SI argument, please "
				    "specify only one",
				    option);
	if (parse_si(text, 0, &value, &is_bytes))
		return command_fail(cmd, 0,
				    "Expected long suffixed integer argument for '%s-si' but got "
				    "'%s'! (500G, for example)",
				    option, text);
	return 0;
}

static int check_create_ns(struct command *cmd)
{
	struct create_ns_args *args = cmd->args;
	const bool zoned = args->azr || args->rar || args->ror || args->rnumzrwa;

	if (args->flbas != FLBAS_NONE && args->block_size)
		return command_fail(cmd, 0,
				    "Invalid specification of both FLBAS and Block Size, please "
				    "specify only one");
	if (args->flbas == FLBAS_NONE && !args->block_size)
		return command_fail(cmd, 0,
				    "FLBAS corresponding to block size 0 not found (--flbas or "
				    "--block-size is required)");
	if (args->block_size & (args->block_size - 1))
		return command_fail(
			cmd, 0,
			"Invalid value for block size (%llu). Block size must be a power "
			"of two",
			(unsigned long long)args->block_size);
	if (parse_handles(args) != args->nphndls)
		return command_fail(
			cmd, 0,
			"Invalid Placement handle list: --phndls takes as many numbers as "
			"--nphndls, up to %d",
			CREATE_HANDLES);
	if (zoned && args->csi != NVME_CSI_ZNS)
		return command_fail(
			cmd, 0,
			"Invalid ZNS argument is given (CSI:%#x): --azr, --rar, --ror and "
			"--rnumzrwa are for --csi=2",
			args->csi);
	return check_si(cmd, "nsze", args->nsze_si, args->nsze) ||
	       check_si(cmd, "ncap", args->ncap_si, args->ncap);
}

static int find_flbas(struct command *cmd)
{
	struct create_ns_args *args = cmd->args;
	struct nvme_id_ns ns = { 0 };
	int i;

	if (!args->block_size)
		return 0;
	if (device_identify_ns(cmd, NVME_NSID_ALL, &ns))
		return 1;
	i = device_find_lbaf(&ns, ns.nlbaf + 1U, args->block_size);
	if (i < 0)
		return command_fail(
			cmd, 0,
			"FLBAS corresponding to block size %llu not found (" NVME_COMMAND
			" id-ns -H lists the formats)",
			(unsigned long long)args->block_size);
	args->flbas = (uint8_t)((i & 0xf) | (i & 0x30) << 1);
	return 0;
}

/* Read the LBA formats: those common to all namespaces if these are managed, else the first's. */
static int read_formats(int fd, struct nvme_id_ns *ns)
{
	struct nvme_ns_list list = { 0 };
	struct nvme_id_ctrl ctrl = { 0 };
	int ret = nvme_identify_ctrl(fd, &ctrl);

	if (ret)
		return ret;
	if (le16toh(ctrl.oacs) & NVME_CTRL_OACS_NS_MGMT)
		return nvme_identify_ns(fd, NVME_NSID_ALL, ns);
	ret = nvme_identify_active_ns_list(fd, 0, &list);
	return ret ? ret : nvme_identify_ns(fd, le32toh(list.ns[0]), ns);
}

static int put_si(struct command *cmd, int fd, const char *text, uint64_t step, uint64_t *blocks)
{
	const struct create_ns_args *args = cmd->args;
	struct nvme_id_ns ns = { 0 };
	const struct nvme_lbaf *f;
	uint64_t value;
	unsigned int format;
	bool is_bytes;
	int ret;

	if (!text)
		return 0;
	ret = read_formats(fd, &ns);
	if (ret)
		return device_result(cmd, ret, "identify namespace") || 1;
	if (parse_si(text, step, &value, &is_bytes))
		return command_fail(cmd, ERANGE, "create-ns: %s in units of %llu bytes", text,
				    (unsigned long long)step);
	format = device_lbaf(args->flbas);
	f = &ns.lbaf[format];
	if (is_bytes && f->ds > 31)
		return command_fail(cmd, 0,
				    "LBA format %u has blocks of 2^%u bytes: give %s in blocks",
				    format, f->ds, text);
	*blocks = is_bytes ? value / ((UINT64_C(1) << f->ds) + le16toh(f->ms)) : value;
	return 0;
}

static int build_create_ns(struct command *cmd, struct nvme_passthru_cmd *c)
{
	struct create_ns_args *args = cmd->args;
	struct nvme_id_ns_granularity_list granularity = { 0 };
	const struct nvme_id_ns_granularity_desc *step;
	struct nvme_id_ctrl ctrl = { 0 };

	if (find_flbas(cmd) || device_identify_ctrl(cmd, &ctrl))
		return 1;
	/* The granularity is only a hint: without it, sizes are rounded up to a MiB. */
	if (le32toh(ctrl.ctratt) & NVME_CTRL_CTRATT_NAMESPACE_GRANULARITY &&
	    nvme_identify_ns_granularity(cmd->device->fd, &granularity))
		memset(&granularity, 0, sizeof(granularity));
	step = &granularity
			.entry[le32toh(granularity.attributes) & 1 ? device_lbaf(args->flbas) % 16
								   : 0];
	if (put_si(cmd, cmd->device->fd, args->nsze_si, le64toh(step->nszegran), &args->nsze) ||
	    put_si(cmd, cmd->device->fd, args->ncap_si, le64toh(step->ncapgran), &args->ncap))
		return 1;
	request_put(cmd, create_ns_parts, c);
	memcpy((char *)request_data(c) + CREATE_HANDLES_AT, args->handles, sizeof(args->handles));
	return 0;
}

static int answer_create_ns(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	return command_succeed_with(cmd, cmd->name, c->result);
}

DEVICE_COMMAND(
	create_ns_command, "create-ns", "Create a namespace without attaching it to a controller",
	GENERIC(CREATE(SUFFIX, "nsze", 's', nsze, "N", "size in blocks"),
		CREATE(SUFFIX, "ncap", 'c', ncap, "N", "capacity in blocks"),
		CREATE(BYTE, "flbas", 'f', flbas, "N", "LBA format, instead of --block-size"),
		CREATE(BYTE, "dps", 'd', dps, "N", "data protection settings"),
		CREATE(BYTE, "nmic", 'm', nmic, "N", "1: may be attached to several controllers"),
		CREATE(UINT, "anagrp-id", 'a', anagrpid, "N", "ANA group"),
		CREATE(SHORT, "nvmset-id", 'i', nvmsetid, "N", "NVM set"),
		CREATE(SHORT, "endg-id", 'e', endgid, "N", "endurance group"),
		CREATE(SUFFIX, "block-size", 'b', block_size, "N",
		       "bytes of a block, instead of --flbas"),
		CREATE(BYTE, "csi", 'y', csi, "N", "I/O command set: 0 NVM, 1 key value, 2 zoned"),
		CREATE(SUFFIX, "lbstm", 'l', lbstm, "N", "storage tag mask"),
		CREATE(SHORT, "nphndls", 'n', nphndls, "N", "number of placement handles"),
		CREATE(STR, "nsze-si", 'S', nsze_si, "SIZE",
		       "size in bytes as in 500G, rounded up to a MiB; without a unit in blocks"),
		CREATE(STR, "ncap-si", 'C', ncap_si, "SIZE", "capacity, in the same form"),
		OPT_FLAG("azr", 'z', ARGS, azr, "zoned: allocate ZRWA resources"),
		CREATE(UINT, "rar", 'r', rar, "N", "zoned: active resources"),
		CREATE(UINT, "ror", 'O', ror, "N", "zoned: open resources"),
		CREATE(UINT, "rnumzrwa", 'u', rnumzrwa, "N", "zoned: number of ZRWA resources"),
		CREATE(STR, "phndls", 'p', phndls, "N[,N...]",
		       "reclaim unit handle of each placement handle")),
	ARGS, .defaults = &(const struct create_ns_args){ .flbas = FLBAS_NONE },
	REQUEST_ROW(.opcode = nvme_admin_ns_mgmt, .data_len = NVME_IDENTIFY_DATA_SIZE,
		    .check = check_create_ns, .build = build_create_ns,
		    .answer = answer_create_ns));
