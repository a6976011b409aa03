// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns zone-append: Zone Append (opcode 7Dh) */
#include "device/in-use.h"
#include "zns.h"

#define MAX_TRANSFER (UINT64_C(1) << 24)
#define MAX_BLOCKS (UINT64_C(1) << 16) /* in a command */
#define PRACT 8 /* bit of prinfo: the controller inserts and strips the protection information */

struct append_args {
	uint32_t nsid;
	uint64_t zslba, data_size, metadata_size, reftag;
	const char *data, *metadata;
	uint16_t appmask, apptag;
	uint8_t prinfo;
	bool zslba_given, limited_retry, fua, piremap, latency, force;
};
#define ARGS struct append_args

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

/* Count the blocks, and check the size of the metadata, which is separate or behind each block. */
static int count_blocks(struct command *cmd, const struct nvme_id_ns *ns, uint64_t *blocks)
{
	const struct append_args *args = cmd->args;
	const bool behind = ns->flbas & NVME_NS_FLBAS_META_EXT;
	const struct nvme_lbaf *format = &ns->lbaf[device_lbaf(ns->flbas)];
	uint64_t block, metadata;

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

	if (check_append(cmd) || device_open(cmd, &dev) ||
	    device_nsid(cmd, &dev, args->nsid, &nsid) ||
	    in_use_claim(cmd, &dev, IN_USE_NS, nsid, args->force, &claimed) ||
	    device_identify_ns(cmd, nsid, &ns))
		return 1;
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

/* -t is --latency, as in nvme-cli 2.x; --timeout has only its long name. */
DEVICE_COMMAND(
	zns_zone_append_command, "zone-append", "Append data to a zone",
	OPTIONS(OPT_NSID(ARGS),
		OPT_NOTED(SUFFIX, "zslba", 's', ARGS, zslba, zslba_given, "LBA",
			  "first logical block of the zone"),
		OPT(SUFFIX, "data-size", 'z', ARGS, data_size, "N", "bytes of data"),
		OPT(SUFFIX, "metadata-size", 'y', ARGS, metadata_size, "N", "bytes of metadata"),
		OPT(STR, "data", 'd', ARGS, data, "FILE", "data file (default: standard input)"),
		OPT(STR, "metadata", 'M', ARGS, metadata, "FILE", "metadata file"),
		OPT_FLAG("limited-retry", 'l', ARGS, limited_retry, "limit the retries"),
		OPT_FLAG("force-unit-access", 'f', ARGS, fua, "bypass the volatile cache"),
		OPT(SUFFIX, "ref-tag", 'r', ARGS, reftag, "N", "reference tag"),
		OPT(SHORT, "app-tag-mask", 'm', ARGS, appmask, "N", "application tag mask"),
		OPT(SHORT, "app-tag", 'a', ARGS, apptag, "N", "application tag"),
		OPT(BYTE, "prinfo", 'p', ARGS, prinfo, "N", "protection action and checks"),
		OPT_FLAG("piremap", 'P', ARGS, piremap,
			 "let the controller remap the reference tag"),
		OPT_FLAG("latency", 't', ARGS, latency, "show the duration of the command"),
		OPT_FORCE(ARGS, "write even if the device is in use"), GENERIC_OPTIONS_WITHOUT_T),
	ARGS, .run = append);
