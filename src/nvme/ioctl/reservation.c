/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reservations. Follows NVM Express Base, "Reservation ... command". */
#include "command-private.h"

#define IEKEY_SHIFT 3
#define RTYPE_SHIFT 8
#define CPTPL_SHIFT 30

int nvme_resv_acquire(struct nvme_resv_acquire_args *args)
{
	return io_command(args, .opcode = nvme_cmd_resv_acquire, .nsid = args->nsid,
			  .addr = ioctl_buffer(
				  (__le64[2]){ htole64(args->crkey), htole64(args->nrkey) }),
			  .data_len = 2 * sizeof(__le64),
			  .cdw10 = ((__u32)args->racqa & 7) | (__u32)args->iekey << IEKEY_SHIFT |
				   (__u32)args->rtype << RTYPE_SHIFT);
}

int nvme_resv_register(struct nvme_resv_register_args *args)
{
	return io_command(args, .opcode = nvme_cmd_resv_register, .nsid = args->nsid,
			  .addr = ioctl_buffer(
				  (__le64[2]){ htole64(args->crkey), htole64(args->nrkey) }),
			  .data_len = 2 * sizeof(__le64),
			  .cdw10 = ((__u32)args->rrega & 7) | (__u32)args->iekey << IEKEY_SHIFT |
				   ((__u32)args->cptpl & 3) << CPTPL_SHIFT);
}

int nvme_resv_release(struct nvme_resv_release_args *args)
{
	return io_command(args, .opcode = nvme_cmd_resv_release, .nsid = args->nsid,
			  .addr = ioctl_buffer(&(__le64){ htole64(args->crkey) }),
			  .data_len = sizeof(__le64),
			  .cdw10 = ((__u32)args->rrela & 7) | (__u32)args->iekey << IEKEY_SHIFT |
				   (__u32)args->rtype << RTYPE_SHIFT);
}

int nvme_resv_report(struct nvme_resv_report_args *args)
{
	if (!args_complete(args) || !ioctl_has_dwords(args->len))
		return ioctl_refuse(EINVAL);
	return submit_io(args, .opcode = nvme_cmd_resv_report, .nsid = args->nsid,
			 .addr = ioctl_buffer(args->report), .data_len = args->len,
			 .cdw10 = ioctl_dwords_less_one(args->len), .cdw11 = args->eds);
}
