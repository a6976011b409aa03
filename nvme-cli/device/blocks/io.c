// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme read, write, compare, write-zeroes, verify: I/O commands with or without data */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "device/device.h"
#include "device/in-use.h"

#define MAX_TRANSFER (1U << 24)
#define PRACT 8 /* bit of prinfo: the controller inserts and strips the protection information */
#define PI_SIZE 8
#define IO_NSZ (1U << 7) /* Write Zeroes: Namespace Zeroes */

struct io_args {
	uint32_t nsid;
	uint64_t slba;
	uint16_t nlb; /* 0's based */
	uint32_t block_size;
	uint64_t data_size;
	uint64_t metadata_size;
	uint64_t reftag;
	uint64_t storage_tag;
	const char *data;
	const char *metadata;
	uint8_t prinfo;
	uint16_t appmask;
	uint16_t apptag;
	uint8_t dtype;
	uint16_t dspec;
	uint8_t dsm;
	bool limited_retry;
	bool fua;
	bool deac;
	bool whole; /* zero the whole namespace */
	bool storage_tag_check;
	bool show;
	bool latency;
	bool force;
};

/* clang-format off */
#define IO_OPTIONS \
	OPT(UINT, "namespace-id", 'n', struct io_args, nsid, "N", \
	    "namespace; the device's own if left out"), \
	OPT(SUFFIX, "start-block", 's', struct io_args, slba, "N", "first logical block"), \
	OPT(SHORT, "block-count", 'c', struct io_args, nlb, "N", "number of blocks less one"), \
	OPT(SUFFIX, "ref-tag", 'r', struct io_args, reftag, "N", "reference tag"), \
	OPT(BYTE, "prinfo", 'p', struct io_args, prinfo, "N", "protection action and checks"), \
	OPT(SHORT, "app-tag-mask", 'm', struct io_args, appmask, "N", "application tag mask"), \
	OPT(SHORT, "app-tag", 'a', struct io_args, apptag, "N", "application tag"), \
	OPT_FLAG("storage-tag-check", 'C', struct io_args, storage_tag_check, \
		 "check the storage tag"), \
	OPT_FLAG("limited-retry", 'l', struct io_args, limited_retry, "limit the retries"), \
	OPT_FLAG("force-unit-access", 'f', struct io_args, fua, "bypass the volatile cache")

#define DATA_OPTIONS \
	OPT(UINT, "block-size", 'b', struct io_args, block_size, "N", \
	    "block size in bytes, if the namespace does not report it"), \
	OPT(SUFFIX, "data-size", 'z', struct io_args, data_size, "N", "bytes of data"), \
	OPT(SUFFIX, "metadata-size", 'y', struct io_args, metadata_size, "N", \
	    "bytes of metadata"), \
	OPT(STR, "data", 'd', struct io_args, data, "FILE", \
	    "data file; standard input or output if left out"), \
	OPT(STR, "metadata", 'M', struct io_args, metadata, "FILE", "metadata file"), \
	OPT(SUFFIX, "storage-tag", 'g', struct io_args, storage_tag, "N", "storage tag"), \
	OPT(BYTE, "dir-type", 'T', struct io_args, dtype, "N", "directive type"), \
	OPT(SHORT, "dir-spec", 'S', struct io_args, dspec, "N", "directive specific value"), \
	OPT(BYTE, "dsm", 'D', struct io_args, dsm, "N", "dataset management of these blocks"), \
	OPT_FLAG("show-command", 'V', struct io_args, show, "show the command"), \
	OPT_FLAG("latency", 't', struct io_args, latency, "show the duration of the command"), \
	OPT_FLAG("force", 0, struct io_args, force, "write even if the device is in use")
/* clang-format on */

static const struct arg io_options[] = {
	IO_OPTIONS,	DATA_OPTIONS,	      OPT_FORMAT, OPT_VERBOSE,
	OPT_TIMEOUT(0), OPT_SENDING_AND('w'), OPT_END,
};

static const struct arg verify_options[] = {
	IO_OPTIONS,
	OPT(SUFFIX, "storage-tag", 'S', struct io_args, storage_tag, "N", "storage tag"),
	GENERIC_OPTIONS,
	OPT_END,
};

static const struct arg write_zeroes_options[] = {
	IO_OPTIONS,
	OPT(BYTE, "dir-type", 'T', struct io_args, dtype, "N", "directive type"),
	OPT_FLAG("deac", 'd', struct io_args, deac, "deallocate the blocks"),
	OPT(SUFFIX, "storage-tag", 'S', struct io_args, storage_tag, "N", "storage tag"),
	OPT(SHORT, "dir-spec", 'D', struct io_args, dspec, "N", "directive specific value"),
	OPT_FLAG("namespace-zeroes", 'Z', struct io_args, whole,
		 "zero all blocks of the namespace"),
	OPT_FORCE(struct io_args, "zero blocks even if the device is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

enum direction {
	FROM_DEVICE,
	TO_DEVICE,
};

struct transfer {
	void *bytes;
	uint32_t length;
};

static void transfer_free_cleanup(struct transfer *t)
{
	free(t->bytes);
}

/*
 * Allocate a buffer of @size bytes. For TO_DEVICE, read @given bytes from @path into it; the rest
 * is zero. Return the exit status.
 */
static int prepare_io(struct command *cmd, struct transfer *t, uint64_t size, uint64_t given,
		      const char *path, enum direction direction)
{
	if (!size)
		return 0;
	if (size > MAX_TRANSFER)
		return command_fail(cmd, 0,
				    "Invalid size %llu: one command transfers up to %u bytes",
				    (unsigned long long)size, MAX_TRANSFER);
	t->bytes = calloc(1, size);
	if (!t->bytes)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	t->length = (uint32_t)size;
	if (direction == FROM_DEVICE)
		return bytes_may_save(cmd, path);
	return bytes_read(cmd, path, t->bytes, given);
}

static int save(struct command *cmd, const struct transfer *t, const char *path)
{
	return path ? bytes_save(cmd, path, t->bytes, t->length)
		    : bytes_write(cmd, t->bytes, t->length);
}

struct sizes {
	uint64_t data, metadata;
};

static void round_up_size(const char *what, uint64_t *size, uint64_t least)
{
	if (*size >= least)
		return;
	fprintf(stderr, "Rounding %s size to fit block count (%" PRIu64 " bytes)\n", what, least);
	*size = least;
}

/*
 * Enlarge buffers that are too small: the controller transfers the number of blocks in the command,
 * whatever the size of the buffer. If the namespace cannot be identified, the given sizes are used.
 */
static void fit_blocks(struct command *cmd, const struct device *dev, uint32_t nsid,
		       struct sizes *sizes)
{
	const struct io_args *args = cmd->args;
	const uint64_t blocks = args->nlb + UINT64_C(1), given = blocks * args->block_size;
	const struct nvme_lbaf *format;
	struct nvme_id_ns ns = { 0 };
	uint64_t block, metadata;
	__u8 in_use;

	*sizes = (struct sizes){ args->data_size, args->metadata_size };
	if (args->data_size > MAX_TRANSFER)
		return;
	round_up_size("data", &sizes->data, given);
	if (cmd->common.dry_run || nvme_identify_ns(dev->fd, nsid, &ns))
		return;
	nvme_id_ns_flbas_to_lbaf_inuse(ns.flbas, &in_use);
	format = &ns.lbaf[in_use & 0x3f];
	if (format->ds >= 32)
		return;
	block = UINT64_C(1) << format->ds;
	metadata = le16toh(format->ms);
	/* With PRACT, metadata that consists of protection information alone is not transferred. */
	if (ns.flbas & NVME_NS_FLBAS_META_EXT && !(args->prinfo & PRACT && metadata == PI_SIZE))
		block += metadata;
	round_up_size("data", &sizes->data, blocks * block);
	if (sizes->metadata && metadata)
		round_up_size("metadata", &sizes->metadata, blocks * metadata);
}

/*
 * Read the size of the storage tag and the width of the tags from the namespace's extended LBA
 * format (CNS 05h). Only storage tags and reference tags beyond 32 bits need it.
 */
static int read_tag_format(struct command *cmd, struct nvme_io_args *command)
{
	const struct io_args *args = cmd->args;
	struct nvme_nvm_id_ns nvm = { 0 };
	struct nvme_id_ns ns = { 0 };
	uint32_t format;
	__u8 in_use;
	int ret;

	if (!args->storage_tag && !args->storage_tag_check && args->reftag <= UINT32_MAX)
		return 0;
	ret = nvme_identify_ns(command->fd, command->nsid, &ns);
	if (!ret)
		ret = nvme_identify_ns_csi(command->fd, command->nsid, NVME_UUID_NONE, NVME_CSI_NVM,
					   &nvm);
	if (ret)
		return device_result(cmd, ret, "identify namespace");
	nvme_id_ns_flbas_to_lbaf_inuse(ns.flbas, &in_use);
	format = le32toh(nvm.elbaf[in_use & 0x3f]);
	command->sts = format & NVME_NVM_ELBAF_STS_MASK;
	command->pif = (format & NVME_NVM_ELBAF_PIF_MASK) >> 7;
	if (command->sts < 64 && args->storage_tag >> command->sts)
		return command_fail(cmd, 0,
				    "Storage tag larger than storage tag size (%u bits): %#llx",
				    command->sts, (unsigned long long)args->storage_tag);
	return 0;
}

/* Fill @command from the options in IO_OPTIONS. Return the exit status. */
static int io_command(struct command *cmd, int fd, uint32_t nsid, struct nvme_io_args *command)
{
	const struct io_args *args = cmd->args;

	*command = (struct nvme_io_args){
		.slba = args->slba,
		.storage_tag = args->storage_tag,
		.args_size = sizeof(*command),
		.fd = fd,
		.timeout = cmd->common.timeout,
		.nsid = nsid,
		.reftag = (__u32)args->reftag,
		.reftag_u64 = args->reftag,
		.nlb = args->nlb,
		.control = (__u16)((args->prinfo & 0xfU) << 10 |
				   (args->limited_retry ? NVME_IO_LR : 0) |
				   (args->fua ? NVME_IO_FUA : 0) | (args->deac ? NVME_IO_DEAC : 0) |
				   (args->storage_tag_check ? NVME_IO_STC : 0) |
				   (args->whole ? IO_NSZ : 0) | (args->dtype & 0xfU) << 4),
		.apptag = args->apptag,
		.appmask = args->appmask,
		.dspec = args->dspec,
		.dsm = args->dsm,
	};
	return read_tag_format(cmd, command);
}

static int check_fields(struct command *cmd)
{
	const struct io_args *args = cmd->args;

	if (args->prinfo > 0xf)
		return command_fail(cmd, 0, "invalid 'prinfo' param:%u", args->prinfo);
	if (args->dtype > 0xf)
		return command_fail(cmd, 0, "Invalid directive type, %x", args->dtype);
	return 0;
}

/* Open the device; refuse to write to a namespace in use, whichever device leads to it. */
static int open_target(struct command *cmd, struct device *dev, __u8 opcode, uint32_t *nsid,
		       struct in_use_claim *claimed)
{
	const struct io_args *args = cmd->args;
	const bool changes = opcode == nvme_cmd_write || opcode == nvme_cmd_write_zeroes;

	if (device_open(cmd, dev) || device_nsid(cmd, dev, args->nsid, nsid))
		return 1;
	return changes ? in_use_claim(cmd, dev, IN_USE_NS, *nsid, args->force, claimed) : 0;
}

static int submit_io(struct command *cmd, __u8 opcode, enum direction direction)
{
	const struct io_args *args = cmd->args;
	/* Traces and latency go to stderr if data that is read may go to stdout. */
	const bool to_stdout = !out_is_json(cmd->out) && direction == TO_DEVICE;
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(transfer_free) struct transfer data = { 0 }, metadata = { 0 };
	struct nvme_io_args command;
	uint64_t start, latency;
	struct sizes sizes;
	uint32_t nsid;
	int ret;

	if (check_fields(cmd))
		return 1;
	if (!args->data_size)
		return command_fail(cmd, 0, "data size not provided");
	if (open_target(cmd, &dev, opcode, &nsid, &claimed))
		return 1;
	fit_blocks(cmd, &dev, nsid, &sizes);
	if (prepare_io(cmd, &data, sizes.data, args->data_size, args->data, direction) ||
	    prepare_io(cmd, &metadata, sizes.metadata, args->metadata_size, args->metadata,
		       args->metadata ? direction : FROM_DEVICE) ||
	    io_command(cmd, dev.fd, nsid, &command))
		return 1;
	command.data = data.bytes;
	command.data_len = data.length;
	command.metadata = metadata.bytes;
	command.metadata_len = metadata.length;
	passthru_setup(&cmd->common, !to_stdout);
	if (args->show)
		passthru_show(to_stdout ? stdout : stderr);
	start = passthru_clock();
	ret = nvme_io(&command, opcode);
	latency = passthru_clock() - start;
	if (ret)
		return device_result(cmd, ret, cmd->name);
	if (args->latency)
		fprintf(to_stdout ? stdout : stderr, " latency: %s: %" PRIu64 " us\n", cmd->name,
			latency);
	if (direction == FROM_DEVICE && (save(cmd, &data, args->data) ||
					 (args->metadata && save(cmd, &metadata, args->metadata))))
		return 1;
	if (out_is_json(cmd->out) && (direction == TO_DEVICE || args->data))
		return command_succeed(cmd, "%s: Success", cmd->name);
	fprintf(stderr, "%s: Success\n", cmd->name);
	return 0;
}

static int read_blocks(struct command *cmd)
{
	return submit_io(cmd, nvme_cmd_read, FROM_DEVICE);
}

const struct command_spec read_command = {
	.name = "read",
	.summary = "Read logical blocks",
	.operands = "DEVICE",
	.options = io_options,
	.args_size = sizeof(struct io_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = read_blocks,
};

static int write_blocks(struct command *cmd)
{
	return submit_io(cmd, nvme_cmd_write, TO_DEVICE);
}

const struct command_spec write_command = {
	.name = "write",
	.summary = "Write logical blocks",
	.operands = "DEVICE",
	.options = io_options,
	.args_size = sizeof(struct io_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = write_blocks,
};

static int compare(struct command *cmd)
{
	return submit_io(cmd, nvme_cmd_compare, TO_DEVICE);
}

const struct command_spec compare_command = {
	.name = "compare",
	.summary = "Compare logical blocks with a file",
	.operands = "DEVICE",
	.options = io_options,
	.args_size = sizeof(struct io_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = compare,
};

/* Submit a command without data. Return the exit status. */
static int submit_without_data(struct command *cmd, __u8 opcode, const char *success)
{
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_io_args command;
	uint32_t nsid;
	int ret;

	if (check_fields(cmd) || open_target(cmd, &dev, opcode, &nsid, &claimed) ||
	    io_command(cmd, dev.fd, nsid, &command))
		return 1;
	ret = nvme_io(&command, opcode);
	if (ret || cmd->common.dry_run)
		return device_result(cmd, ret, cmd->name);
	return command_succeed(cmd, "%s", success);
}

static int verify(struct command *cmd)
{
	return submit_without_data(cmd, nvme_cmd_verify, "NVME Verify Success");
}

const struct command_spec verify_command = {
	.name = "verify",
	.summary = "Verify that logical blocks can be read, without their data",
	.operands = "DEVICE",
	.options = verify_options,
	.args_size = sizeof(struct io_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = verify,
};

static int write_zeroes(struct command *cmd)
{
	return submit_without_data(cmd, nvme_cmd_write_zeroes, "NVME Write Zeroes Success");
}

const struct command_spec write_zeroes_command = {
	.name = "write-zeroes",
	.summary = "Zero logical blocks",
	.operands = "DEVICE",
	.options = write_zeroes_options,
	.args_size = sizeof(struct io_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = write_zeroes,
};
