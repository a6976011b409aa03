/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one place that reads the environment. Every variable that influences the library is here,
 * and each is read when it is needed: a later change counts.
 */
#pragma once

#include <stdbool.h>

/* LIBNVME_SYSFS_PATH: put before /sys and /proc paths; "" if unset. Set-uid programs ignore it. */
const char *env_sysfs_path(void);

/* LIBNVME_HOSTNQN, LIBNVME_HOSTID: used in place of what is under /etc/nvme; NULL: unset; "": none. */
const char *env_hostnqn(void);
const char *env_hostid(void);

/* LIBNVME_FORCE_4K: "1", "true" or "enable...": read log pages in pieces of 4 KiB. */
bool env_force_4k(void);
