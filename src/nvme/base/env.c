/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "env.h"

const char *env_sysfs_path(void)
{
	const char *path = secure_getenv("LIBNVME_SYSFS_PATH");

	return path ? path : "";
}

const char *env_hostnqn(void)
{
	return secure_getenv("LIBNVME_HOSTNQN");
}

const char *env_hostid(void)
{
	return secure_getenv("LIBNVME_HOSTID");
}

bool env_force_4k(void)
{
	const char *value = secure_getenv("LIBNVME_FORCE_4K");

	return value && (!strcmp(value, "1") || !strcmp(value, "true") ||
			 !strncmp(value, "enable", strlen("enable")));
}
