/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Move controllers between hosts. Follows NVM Express Base, "Host Managed Live Migration". */
#include "command-private.h"

int nvme_lm_cdq(struct nvme_lm_cdq_args *args)
{
	struct nvme_passthru_cmd cmd;
	__u32 result = 0;
	__u32 dwords;
	int ret;

	if (!args_between(args, struct nvme_lm_cdq_args, sz_u8, sz))
		return ioctl_refuse(EINVAL);
	dwords = args_exceed(args, struct nvme_lm_cdq_args, sz_u8) ? args->sz : args->sz_u8;
	if (dwords > UINT32_MAX >> 2)
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_admin_ctrl_data_queue,
		.addr = ioctl_buffer(args->data),
		.cdw10 = NVME_SET(args->sel, LM_CDQ_SEL) | NVME_SET(args->mos, LM_CDQ_MOS),
		.cdw12 = dwords,
		.timeout_ms = args->timeout,
	};
	if (args->sel == NVME_LM_SEL_CREATE_CDQ) {
		cmd.data_len = dwords << 2;
		cmd.cdw11 = NVME_LM_CREATE_CDQ_PC | NVME_SET(args->cntlid, LM_CQS);
	} else if (args->sel == NVME_LM_SEL_DELETE_CDQ) {
		cmd.cdw11 = NVME_SET(args->cdqid, LM_DELETE_CDQ_CDQID);
	}

	ret = nvme_submit_admin_passthru(args->fd, &cmd, &result);
	if (ret < 0)
		return ret;
	if (!ret && args->sel == NVME_LM_SEL_CREATE_CDQ)
		args->cdqid = NVME_GET(result, LM_CREATE_CDQ_CDQID);
	if (args->result)
		*args->result = result;
	return ret;
}

int nvme_lm_track_send(struct nvme_lm_track_send_args *args)
{
	return admin_command(args, .opcode = nvme_admin_track_send,
			     .cdw10 = NVME_SET(args->sel, LM_TRACK_SEND_SEL) |
				      NVME_SET(args->mos, LM_TRACK_SEND_MOS),
			     .cdw11 = args->cdqid);
}

int nvme_lm_migration_send(struct nvme_lm_migration_send_args *args)
{
	struct nvme_passthru_cmd cmd;

	if (!args_complete(args) || args->numd > UINT32_MAX >> 2)
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_admin_migration_send,
		.addr = ioctl_buffer(args->data),
		.data_len = args->numd << 2,
		.cdw10 = NVME_SET(args->sel, LM_MIGRATION_SEND_SEL) |
			 NVME_SET(args->mos, LM_MIGRATION_SEND_MOS),
		.cdw12 = (__u32)args->offset,
		.cdw13 = (__u32)(args->offset >> 32),
		.cdw14 = NVME_SET(args->uidx, LM_MIGRATION_SEND_UIDX),
		.cdw15 = args->numd,
		.timeout_ms = args->timeout,
	};
	switch (args->sel) {
	case NVME_LM_SEL_SUSPEND:
		cmd.cdw11 =
			NVME_SET(args->stype, LM_STYPE) | NVME_SET(args->cntlid, LM_SUSPEND_CNTLID);
		if (args->dudmq)
			cmd.cdw11 |= (__u32)NVME_LM_DUDMQ;
		break;
	case NVME_LM_SEL_RESUME:
		cmd.cdw11 = NVME_SET(args->cntlid, LM_RESUME_CNTLID);
		break;
	case NVME_LM_SEL_SET_CONTROLLER_STATE:
		/* The management operation specific field contains the sequence indicator. */
		cmd.cdw10 |= NVME_SET(NVME_SET(args->seqind, LM_SEQIND), LM_MIGRATION_SEND_MOS);
		cmd.cdw11 = NVME_SET(args->csuuidi, LM_SET_CONTROLLER_STATE_CSUUIDI) |
			    NVME_SET(args->csvi, LM_SET_CONTROLLER_STATE_CSVI) |
			    NVME_SET(args->cntlid, LM_SET_CONTROLLER_STATE_CNTLID);
		break;
	default:
		break;
	}
	return nvme_submit_admin_passthru(args->fd, &cmd, args->result);
}

int nvme_lm_migration_recv(struct nvme_lm_migration_recv_args *args)
{
	struct nvme_passthru_cmd cmd;

	if (!args_complete(args) || args->numd >= UINT32_MAX >> 2)
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_admin_migration_receive,
		.addr = ioctl_buffer(args->data),
		.cdw10 = NVME_SET(args->sel, LM_MIGRATION_RECV_SEL) |
			 NVME_SET(args->mos, LM_MIGRATION_RECV_MOS),
		.cdw12 = (__u32)args->offset,
		.cdw13 = (__u32)(args->offset >> 32),
		.cdw14 = NVME_SET(args->uidx, LM_MIGRATION_RECV_UIDX),
		.cdw15 = args->numd,
		.timeout_ms = args->timeout,
	};
	if (args->sel == NVME_LM_SEL_GET_CONTROLLER_STATE) {
		cmd.data_len = (args->numd + 1) << 2;
		cmd.cdw11 = NVME_SET(args->cntlid, LM_GET_CONTROLLER_STATE_CNTLID) |
			    NVME_SET(args->csuuidi, LM_GET_CONTROLLER_STATE_CSUUIDI) |
			    NVME_SET(args->csuidxp, LM_GET_CONTROLLER_STATE_CSUIDXP);
	}
	return nvme_submit_admin_passthru(args->fd, &cmd, args->result);
}
