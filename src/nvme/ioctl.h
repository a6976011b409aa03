/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe commands through the kernel's passthrough interface.
 *
 * Every command of the library calls nvme_submit_passthru() or nvme_submit_passthru64(). Both are
 * weak symbols: a program that defines its own can see, change or answer each command before it is
 * sent.
 *
 * Return values. Unless noted otherwise, a function returns 0 if the command succeeded, the NVMe
 * status (greater than 0, see nvme_status_to_string()) if the controller or the kernel completed it
 * with an error, and -1 with errno set if it was not sent: EINVAL for an invalid args_size or
 * length, or the errno of ioctl(2). @result, which may be NULL, receives dword 0 of the completion,
 * whatever its status; it is unchanged if the command was not sent.
 *
 * Initialize each struct nvme_*_args with { .args_size = sizeof(args) }. Structures smaller than
 * the command needs are refused, so that the library never reads beyond the structure of a program
 * that was built against an older header. Buffers are borrowed during the call; lengths are in
 * bytes; timeouts are in milliseconds, and NVME_DEFAULT_IOCTL_TIMEOUT selects the kernel's default.
 */
#ifndef _LIBNVME_IOCTL_H
#define _LIBNVME_IOCTL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <sys/ioctl.h>

#include <nvme/types.h>
#include <nvme/api-types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts have neither includes nor a linkage of their own. */
#include <nvme/ioctl/fields.h>
#include <nvme/ioctl/passthru.h>
#include <nvme/ioctl/identify.h>
#include <nvme/ioctl/log.h>
#include <nvme/ioctl/log-telemetry.h>
#include <nvme/ioctl/log-group.h>
#include <nvme/ioctl/log-fabrics.h>
#include <nvme/ioctl/features-get.h>
#include <nvme/ioctl/features-set.h>
#include <nvme/ioctl/features.h>
#include <nvme/ioctl/admin.h>
#include <nvme/ioctl/directive.h>
#include <nvme/ioctl/io.h>
#include <nvme/ioctl/zns.h>

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_IOCTL_H */
