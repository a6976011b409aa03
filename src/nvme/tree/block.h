/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block devices, NVMe or not: their name by number, partitions, and devices built on them. Included
 * by <nvme/tree.h>.
 */
#ifndef _LIBNVME_TREE_BLOCK_H
#define _LIBNVME_TREE_BLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_device_name() - the kernel's name of a device
 * @number:   Its number, st_rdev of stat(2)
 * @is_block: True for a block device, false for a character device
 *
 * The name does not depend on the path that was used: for links in /dev/disk it is the name of
 * their target.
 *
 * Return: The name, e.g. nvme0, nvme0n1, ng0n1, nvme0n1p2 or sda, to be freed; NULL with
 * errno: ENOENT if /sys has no such device, ENOMEM.
 */
char *nvme_device_name(dev_t number, bool is_block);

/**
 * nvme_block_number() - the number of a block device, in the format of /proc/self/mountinfo
 * @name: Name, e.g. nvme0n1 or nvme0n1p2
 *
 * Return: Major and minor number separated by a colon, to be freed, or NULL with errno.
 */
char *nvme_block_number(const char *name);

/**
 * nvme_block_partitions() - the partitions of a block device
 * @name: Name, e.g. nvme0n1
 *
 * Return: Their names, each followed by a space, to be freed; "" if there are none; NULL
 * with errno.
 */
char *nvme_block_partitions(const char *name);

/**
 * nvme_block_holders() - the block devices that are built on one: device mapper, RAID, bcache
 * @name: Name, e.g. nvme0n1 or nvme0n1p2; partitions have their own holders
 *
 * Return: Their names, each followed by a space, to be freed; "" if there are none; NULL
 * with errno.
 */
char *nvme_block_holders(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_BLOCK_H */
