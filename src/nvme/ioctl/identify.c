/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identify. Follows NVM Express Base, "Identify command". */
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
