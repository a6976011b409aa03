/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that build commands have in common. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "../ioctl.h"

/* Refuses a call the way the public interface does. */
static inline int ioctl_refuse(int err)
{
	errno = err;
	return -1;
}

/* Is the caller's structure at least what this library knows? */
#define args_complete(args) ((args)->args_size >= (int)sizeof(*(args)))

/* Of the commands whose structure grew: is the size between the older and the newer one? */
#define args_between(args, type, older, newer) \
	((args)->args_size >= (int)sizeof_args(type, older, __u64) && \
	 (args)->args_size <= (int)sizeof_args(type, newer, __u64))

/* ... and is it newer than the one that ends with @older? */
#define args_exceed(args, type, older) ((args)->args_size > (int)sizeof_args(type, older, __u64))

static inline __u64 ioctl_buffer(const void *buffer)
{
	return (__u64)(uintptr_t)buffer;
}

/* Is the length one that a command can carry as a number of dwords less one? 0 would wrap. */
static inline bool ioctl_has_dwords(__u32 len)
{
	return len >= sizeof(__u32);
}

/* ... which directives have none of for no data. */
static inline __u32 ioctl_dwords_less_one(__u32 len)
{
	return len ? (len >> 2) - 1 : 0;
}
