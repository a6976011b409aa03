/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only code that reads /sys. All paths start at a root directory that the environment can set
 * (env.h); attributes are read relative to an open directory.
 */
#pragma once

#include <dirent.h>
#include "shared/std.h"

/* Maximum length of an attribute: a page of the kernel without its terminating NUL. */
#define SYSFS_VALUE_MAX 4095

/* Maximum length of an attribute of many pages: 128 bytes for each of 65536 queues. */
#define SYSFS_LONG_MAX (8 << 20)

/* The root directory: "", or what the environment sets. */
const char *sysfs_root(void);

enum sysfs_path {
	SYSFS_BLOCK,
	SYSFS_CLASS,
	SYSFS_CLASS_BLOCK, /* with partitions */
	SYSFS_CLASS_NVME,
	SYSFS_CLASS_NVME_SUBSYSTEM,
	SYSFS_DEV_BLOCK, /* by number */
	SYSFS_DEV_CHAR,
	SYSFS_DMI_ENTRIES,
	SYSFS_DMI_PRODUCT_UUID,
	SYSFS_IBM_PARTITION_UUID,
	SYSFS_MODULES,
	SYSFS_NVMET_PORTS,
	SYSFS_PCI_SLOTS,
	SYSFS_PATHS,
};

/*
 * Return a path without a trailing slash; "", which no system call accepts, if the root is too
 * long. It is valid until the next call for the same @path in this thread.
 */
const char *sysfs_path(enum sysfs_path path);

/* True if a loaded or built-in module has this file or directory in /sys/module. */
bool sysfs_module_has(const char *module, const char *name);

/* Return 1 if the kernel has the module or can load it, 0 if not, -errno if unknown. */
int sysfs_has_module(const char *module);

/* True if /sys is mounted. If it is not, a missing class directory means nothing. */
bool sysfs_is_mounted(void);

/* Open a directory. Return a descriptor or -errno. */
int sysfs_open(enum sysfs_path path);

/* Open directory @path relative to @dirfd (or AT_FDCWD). Return a descriptor or -errno. */
int sysfs_open_dir(int dirfd, const char *path);

/*
 * The kernel reads "address" and "queue_addrs" of a fabrics controller from its sockets. All
 * functions below read them in one program at a time (sysfs-lock.h), -EBUSY if another one reads
 * for too long, and only while the controller is live, else -ENOTCONN.
 */

/*
 * Read attribute @attr below @dirfd: at most SYSFS_VALUE_MAX bytes, without a final newline and
 * spaces before it. Return 0 and a string to free; -ENOENT if there is no such attribute; -ENODATA
 * if it is empty; other -errno of the kernel.
 */
int sysfs_read_at(int dirfd, const char *attr, char **ret);
/*
 * Like sysfs_read_at(), but return 0 with *@ret NULL if the attribute is missing or empty, or the
 * device is going away. *@ret is NULL on other errors, too.
 */
int sysfs_read_optional(int dirfd, const char *attr, char **ret);

/* Like sysfs_read_at(), but into a buffer. Return the length; -EOVERFLOW if it does not fit. */
ssize_t sysfs_read_buf(int dirfd, const char *attr, char *buf, size_t size);

/* Read up to @size bytes of a binary attribute unchanged. Return their number or -errno. */
ssize_t sysfs_read_raw(int dirfd, const char *attr, void *buf, size_t size);

/*
 * Read an attribute of many pages, which takes several read() calls, unchanged. Return 0 and a
 * string to free, "" if it is empty; -EFBIG beyond SYSFS_LONG_MAX bytes; other -errno.
 */
int sysfs_read_long(int dirfd, const char *attr, char **ret);

/* Like sysfs_read_at() and sysfs_read_buf(), for directory @name below @dirfd. */
int sysfs_read_below(int dirfd, const char *name, const char *attr, char **ret);
ssize_t sysfs_read_buf_below(int dirfd, const char *name, const char *attr, char *buf, size_t size);

/*
 * Read the address that controller @name below @dirfd was connected with, in the format of its
 * attribute "address", without src_addr. It comes from uevent, which the kernel fills from the
 * connect options in every state (nvme_class_uevent() in drivers/nvme/host/core.c). Return 0 and a
 * string to free; -ENODATA if there is no address; -ENOENT if it is not a fabrics controller; other
 * -errno.
 */
int sysfs_read_portal(int dirfd, const char *name, char **ret);

/* Like sysfs_read_at() for the path @dir "/" @attr. */
int sysfs_read(const char *dir, const char *attr, char **ret);

/* Write @value with one write() to @dir "/" @attr. Return 0 or -errno. */
int sysfs_write(const char *dir, const char *attr, const char *value);

/*
 * Open the directory of the target of symbolic link @name below @dirfd, so that later opens do not
 * resolve the link; @dirfd itself if @name is no link. Return a descriptor or -errno.
 */
int sysfs_open_target_dir(int dirfd, const char *name);

/* True if @name exists below @dirfd, also as a dangling symbolic link. */
bool sysfs_exists(int dirfd, const char *name);

/* Read a symbolic link below @dirfd. Return 0 and its target, to be freed, or -errno. */
int sysfs_readlink(int dirfd, const char *name, char **ret);

/*
 * Call @visit for each entry of directory @dirfd (which stays open) that @filter accepts, in
 * directory order. Stop at the first result other than 0 and return it.
 */
int sysfs_walk(int dirfd, int (*filter)(const struct dirent *),
	       int (*visit)(int dirfd, const char *name, void *arg), void *arg);

/* Names below @dirfd that @filter accepts, in natural order ("nvme2" before "nvme10"). */
struct sysfs_names {
	size_t count;
	char **name;
	char *storage;
};

int sysfs_names(int dirfd, int (*filter)(const struct dirent *), struct sysfs_names *ret);
void sysfs_names_cleanup(struct sysfs_names *names);
