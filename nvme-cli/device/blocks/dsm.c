// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme flush, nvme dsm: commands without a transfer of logical blocks */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "device/in-use.h"

#define MAX_RANGES 256

struct flush_args {
	uint32_t nsid;
};

static const struct arg flush_options[] = {
	OPT(UINT, "namespace-id", 'n', struct flush_args, nsid, "N",
	    "namespace; the device's own if left out"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int flush(struct command *cmd)
{
	const struct flush_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	uint32_t nsid;
	int ret;

	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &nsid))
		return 1;
	ret = nvme_flush(dev.fd, nsid);
	if (ret)
		return device_result(cmd, ret, "flush");
	return command_succeed(cmd, "NVMe Flush: success");
}

const struct command_spec flush_command = {
	.name = "flush",
	.summary = "Write a namespace's volatile cache to its media",
	.operands = "DEVICE",
	.options = flush_options,
	.args_size = sizeof(struct flush_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = flush,
};

struct dsm_args {
	uint32_t nsid;
	const char *attributes;
	const char *counts;
	const char *starts;
	uint32_t cdw11;
	bool deallocate;
	bool write;
	bool read;
	bool force;
};

static const struct arg dsm_options[] = {
	OPT(UINT, "namespace-id", 'n', struct dsm_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT(STR, "ctx-attrs", 'a', struct dsm_args, attributes, "N[,N...]",
	    "context attributes of each range"),
	OPT(STR, "blocks", 'b', struct dsm_args, counts, "N[,N...]", "blocks of each range"),
	OPT(STR, "slbs", 's', struct dsm_args, starts, "N[,N...]", "first block of each range"),
	OPT_FLAG("ad", 'd', struct dsm_args, deallocate, "deallocate"),
	OPT_FLAG("idw", 'w', struct dsm_args, write, "integral dataset for write"),
	OPT_FLAG("idr", 'r', struct dsm_args, read, "integral dataset for read"),
	OPT(UINT, "cdw11", 'c', struct dsm_args, cdw11, "N", "all attributes as a number"),
	OPT_FORCE(struct dsm_args, "deallocate blocks even if the device is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

/* Parse a list of numbers with commas in between. Return their count, or -1 after a message. */
static int parse_list(struct command *cmd, const char *option, const char *text, uint64_t max,
		      uint64_t *numbers)
{
	int n = args_list(text, max, numbers, MAX_RANGES);

	if (n >= 0)
		return n;
	if (n == -E2BIG)
		command_fail(cmd, 0, "Invalid --%s: more than %d ranges", option, MAX_RANGES);
	else
		command_fail(cmd, 0,
			     "Invalid --%s '%s': use numbers up to %llu, separated by commas",
			     option, text, (unsigned long long)max);
	return -1;
}

static uint32_t attributes_of(const struct dsm_args *args)
{
	if (args->cdw11)
		return args->cdw11;
	return (args->deallocate ? NVME_DSMGMT_AD : 0U) | (args->write ? NVME_DSMGMT_IDW : 0U) |
	       (args->read ? NVME_DSMGMT_IDR : 0U);
}

/*
 * Deallocating blocks destroys data, so the namespace must not be in use. Other attributes are only
 * hints, but are refused for a partition as well.
 */
static int open_target(struct command *cmd, struct device *dev, uint32_t *nsid,
		       struct in_use_claim *claimed)
{
	const struct dsm_args *args = cmd->args;

	if (device_open(cmd, dev) || device_nsid(cmd, dev, args->nsid, nsid))
		return 1;
	if (!(attributes_of(args) & NVME_DSMGMT_AD))
		return in_use_require_nvme(cmd, dev);
	return in_use_claim(cmd, dev, IN_USE_NS, *nsid, args->force, claimed);
}

static int dsm(struct command *cmd)
{
	const struct dsm_args *args = cmd->args;
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	uint64_t attributes[MAX_RANGES] = { 0 }, counts[MAX_RANGES], starts[MAX_RANGES];
	struct nvme_dsm_range ranges[MAX_RANGES] = { 0 };
	int n_attributes, n_counts, n_starts, ret;
	uint32_t nsid;

	n_attributes = parse_list(cmd, "ctx-attrs", args->attributes, UINT32_MAX, attributes);
	n_counts = parse_list(cmd, "blocks", args->counts, UINT32_MAX, counts);
	n_starts = parse_list(cmd, "slbs", args->starts, UINT64_MAX, starts);
	if (n_attributes < 0 || n_counts < 0 || n_starts < 0)
		return 1;
	if (!n_counts || n_counts != n_starts || (n_attributes && n_attributes != n_counts))
		return command_fail(cmd, 0,
				    "No range definition provided: --slbs and --blocks take one "
				    "number for each range");
	if (open_target(cmd, &dev, &nsid, &claimed))
		return 1;
	for (int i = 0; i < n_counts; i++) {
		ranges[i].cattr = htole32((uint32_t)attributes[i]);
		ranges[i].nlb = htole32((uint32_t)counts[i]);
		ranges[i].slba = htole64(starts[i]);
	}

	struct nvme_dsm_args command = {
		.dsm = ranges,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.nsid = nsid,
		.attrs = attributes_of(args),
		.nr_ranges = (__u16)n_counts,
	};

	ret = nvme_dsm(&command);
	if (ret)
		return device_result(cmd, ret, "data-set management");
	return command_succeed(cmd, "NVMe DSM: success");
}

const struct command_spec dsm_command = {
	.name = "dsm",
	.summary = "Dataset management: deallocate or describe blocks",
	.operands = "DEVICE",
	.options = dsm_options,
	.args_size = sizeof(struct dsm_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = dsm,
};
