/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reservations. Follows NVM Express Base, "Reservation ... command". */
#include <endian.h>

#include "command-private.h"

#define IEKEY_SHIFT 3
#define RTYPE_SHIFT 8
#define CPTPL_SHIFT 30

int nvme_resv_acquire(struct nvme_resv_acquire_args *args)
{
	struct nvme_passthru_cmd cmd;
	__le64 keys[2];

	if (!args_complete(args))
		return ioctl_refuse(EINVAL);

	keys[0] = htole64(args->crkey);
	keys[1] = htole64(args->nrkey);
	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_cmd_resv_acquire,
		.nsid = args->nsid,
		.addr = ioctl_buffer(keys),
		.data_len = sizeof(keys),
		.cdw10 = ((__u32)args->racqa & 7) | (__u32)args->iekey << IEKEY_SHIFT |
			 (__u32)args->rtype << RTYPE_SHIFT,
		.timeout_ms = args->timeout,
	};
	return nvme_submit_io_passthru(args->fd, &cmd, args->result);
}

int nvme_resv_register(struct nvme_resv_register_args *args)
{
	struct nvme_passthru_cmd cmd;
	__le64 keys[2];

	if (!args_complete(args))
		return ioctl_refuse(EINVAL);

	keys[0] = htole64(args->crkey);
	keys[1] = htole64(args->nrkey);
	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_cmd_resv_register,
		.nsid = args->nsid,
		.addr = ioctl_buffer(keys),
		.data_len = sizeof(keys),
		.cdw10 = ((__u32)args->rrega & 7) | (__u32)args->iekey << IEKEY_SHIFT |
			 ((__u32)args->cptpl & 3) << CPTPL_SHIFT,
		.timeout_ms = args->timeout,
	};
	return nvme_submit_io_passthru(args->fd, &cmd, args->result);
}

int nvme_resv_release(struct nvme_resv_release_args *args)
{
	struct nvme_passthru_cmd cmd;
	__le64 key;

	if (!args_complete(args))
		return ioctl_refuse(EINVAL);

	key = htole64(args->crkey);
	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_cmd_resv_release,
		.nsid = args->nsid,
		.addr = ioctl_buffer(&key),
		.data_len = sizeof(key),
		.cdw10 = ((__u32)args->rrela & 7) | (__u32)args->iekey << IEKEY_SHIFT |
			 (__u32)args->rtype << RTYPE_SHIFT,
		.timeout_ms = args->timeout,
	};
	return nvme_submit_io_passthru(args->fd, &cmd, args->result);
}

int nvme_resv_report(struct nvme_resv_report_args *args)
{
	struct nvme_passthru_cmd cmd;

	if (!args_complete(args) || !ioctl_has_dwords(args->len))
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_cmd_resv_report,
		.nsid = args->nsid,
		.addr = ioctl_buffer(args->report),
		.data_len = args->len,
		.cdw10 = ioctl_dwords_less_one(args->len),
		.cdw11 = args->eds,
		.timeout_ms = args->timeout,
	};
	return nvme_submit_io_passthru(args->fd, &cmd, args->result);
}
