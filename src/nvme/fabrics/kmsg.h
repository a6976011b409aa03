/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel logs while it fails to connect. Its errno is one of a handful; the reason is in
 * its log only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the kernel log behind its last record. A descriptor, or -errno: without the privilege to
 * read the log there are no words.
 */
int kmsg_open(void);

/*
 * The text of one record of /dev/kmsg ("6,1234,567890,-;text\n KEY=value\n") if it is the NVMe
 * host driver's, escaped. 0 and a string to free, -ENOMSG if the record is not ours, -ENOMEM.
 */
int kmsg_parse(const char *record, size_t n, char **ret);

/*
 * The instance that a text such as "nvme nvme3: ..." belongs to, or -1.
 */
int kmsg_instance(const char *text);

/*
 * Reads the records since kmsg_open() and joins the last few of the NVMe host driver with "; ".
 * @is_other: an instance is another controller, whose messages do not belong here. 0 and
 * a string to free, -ENOMSG if there is none, -ENOMEM.
 */
int kmsg_collect(int fd, bool (*is_other)(int instance), char **ret);
