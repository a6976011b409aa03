/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * I/O commands. Use <nvme/ioctl.h>. NVM Express NVM Command Set; reservations and I/O Management
 * are in the Base specification. Numbers of blocks are zero-based (0 means 1), as in the command.
 *
 * Common to all functions unless noted otherwise:
 * @args: As for nvme_io()
 * @fd: Namespace device
 * Return: 0, the NVMe status, or -1 with errno set.
 */
#pragma once

/**
 * nvme_flush() - Flush (00h): commit written data to non-volatile media
 * @nsid:	Namespace, or NVME_NSID_ALL
 */
static inline int nvme_flush(int fd, __u32 nsid)
{
	struct nvme_passthru_cmd cmd = {};

	cmd.opcode = nvme_cmd_flush;
	cmd.nsid = nsid;

	return nvme_submit_io_passthru(fd, &cmd, NULL);
}

/**
 * nvme_io() - Read, Write and similar commands
 * @args:	Blocks, buffers, control and protection information
 * @opcode:	Operation code, enum nvme_io_opcode
 *
 * Accepts the structure up to dsm and up to pif. With the larger structure the reference tag is
 * reftag_u64, and the storage tag is in the upper @args->sts bits of the space that the protection
 * information format @args->pif has for both.
 *
 * Return: 0, the NVMe status, or -1 with errno set: EINVAL if pif is not defined or does not allow
 * this sts.
 */
int nvme_io(struct nvme_io_args *args, __u8 opcode);

/**
 * nvme_read() - Read (02h)
 *
 * Return: As nvme_io().
 */
static inline int nvme_read(struct nvme_io_args *args)
{
	return nvme_io(args, nvme_cmd_read);
}

/**
 * nvme_write() - Write (01h)
 *
 * Return: As nvme_io().
 */
static inline int nvme_write(struct nvme_io_args *args)
{
	return nvme_io(args, nvme_cmd_write);
}

/**
 * nvme_compare() - Compare (05h)
 *
 * Return: As nvme_io().
 */
static inline int nvme_compare(struct nvme_io_args *args)
{
	return nvme_io(args, nvme_cmd_compare);
}

/**
 * nvme_write_zeros() - Write Zeroes (08h)
 *
 * Return: As nvme_io().
 */
static inline int nvme_write_zeros(struct nvme_io_args *args)
{
	return nvme_io(args, nvme_cmd_write_zeroes);
}

/**
 * nvme_write_uncorrectable() - Write Uncorrectable (04h)
 *
 * Return: As nvme_io().
 */
static inline int nvme_write_uncorrectable(struct nvme_io_args *args)
{
	return nvme_io(args, nvme_cmd_write_uncor);
}

/**
 * nvme_verify() - Verify (0Ch)
 *
 * Return: As nvme_io().
 */
static inline int nvme_verify(struct nvme_io_args *args)
{
	return nvme_io(args, nvme_cmd_verify);
}

/**
 * nvme_dsm() - Dataset Management (09h)
 * @args: Attributes and 1 to 256 ranges, see nvme_init_dsm_range()
 */
int nvme_dsm(struct nvme_dsm_args *args);

/**
 * nvme_copy() - Copy (19h)
 * @args: Destination and 1 to 256 source ranges, see nvme_init_copy_range() and its variants for
 *	  the descriptor formats
 *
 * Accepts the structure up to format and up to ilbrt_u64.
 */
int nvme_copy(struct nvme_copy_args *args);

/**
 * nvme_resv_acquire() - Reservation Acquire (11h)
 * @args: Acquire or preempt, reservation type, current key, key to preempt
 */
int nvme_resv_acquire(struct nvme_resv_acquire_args *args);

/**
 * nvme_resv_register() - Reservation Register (0Dh)
 * @args: Register, unregister or replace; current and new key
 */
int nvme_resv_register(struct nvme_resv_register_args *args);

/**
 * nvme_resv_release() - Reservation Release (15h)
 * @args: Release or clear, reservation type, current key
 */
int nvme_resv_release(struct nvme_resv_release_args *args);

/**
 * nvme_resv_report() - Reservation Report (0Eh)
 * @args: Buffer of @args->len bytes, a multiple of 4, and whether to use the extended format
 */
int nvme_resv_report(struct nvme_resv_report_args *args);

/**
 * nvme_io_mgmt_recv() - I/O Management Receive (12h)
 * @args: Management operation, its specific field, and a buffer
 */
int nvme_io_mgmt_recv(struct nvme_io_mgmt_recv_args *args);

/**
 * nvme_fdp_reclaim_unit_handle_status() - read the reclaim unit handles of a namespace
 * @nsid:	Namespace
 * @data_len:	Bytes at @data, a multiple of 4
 * @data:	Where to store a struct nvme_fdp_ruh_status with its descriptors
 *
 * Return: As nvme_io_mgmt_recv().
 */
static inline int nvme_fdp_reclaim_unit_handle_status(int fd, __u32 nsid, __u32 data_len,
						      void *data)
{
	struct nvme_io_mgmt_recv_args args = {
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.nsid = nsid,
		.data_len = data_len,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.mos = 0,
		.mo = NVME_IO_MGMT_RECV_RUH_STATUS,
	};

	return nvme_io_mgmt_recv(&args);
}

/**
 * nvme_io_mgmt_send() - I/O Management Send (1Dh)
 * @args: Management operation, its specific field, and data
 */
int nvme_io_mgmt_send(struct nvme_io_mgmt_send_args *args);

/**
 * nvme_fdp_reclaim_unit_handle_update() - let placement identifiers refer to new reclaim units
 * @nsid:	Namespace
 * @npids:	Number of placement identifiers, 1 to 65536
 * @pids:	Placement identifiers, little endian
 *
 * Return: As nvme_io_mgmt_send(); EINVAL if @npids is out of range.
 */
static inline int nvme_fdp_reclaim_unit_handle_update(int fd, __u32 nsid, unsigned int npids,
						      __u16 *pids)
{
	struct nvme_io_mgmt_send_args args = {
		.data = pids,
		.args_size = sizeof(args),
		.fd = fd,
		.nsid = nsid,
		.data_len = (__u32)(npids * sizeof(*pids)),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.mos = (__u16)(npids - 1),
		.mo = NVME_IO_MGMT_SEND_RUH_UPDATE,
	};

	if (!npids || npids > 65536) {
		errno = EINVAL;
		return -1;
	}
	return nvme_io_mgmt_send(&args);
}
