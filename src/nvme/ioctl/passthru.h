/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that every command passes through, raw commands, and ioctls for a whole device. Use
 * <nvme/ioctl.h>.
 *
 * Common to all functions unless noted otherwise:
 * @cmd: Command; its result field is written
 * @data: Data buffer, or NULL
 * @data_len: Bytes at @data
 * @fd: Controller or namespace device
 * @flags: Bits 15:08 of dword 0
 * @metadata: Metadata buffer, or NULL
 * @nsid: Namespace
 * @opcode: Operation code
 * @rsvd: 0
 * @cdw2: Dword 2
 * @cdw3: Dword 3
 * @metadata_len: Bytes at @metadata
 * @cdw10: Dword 10
 * @cdw11: Dword 11
 * @cdw12: Dword 12
 * @cdw13: Dword 13
 * @cdw14: Dword 14
 * @cdw15: Dword 15
 * @timeout_ms: Timeout in ms; 0: the driver's default
 * @result: Where to store dword 0 of the completion, or NULL
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
#pragma once

/**
 * struct nvme_passthru_cmd - command with a 32 bit result, as in <linux/nvme_ioctl.h>
 * @opcode:	 Operation code
 * @flags:	 Bits 15:08 of dword 0; 0 with the Linux driver
 * @rsvd1:	 0
 * @nsid:	 Namespace; the fabrics command type if @opcode is nvme_admin_fabrics
 * @cdw2:	 Dword 2
 * @cdw3:	 Dword 3
 * @metadata:	 Address of the metadata buffer
 * @addr:	 Address of the data buffer
 * @metadata_len: Bytes at @metadata
 * @data_len:	 Bytes at @addr
 * @cdw10:	 Dword 10
 * @cdw11:	 Dword 11
 * @cdw12:	 Dword 12
 * @cdw13:	 Dword 13
 * @cdw14:	 Dword 14
 * @cdw15:	 Dword 15
 * @timeout_ms:	 Timeout in ms; 0: the driver's default
 * @result:	 Dword 0 of the completion
 */
struct nvme_passthru_cmd {
	__u8 opcode;
	__u8 flags;
	__u16 rsvd1;
	__u32 nsid;
	__u32 cdw2;
	__u32 cdw3;
	__u64 metadata;
	__u64 addr;
	__u32 metadata_len;
	__u32 data_len;
	__u32 cdw10;
	__u32 cdw11;
	__u32 cdw12;
	__u32 cdw13;
	__u32 cdw14;
	__u32 cdw15;
	__u32 timeout_ms;
	__u32 result;
};

/**
 * struct nvme_passthru_cmd64 - command with a 64 bit result
 * @opcode:	 As in struct nvme_passthru_cmd
 * @flags:	 As there
 * @rsvd1:	 0
 * @nsid:	 As there
 * @cdw2:	 Dword 2
 * @cdw3:	 Dword 3
 * @metadata:	 Address of the metadata buffer
 * @addr:	 Address of the data buffer
 * @metadata_len: Bytes at @metadata
 * @data_len:	 Bytes at @addr
 * @cdw10:	 Dword 10
 * @cdw11:	 Dword 11
 * @cdw12:	 Dword 12
 * @cdw13:	 Dword 13
 * @cdw14:	 Dword 14
 * @cdw15:	 Dword 15
 * @timeout_ms:	 Timeout in ms; 0: the driver's default
 * @rsvd2:	 0
 * @result:	 Dwords 0 and 1 of the completion
 */
struct nvme_passthru_cmd64 {
	__u8 opcode;
	__u8 flags;
	__u16 rsvd1;
	__u32 nsid;
	__u32 cdw2;
	__u32 cdw3;
	__u64 metadata;
	__u64 addr;
	__u32 metadata_len;
	__u32 data_len;
	__u32 cdw10;
	__u32 cdw11;
	__u32 cdw12;
	__u32 cdw13;
	__u32 cdw14;
	__u32 cdw15;
	__u32 timeout_ms;
	__u32 rsvd2;
	__u64 result;
};

/**
 * struct nvme_uring_cmd - command for io_uring's IORING_OP_URING_CMD
 * @opcode:	 As in struct nvme_passthru_cmd
 * @flags:	 As there
 * @rsvd1:	 0
 * @nsid:	 As there
 * @cdw2:	 Dword 2
 * @cdw3:	 Dword 3
 * @metadata:	 Address of the metadata buffer
 * @addr:	 Address of the data buffer, or of an iovec array with NVME_URING_CMD_*_VEC
 * @metadata_len: Bytes at @metadata
 * @data_len:	 Bytes at @addr, or entries of the iovec array
 * @cdw10:	 Dword 10
 * @cdw11:	 Dword 11
 * @cdw12:	 Dword 12
 * @cdw13:	 Dword 13
 * @cdw14:	 Dword 14
 * @cdw15:	 Dword 15
 * @timeout_ms:	 Timeout in ms; 0: the driver's default
 * @rsvd2:	 0
 */
struct nvme_uring_cmd {
	__u8 opcode;
	__u8 flags;
	__u16 rsvd1;
	__u32 nsid;
	__u32 cdw2;
	__u32 cdw3;
	__u64 metadata;
	__u64 addr;
	__u32 metadata_len;
	__u32 data_len;
	__u32 cdw10;
	__u32 cdw11;
	__u32 cdw12;
	__u32 cdw13;
	__u32 cdw14;
	__u32 cdw15;
	__u32 timeout_ms;
	__u32 rsvd2;
};

#define NVME_IOCTL_ID _IO('N', 0x40)
#define NVME_IOCTL_RESET _IO('N', 0x44)
#define NVME_IOCTL_SUBSYS_RESET _IO('N', 0x45)
#define NVME_IOCTL_RESCAN _IO('N', 0x46)
#define NVME_IOCTL_ADMIN_CMD _IOWR('N', 0x41, struct nvme_passthru_cmd)
#define NVME_IOCTL_IO_CMD _IOWR('N', 0x43, struct nvme_passthru_cmd)
#define NVME_IOCTL_ADMIN64_CMD _IOWR('N', 0x47, struct nvme_passthru_cmd64)
#define NVME_IOCTL_IO64_CMD _IOWR('N', 0x48, struct nvme_passthru_cmd64)

#define NVME_URING_CMD_IO _IOWR('N', 0x80, struct nvme_uring_cmd)
#define NVME_URING_CMD_IO_VEC _IOWR('N', 0x81, struct nvme_uring_cmd)
#define NVME_URING_CMD_ADMIN _IOWR('N', 0x82, struct nvme_uring_cmd)
#define NVME_URING_CMD_ADMIN_VEC _IOWR('N', 0x83, struct nvme_uring_cmd)

#define NVME_DEFAULT_IOCTL_TIMEOUT 0
/* Every controller can transfer this much of a log page in one command. */
#define NVME_LOG_PAGE_PDU_SIZE 4096
#define NVME_URING_ENTRIES 16

/* Size of @type when @member was its last member; @align is the type that it is padded to. */
#define sizeof_args(type, member, align) \
	((offsetof(type, member) + sizeof(((type *)0)->member) + sizeof(align) - 1) / \
	 sizeof(align) * sizeof(align))

/**
 * nvme_submit_passthru() - send one command (weak, may be replaced by the program)
 * @ioctl_cmd:	NVME_IOCTL_ADMIN_CMD or NVME_IOCTL_IO_CMD
 *
 * Return: 0, the NVMe status, or -1 with errno set by ioctl(2).
 */
int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result);

/**
 * nvme_submit_passthru64() - send one command with a 64 bit result (weak, may be replaced)
 * @ioctl_cmd:	NVME_IOCTL_ADMIN64_CMD or NVME_IOCTL_IO64_CMD
 * @result:	Where to store dwords 0 and 1 of the completion, or NULL
 *
 * Return: 0, the NVMe status, or -1 with errno set by ioctl(2).
 */
int nvme_submit_passthru64(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd64 *cmd,
			   __u64 *result);

/** nvme_submit_admin_passthru() - send an admin command */
int nvme_submit_admin_passthru(int fd, struct nvme_passthru_cmd *cmd, __u32 *result);

/**
 * nvme_submit_admin_passthru64() - send an admin command with a 64 bit result
 * @result:	Where to store dwords 0 and 1 of the completion, or NULL
 */
int nvme_submit_admin_passthru64(int fd, struct nvme_passthru_cmd64 *cmd, __u64 *result);

/**
 * nvme_submit_io_passthru() - send an I/O command
 * @fd:		Namespace device
 */
int nvme_submit_io_passthru(int fd, struct nvme_passthru_cmd *cmd, __u32 *result);

/**
 * nvme_submit_io_passthru64() - send an I/O command with a 64 bit result
 * @fd:		Namespace device
 * @result:	Where to store dwords 0 and 1 of the completion, or NULL
 */
int nvme_submit_io_passthru64(int fd, struct nvme_passthru_cmd64 *cmd, __u64 *result);

/** nvme_admin_passthru() - send an admin command given field by field */
int nvme_admin_passthru(int fd, __u8 opcode, __u8 flags, __u16 rsvd, __u32 nsid, __u32 cdw2,
			__u32 cdw3, __u32 cdw10, __u32 cdw11, __u32 cdw12, __u32 cdw13, __u32 cdw14,
			__u32 cdw15, __u32 data_len, void *data, __u32 metadata_len, void *metadata,
			__u32 timeout_ms, __u32 *result);

/**
 * nvme_admin_passthru64() - nvme_admin_passthru() with a 64 bit result
 * @result:	Where to store dwords 0 and 1 of the completion, or NULL
 */
int nvme_admin_passthru64(int fd, __u8 opcode, __u8 flags, __u16 rsvd, __u32 nsid, __u32 cdw2,
			  __u32 cdw3, __u32 cdw10, __u32 cdw11, __u32 cdw12, __u32 cdw13,
			  __u32 cdw14, __u32 cdw15, __u32 data_len, void *data, __u32 metadata_len,
			  void *metadata, __u32 timeout_ms, __u64 *result);

/**
 * nvme_io_passthru() - send an I/O command given field by field
 * @fd:		Namespace device
 */
int nvme_io_passthru(int fd, __u8 opcode, __u8 flags, __u16 rsvd, __u32 nsid, __u32 cdw2,
		     __u32 cdw3, __u32 cdw10, __u32 cdw11, __u32 cdw12, __u32 cdw13, __u32 cdw14,
		     __u32 cdw15, __u32 data_len, void *data, __u32 metadata_len, void *metadata,
		     __u32 timeout_ms, __u32 *result);

/**
 * nvme_io_passthru64() - nvme_io_passthru() with a 64 bit result
 * @fd:		Namespace device
 * @result:	Where to store dwords 0 and 1 of the completion, or NULL
 */
int nvme_io_passthru64(int fd, __u8 opcode, __u8 flags, __u16 rsvd, __u32 nsid, __u32 cdw2,
		       __u32 cdw3, __u32 cdw10, __u32 cdw11, __u32 cdw12, __u32 cdw13, __u32 cdw14,
		       __u32 cdw15, __u32 data_len, void *data, __u32 metadata_len, void *metadata,
		       __u32 timeout_ms, __u64 *result);

/**
 * nvme_subsystem_reset() - reset the NVM subsystem of a controller
 * @fd: Controller device (a character device)
 *
 * Return: 0, or -1 with errno set: ENOTBLK if @fd is not a character device, ENOTTY if the
 * subsystem has no such reset, or what the kernel reported.
 */
int nvme_subsystem_reset(int fd);

/**
 * nvme_ctrl_reset() - reset a controller
 * @fd: Controller device (a character device)
 *
 * Return: 0, or -1 with errno set: ENOTBLK if @fd is not a character device, or what the kernel
 * reported.
 */
int nvme_ctrl_reset(int fd);

/**
 * nvme_ns_rescan() - let the kernel scan for added and removed namespaces
 * @fd: Controller device (a character device)
 *
 * Return: 0, or -1 with errno set: ENOTBLK if @fd is not a character device, or what the kernel
 * reported.
 */
int nvme_ns_rescan(int fd);

/**
 * nvme_get_nsid() - read the namespace identifier of a namespace device
 * @fd:		Namespace device
 * @nsid:	Where to store the identifier
 *
 * Return: 0, or -1 with errno set, for instance ENOTTY if @fd is not a namespace device.
 */
int nvme_get_nsid(int fd, __u32 *nsid);
