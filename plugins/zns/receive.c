// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns zone-mgmt-recv: Zone Management Receive (opcode 7Ah) with any action */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "zns.h"

#define MAX_LENGTH (UINT32_C(1) << 24)

struct receive_args {
	uint32_t nsid;
	uint64_t slba;
	uint32_t length;
	uint8_t zra;
	uint8_t zrasf;
	bool partial;
};

static const struct arg options[] = {
	OPT(UINT, "namespace-id", 'n', struct receive_args, nsid, "N",
	    "namespace; the device's own if left out"),
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

static int check_receive(struct command *cmd)
{
	const struct receive_args *args = cmd->args;

	if (!args->length)
		return command_fail(cmd, 0, "error: data len is needed for NVME_ZRA_ZONE_REPORT");
	if (args->length % 4 || args->length > MAX_LENGTH)
		return command_fail(cmd, 0, "invalid data-len:%u (a multiple of 4, up to %u)",
				    args->length, MAX_LENGTH);
	return 0;
}

static int receive(struct command *cmd)
{
	const struct receive_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) void *data = NULL;
	struct nvme_zns_mgmt_recv_args command;
	uint32_t nsid;
	int ret;

	if (check_receive(cmd) || device_open(cmd, &dev) ||
	    device_nsid(cmd, &dev, args->nsid, &nsid))
		return 1;
	data = calloc(1, args->length);
	if (!data)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	command = (struct nvme_zns_mgmt_recv_args){
		.slba = args->slba,
		.data = data,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.nsid = nsid,
		.zra = (enum nvme_zns_recv_action)args->zra,
		.data_len = args->length,
		.zrasf = args->zrasf,
		.zras_feat = args->partial,
	};
	ret = nvme_zns_mgmt_recv(&command);
	if (ret)
		return device_result(cmd, ret, cmd->name);
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, data, args->length);
	return command_succeed(cmd, "zone-mgmt-recv: Success, action:%u zone:%" PRIx64 " nsid:%u",
			       args->zra, args->slba, nsid);
}

const struct command_spec zns_zone_mgmt_recv_command = {
	.name = "zone-mgmt-recv",
	.summary = "Send Zone Management Receive with any action",
	.operands = "DEVICE",
	.options = options,
	.args_size = sizeof(struct receive_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = receive,
};
