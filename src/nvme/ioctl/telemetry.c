/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logs whose header has their length: telemetry and LBA status. Follows NVM Express Base, log pages
 * 07h and 08h, and NVM Command Set, log page 0Eh.
 */
#include "command-private.h"

/* Maximum plausible length of the LBA status log, in bytes. */
#define LBA_STATUS_MAX (64U << 20)

static int change_etdas(int fd, __u8 etdas, bool *changed)
{
	/* Some controllers return no data. */
	struct nvme_feat_host_behavior behavior = { 0 };
	int ret;

	ret = nvme_get_features_host_behavior(fd, NVME_GET_FEATURES_SEL_CURRENT, &behavior, NULL);
	if (ret)
		return ret;
	if (!!behavior.etdas == etdas) {
		*changed = false;
		return 0;
	}
	behavior.etdas = etdas;
	ret = nvme_set_features_host_behavior(fd, false, &behavior);
	if (ret)
		return ret;
	*changed = true;
	return 0;
}

int nvme_set_etdas(int fd, bool *changed)
{
	return change_etdas(fd, 1, changed);
}

int nvme_clear_etdas(int fd, bool *changed)
{
	return change_etdas(fd, 0, changed);
}

int nvme_get_telemetry_max(int fd, enum nvme_telemetry_da *da, size_t *max_data_tx)
{
	struct nvme_id_ctrl id;
	int ret;

	ret = nvme_identify_ctrl(fd, &id);
	if (ret)
		return ret;
	if (max_data_tx) {
		*max_data_tx = 0;
		/* A limit that does not fit in 32 bits is no limit. */
		if (id.mdts && id.mdts < 20)
			*max_data_tx = (size_t)NVME_LOG_PAGE_PDU_SIZE << id.mdts;
	}
	if (da && id.lpa & NVME_CTRL_LPA_TELEMETRY)
		*da = NVME_TELEMETRY_DA_3;
	if (da && id.lpa & NVME_CTRL_LPA_DA4_TELEMETRY)
		*da = NVME_TELEMETRY_DA_4;
	return 0;
}

/* Store the last block of data area @da. Return -ENOENT if the log has no such area. */
static int telemetry_last_block(const struct nvme_telemetry_log *header, enum nvme_telemetry_da da,
				__u32 *block)
{
	const __u32 last[] = {
		[NVME_TELEMETRY_DA_1] = le16toh(header->dalb1),
		[NVME_TELEMETRY_DA_2] = le16toh(header->dalb2),
		[NVME_TELEMETRY_DA_3] = le16toh(header->dalb3),
		[NVME_TELEMETRY_DA_4] = le32toh(header->dalb4),
	};

	if (da < NVME_TELEMETRY_DA_1 || da > NVME_TELEMETRY_DA_4)
		return -EINVAL;
	*block = last[da];
	return *block ? 0 : -ENOENT;
}

/* Return how many bytes of the log to read with one command: whole blocks. */
static __u32 telemetry_piece(size_t max_data_tx)
{
	if (max_data_tx > UINT32_MAX)
		max_data_tx = UINT32_MAX;
	max_data_tx -= max_data_tx % NVME_LOG_TELEM_BLOCK_SIZE;
	return max_data_tx ? (__u32)max_data_tx : NVME_LOG_PAGE_PDU_SIZE;
}

/* Read the first block, which contains the length of the log. */
static int telemetry_header(int fd, bool create, bool ctrl, enum nvme_telemetry_da da,
			    struct nvme_telemetry_log *header)
{
	if (ctrl)
		return nvme_get_log_telemetry_ctrl(fd, true, 0, sizeof(*header), header);
	if (create)
		return nvme_get_log_create_telemetry_host_mcda(fd, da, header);
	return nvme_get_log_telemetry_host(fd, 0, sizeof(*header), header);
}

int nvme_get_telemetry_log(int fd, bool create, bool ctrl, bool rae, size_t max_data_tx,
			   enum nvme_telemetry_da da, struct nvme_telemetry_log **log, size_t *size)
{
	struct nvme_telemetry_log header;
	_cleanup_(free) void *whole = NULL;
	struct nvme_get_log_args args;
	__u32 last = 0;
	__u64 len;
	int ret;

	ret = telemetry_header(fd, create, ctrl, da, &header);
	if (ret)
		return ret;
	if (!ctrl || header.ctrlavail) {
		ret = telemetry_last_block(&header, da, &last);
		if (ret)
			return ioctl_refuse(-ret);
	}
	len = (last + 1ULL) * NVME_LOG_TELEM_BLOCK_SIZE;
	if (len > UINT32_MAX)
		return ioctl_refuse(EOVERFLOW);
	whole = calloc(1, len);
	if (!whole)
		return ioctl_refuse(ENOMEM);
	memcpy(whole, &header, sizeof(header));

	if (last) {
		args = (struct nvme_get_log_args){
			.log = whole,
			.args_size = sizeof(args),
			.lid = ctrl ? NVME_LOG_LID_TELEMETRY_CTRL : NVME_LOG_LID_TELEMETRY_HOST,
			.len = (__u32)len,
			.nsid = NVME_NSID_NONE,
			.lsp = NVME_LOG_TELEM_HOST_LSP_RETAIN,
			.rae = rae,
		};
		ret = nvme_get_log_page(fd, telemetry_piece(max_data_tx), &args);
		if (ret)
			return ret;
	}
	*log = steal_ptr(&whole);
	*size = len;
	return 0;
}

static int telemetry(int fd, bool create, bool ctrl, bool rae, struct nvme_telemetry_log **log,
		     enum nvme_telemetry_da da, size_t *size)
{
	enum nvme_telemetry_da most = NVME_TELEMETRY_DA_CTRL_DETERMINE;
	int ret;

	ret = nvme_get_telemetry_max(fd, &most, NULL);
	if (ret)
		return ret;
	if (da > most)
		return ioctl_refuse(ENOENT);
	return nvme_get_telemetry_log(fd, create, ctrl, rae, NVME_LOG_PAGE_PDU_SIZE, da, log, size);
}

int nvme_get_ctrl_telemetry(int fd, bool rae, struct nvme_telemetry_log **log,
			    enum nvme_telemetry_da da, size_t *size)
{
	return telemetry(fd, false, true, rae, log, da, size);
}

int nvme_get_host_telemetry(int fd, struct nvme_telemetry_log **log, enum nvme_telemetry_da da,
			    size_t *size)
{
	return telemetry(fd, false, false, false, log, da, size);
}

int nvme_get_new_host_telemetry(int fd, struct nvme_telemetry_log **log, enum nvme_telemetry_da da,
				size_t *size)
{
	return telemetry(fd, true, false, false, log, da, size);
}

int nvme_get_lba_status_log(int fd, bool rae, struct nvme_lba_status_log **log)
{
	_cleanup_(free) void *whole = NULL;
	struct nvme_lba_status_log header;
	__u32 len;
	int ret;

	ret = nvme_get_log_lba_status(fd, true, 0, sizeof(header), &header);
	if (ret)
		return ret;
	len = le32toh(header.lslplen);
	if (len < sizeof(header))
		return ioctl_refuse(EPROTO);
	if (len > LBA_STATUS_MAX)
		return ioctl_refuse(EOVERFLOW);
	len = (len + 3) & ~3U;
	whole = malloc(len);
	if (!whole)
		return ioctl_refuse(ENOMEM);
	ret = nvme_get_log_lba_status(fd, rae, 0, len, whole);
	if (ret)
		return ret;
	/* The page may have grown beyond the allocated memory. */
	if (le32toh(((struct nvme_lba_status_log *)whole)->lslplen) > len)
		return ioctl_refuse(EAGAIN);
	*log = steal_ptr(&whole);
	return 0;
}
