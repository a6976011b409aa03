/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block devices by number and by name, their partitions and holders. */
#include <sys/sysmacros.h>

#include <nvme/tree/block.h>

#include "base/cleanup.h"
#include "base/failure.h"
#include "base/sysfs.h"

#define NUMBER_MAX 32 /* "MAJOR:MINOR" */

char *nvme_device_name(dev_t number, bool is_block)
{
	_cleanup_(close) int dirfd = sysfs_open(is_block ? SYSFS_DEV_BLOCK : SYSFS_DEV_CHAR);
	_cleanup_(free) char *target = NULL;
	char link[NUMBER_MAX];
	const char *slash;
	int err;

	snprintf(link, sizeof(link), "%u:%u", major(number), minor(number));
	err = dirfd < 0 ? dirfd : sysfs_readlink(dirfd, link, &target);
	if (err)
		return failure_null(err);
	slash = strrchr(target, '/');
	return strdup(slash ? slash + 1 : target);
}

/* Open the directory of block device @name. Return a descriptor or -errno. */
static int open_block(const char *name)
{
	_cleanup_(close) int dirfd = sysfs_open(SYSFS_CLASS_BLOCK);

	if (dirfd < 0)
		return dirfd;
	return strchr(name, '/') || *name == '.' ? -ENODEV : sysfs_open_dir(dirfd, name);
}

char *nvme_block_number(const char *name)
{
	_cleanup_(close) int dirfd = open_block(name);
	char *number = NULL;
	int err = dirfd < 0 ? dirfd : sysfs_read_at(dirfd, "dev", &number);

	return err ? failure_null(err) : number;
}

/* Return the names below @dirfd that begin with @prefix, each with a space; NULL with errno. */
static char *join_names(int dirfd, const char *prefix)
{
	_cleanup_(sysfs_names) struct sysfs_names names = { 0 };
	int err = sysfs_names(dirfd, NULL, &names);
	size_t size = 1, used = 0;
	char *text;

	for (size_t i = 0; !err && i < names.count; i++)
		size += strlen(names.name[i]) + 1;
	text = err ? NULL : malloc(size);
	if (!text)
		return failure_null(err ? err : -ENOMEM);
	*text = '\0';
	for (size_t i = 0; i < names.count; i++)
		if (*names.name[i] != '.' && !strncmp(names.name[i], prefix, strlen(prefix)))
			used += (size_t)snprintf(text + used, size - used, "%s ", names.name[i]);
	return text;
}

char *nvme_block_partitions(const char *name)
{
	_cleanup_(close) int dirfd = open_block(name);

	return dirfd < 0 ? failure_null(dirfd) : join_names(dirfd, name);
}

char *nvme_block_holders(const char *name)
{
	_cleanup_(close) int dirfd = open_block(name);
	_cleanup_(close) int holders = dirfd < 0 ? dirfd : sysfs_open_dir(dirfd, "holders");

	if (holders >= 0)
		return join_names(holders, "");
	if (dirfd >= 0 && holders == -ENOENT)
		return strdup("");
	return failure_null(holders);
}
