/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel messages of a failed connect. The errno is one of a handful; the reason is only in the
 * log.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Open the kernel log after its last record. Return a descriptor, or -errno, e.g. without the
 * privilege to read the log.
 */
int kmsg_open(void);

/*
 * Return the escaped text of a record of /dev/kmsg ("6,1234,567890,-;text\n KEY=value\n") if it
 * comes from the NVMe host driver. Return 0 and a string to free, -ENOMSG for any other record, or
 * -ENOMEM.
 */
int kmsg_parse(const char *record, size_t n, char **ret);

/* Return the instance number in a text such as "nvme nvme3: ...", or -1. */
int kmsg_instance(const char *text);

/*
 * Read the records since kmsg_open() and join the last few of the NVMe host driver with "; ".
 * Messages of instances for which @is_other returns true are skipped. Return 0 and a string to
 * free, -ENOMSG if there is none, or -ENOMEM.
 */
int kmsg_collect(int fd, bool (*is_other)(int instance), char **ret);
