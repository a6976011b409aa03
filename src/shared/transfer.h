/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The buffers of a command to a device. A PCIe controller transfers as much as its command asks for and
 * is never given a length: Identify writes 4096 bytes even where the caller has 64. The kernel limits
 * that to the pages of the buffer. So no buffer that a device reads or writes shares a page with anything else.
 */
#pragma once

/*
 * Sends a struct nvme_passthru_cmd, or _cmd64 where @request takes that, by ioctl(2). Data and metadata pass
 * through pages of their own, zeroed behind the caller's bytes, unless they are whole pages already. @cmd has
 * the caller's addresses afterwards. Returns what ioctl(2) does; without memory -1 with ENOMEM, and nothing
 * was sent.
 */
int transfer_ioctl(int fd, unsigned long request, void *cmd);
