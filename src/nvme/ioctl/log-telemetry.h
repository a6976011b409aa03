/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages with several parts: telemetry and aggregated events. Use <nvme/ioctl.h>.
 *
 * <nvme/ioctl/log.h> describes the common parameters and return values.
 */
#pragma once

/**
 * nvme_get_log_create_telemetry_host_mcda() - capture host-initiated telemetry (07h)
 * @mcda:	Largest data area to create; NVME_TELEMETRY_DA_CTRL_DETERMINE: any
 * @log:	Where to store the header
 */
static inline int nvme_get_log_create_telemetry_host_mcda(int fd, enum nvme_telemetry_da mcda,
							  struct nvme_telemetry_log *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_TELEMETRY_HOST, NVME_NSID_NONE, NVME_CSI_NVM,
				   (__u8)(NVME_LOG_TELEM_HOST_LSP_CREATE | (unsigned int)mcda << 1),
				   NVME_LOG_LSI_NONE, 0, false, sizeof(*log), log);
}

/**
 * nvme_get_log_create_telemetry_host() - capture host-initiated telemetry (07h)
 * @log:	Where to store the header
 */
static inline int nvme_get_log_create_telemetry_host(int fd, struct nvme_telemetry_log *log)
{
	return nvme_get_log_create_telemetry_host_mcda(fd, NVME_TELEMETRY_DA_CTRL_DETERMINE, log);
}

/** nvme_get_log_telemetry_host() - Telemetry Host-Initiated (07h), captured before */
static inline int nvme_get_log_telemetry_host(int fd, __u64 offset, __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_TELEMETRY_HOST, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_TELEM_HOST_LSP_RETAIN, NVME_LOG_LSI_NONE, offset, false,
				   len, log);
}

/** nvme_get_log_telemetry_ctrl() - Telemetry Controller-Initiated (08h) */
static inline int nvme_get_log_telemetry_ctrl(int fd, bool rae, __u64 offset, __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_TELEMETRY_CTRL, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, offset, rae, len, log);
}

/** nvme_get_log_lba_status() - LBA Status Information (0Eh) */
static inline int nvme_get_log_lba_status(int fd, bool rae, __u64 offset, __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_LBA_STATUS, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, offset, rae, len, log);
}

/** nvme_get_log_predictable_lat_event() - Predictable Latency Event Aggregate (0Bh) */
static inline int nvme_get_log_predictable_lat_event(int fd, bool rae, __u32 offset, __u32 len,
						     void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_PREDICTABLE_LAT_AGG, NVME_NSID_NONE,
				   NVME_CSI_NVM, NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, offset, rae,
				   len, log);
}

/** nvme_get_log_endurance_grp_evt() - Endurance Group Event Aggregate (0Fh) */
static inline int nvme_get_log_endurance_grp_evt(int fd, bool rae, __u32 offset, __u32 len,
						 void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_ENDURANCE_GRP_EVT, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, offset, rae, len, log);
}
