/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Get Features and Set Features. Follows NVM Express Base, commands of these names. */
#include "command-private.h"

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
