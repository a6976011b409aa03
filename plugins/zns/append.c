// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns zone-append: Zone Append (opcode 7Dh) */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "device/in-use.h"
#include "zns.h"

#define MAX_TRANSFER (UINT64_C(1) << 24)
#define MAX_BLOCKS (UINT64_C(1) << 16) /* in a command */
#define PRACT 8 /* bit of prinfo: the controller inserts and strips the protection information */

struct append_args {
	uint32_t nsid;
	uint64_t zslba;
	uint64_t data_size;
	uint64_t metadata_size;
	uint64_t reftag;
	const char *data;
	const char *metadata;
	uint16_t appmask;
	uint16_t apptag;
	uint8_t prinfo;
	bool zslba_given;
	bool limited_retry;
	bool fua;
	bool piremap;
	bool latency;
	bool force;
};

/* -t is --latency, as in nvme-cli 2.x; --timeout has only its long name. */
static const struct arg options[] = {
	OPT(UINT, "namespace-id", 'n', struct append_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT_NOTED(SUFFIX, "zslba", 's', struct append_args, zslba, zslba_given, "LBA",
		  "first logical block of the zone"),
	OPT(SUFFIX, "data-size", 'z', struct append_args, data_size, "N", "bytes of data"),
	OPT(SUFFIX, "metadata-size", 'y', struct append_args, metadata_size, "N",
	    "bytes of metadata"),
	OPT(STR, "data", 'd', struct append_args, data, "FILE",
	    "data file; standard input if left out"),
	OPT(STR, "metadata", 'M', struct append_args, metadata, "FILE", "metadata file"),
	OPT_FLAG("limited-retry", 'l', struct append_args, limited_retry, "limit the retries"),
	OPT_FLAG("force-unit-access", 'f', struct append_args, fua, "bypass the volatile cache"),
	OPT(SUFFIX, "ref-tag", 'r', struct append_args, reftag, "N", "reference tag"),
	OPT(SHORT, "app-tag-mask", 'm', struct append_args, appmask, "N", "application tag mask"),
	OPT(SHORT, "app-tag", 'a', struct append_args, apptag, "N", "application tag"),
	OPT(BYTE, "prinfo", 'p', struct append_args, prinfo, "N", "protection action and checks"),
	OPT_FLAG("piremap", 'P', struct append_args, piremap,
		 "let the controller remap the reference tag"),
	OPT_FLAG("latency", 't', struct append_args, latency, "show the duration of the command"),
	OPT_FORCE(struct append_args, "write even if the device is in use"),
	GENERIC_OPTIONS_WITHOUT_T,
	OPT_END,
};

static int check_append(struct command *cmd)
{
	const struct append_args *args = cmd->args;

	if (!args->data_size)
		return command_fail(cmd, 0, "Append size not provided");
	if (!args->zslba_given)
		return command_fail(cmd, 0, "%s: no zone given: use --zslba", cmd->name);
	if (args->prinfo > 0xf)
		return command_fail(cmd, 0, "Invalid value for prinfo:%#x", args->prinfo);
	if (args->data_size > MAX_TRANSFER || args->metadata_size > MAX_TRANSFER)
		return command_fail(cmd, 0,
				    "Invalid size %" PRIu64 ": one command transfers up to %" PRIu64
				    " bytes",
				    args->data_size > MAX_TRANSFER ? args->data_size
								   : args->metadata_size,
				    MAX_TRANSFER);
	return 0;
}

/*
 * Count the blocks of the data, and check the size of the metadata, which is separate or follows
 * each block. Return the exit status.
 */
static int count_blocks(struct command *cmd, const struct nvme_id_ns *ns, uint64_t *blocks)
{
	const struct append_args *args = cmd->args;
	const bool behind = ns->flbas & NVME_NS_FLBAS_META_EXT;
	const struct nvme_lbaf *format;
	uint64_t block, metadata;
	__u8 in_use;

	nvme_id_ns_flbas_to_lbaf_inuse(ns->flbas, &in_use);
	format = &ns->lbaf[in_use & 0x3f];
	if (format->ds < 9 || format->ds > 24)
		return command_fail(cmd, 0, "%s: unsupported block size of 2^%u bytes", cmd->name,
				    format->ds);
	metadata = le16toh(format->ms);
	/* With PRACT, metadata that consists of protection information alone is not transferred. */
	if (args->prinfo & PRACT && metadata == 8)
		metadata = 0;
	block = (UINT64_C(1) << format->ds) + (behind ? metadata : 0);
	*blocks = args->data_size / block;
	if (args->data_size % block || *blocks > MAX_BLOCKS)
		return command_fail(cmd, 0,
				    "Data size:%#" PRIx64 " not aligned to lba size:%#" PRIx64,
				    args->data_size, block);
	metadata = behind ? 0 : metadata;
	if (args->metadata_size == *blocks * metadata)
		return 0;
	return command_fail(cmd, 0,
			    "Metadata size:%#" PRIx64 " not aligned to metadata size:%#" PRIx64
			    " (%" PRIu64 " blocks have %" PRIu64 " bytes)",
			    args->metadata_size, metadata, *blocks, *blocks * metadata);
}

static uint16_t control_of(const struct append_args *args)
{
	return (uint16_t)(args->prinfo << 10 | (args->limited_retry ? NVME_IO_LR : 0) |
			  (args->fua ? NVME_IO_FUA : 0) |
			  (args->piremap ? NVME_IO_ZNS_APPEND_PIREMAP : 0));
}

static int read_file(struct command *cmd, const char *path, uint64_t size, void **bytes)
{
	*bytes = malloc(size ? size : 1);
	if (!*bytes)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	return bytes_read(cmd, path, *bytes, size);
}

static int send_append(struct command *cmd, struct nvme_zns_append_args *append)
{
	const struct append_args *args = cmd->args;
	uint64_t start = passthru_clock(), latency;
	__u64 lba = 0;
	int ret;

	append->result = &lba;
	ret = nvme_zns_append(append);
	latency = passthru_clock() - start;
	if (args->latency && !cmd->common.dry_run)
		fprintf(command_has_text(cmd) ? stdout : stderr,
			" latency: zone append: %" PRIu64 " us\n", latency);
	if (ret)
		return device_result(cmd, ret, "zns zone-append");
	return command_succeed(cmd, "Success appended data to LBA %" PRIx64, (uint64_t)lba);
}

static int append(struct command *cmd)
{
	const struct append_args *args = cmd->args;
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) void *data = NULL, *metadata = NULL;
	struct nvme_id_ns ns = { 0 };
	uint64_t blocks = 0;
	uint32_t nsid;
	int ret;

	if (check_append(cmd) || device_open(cmd, &dev) ||
	    device_nsid(cmd, &dev, args->nsid, &nsid) ||
	    in_use_claim(cmd, &dev, IN_USE_NS, nsid, args->force, &claimed))
		return 1;
	ret = nvme_identify_ns(dev.fd, nsid, &ns);
	if (ret)
		return device_result(cmd, ret, "identify namespace") || 1;
	if (count_blocks(cmd, &ns, &blocks) || read_file(cmd, args->data, args->data_size, &data) ||
	    (args->metadata_size && read_file(cmd, args->metadata ? args->metadata : "/dev/zero",
					      args->metadata_size, &metadata)))
		return 1;
	return send_append(cmd, &(struct nvme_zns_append_args){
					.zslba = args->zslba,
					.data = data,
					.metadata = metadata,
					.args_size = sizeof(struct nvme_zns_append_args),
					.fd = dev.fd,
					.timeout = cmd->common.timeout,
					.nsid = nsid,
					.ilbrt = (__u32)args->reftag,
					.data_len = (__u32)args->data_size,
					.metadata_len = (__u32)args->metadata_size,
					.nlb = (__u16)(blocks - 1),
					.control = control_of(args),
					.lbat = args->apptag,
					.lbatm = args->appmask,
					.ilbrt_u64 = args->reftag,
				});
}

const struct command_spec zns_zone_append_command = {
	.name = "zone-append",
	.summary = "Append data to a zone",
	.operands = "DEVICE",
	.options = options,
	.args_size = sizeof(struct append_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = append,
};
