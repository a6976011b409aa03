/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The UUID that firmware or hypervisor gave this machine. Only root may read most of it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../cleanup.h"
#include "../sysfs.h"
#include "hostid.h"

static int from_attr(const char *path, unsigned char uuid[NVME_UUID_LEN])
{
	char text[NVME_UUID_LEN_STRING];

	if (sysfs_read_buf(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -ENOENT;
	return uuid_from_text(text, uuid) && uuid_is_identity(uuid) ? 0 : -ENOENT;
}

int machine_uuid(unsigned char uuid[NVME_UUID_LEN])
{
	if (!from_attr(sysfs_dmi_product_uuid(), uuid))
		return 0;
	return from_attr(sysfs_ibm_partition_uuid(), uuid);
}
