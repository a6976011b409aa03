// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns zone-mgmt-recv: Zone Management Receive (opcode 7Ah) with any action */
#include "device/request.h"
#include "zns.h"

#define MAX_LENGTH (UINT32_C(1) << 24)

struct receive_args {
	uint32_t nsid;
	uint64_t slba;
	uint32_t length;
	uint8_t zra, zrasf;
	bool partial;
};

static const struct arg options[] = {
	OPT_NSID(struct receive_args),
	OPT(SUFFIX, "start-lba", 's', struct receive_args, slba, "LBA",
	    "first logical block of the zone"),
	OPT(BYTE, "zra", 'z', struct receive_args, zra, "N",
	    "action: 0 report zones, 1 the same with extensions"),
	OPT(BYTE, "zrasf", 'S', struct receive_args, zrasf, "N",
	    "zones to report: 0 all, 1 empty, 2 opened implicitly, 3 opened explicitly, 4 closed, "
	    "5 full, 6 read only, 7 offline"),
	OPT_FLAG("partial", 'p', struct receive_args, partial, "count only the zones that fit"),
	OPT(UINT, "data-len", 'l', struct receive_args, length, "BYTES", "length of the answer"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static int measure_receive(struct command *cmd, __u32 *data_len)
{
	const struct receive_args *args = cmd->args;

	if (!args->length)
		return command_fail(cmd, 0, "error: data len is needed for NVME_ZRA_ZONE_REPORT");
	if (args->length % 4 || args->length > MAX_LENGTH)
		return command_fail(cmd, 0, "invalid data-len:%u (a multiple of 4, up to %u)",
				    args->length, MAX_LENGTH);
	*data_len = args->length;
	return 0;
}

static int build_receive(struct command *cmd, struct nvme_passthru_cmd *c)
{
	c->cdw12 = c->data_len / 4 - 1;
	return 0;
}

static int answer_receive(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct receive_args *args = cmd->args;

	return command_succeed(cmd, "zone-mgmt-recv: Success, action:%u zone:%" PRIx64 " nsid:%u",
			       args->zra, args->slba, c->nsid);
}

REQUEST_COMMAND_BINARY(
	zns_zone_mgmt_recv_command, "zone-mgmt-recv",
	"Send Zone Management Receive with any action", options, struct receive_args,
	.opcode = nvme_zns_cmd_mgmt_recv, .io = true, REQUEST_NSID(OWN, struct receive_args),
	.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 64, struct receive_args, slba),
			       REQUEST_BITS(13, 0, 8, struct receive_args, zra),
			       REQUEST_BITS(13, 8, 8, struct receive_args, zrasf),
			       REQUEST_BITS(13, 16, 1, struct receive_args, partial)),
	.measure = measure_receive, .build = build_receive, .answer = answer_receive);
