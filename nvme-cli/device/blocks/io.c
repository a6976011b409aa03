// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme read, write, compare, write-zeroes, verify: I/O commands with or without data */
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
	uint64_t data_size, metadata_size, reftag, storage_tag;
	const char *data, *metadata;
	uint8_t prinfo;
	uint16_t appmask, apptag;
	uint8_t dtype;
	uint16_t dspec;
	uint8_t dsm;
	bool limited_retry, fua, deac;
	bool whole; /* zero the whole namespace */
	bool storage_tag_check, show, latency, force;
};
#define ARGS struct io_args

/* clang-format off */
#define IO_OPTIONS \
	OPT_NSID(ARGS), \
	OPT(SUFFIX, "start-block", 's', ARGS, slba, "N", "first logical block"), \
	OPT(SHORT, "block-count", 'c', ARGS, nlb, "N", "number of blocks less one"), \
	OPT(SUFFIX, "ref-tag", 'r', ARGS, reftag, "N", "reference tag"), \
	OPT(BYTE, "prinfo", 'p', ARGS, prinfo, "N", "protection action and checks"), \
	OPT(SHORT, "app-tag-mask", 'm', ARGS, appmask, "N", "application tag mask"), \
	OPT(SHORT, "app-tag", 'a', ARGS, apptag, "N", "application tag"), \
	OPT_FLAG("storage-tag-check", 'C', ARGS, storage_tag_check, \
		 "check the storage tag"), \
	OPT_FLAG("limited-retry", 'l', ARGS, limited_retry, "limit the retries"), \
	OPT_FLAG("force-unit-access", 'f', ARGS, fua, "bypass the volatile cache")

#define DATA_OPTIONS \
	OPT(UINT, "block-size", 'b', ARGS, block_size, "N", \
	    "block size in bytes, if the namespace does not report it"), \
	OPT(SUFFIX, "data-size", 'z', ARGS, data_size, "N", "bytes of data"), \
	OPT(SUFFIX, "metadata-size", 'y', ARGS, metadata_size, "N", \
	    "bytes of metadata"), \
	OPT(STR, "data", 'd', ARGS, data, "FILE", \
	    "data file (default: standard input or output)"), \
	OPT(STR, "metadata", 'M', ARGS, metadata, "FILE", "metadata file"), \
	OPT(SUFFIX, "storage-tag", 'g', ARGS, storage_tag, "N", "storage tag"), \
	OPT(BYTE, "dir-type", 'T', ARGS, dtype, "N", "directive type"), \
	OPT(SHORT, "dir-spec", 'S', ARGS, dspec, "N", "directive specific value"), \
	OPT(BYTE, "dsm", 'D', ARGS, dsm, "N", "dataset management of these blocks"), \
	OPT_FLAG("show-command", 'V', ARGS, show, "show the command"), \
	OPT_FLAG("latency", 't', ARGS, latency, "show the duration of the command"), \
	OPT_FLAG("force", 0, ARGS, force, "write even if the device is in use")
/* clang-format on */

static const struct arg io_options[] = {
	IO_OPTIONS,	DATA_OPTIONS,	      OPT_FORMAT, OPT_VERBOSE,
	OPT_TIMEOUT(0), OPT_SENDING_AND('w'), OPT_END,
};

enum direction {
	FROM_DEVICE,
	TO_DEVICE,
};

struct io_row {
	__u8 opcode;
	enum direction direction; /* of commands with data */
	const char *success; /* line to print, of those without */
};

struct transfer {
	void *bytes;
	uint32_t length;
};

static void transfer_free_cleanup(struct transfer *t)
{
	free(t->bytes);
}

/* Allocate @size bytes. TO_DEVICE: the first @given are read from @path, the rest is zero. */
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
static void fit_blocks(struct command *cmd, uint32_t nsid, struct sizes *sizes)
{
	const struct io_args *args = cmd->args;
	const uint64_t blocks = args->nlb + UINT64_C(1), given = blocks * args->block_size;
	const struct nvme_lbaf *format;
	struct nvme_id_ns ns = { 0 };
	uint64_t block, metadata;

	*sizes = (struct sizes){ args->data_size, args->metadata_size };
	if (args->data_size > MAX_TRANSFER)
		return;
	round_up_size("data", &sizes->data, given);
	if (cmd->common.dry_run || nvme_identify_ns(cmd->device->fd, nsid, &ns))
		return;
	format = &ns.lbaf[device_lbaf(ns.flbas)];
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

/* Only storage tags and reference tags beyond 32 bits need the extended LBA format (CNS 05h). */
static int read_tag_format(struct command *cmd, struct nvme_io_args *command)
{
	const struct io_args *args = cmd->args;
	struct nvme_nvm_id_ns nvm = { 0 };
	struct nvme_id_ns ns = { 0 };
	uint32_t format;
	int ret;

	if (!args->storage_tag && !args->storage_tag_check && args->reftag <= UINT32_MAX)
		return 0;
	ret = nvme_identify_ns(command->fd, command->nsid, &ns);
	if (!ret)
		ret = nvme_identify_ns_csi(command->fd, command->nsid, NVME_UUID_NONE, NVME_CSI_NVM,
					   &nvm);
	if (ret)
		return device_result(cmd, ret, "identify namespace");
	format = le32toh(nvm.elbaf[device_lbaf(ns.flbas)]);
	command->sts = format & NVME_NVM_ELBAF_STS_MASK;
	command->pif = (format & NVME_NVM_ELBAF_PIF_MASK) >> 7;
	if (command->sts < 64 && args->storage_tag >> command->sts)
		return command_fail(cmd, 0,
				    "Storage tag larger than storage tag size (%u bits): %#llx",
				    command->sts, (unsigned long long)args->storage_tag);
	return 0;
}

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

static int submit_io(struct command *cmd)
{
	const struct io_row *row = cmd->spec->row;
	const enum direction direction = row->direction;
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
	if (open_target(cmd, &dev, row->opcode, &nsid, &claimed))
		return 1;
	fit_blocks(cmd, nsid, &sizes);
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
	ret = nvme_io(&command, row->opcode);
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

#define IO_COMMAND(variable, name, summary, opcode_, direction_) \
	DEVICE_COMMAND(variable, name, summary, io_options, ARGS, .run = submit_io, \
		       .row = &(const struct io_row){ .opcode = opcode_, \
						      .direction = direction_ })
IO_COMMAND(read_command, "read", "Read logical blocks", nvme_cmd_read, FROM_DEVICE);
IO_COMMAND(write_command, "write", "Write logical blocks", nvme_cmd_write, TO_DEVICE);
IO_COMMAND(compare_command, "compare", "Compare logical blocks with a file", nvme_cmd_compare,
	   TO_DEVICE);

static int submit_without_data(struct command *cmd)
{
	const struct io_row *row = cmd->spec->row;
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_io_args command;
	uint32_t nsid;
	int ret;

	if (check_fields(cmd) || open_target(cmd, &dev, row->opcode, &nsid, &claimed) ||
	    io_command(cmd, dev.fd, nsid, &command))
		return 1;
	ret = nvme_io(&command, row->opcode);
	if (ret || cmd->common.dry_run)
		return device_result(cmd, ret, cmd->name);
	return command_succeed(cmd, "%s", row->success);
}

DEVICE_COMMAND(verify_command, "verify",
	       "Verify that logical blocks can be read, without their data",
	       GENERIC(IO_OPTIONS,
		       OPT(SUFFIX, "storage-tag", 'S', ARGS, storage_tag, "N", "storage tag")),
	       ARGS, .run = submit_without_data,
	       .row = &(const struct io_row){ nvme_cmd_verify, .success = "NVME Verify Success" });

DEVICE_COMMAND(write_zeroes_command, "write-zeroes", "Zero logical blocks",
	       GENERIC(IO_OPTIONS, OPT(BYTE, "dir-type", 'T', ARGS, dtype, "N", "directive type"),
		       OPT_FLAG("deac", 'd', ARGS, deac, "deallocate the blocks"),
		       OPT(SUFFIX, "storage-tag", 'S', ARGS, storage_tag, "N", "storage tag"),
		       OPT(SHORT, "dir-spec", 'D', ARGS, dspec, "N", "directive specific value"),
		       OPT_FLAG("namespace-zeroes", 'Z', ARGS, whole,
				"zero all blocks of the namespace"),
		       OPT_FORCE(ARGS, "zero blocks even if the device is in use")),
	       ARGS, .run = submit_without_data,
	       .row = &(const struct io_row){ nvme_cmd_write_zeroes,
					      .success = "NVME Write Zeroes Success" });
