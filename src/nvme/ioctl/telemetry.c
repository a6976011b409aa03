/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logs that announce their own length: telemetry and LBA status. Follows NVM Express Base, log
 * pages 07h and 08h, and NVM Command Set, log page 0Eh.
 */
#include <endian.h>
#include <string.h>

#include "base/cleanup.h"
#include "../linux.h"
#include "command-private.h"

/* A log that announces more is broken. */
#define LBA_STATUS_MAX (64U << 20)

static int change_etdas(int fd, __u8 etdas, bool *changed)
{
	struct nvme_feat_host_behavior behavior;
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
		/* What 32 bits of length cannot say is no limit. */
		if (id.mdts && id.mdts < 20)
			*max_data_tx = (size_t)NVME_LOG_PAGE_PDU_SIZE << id.mdts;
	}
	if (da) {
		*da = NVME_TELEMETRY_DA_CTRL_DETERMINE;
		if (id.lpa & NVME_CTRL_LPA_TELEMETRY)
			*da = NVME_TELEMETRY_DA_3;
		if (id.lpa & NVME_CTRL_LPA_DA4_TELEMETRY)
			*da = NVME_TELEMETRY_DA_4;
	}
	return 0;
}

/* Bytes from the start of the log to the end of data area @da. */
static __u64 telemetry_len(const struct nvme_telemetry_log *header, enum nvme_telemetry_da da)
{
	__u64 last_block = 0;

	switch (da) {
	case NVME_TELEMETRY_DA_1:
		last_block = le16toh(header->dalb1);
		break;
	case NVME_TELEMETRY_DA_2:
		last_block = le16toh(header->dalb2);
		break;
	case NVME_TELEMETRY_DA_3:
		last_block = le16toh(header->dalb3);
		break;
	case NVME_TELEMETRY_DA_4:
		/* Without area 4 its last block is that of area 3, or 0. */
		last_block = le32toh(header->dalb4);
		if (last_block < le16toh(header->dalb3))
			last_block = le16toh(header->dalb3);
		break;
	default:
		break;
	}
	return (last_block + 1) * NVME_LOG_TELEM_BLOCK_SIZE;
}

int nvme_get_telemetry_log(int fd, bool create, bool ctrl, bool rae, size_t max_data_tx,
			   enum nvme_telemetry_da da, struct nvme_telemetry_log **log, size_t *size)
{
	struct nvme_telemetry_log header;
	_cleanup_(free) void *whole = NULL;
	struct nvme_get_log_args args;
	__u64 len;
	int ret;

	if (max_data_tx > UINT32_MAX)
		max_data_tx = UINT32_MAX;
	max_data_tx -= max_data_tx % NVME_LOG_TELEM_BLOCK_SIZE;
	if (!max_data_tx || (create && ctrl) || da < NVME_TELEMETRY_DA_1 ||
	    da > NVME_TELEMETRY_DA_4)
		return refuse(EINVAL);

	if (ctrl)
		ret = nvme_get_log_telemetry_ctrl(fd, true, 0, sizeof(header), &header);
	else if (create)
		ret = nvme_get_log_create_telemetry_host_mcda(fd, da, &header);
	else
		ret = nvme_get_log_telemetry_host(fd, 0, sizeof(header), &header);
	if (ret)
		return ret;

	len = telemetry_len(&header, da);
	if (ctrl && !header.ctrlavail)
		len = sizeof(header);
	if (len > UINT32_MAX)
		return refuse(EOVERFLOW);
	whole = calloc(1, len);
	if (!whole)
		return refuse(ENOMEM);

	args = (struct nvme_get_log_args){
		.log = whole,
		.args_size = sizeof(args),
		.lid = ctrl ? NVME_LOG_LID_TELEMETRY_CTRL : NVME_LOG_LID_TELEMETRY_HOST,
		.len = (__u32)len,
		.nsid = NVME_NSID_ALL,
		.lsp = NVME_LOG_TELEM_HOST_LSP_RETAIN,
		.rae = ctrl && rae,
	};
	ret = nvme_get_log_page(fd, (__u32)max_data_tx, &args);
	if (ret)
		return ret;
	*log = steal_ptr(&whole);
	*size = len;
	return 0;
}

static int telemetry(int fd, bool create, bool ctrl, bool rae, struct nvme_telemetry_log **log,
		     enum nvme_telemetry_da da, size_t *size)
{
	int ret;

	if (da == NVME_TELEMETRY_DA_CTRL_DETERMINE) {
		ret = nvme_get_telemetry_max(fd, &da, NULL);
		if (ret)
			return ret;
		if (da == NVME_TELEMETRY_DA_CTRL_DETERMINE)
			return refuse(ENOTSUP);
	}
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
		return refuse(EPROTO);
	if (len > LBA_STATUS_MAX)
		return refuse(EOVERFLOW);
	len = (len + 3) & ~3U;
	whole = malloc(len);
	if (!whole)
		return refuse(ENOMEM);
	ret = nvme_get_log_lba_status(fd, rae, 0, len, whole);
	if (ret)
		return ret;
	/* The page may have grown since, but not the memory that holds it. */
	if (le32toh(((struct nvme_lba_status_log *)whole)->lslplen) > len)
		return refuse(EAGAIN);
	*log = steal_ptr(&whole);
	return 0;
}
