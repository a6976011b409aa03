/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands of NVMe over Fabrics: properties and the management of discovery information. */
#include "command-private.h"

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
