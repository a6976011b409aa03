/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel messages of a failed connect: errno is ambiguous, the reason is only in the log. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Open the kernel log after its last record. Return a descriptor, or -errno without privilege. */
int kmsg_open(void);

/*
 * Get the escaped text of a record of /dev/kmsg ("6,1234,567890,-;text\n KEY=value\n") of the NVMe
 * host driver. Return 0 and a string to free, -ENOMSG for other records, or -ENOMEM.
 */
int kmsg_parse(const char *record, size_t n, char **ret);

/* Return the instance number in a text such as "nvme nvme3: ...", or -1. */
int kmsg_instance(const char *text);

/*
 * Join the last few records of the NVMe host driver since kmsg_open() with "; ", except those of
 * instances that @is_other accepts. Return 0 and a string to free, -ENOMSG if none, or -ENOMEM.
 */
int kmsg_collect(int fd, bool (*is_other)(int instance), char **ret);
