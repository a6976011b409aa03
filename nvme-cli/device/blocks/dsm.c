// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme flush, nvme dsm: commands without a transfer of logical blocks */
#include "blocks.h"

struct dsm_args {
	uint32_t nsid;
	const char *attributes, *counts, *starts;
	uint32_t cdw11;
	bool deallocate, write, read, force;
	uint64_t list[3][BLOCKS_MAX_RANGES]; /* parsed from attributes, counts and starts */
};
#define ARGS struct dsm_args

static int flush(struct command *cmd)
{
	const struct dsm_args *args = cmd->args;
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

DEVICE_COMMAND(flush_command, "flush", "Write a namespace's volatile cache to its media",
	       GENERIC(OPT_NSID(ARGS)), ARGS, .run = flush);

int request_parse_ranges(struct command *cmd, const char *refusal, const char *option,
			 const char *text, uint64_t max, uint64_t numbers[BLOCKS_MAX_RANGES])
{
	int n = args_list(text, max, numbers, BLOCKS_MAX_RANGES);

	if (n >= 0)
		return n;
	if (n == -E2BIG)
		command_fail(cmd, 0, "Invalid --%s: more than %d ranges", option,
			     BLOCKS_MAX_RANGES);
	else
		command_fail(cmd, 0, "%s--%s '%s': use numbers up to %llu, separated by commas",
			     refusal, option, text, (unsigned long long)max);
	return -1;
}

static uint32_t attributes_of(const struct dsm_args *args)
{
	if (args->cdw11)
		return args->cdw11;
	return (args->deallocate ? NVME_DSMGMT_AD : 0U) | (args->write ? NVME_DSMGMT_IDW : 0U) |
	       (args->read ? NVME_DSMGMT_IDR : 0U);
}

/* Other attributes are only hints. */
static bool dsm_keeps(const struct command *cmd)
{
	return !(attributes_of(cmd->args) & NVME_DSMGMT_AD);
}

static int measure_dsm(struct command *cmd, __u32 *data_len)
{
	struct dsm_args *args = cmd->args;
	const int attributes = request_parse_ranges(cmd, "Invalid ", "ctx-attrs", args->attributes,
						    UINT32_MAX, args->list[0]);
	const int counts = request_parse_ranges(cmd, "Invalid ", "blocks", args->counts, UINT32_MAX,
						args->list[1]);
	const int starts = request_parse_ranges(cmd, "Invalid ", "slbs", args->starts, UINT64_MAX,
						args->list[2]);

	if (attributes < 0 || counts < 0 || starts < 0)
		return 1;
	if (!counts || counts != starts || (attributes && attributes != counts))
		return command_fail(cmd, 0,
				    "No range definition provided: --slbs and --blocks take one "
				    "number for each range");
	*data_len = (__u32)counts * (__u32)sizeof(struct nvme_dsm_range);
	return 0;
}

static int build_dsm(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct dsm_args *args = cmd->args;
	struct nvme_dsm_range *ranges = request_data(c);

	c->cdw10 = c->data_len / (__u32)sizeof(*ranges) - 1;
	c->cdw11 = attributes_of(args);
	for (unsigned int i = 0; i <= c->cdw10; i++) {
		ranges[i].cattr = htole32((uint32_t)args->list[0][i]);
		ranges[i].nlb = htole32((uint32_t)args->list[1][i]);
		ranges[i].slba = htole64(args->list[2][i]);
	}
	return 0;
}

REQUEST_COMMAND(dsm_command, "dsm", "Dataset management: deallocate or describe blocks",
		GENERIC(OPT_NSID(ARGS),
			OPT(STR, "ctx-attrs", 'a', ARGS, attributes, "N[,N...]",
			    "context attributes of each range"),
			OPT(STR, "blocks", 'b', ARGS, counts, "N[,N...]", "blocks of each range"),
			OPT(STR, "slbs", 's', ARGS, starts, "N[,N...]",
			    "first block of each range"),
			OPT_FLAG("ad", 'd', ARGS, deallocate, "deallocate"),
			OPT_FLAG("idw", 'w', ARGS, write, "integral dataset for write"),
			OPT_FLAG("idr", 'r', ARGS, read, "integral dataset for read"),
			OPT(UINT, "cdw11", 'c', ARGS, cdw11, "N", "all attributes as a number"),
			OPT_FORCE(ARGS, "deallocate blocks even if the device is in use")),
		ARGS, .opcode = nvme_cmd_dsm, .io = true, REQUEST_NSID(OWN, ARGS),
		REQUEST_ERASES(NS, ARGS), .keeps = dsm_keeps, .measure = measure_dsm,
		.build = build_dsm, .what = "data-set management", .success = "NVMe DSM: success");
