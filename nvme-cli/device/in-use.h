/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protection against erasing data by mistake. This is the only place that decides whether a
 * namespace is in use: it or one of its partitions is mounted, holds swap, or is claimed by device
 * mapper, a RAID or another program.
 */
#pragma once

#include "device.h"

enum in_use_scope {
	IN_USE_NOTHING, /* nothing is erased */
	IN_USE_NS, /* one namespace; for NVME_NSID_ALL every namespace of the subsystem */
	IN_USE_SUBSYSTEM, /* every namespace of the subsystem, on any controller */
};

/* Block devices that will be erased. While they are claimed, they cannot be mounted. */
struct in_use_claim {
	struct in_use_block *blocks; /* including partitions */
	size_t n;
};

/*
 * Claim the block devices that a command to @dev erases, sending no command. Partitions and devices
 * other than NVMe are refused even with @force, namespaces in use without it; with it, nothing is
 * claimed. A second call replaces the first claim. Return: 0, or 1 after a message.
 */
int in_use_claim(struct command *cmd, const struct device *dev, enum in_use_scope scope,
		 uint32_t nsid, bool force, struct in_use_claim *claim);

/*
 * For a command that changes something but erases nothing: refuse devices other than NVMe, and
 * partitions, because Linux passes root's commands to a partition on to the whole namespace. Sends
 * no command. Return: 0, or 1 after a message.
 */
int in_use_require_nvme(struct command *cmd, const struct device *dev);

/* Add namespace @name and its partitions, for in_use_warn(). Return 0 or -errno. */
int in_use_add(struct in_use_claim *claim, const char *name);

/*
 * Warn if one of the block devices is mounted, holds swap or is held by something. Opens no device.
 * If the kernel's lists cannot be read, assume that they are not in use. Return: 1 after a warning
 * that names the first one; 0; or -ENOMEM.
 */
int in_use_warn(struct command *cmd, struct in_use_claim *claim);

/* Print a line such as "nvme0n1 nvme0n1p1 nvme0n1p2" to @stream for each claimed namespace. */
void in_use_print(const struct in_use_claim *claim, FILE *stream);

void in_use_release_cleanup(struct in_use_claim *claim);
