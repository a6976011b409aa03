/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Isolate the buffers of device commands. A PCIe controller transfers as much as its command asks
 * for and is never given a length: Identify writes 4096 bytes even if the caller's buffer has 64.
 * The kernel limits the transfer to the pages of the buffer. Therefore no buffer that a device
 * reads or writes shares a page with other data.
 */
#pragma once

#include "shared/std.h"

/*
 * Send a struct nvme_passthru_cmd, or _cmd64 for the requests that take one, by ioctl(2). Unless
 * data and metadata are whole pages, they are copied through pages of their own, zeroed after the
 * caller's bytes. @cmd keeps the caller's addresses. Return what ioctl(2) returns; without memory
 * -1 with ENOMEM, and nothing is sent.
 */
int transfer_ioctl(int fd, unsigned long request, void *cmd);
