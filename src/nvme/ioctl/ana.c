/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Asymmetric Namespace Access log. Follows NVM Express Base, log page 0Ch. */
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

/* The part of the page that has been read. */
struct ana_reader {
	int fd;
	enum nvme_log_ana_lsp lsp;
	bool rae;
	struct nvme_ana_log *log;
	__u32 size;
	__u32 have;
};

/* Read the piece of the page at @offset. Return 0, an NVMe status, or -1 with errno set. */
static int ana_read_piece(struct ana_reader *r, __u32 offset)
{
	__u32 left = r->size - offset;
	__u32 len = left < NVME_LOG_PAGE_PDU_SIZE ? left : NVME_LOG_PAGE_PDU_SIZE;
	int ret = nvme_get_log_ana(r->fd, r->lsp, r->rae, offset, len, (__u8 *)r->log + offset);

	if (!ret)
		r->have = offset + len;
	return ret;
}

/* Read until the first @need bytes are present. */
static int ana_need(struct ana_reader *r, __u64 need)
{
	int ret = 0;

	if (need > r->size)
		return ioctl_refuse(ENOSPC);
	while (!ret && r->have < need)
		ret = ana_read_piece(r, r->have);
	return ret;
}

/* Read the page as far as its own counts reach, and store its end in *@end. */
static int ana_read(struct ana_reader *r, __u32 *end)
{
	__u64 offset = sizeof(struct nvme_ana_log);
	__u16 groups = le16toh(r->log->ngrps);
	int ret;

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

/*
 * The pieces belong to one page only if the change count is the same when the first piece is read
 * again, from which the next attempt starts. What one command has read is consistent.
 */
static int ana_changed(struct ana_reader *r, bool complete, bool *changed)
{
	__le64 before = r->log->chgcnt;
	int ret;

	*changed = false;
	if (r->have < NVME_LOG_PAGE_PDU_SIZE || (complete && r->have == NVME_LOG_PAGE_PDU_SIZE))
		return 0;
	ret = ana_read_piece(r, 0);
	*changed = !ret && r->log->chgcnt != before;
	return ret;
}

int nvme_get_ana_log_atomic(int fd, bool rgo, bool rae, unsigned int retries,
			    struct nvme_ana_log *log, __u32 *len)
{
	struct ana_reader reader = {
		.fd = fd,
		.lsp = rgo ? NVME_LOG_ANA_LSP_RGO_GROUPS_ONLY : NVME_LOG_ANA_LSP_RGO_NAMESPACES,
		.rae = rae,
		.log = log,
		.size = *len & ~3U,
	};
	__u32 end = 0;
	int ret;

	if (!retries)
		return ioctl_refuse(EINVAL);
	if (reader.size < sizeof(*log))
		return ioctl_refuse(ENOSPC);
	ret = ana_read_piece(&reader, 0);
	if (ret)
		return ret;

	while (retries--) {
		int read = ana_read(&reader, &end);
		bool changed;

		if (read > 0 || (read && errno != ENOSPC))
			return read;
		ret = ana_changed(&reader, !read, &changed);
		if (ret)
			return ret;
		if (changed)
			continue;
		if (read)
			return ioctl_refuse(ENOSPC);
		*len = end;
		return 0;
	}
	return ioctl_refuse(EAGAIN);
}
