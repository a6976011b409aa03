/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identify, features, security, properties, discovery information. Follows NVM Express Base. */
#include "command-private.h"

int nvme_identify(struct nvme_identify_args *args)
{
	return admin_command(args, .opcode = nvme_admin_identify, .nsid = args->nsid,
			     .addr = ioctl_buffer(args->data), .data_len = NVME_IDENTIFY_DATA_SIZE,
			     .cdw10 = NVME_SET(args->cns, IDENTIFY_CDW10_CNS) |
				      NVME_SET(args->cntid, IDENTIFY_CDW10_CNTID),
			     .cdw11 = NVME_SET(args->cns_specific_id, IDENTIFY_CDW11_CNSSPECID) |
				      NVME_SET(args->csi, IDENTIFY_CDW11_CSI),
			     .cdw14 = NVME_SET(args->uuidx, IDENTIFY_CDW14_UUID));
}

int nvme_set_features(struct nvme_set_features_args *args)
{
	return admin_command(args, .opcode = nvme_admin_set_features, .nsid = args->nsid,
			     .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			     .cdw10 = NVME_SET(args->fid, FEATURES_CDW10_FID) |
				      NVME_SET(args->save, SET_FEATURES_CDW10_SAVE),
			     .cdw11 = args->cdw11, .cdw12 = args->cdw12, .cdw13 = args->cdw13,
			     .cdw14 = NVME_SET(args->uuidx, FEATURES_CDW14_UUID),
			     .cdw15 = args->cdw15);
}

int nvme_get_features(struct nvme_get_features_args *args)
{
	return admin_command(args, .opcode = nvme_admin_get_features, .nsid = args->nsid,
			     .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			     .cdw10 = NVME_SET(args->fid, FEATURES_CDW10_FID) |
				      NVME_SET(args->sel, GET_FEATURES_CDW10_SEL),
			     .cdw11 = args->cdw11,
			     .cdw14 = NVME_SET(args->uuidx, FEATURES_CDW14_UUID));
}

/* SECP is the most significant byte, although the public mask of that name is narrower. */
static __u32 security_cdw10(__u8 secp, __u8 spsp1, __u8 spsp0, __u8 nssf)
{
	return NVME_SET(nssf, SECURITY_NSSF) | NVME_SET(spsp0, SECURITY_SPSP0) |
	       NVME_SET(spsp1, SECURITY_SPSP1) | (__u32)secp << NVME_SECURITY_SECP_SHIFT;
}

int nvme_security_send(struct nvme_security_send_args *args)
{
	return admin_command(args, .opcode = nvme_admin_security_send, .nsid = args->nsid,
			     .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			     .cdw10 = security_cdw10(args->secp, args->spsp1, args->spsp0,
						     args->nssf),
			     .cdw11 = args->tl);
}

int nvme_security_receive(struct nvme_security_receive_args *args)
{
	return admin_command(args, .opcode = nvme_admin_security_recv, .nsid = args->nsid,
			     .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			     .cdw10 = security_cdw10(args->secp, args->spsp1, args->spsp0,
						     args->nssf),
			     .cdw11 = args->al);
}

int nvme_get_property(struct nvme_get_property_args *args)
{
	struct nvme_passthru_cmd64 cmd;

	if (!args_complete(args))
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd64){
		.opcode = nvme_admin_fabrics,
		.nsid = nvme_fabrics_type_property_get,
		.cdw10 = nvme_is_64bit_reg((__u32)args->offset),
		.cdw11 = (__u32)args->offset,
		.timeout_ms = args->timeout,
	};
	return nvme_submit_admin_passthru64(args->fd, &cmd, args->value);
}

int nvme_set_property(struct nvme_set_property_args *args)
{
	return admin_command(args, .opcode = nvme_admin_fabrics,
			     .nsid = nvme_fabrics_type_property_set,
			     .cdw10 = nvme_is_64bit_reg((__u32)args->offset),
			     .cdw11 = (__u32)args->offset, .cdw12 = (__u32)args->value,
			     .cdw13 = (__u32)(args->value >> 32));
}

int nvme_dim_send(struct nvme_dim_args *args)
{
	return admin_command(args, .opcode = nvme_admin_discovery_info_mgmt,
			     .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			     .cdw10 = NVME_SET(args->tas, DIM_TAS));
}
