/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only code that reads the environment: all variables of the library are here. Each is read
 * whenever it is needed, so later changes take effect.
 */
#pragma once

#include "shared/std.h"

/* LIBNVME_SYSFS_PATH: prefix of /sys and /proc paths; "" if unset or in a set-uid program. */
const char *env_sysfs_path(void);

/* LIBNVME_HOSTNQN, LIBNVME_HOSTID override the files in /etc/nvme. NULL: unset; "": none. */
const char *env_hostnqn(void);
const char *env_hostid(void);

/* LIBNVME_FORCE_4K: "1", "true" or "enable...": read log pages in pieces of 4 KiB. */
bool env_force_4k(void);
