/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Asymmetric Namespace Access log. Follows NVM Express Base, log page 0Ch. */
#include <endian.h>
#include <string.h>

#include "../linux.h"
#include "command-private.h"

size_t nvme_get_ana_log_len_from_id_ctrl(const struct nvme_id_ctrl *id_ctrl, bool rgo)
{
	size_t len = sizeof(struct nvme_ana_log);

	len += le32toh(id_ctrl->nanagrpid) * sizeof(struct nvme_ana_group_desc);
	if (!rgo)
		len += le32toh(id_ctrl->mnan) * sizeof(__le32);
	return len;
}

int nvme_get_ana_log_len(int fd, size_t *analen)
{
	struct nvme_id_ctrl id;
	int ret;

	ret = nvme_identify_ctrl(fd, &id);
	if (ret)
		return ret;
	*analen = nvme_get_ana_log_len_from_id_ctrl(&id, false);
	return 0;
}

/* The part of the page that is in memory so far. */
struct ana_reader {
	int fd;
	enum nvme_log_ana_lsp lsp;
	bool rae; /* of a command that may be the last */
	struct nvme_ana_log *log;
	__u32 size;
	__u32 have;
	bool single; /* the first command reads all there is room for */
};

/* Reads on until @need bytes are there. 0, an NVMe status, or -1 with errno set. */
static int ana_need(struct ana_reader *r, __u64 need)
{
	if (need > r->size)
		return refuse(ENOSPC);
	while (r->have < need) {
		__u32 left = r->size - r->have;
		__u32 len = left < NVME_LOG_PAGE_PDU_SIZE ? left : NVME_LOG_PAGE_PDU_SIZE;
		int ret = nvme_get_log_ana(r->fd, r->lsp, r->rae || !r->single, r->have, len,
					   (__u8 *)r->log + r->have);

		if (ret)
			return ret;
		r->have += len;
	}
	return 0;
}

/* Reads the page as far as its own counts say; stores where it ends. */
static int ana_read(struct ana_reader *r, __u32 *end)
{
	__u64 offset = sizeof(struct nvme_ana_log);
	__u16 groups;
	int ret;

	ret = ana_need(r, offset);
	if (ret)
		return ret;
	groups = le16toh(r->log->ngrps);
	while (groups--) {
		struct nvme_ana_group_desc desc;

		ret = ana_need(r, offset + sizeof(desc));
		if (ret)
			return ret;
		memcpy(&desc, (__u8 *)r->log + offset, sizeof(desc));
		offset += sizeof(desc);
		if (r->lsp == NVME_LOG_ANA_LSP_RGO_NAMESPACES)
			offset += (__u64)le32toh(desc.nnsids) * sizeof(desc.nsids[0]);
		ret = ana_need(r, offset);
		if (ret)
			return ret;
	}
	*end = (__u32)offset;
	return 0;
}

int nvme_get_ana_log_atomic(int fd, bool rgo, bool rae, unsigned int retries,
			    struct nvme_ana_log *log, __u32 *len)
{
	__u32 size = *len & ~3U;

	if (!retries || size < sizeof(*log))
		return refuse(EINVAL);

	while (retries--) {
		struct ana_reader reader = {
			.fd = fd,
			.lsp = rgo ? NVME_LOG_ANA_LSP_RGO_GROUPS_ONLY
				   : NVME_LOG_ANA_LSP_RGO_NAMESPACES,
			.rae = rae,
			.log = log,
			.size = size,
			.single = size <= NVME_LOG_PAGE_PDU_SIZE,
		};
		struct nvme_ana_log after;
		int read_errno;
		__u32 end = 0;
		int ret, again;

		ret = ana_read(&reader, &end);
		read_errno = errno;
		if (ret > 0 || (ret && read_errno != ENOSPC))
			return ret;
		if (!reader.single) {
			/* Pieces of different pages fit together only if nothing changed. */
			again = nvme_get_log_ana(fd, reader.lsp, rae, 0, sizeof(after), &after);
			if (again)
				return again;
			if (after.chgcnt != log->chgcnt)
				continue;
		}
		if (ret)
			return refuse(read_errno);
		*len = end;
		return 0;
	}
	return refuse(EAGAIN);
}
