/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Security Send and Security Receive. Follows NVM Express Base, commands of these names. */
#include "command-private.h"

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
