/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones. Follows NVM Express Zoned Namespace Command Set. */
#include "command-private.h"

int nvme_zns_mgmt_send(struct nvme_zns_mgmt_send_args *args)
{
	return io_command(args, .opcode = nvme_zns_cmd_mgmt_send, .nsid = args->nsid,
			  .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			  .cdw10 = (__u32)args->slba, .cdw11 = (__u32)(args->slba >> 32),
			  .cdw13 = NVME_SET(args->zsa, ZNS_MGMT_SEND_ZSA) |
				   NVME_SET(args->select_all, ZNS_MGMT_SEND_SEL) |
				   NVME_SET(args->zsaso, ZNS_MGMT_SEND_ZSASO));
}

int nvme_zns_mgmt_recv(struct nvme_zns_mgmt_recv_args *args)
{
	if (!args_complete(args) || !ioctl_has_dwords(args->data_len))
		return ioctl_refuse(EINVAL);
	return submit_io(args, .opcode = nvme_zns_cmd_mgmt_recv, .nsid = args->nsid,
			 .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			 .cdw10 = (__u32)args->slba, .cdw11 = (__u32)(args->slba >> 32),
			 .cdw12 = ioctl_dwords_less_one(args->data_len),
			 .cdw13 = NVME_SET(args->zra, ZNS_MGMT_RECV_ZRA) |
				  NVME_SET(args->zrasf, ZNS_MGMT_RECV_ZRASF) |
				  NVME_SET(args->zras_feat, ZNS_MGMT_RECV_ZRAS_FEAT));
}

int nvme_zns_append(struct nvme_zns_append_args *args)
{
	struct nvme_passthru_cmd64 cmd;

	if (!args_between(args, struct nvme_zns_append_args, lbatm, ilbrt_u64))
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd64){
		.opcode = nvme_zns_cmd_append,
		.nsid = args->nsid,
		.metadata = ioctl_buffer(args->metadata),
		.addr = ioctl_buffer(args->data),
		.metadata_len = args->metadata_len,
		.data_len = args->data_len,
		.cdw10 = (__u32)args->zslba,
		.cdw11 = (__u32)(args->zslba >> 32),
		.cdw12 = args->nlb | (__u32)args->control << 16,
		.cdw14 = args->ilbrt,
		.cdw15 = args->lbat | (__u32)args->lbatm << 16,
		.timeout_ms = args->timeout,
	};
	if (args_exceed(args, struct nvme_zns_append_args, lbatm)) {
		cmd.cdw3 = (__u32)(args->ilbrt_u64 >> 32);
		cmd.cdw14 = (__u32)args->ilbrt_u64;
	}
	return nvme_submit_io_passthru64(args->fd, &cmd, args->result);
}
