/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that need more than one command: opening devices, firmware images, telemetry, ANA and
 * LBA status logs, and the keys of secure channels.
 *
 * Common to all functions unless noted otherwise:
 * @fd: Controller device
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
#ifndef _LIBNVME_LINUX_H
#define _LIBNVME_LINUX_H

#include <stdbool.h>
#include <stddef.h>

#include <nvme/ioctl.h>
#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_open() - open a controller or namespace by name
 * @name: "nvme0" (a character device) or "nvme0n1" (a block device), without a path
 *
 * Return: A file descriptor open for reading, which the caller closes, or -1 with errno set: EINVAL
 * if @name has another form or the file in /dev is of another kind.
 */
int nvme_open(const char *name);

/**
 * nvme_fw_download_seq() - download a firmware image piece by piece
 * @size:	Bytes at @buf, a multiple of 4
 * @xfer:	Bytes per command at most, a multiple of 4, not 0
 * @offset:	Offset of @buf in the firmware image in bytes, a multiple of 4
 * @buf:	The image, or a part of it
 *
 * Return: 0, the NVMe status of the first command that failed, or -1 with errno set.
 */
int nvme_fw_download_seq(int fd, __u32 size, __u32 xfer, __u32 offset, void *buf);

/**
 * nvme_set_etdas() - enable data area 4 of telemetry logs
 * @changed:	Where to store whether it was off before; nvme_clear_etdas() then restores it
 *
 * Sets ETDAS of the Host Behavior Support feature (NVM Express Base).
 */
int nvme_set_etdas(int fd, bool *changed);

/**
 * nvme_clear_etdas() - undo nvme_set_etdas()
 * @changed:	Where to store whether it was on before
 */
int nvme_clear_etdas(int fd, bool *changed);

/**
 * nvme_get_telemetry_max() - read the telemetry capabilities of a controller
 * @da:		 Where to store the last data area that it supports, or NULL
 * @max_data_tx: Where to store how many bytes one command can transfer, 0: no limit; or NULL
 *
 * The limit assumes the smallest memory page a controller can have, 4096 bytes.
 */
int nvme_get_telemetry_max(int fd, enum nvme_telemetry_da *da, size_t *max_data_tx);

/**
 * nvme_get_telemetry_log() - read a telemetry log up to a data area
 * @create:	 Capture new host-initiated data first; not with @ctrl
 * @ctrl:	 The controller-initiated log instead of the host-initiated one
 * @rae:	 Retain the asynchronous event that points at the log
 * @max_data_tx: Bytes per command at most, at least 512; rounded down to a multiple of 512
 * @da:		 Last data area to read, 1 to 4
 * @log:	 Where to store the log, which the caller frees
 * @size:	 Where to store its bytes
 *
 * If the header reports no data, the log is only its header.
 *
 * Return: 0, the NVMe status, or -1 with errno set: EINVAL for invalid parameters, ENOMEM, or
 * EOVERFLOW if the log claims more than a command can address.
 */
int nvme_get_telemetry_log(int fd, bool create, bool ctrl, bool rae, size_t max_data_tx,
			   enum nvme_telemetry_da da, struct nvme_telemetry_log **log,
			   size_t *size);

/**
 * nvme_get_ctrl_telemetry() - read the controller-initiated telemetry log
 * @rae:	Retain the asynchronous event that points at the log
 * @log:	Where to store the log, which the caller frees
 * @da:		Last data area to read; NVME_TELEMETRY_DA_CTRL_DETERMINE: all
 * @size:	Where to store its bytes
 *
 * Return: As nvme_get_telemetry_log(); ENOTSUP if @da is NVME_TELEMETRY_DA_CTRL_DETERMINE and the
 * controller has no telemetry.
 */
int nvme_get_ctrl_telemetry(int fd, bool rae, struct nvme_telemetry_log **log,
			    enum nvme_telemetry_da da, size_t *size);

/**
 * nvme_get_host_telemetry() - read the host-initiated telemetry log that was captured before
 * @log:	Where to store the log, which the caller frees
 * @da:		Last data area to read; NVME_TELEMETRY_DA_CTRL_DETERMINE: all
 * @size:	Where to store its bytes
 *
 * Return: As nvme_get_ctrl_telemetry().
 */
int nvme_get_host_telemetry(int fd, struct nvme_telemetry_log **log, enum nvme_telemetry_da da,
			    size_t *size);

/**
 * nvme_get_new_host_telemetry() - capture a new host-initiated telemetry log and read it
 * @log:	Where to store the log, which the caller frees
 * @da:		Last data area to read; NVME_TELEMETRY_DA_CTRL_DETERMINE: all
 * @size:	Where to store its bytes
 *
 * Return: As nvme_get_ctrl_telemetry().
 */
int nvme_get_new_host_telemetry(int fd, struct nvme_telemetry_log **log, enum nvme_telemetry_da da,
				size_t *size);

/**
 * nvme_get_ana_log_len_from_id_ctrl() - maximum size of an ANA log in bytes
 * @id_ctrl:	Identify Controller data
 * @rgo:	Groups only, without their namespaces
 *
 * Return: The size in bytes.
 */
size_t nvme_get_ana_log_len_from_id_ctrl(const struct nvme_id_ctrl *id_ctrl, bool rgo);

/**
 * nvme_get_ana_log_len() - maximum size of the ANA log of a controller in bytes
 * @analen:	Where to store the bytes
 */
int nvme_get_ana_log_len(int fd, size_t *analen);

/**
 * nvme_get_logical_block_size() - logical block size of a namespace in bytes
 * @fd:		Controller or namespace device
 * @nsid:	Namespace
 * @blksize:	Where to store the bytes
 *
 * Return: 0, the NVMe status, or -1 with errno set: EINVAL if the format in use has an invalid
 * size, such as that of an inactive namespace.
 */
int nvme_get_logical_block_size(int fd, __u32 nsid, int *blksize);

/**
 * nvme_get_lba_status_log() - read the whole LBA Status Information log
 * @rae:	Retain the asynchronous event that points at the log
 * @log:	Where to store the log, which the caller frees
 *
 * Return: 0, the NVMe status, or -1 with errno set: ENOMEM; EPROTO if the log claims less than its
 * own header; EOVERFLOW if it claims more than 64 MiB; EAGAIN if it grew while it was read.
 */
int nvme_get_lba_status_log(int fd, bool rae, struct nvme_lba_status_log **log);

/**
 * nvme_namespace_attach_ctrls() - attach a namespace to controllers
 * @nsid:	Namespace
 * @num_ctrls:	Controllers in @ctrlist, at most NVME_ID_CTRL_LIST_MAX
 * @ctrlist:	Controller identifiers
 */
int nvme_namespace_attach_ctrls(int fd, __u32 nsid, __u16 num_ctrls, __u16 *ctrlist);

/**
 * nvme_namespace_detach_ctrls() - detach a namespace from controllers
 * @nsid:	Namespace
 * @num_ctrls:	Controllers in @ctrlist, at most NVME_ID_CTRL_LIST_MAX
 * @ctrlist:	Controller identifiers
 */
int nvme_namespace_detach_ctrls(int fd, __u32 nsid, __u16 num_ctrls, __u16 *ctrlist);

/**
 * nvme_get_uuid_list() - read the UUID list if the controller has one
 * @uuid_list:	Where to store the list; all zeroes if there is none
 */
int nvme_get_uuid_list(int fd, struct nvme_id_uuid_list *uuid_list);

#ifdef __cplusplus
}
#endif

#include <nvme/keys.h>

#endif /* _LIBNVME_LINUX_H */
