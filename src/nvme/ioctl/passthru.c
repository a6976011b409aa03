/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passthrough requests: the commands given field by field, and the ioctls without a command. The
 * two weak functions that they call are in funnel.c. Follows drivers/nvme/host/ioctl.c.
 */
#include "command-private.h"
#include "shared/sigpipe.h"

int nvme_submit_admin_passthru(int fd, struct nvme_passthru_cmd *cmd, __u32 *result)
{
	return nvme_submit_passthru(fd, NVME_IOCTL_ADMIN_CMD, cmd, result);
}

int nvme_submit_admin_passthru64(int fd, struct nvme_passthru_cmd64 *cmd, __u64 *result)
{
	return nvme_submit_passthru64(fd, NVME_IOCTL_ADMIN64_CMD, cmd, result);
}

int nvme_submit_io_passthru(int fd, struct nvme_passthru_cmd *cmd, __u32 *result)
{
	return nvme_submit_passthru(fd, NVME_IOCTL_IO_CMD, cmd, result);
}

int nvme_submit_io_passthru64(int fd, struct nvme_passthru_cmd64 *cmd, __u64 *result)
{
	return nvme_submit_passthru64(fd, NVME_IOCTL_IO64_CMD, cmd, result);
}

/* Initializer from the parameters of the raw commands, for both kinds of structure. */
#define COMMAND_FROM_PARAMETERS \
	{ \
		.opcode = opcode, .flags = flags, .rsvd1 = rsvd, .nsid = nsid, .cdw2 = cdw2, \
		.cdw3 = cdw3, .metadata = ioctl_buffer(metadata), .addr = ioctl_buffer(data), \
		.metadata_len = metadata_len, .data_len = data_len, .cdw10 = cdw10, \
		.cdw11 = cdw11, .cdw12 = cdw12, .cdw13 = cdw13, .cdw14 = cdw14, .cdw15 = cdw15, \
		.timeout_ms = timeout_ms, \
	}

#define PASSTHRU(submit, function, command, value) \
	int function(int fd, __u8 opcode, __u8 flags, __u16 rsvd, __u32 nsid, __u32 cdw2, \
		     __u32 cdw3, __u32 cdw10, __u32 cdw11, __u32 cdw12, __u32 cdw13, __u32 cdw14, \
		     __u32 cdw15, __u32 data_len, void *data, __u32 metadata_len, void *metadata, \
		     __u32 timeout_ms, value *result) \
	{ \
		struct command cmd = COMMAND_FROM_PARAMETERS; \
\
		return submit(fd, &cmd, result); \
	} \
	struct passthru_semicolon_##function

PASSTHRU(nvme_submit_admin_passthru, nvme_admin_passthru, nvme_passthru_cmd, __u32);
PASSTHRU(nvme_submit_admin_passthru64, nvme_admin_passthru64, nvme_passthru_cmd64, __u64);
PASSTHRU(nvme_submit_io_passthru, nvme_io_passthru, nvme_passthru_cmd, __u32);
PASSTHRU(nvme_submit_io_passthru64, nvme_io_passthru64, nvme_passthru_cmd64, __u64);

/* For controllers only: for a block device these numbers have other meanings. */
static int controller_ioctl(int fd, unsigned long request)
{
	_cleanup_(sigpipe_restore) struct sigpipe before = { 0 };
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if (!S_ISCHR(st.st_mode))
		return ioctl_refuse(ENOTBLK);
	sigpipe_block(&before);
	return ioctl(fd, request);
}

int nvme_subsystem_reset(int fd)
{
	return controller_ioctl(fd, NVME_IOCTL_SUBSYS_RESET);
}

int nvme_ctrl_reset(int fd)
{
	return controller_ioctl(fd, NVME_IOCTL_RESET);
}

int nvme_ns_rescan(int fd)
{
	return controller_ioctl(fd, NVME_IOCTL_RESCAN);
}

int nvme_get_nsid(int fd, __u32 *nsid)
{
	int ret;

	errno = 0;
	ret = ioctl(fd, NVME_IOCTL_ID);
	/* An nsid above INT_MAX looks like a failure that sets no errno. */
	if (ret < 0 && errno)
		return -1;
	*nsid = (__u32)ret;
	return 0;
}
