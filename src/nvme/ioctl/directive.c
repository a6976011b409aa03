/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directive Send and Directive Receive. Follows NVM Express Base, "Directives". */
#include "command-private.h"

static __u32 directive_cdw11(__u32 doper, __u32 dtype, __u32 dspec)
{
	return NVME_SET(doper, DIRECTIVE_CDW11_DOPER) | NVME_SET(dtype, DIRECTIVE_CDW11_DTYPE) |
	       NVME_SET(dspec, DIRECTIVE_CDW11_DPSEC);
}

int nvme_directive_send(struct nvme_directive_send_args *args)
{
	if (!args_complete(args) || (args->data_len && args->data_len < 4))
		return ioctl_refuse(EINVAL);
	return submit_admin(args, .opcode = nvme_admin_directive_send, .nsid = args->nsid,
			    .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			    .cdw10 = ioctl_dwords_less_one(args->data_len),
			    .cdw11 = directive_cdw11(args->doper, args->dtype, args->dspec),
			    .cdw12 = args->cdw12);
}

int nvme_directive_recv(struct nvme_directive_recv_args *args)
{
	if (!args_complete(args) || (args->data_len && args->data_len < 4))
		return ioctl_refuse(EINVAL);
	return submit_admin(args, .opcode = nvme_admin_directive_recv, .nsid = args->nsid,
			    .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			    .cdw10 = ioctl_dwords_less_one(args->data_len),
			    .cdw11 = directive_cdw11(args->doper, args->dtype, args->dspec),
			    .cdw12 = args->cdw12);
}

int nvme_directive_send_id_endir(int fd, __u32 nsid, bool endir, enum nvme_directive_dtype dtype,
				 struct nvme_id_directives *id)
{
	struct nvme_directive_send_args args = {
		.data = id,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.doper = NVME_DIRECTIVE_SEND_IDENTIFY_DOPER_ENDIR,
		.dtype = NVME_DIRECTIVE_DTYPE_IDENTIFY,
		/* The directive type is in bits 15:08, not where the public constant points. */
		.cdw12 = NVME_SET(endir, DIRECTIVE_SEND_IDENTIFY_CDW12_ENDIR) |
			 ((__u32)dtype & 0xff) << 8,
		.data_len = id ? sizeof(*id) : 0,
	};

	return nvme_directive_send(&args);
}
