/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes in /sys: cached ones, and those that programs request by name. */
#include "private.h"

const char *attr_get(struct attr *attr, const char *dir, const char *name)
{
	if (attr->known || !dir)
		return attr->value;
	/* A later call can succeed only if this one ran out of memory. */
	if (sysfs_read(dir, name, &attr->value) != -ENOMEM)
		attr->known = true;
	return attr->value;
}

void attr_clear(struct attr *attr)
{
	free(attr->value);
	*attr = (struct attr){ 0 };
}

char *nvme_get_attr(const char *d, const char *attr)
{
	char *value = NULL;
	int err = d && attr ? sysfs_read(d, attr, &value) : -EINVAL;

	/* A controller that is not live: return what the kernel prints in that state. */
	if ((err == -ENOTCONN || err == -EBUSY) && !strcmp(attr, "address"))
		err = sysfs_read_portal(AT_FDCWD, d, &value);
	return err ? failure_null(err) : value;
}

#define ATTR_READER(handle, function, dir) \
	char *function(handle object, const char *attr) \
	{ \
		return nvme_get_attr(dir(object), attr); \
	} \
	struct attr_semicolon_##function

ATTR_READER(nvme_subsystem_t, nvme_get_subsys_attr, nvme_subsystem_get_sysfs_dir);
ATTR_READER(nvme_ctrl_t, nvme_get_ctrl_attr, nvme_ctrl_get_sysfs_dir);
ATTR_READER(nvme_ns_t, nvme_get_ns_attr, nvme_ns_get_sysfs_dir);
ATTR_READER(nvme_path_t, nvme_get_path_attr, nvme_path_get_sysfs_dir);

unsigned int nvme_memory_failures(void)
{
	unsigned int failures = memory_failures();

	if (failures)
		errno = memory_failure_errno();
	return failures;
}
