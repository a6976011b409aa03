/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for the files that build commands. */
#pragma once

#include "../ioctl.h"
#include "../linux.h"
#include "base/base.h"

/* Fail like the functions of the public interface: set errno and return -1. */
static inline int ioctl_refuse(int err)
{
	errno = err;
	return -1;
}

/* True if the caller's structure is at least as large as the one that this library knows. */
#define args_complete(args) ((args)->args_size >= (int)sizeof(*(args)))

/* For structures that have grown: true for a size from @older's end to @newer's. */
#define args_between(args, type, older, newer) \
	((args)->args_size >= (int)sizeof_args(type, older, __u64) && \
	 (args)->args_size <= (int)sizeof_args(type, newer, __u64))

/* For structures that have grown: true if it is larger than the one that ends with @older. */
#define args_exceed(args, type, older) ((args)->args_size > (int)sizeof_args(type, older, __u64))

/* Submit a command with these members; the rest is in the caller's structure. */
#define submit_admin(args, ...) \
	nvme_submit_admin_passthru((args)->fd, \
				   &(struct nvme_passthru_cmd){ .timeout_ms = (args)->timeout, \
								__VA_ARGS__ }, \
				   (args)->result)
#define submit_io_to(result_, args, ...) \
	nvme_submit_io_passthru((args)->fd, \
				&(struct nvme_passthru_cmd){ .timeout_ms = (args)->timeout, \
							     __VA_ARGS__ }, \
				result_)
#define submit_io(args, ...) submit_io_to((args)->result, args, __VA_ARGS__)

/* Submit it if the caller's structure is complete. */
#define admin_command(args, ...) \
	(args_complete(args) ? submit_admin(args, __VA_ARGS__) : ioctl_refuse(EINVAL))
#define io_command(args, ...) \
	(args_complete(args) ? submit_io(args, __VA_ARGS__) : ioctl_refuse(EINVAL))

static inline __u64 ioctl_buffer(const void *buffer)
{
	return (__u64)(uintptr_t)buffer;
}

/* True if @len can be encoded as a number of dwords less one: 0 would wrap. */
static inline bool ioctl_has_dwords(__u32 len)
{
	return len >= sizeof(__u32);
}

/* Return @len as a number of dwords less one; 0 for no data, as in directives. */
static inline __u32 ioctl_dwords_less_one(__u32 len)
{
	return len ? (len >> 2) - 1 : 0;
}
