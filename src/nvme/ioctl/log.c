/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read log pages with one or several commands. Follows NVM Express Base, "Get Log Page command". */
#include "base/env.h"
#include "command-private.h"

int nvme_get_log(struct nvme_get_log_args *args)
{
	__u32 numd;

	if (!args_complete(args))
		return ioctl_refuse(EINVAL);
	/* Nothing may follow a header; the command cannot express a length of 0. */
	if (!args->len)
		return 0;
	if (!ioctl_has_dwords(args->len))
		return ioctl_refuse(EINVAL);

	numd = ioctl_dwords_less_one(args->len);
	return submit_admin(
		args, .opcode = nvme_admin_get_log_page, .nsid = args->nsid,
		.addr = ioctl_buffer(args->log), .data_len = args->len,
		.cdw10 = NVME_SET(args->lid, LOG_CDW10_LID) | NVME_SET(args->lsp, LOG_CDW10_LSP) |
			 NVME_SET(args->rae, LOG_CDW10_RAE) | NVME_SET(numd, LOG_CDW10_NUMDL),
		.cdw11 = NVME_SET(numd >> 16, LOG_CDW11_NUMDU) | NVME_SET(args->lsi, LOG_CDW11_LSI),
		.cdw12 = (__u32)args->lpo, .cdw13 = (__u32)(args->lpo >> 32),
		.cdw14 = NVME_SET(args->uuidx, LOG_CDW14_UUID) | NVME_SET(args->ot, LOG_CDW14_OT) |
			 NVME_SET(args->csi, LOG_CDW14_CSI));
}

int nvme_get_log_page(int fd, __u32 xfer_len, struct nvme_get_log_args *args)
{
	struct nvme_get_log_args piece;
	__u32 done;
	int ret;

	if (env_force_4k())
		xfer_len = NVME_LOG_PAGE_PDU_SIZE;
	if (!args_complete(args) || !xfer_len || xfer_len % 4)
		return ioctl_refuse(EINVAL);
	if (!args->len)
		return 0;
	if (!ioctl_has_dwords(args->len))
		return ioctl_refuse(EINVAL);
	/* An offset that counts entries cannot be advanced by bytes. */
	if (args->ot)
		xfer_len = args->len;
	if (args->len % xfer_len && !ioctl_has_dwords(args->len % xfer_len))
		return ioctl_refuse(EINVAL);

	piece = *args;
	piece.args_size = sizeof(piece);
	piece.fd = fd;
	for (done = 0; done < args->len; done += piece.len) {
		__u32 left = args->len - done;

		piece.len = left < xfer_len ? left : xfer_len;
		piece.lpo = args->lpo + done;
		piece.log = (char *)args->log + done;
		/* Only the last piece may clear the event: until then the page must not change. */
		piece.rae = args->rae || left > piece.len;
		ret = nvme_get_log(&piece);
		if (ret)
			return ret;
	}
	return 0;
}
