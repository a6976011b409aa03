/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe commands through the kernel's passthrough interface.
 *
 * Every command of the library ends in nvme_submit_passthru() or nvme_submit_passthru64(). Both are
 * weak: a program that defines its own sees, changes or answers each command before it is sent.
 *
 * Return values. Unless its comment has something else, a function returns 0 when the controller
 * completed the command with success, the NVMe status (greater than 0, see
 * nvme_status_to_string()) when the controller or the kernel completed it with an error, and -1
 * with errno set when it was not sent: EINVAL for an args_size or a length the library refuses, or
 * the errno of ioctl(2). Where there is a @result it takes dword 0 of the completion, whatever its
 * status; it may be NULL and is left alone if the command was not sent.
 *
 * Each struct nvme_*_args starts its life as { .args_size = sizeof(args) }. A structure smaller
 * than the command needs is refused, so that a program built against an older header is never read
 * beyond its end. Buffers are borrowed for the time of the call; lengths are bytes; timeouts are
 * milliseconds, NVME_DEFAULT_IOCTL_TIMEOUT leaving the choice to the kernel.
 */
#ifndef _LIBNVME_IOCTL_H
#define _LIBNVME_IOCTL_H

#include <errno.h>
#include <stddef.h>

#include <nvme/types.h>
#include <nvme/api-types.h>

#include <nvme/ioctl/fields.h>
#include <nvme/ioctl/passthru.h>
#include <nvme/ioctl/identify.h>
#include <nvme/ioctl/log.h>
#include <nvme/ioctl/log-telemetry.h>
#include <nvme/ioctl/log-group.h>
#include <nvme/ioctl/log-fabrics.h>
#include <nvme/ioctl/features.h>
#include <nvme/ioctl/admin.h>
#include <nvme/ioctl/directive.h>
#include <nvme/ioctl/io.h>
#include <nvme/ioctl/zns.h>

#endif /* _LIBNVME_IOCTL_H */
