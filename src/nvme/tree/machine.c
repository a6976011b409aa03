/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The UUID from firmware or hypervisor. Only root may read most of its sources. */
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "hostid-private.h"

#define UUID_OFFSET 8

static int from_attr(const char *path, unsigned char uuid[NVME_UUID_LEN])
{
	char text[NVME_UUID_LEN_STRING];

	if (sysfs_read_buf(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -ENOENT;
	return hostid_parse(text, uuid) && hostid_is_identity(uuid) ? 0 : -ENOENT;
}

/*
 * Read the UUID of a System Information entry (SMBIOS 3.0, section 7.2). Its first three fields are
 * little-endian, while the text form is big-endian.
 */
static int try_entry(int dirfd, const char *name, void *uuid)
{
	static const __u8 order[NVME_UUID_LEN] = { 3, 2, 1,  0,	 5,  4,	 7,  6,
						   8, 9, 10, 11, 12, 13, 14, 15 };
	unsigned char raw[UUID_OFFSET + NVME_UUID_LEN], found[NVME_UUID_LEN];
	char path[NAME_MAX + sizeof("/raw")];

	if (strncmp(name, "1-", 2) != 0)
		return 0;
	snprintf(path, sizeof(path), "%s/raw", name);
	if (sysfs_read_raw(dirfd, path, raw, sizeof(raw)) != sizeof(raw) || raw[0] != 1)
		return 0;
	for (int i = 0; i < NVME_UUID_LEN; i++)
		found[i] = raw[UUID_OFFSET + order[i]];
	if (!hostid_is_identity(found))
		return 0;
	memcpy(uuid, found, sizeof(found));
	return 1;
}

static int from_dmi_entries(unsigned char uuid[NVME_UUID_LEN])
{
	_cleanup_(close) int dirfd = sysfs_open(SYSFS_DMI_ENTRIES);

	if (dirfd < 0)
		return -ENOENT;
	return sysfs_walk(dirfd, NULL, try_entry, uuid) == 1 ? 0 : -ENOENT;
}

int hostid_of_machine(unsigned char uuid[NVME_UUID_LEN])
{
	if (!from_attr(sysfs_path(SYSFS_DMI_PRODUCT_UUID), uuid) || !from_dmi_entries(uuid))
		return 0;
	return from_attr(sysfs_path(SYSFS_IBM_PARTITION_UUID), uuid);
}
