/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must not be erased by mistake: the one place that decides whether namespaces are in use, which
 * is what they are when they or a partition of them are mounted, hold swap, or belong to what device
 * mapper, a RAID or another program has claimed.
 */
#pragma once

#include "device.h"

enum in_use_scope {
	IN_USE_NOTHING, /* nothing is erased */
	IN_USE_NS, /* one namespace; every one of the subsystem for NVME_NSID_ALL */
	IN_USE_SUBSYSTEM, /* every namespace of the subsystem, whichever controller leads to it */
};

/* The block devices of what will be erased. While they are claimed nobody mounts them. */
struct in_use_claim {
	struct in_use_block *blocks; /* with partitions */
	size_t n;
};

/*
 * Claims what a command to @dev erases. A partition and what is no NVMe device are refused, with
 * @force as well; namespaces that are in use without it, while nothing is claimed with it. Sends
 * nothing. Called again, it claims what is meant then, alone.
 *
 * Return: 0, or 1 after a message.
 */
int in_use_claim(struct command *cmd, const struct device *dev, enum in_use_scope scope,
		 uint32_t nsid, bool force, struct in_use_claim *claim);

/*
 * For a command that changes something but erases nothing: refuses a partition, as Linux passes root's
 * commands on, to blocks of the whole namespace, and what is no NVMe device. Sends nothing.
 *
 * Return: 0, or 1 after a message.
 */
int in_use_require_nvme(struct command *cmd, const struct device *dev);

/* Adds namespace @name with its partitions, for in_use_warn(). 0 or -errno. */
int in_use_add(struct in_use_claim *claim, const char *name);

/*
 * Are these mounted, or held by something? Opens no device. Where the kernel's lists cannot be read,
 * they are not known to be. Return: 1 after a warning that names the first; 0; or -ENOMEM.
 */
int in_use_warn(struct command *cmd, struct in_use_claim *claim);

/* "nvme0n1 nvme0n1p1 nvme0n1p2" for each namespace that is claimed, one per line, to @stream. */
void in_use_print(const struct in_use_claim *claim, FILE *stream);

void in_use_release_cleanup(struct in_use_claim *claim);
