/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that manage namespaces, firmware and the controller itself. Follows NVM Express Base
 * and, for Get LBA Status, NVM Command Set.
 */
#include "command-private.h"

int nvme_format_nvm(struct nvme_format_nvm_args *args)
{
	__u8 lbafu = 0;

	if (!args_between(args, struct nvme_format_nvm_args, lbaf, lbafu))
		return ioctl_refuse(EINVAL);
	if (args_exceed(args, struct nvme_format_nvm_args, lbaf))
		lbafu = args->lbafu;

	return submit_admin(args, .opcode = nvme_admin_format_nvm, .nsid = args->nsid,
			    .cdw10 = NVME_SET(args->lbaf, FORMAT_CDW10_LBAF) |
				     NVME_SET(args->mset, FORMAT_CDW10_MSET) |
				     NVME_SET(args->pi, FORMAT_CDW10_PI) |
				     NVME_SET(args->pil, FORMAT_CDW10_PIL) |
				     NVME_SET(args->ses, FORMAT_CDW10_SES) |
				     NVME_SET(lbafu, FORMAT_CDW10_LBAFU));
}

int nvme_ns_mgmt(struct nvme_ns_mgmt_args *args)
{
	void *data;

	if (!args_between(args, struct nvme_ns_mgmt_args, csi, data))
		return ioctl_refuse(EINVAL);
	/* Both have 4096 bytes; the command's structure has more fields than Identify's. */
	data = args->ns;
	if (args_exceed(args, struct nvme_ns_mgmt_args, csi) && args->data)
		data = args->data;

	return submit_admin(args, .opcode = nvme_admin_ns_mgmt, .nsid = args->nsid,
			    .addr = ioctl_buffer(data),
			    .data_len = data ? NVME_IDENTIFY_DATA_SIZE : 0,
			    .cdw10 = NVME_SET(args->sel, NAMESPACE_MGMT_CDW10_SEL),
			    .cdw11 = NVME_SET(args->csi, NAMESPACE_MGMT_CDW11_CSI));
}

int nvme_ns_attach(struct nvme_ns_attach_args *args)
{
	return admin_command(args, .opcode = nvme_admin_ns_attach, .nsid = args->nsid,
			     .addr = ioctl_buffer(args->ctrlist),
			     .data_len = sizeof(*args->ctrlist),
			     .cdw10 = NVME_SET(args->sel, NAMESPACE_ATTACH_CDW10_SEL));
}

int nvme_fw_download(struct nvme_fw_download_args *args)
{
	if (!args_complete(args) || !ioctl_has_dwords(args->data_len))
		return ioctl_refuse(EINVAL);
	return submit_admin(args, .opcode = nvme_admin_fw_download,
			    .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			    .cdw10 = ioctl_dwords_less_one(args->data_len),
			    .cdw11 = args->offset >> 2);
}

int nvme_fw_commit(struct nvme_fw_commit_args *args)
{
	return admin_command(args, .opcode = nvme_admin_fw_commit,
			     .cdw10 = NVME_SET(args->slot, FW_COMMIT_CDW10_FS) |
				      NVME_SET(args->action, FW_COMMIT_CDW10_CA) |
				      NVME_SET(args->bpid, FW_COMMIT_CDW10_BPID));
}

int nvme_get_lba_status(struct nvme_get_lba_status_args *args)
{
	if (!args_complete(args) || args->mndw >= UINT32_MAX >> 2)
		return ioctl_refuse(EINVAL);
	return submit_admin(args, .opcode = nvme_admin_get_lba_status, .nsid = args->nsid,
			    .addr = ioctl_buffer(args->lbas), .data_len = (args->mndw + 1) << 2,
			    .cdw10 = (__u32)args->slba, .cdw11 = (__u32)(args->slba >> 32),
			    .cdw12 = args->mndw,
			    .cdw13 = NVME_SET(args->rl, GET_LBA_STATUS_CDW13_RL) |
				     NVME_SET(args->atype, GET_LBA_STATUS_CDW13_ATYPE));
}

int nvme_capacity_mgmt(struct nvme_capacity_mgmt_args *args)
{
	return admin_command(args, .opcode = nvme_admin_capacity_mgmt,
			     .cdw10 = args->op | (__u32)args->element_id << 16,
			     .cdw11 = args->cdw11, .cdw12 = args->cdw12);
}

int nvme_lockdown(struct nvme_lockdown_args *args)
{
	return admin_command(args, .opcode = nvme_admin_lockdown,
			     .cdw10 = (args->scp & 0xfU) | (args->prhbt & 1U) << 4 |
				      (args->ifc & 3U) << 5 | (__u32)args->ofi << 8,
			     .cdw14 = args->uuidx & 0x7fU);
}

int nvme_sanitize_nvm(struct nvme_sanitize_nvm_args *args)
{
	bool emvs = false;

	if (!args_between(args, struct nvme_sanitize_nvm_args, nodas, emvs))
		return ioctl_refuse(EINVAL);
	if (args_exceed(args, struct nvme_sanitize_nvm_args, nodas))
		emvs = args->emvs;

	return submit_admin(args, .opcode = nvme_admin_sanitize_nvm,
			    .cdw10 = NVME_SET(args->sanact, SANITIZE_CDW10_SANACT) |
				     NVME_SET(args->ause, SANITIZE_CDW10_AUSE) |
				     NVME_SET(args->owpass, SANITIZE_CDW10_OWPASS) |
				     NVME_SET(args->oipbp, SANITIZE_CDW10_OIPBP) |
				     NVME_SET(args->nodas, SANITIZE_CDW10_NODAS) |
				     NVME_SET(emvs, SANITIZE_CDW10_EMVS),
			    .cdw11 = args->ovrpat);
}

int nvme_dev_self_test(struct nvme_dev_self_test_args *args)
{
	return admin_command(args, .opcode = nvme_admin_dev_self_test, .nsid = args->nsid,
			     .cdw10 = NVME_SET(args->stc, DEVICE_SELF_TEST_CDW10_STC));
}

int nvme_virtual_mgmt(struct nvme_virtual_mgmt_args *args)
{
	return admin_command(args, .opcode = nvme_admin_virtual_mgmt,
			     .cdw10 = NVME_SET(args->act, VIRT_MGMT_CDW10_ACT) |
				      NVME_SET(args->rt, VIRT_MGMT_CDW10_RT) |
				      NVME_SET(args->cntlid, VIRT_MGMT_CDW10_CNTLID),
			     .cdw11 = NVME_SET(args->nr, VIRT_MGMT_CDW11_NR));
}
