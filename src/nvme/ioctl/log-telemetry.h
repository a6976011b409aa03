/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Log pages of many parts: telemetry and events that add up. Use <nvme/ioctl.h>. */
#ifndef _LIBNVME_IOCTL_LOG_TELEMETRY_H
#define _LIBNVME_IOCTL_LOG_TELEMETRY_H

#include <nvme/ioctl/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_get_log_create_telemetry_host_mcda() - capture host-initiated telemetry (07h)
 * @fd:		Controller or namespace device
 * @mcda:	Largest data area to create; NVME_TELEMETRY_DA_CTRL_DETERMINE leaves it open
 * @log:	Where to store the header
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_create_telemetry_host_mcda(int fd, enum nvme_telemetry_da mcda,
							  struct nvme_telemetry_log *log)
{
	struct nvme_get_log_args args = {
		.lpo = 0,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = NVME_LOG_LID_TELEMETRY_HOST,
		.len = sizeof(*log),
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = (__u8)(NVME_LOG_TELEM_HOST_LSP_CREATE | (unsigned int)mcda << 1),
		.uuidx = NVME_UUID_NONE,
		.rae = false,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

/**
 * nvme_get_log_create_telemetry_host() - capture host-initiated telemetry (07h)
 * @fd:		Controller or namespace device
 * @log:	Where to store the header
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_create_telemetry_host(int fd, struct nvme_telemetry_log *log)
{
	return nvme_get_log_create_telemetry_host_mcda(fd, NVME_TELEMETRY_DA_CTRL_DETERMINE, log);
}

/**
 * nvme_get_log_telemetry_host() - Telemetry Host-Initiated (07h), as captured before
 * @fd:		Controller or namespace device
 * @offset:	Where to start in the page, bytes, a multiple of 4
 * @len:	Bytes at @log, a multiple of 4
 * @log:	Where to store the page
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_telemetry_host(int fd, __u64 offset, __u32 len, void *log)
{
	struct nvme_get_log_args args = {
		.lpo = offset,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = NVME_LOG_LID_TELEMETRY_HOST,
		.len = len,
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_TELEM_HOST_LSP_RETAIN,
		.uuidx = NVME_UUID_NONE,
		.rae = false,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

/**
 * nvme_get_log_telemetry_ctrl() - Telemetry Controller-Initiated (08h)
 * @fd:		Controller or namespace device
 * @rae:	Retain the asynchronous event that points at this page
 * @offset:	Where to start in the page, bytes, a multiple of 4
 * @len:	Bytes at @log, a multiple of 4
 * @log:	Where to store the page
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_telemetry_ctrl(int fd, bool rae, __u64 offset, __u32 len, void *log)
{
	struct nvme_get_log_args args = {
		.lpo = offset,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = NVME_LOG_LID_TELEMETRY_CTRL,
		.len = len,
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.rae = rae,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

/**
 * nvme_get_log_lba_status() - LBA Status Information (0Eh)
 * @fd:		Controller or namespace device
 * @rae:	Retain the asynchronous event that points at this page
 * @offset:	Where to start in the page, bytes, a multiple of 4
 * @len:	Bytes at @log, a multiple of 4
 * @log:	Where to store the page
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_lba_status(int fd, bool rae, __u64 offset, __u32 len, void *log)
{
	struct nvme_get_log_args args = {
		.lpo = offset,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = NVME_LOG_LID_LBA_STATUS,
		.len = len,
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.rae = rae,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

/**
 * nvme_get_log_predictable_lat_event() - Predictable Latency Event Aggregate (0Bh)
 * @fd:		Controller or namespace device
 * @rae:	Retain the asynchronous event that points at this page
 * @offset:	Where to start in the page, bytes, a multiple of 4
 * @len:	Bytes at @log, a multiple of 4
 * @log:	Where to store the page
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_predictable_lat_event(int fd, bool rae, __u32 offset, __u32 len,
						     void *log)
{
	struct nvme_get_log_args args = {
		.lpo = offset,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = NVME_LOG_LID_PREDICTABLE_LAT_AGG,
		.len = len,
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.rae = rae,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

/**
 * nvme_get_log_endurance_grp_evt() - Endurance Group Event Aggregate (0Fh)
 * @fd:		Controller or namespace device
 * @rae:	Retain the asynchronous event that points at this page
 * @offset:	Where to start in the page, bytes, a multiple of 4
 * @len:	Bytes at @log, a multiple of 4
 * @log:	Where to store the page
 *
 * Return: As nvme_get_log_page().
 */
static inline int nvme_get_log_endurance_grp_evt(int fd, bool rae, __u32 offset, __u32 len,
						 void *log)
{
	struct nvme_get_log_args args = {
		.lpo = offset,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = NVME_LOG_LID_ENDURANCE_GRP_EVT,
		.len = len,
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.rae = rae,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_IOCTL_LOG_TELEMETRY_H */
