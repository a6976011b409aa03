/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two functions that every command passes through. They are weak, and alone in this file, so
 * that a program's own definitions replace them for the library's calls, too.
 */
#include "base/log-private.h"
#include "command-private.h"
#include "shared/transfer.h"

#define FUNNEL(function, command, number, format) \
	__attribute__((weak)) int function(int fd, unsigned long ioctl_cmd, struct command *cmd, \
					   number *result) \
	{ \
		int ret = transfer_ioctl(fd, ioctl_cmd, cmd); \
\
		log_msg(NULL, LOG_DEBUG, \
			"command %02x nsid %x cdw10 %08x cdw11 %08x cdw12 %08x, %u bytes: %d, " \
			"result " format, \
			cmd->opcode, cmd->nsid, cmd->cdw10, cmd->cdw11, cmd->cdw12, cmd->data_len, \
			ret, cmd->result); \
		if (ret >= 0 && result) \
			*result = cmd->result; \
		return ret; \
	}

FUNNEL(nvme_submit_passthru, nvme_passthru_cmd, __u32, "%x")
FUNNEL(nvme_submit_passthru64, nvme_passthru_cmd64, __u64, "%llx")
