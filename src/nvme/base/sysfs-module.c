/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modules that the running kernel has or can load. */
#include <sys/utsname.h>

#include "str.h"
#include "sysfs.h"

int sysfs_has_module(const char *module)
{
	_cleanup_(fclose) FILE *file = NULL;
	_cleanup_(free) char *line = NULL;
	char path[256], alias[64];
	struct utsname name;
	size_t size = 0;
	int len;

	if (sysfs_module_has(module, "."))
		return 1;
	/* Under a test's root directory, /lib/modules of this machine is not the answer. */
	if (*sysfs_root() || uname(&name))
		return -ENOENT;
	snprintf(path, sizeof(path), "/lib/modules/%.64s/modules.alias", name.release);
	len = snprintf(alias, sizeof(alias), "alias %s ", module);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0)
		if (!strncmp(line, alias, (size_t)len))
			return 1;
	return 0;
}
