/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only code that reads /sys. Paths start at a root directory that the environment may move
 * (env.h), attributes are read relative to an open directory.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What an attribute may hold: a page of the kernel, without its terminating NUL. */
#define SYSFS_VALUE_MAX 4095

/* What one of many pages may hold: a line of 128 bytes for each of 65536 queues. */
#define SYSFS_LONG_MAX (8 << 20)

/*
 * Directories, without a slash at the end. The strings are kept until the root moves, and must not
 * be kept across calls.
 */
const char *sysfs_root(void);
const char *sysfs_class_nvme(void);
const char *sysfs_class_nvme_subsystem(void);
const char *sysfs_block(void);
const char *sysfs_class_block(void); /* with partitions */
const char *sysfs_dev(bool is_block); /* by number */
const char *sysfs_pci_slots(void);
const char *sysfs_dmi_entries(void);
const char *sysfs_dmi_product_uuid(void);
const char *sysfs_ibm_partition_uuid(void);
const char *sysfs_nvmet_ports(void);

/* Does a module that is loaded, or built in, have this file or directory? */
bool sysfs_module_has(const char *module, const char *name);

/* Does this kernel have, or can it load, the module? 1, 0, or -errno if that is unknown. */
int sysfs_has_module(const char *module);

/* Is there a /sys at all? Without it, that a class has no directory says nothing. */
bool sysfs_is_mounted(void);

/* A descriptor of directory @path (relative to @dirfd, or AT_FDCWD), or -errno. */
int sysfs_open_dir(int dirfd, const char *path);

/*
 * "address" and "queue_addrs" of a controller over fabrics, which the kernel answers from sockets,
 * are read while the controller is live, and by one program at a time (sysfs-lock.h): every function
 * that reads returns -ENOTCONN in other states, and -EBUSY if another program reads for too long.
 */

/*
 * Reads attribute @attr below @dirfd: at most SYSFS_VALUE_MAX bytes, one newline and then the
 * spaces at the end removed. 0 and a string to free; -ENOENT if there is no such attribute;
 * -ENODATA if it is empty; other -errno of the kernel.
 */
int sysfs_read_at(int dirfd, const char *attr, char **ret);
/* The same for one that may be missing or going: 0 then, and NULL in @ret, as in any other error. */
int sysfs_read_if_there(int dirfd, const char *attr, char **ret);

/* The same into a buffer; a value that does not fit is -EOVERFLOW. Returns its length. */
ssize_t sysfs_read_buf(int dirfd, const char *attr, char *buf, size_t size);

/* Reads up to @size bytes of a binary attribute as they are. Their number, or -errno. */
ssize_t sysfs_read_raw(int dirfd, const char *attr, void *buf, size_t size);

/*
 * Reads an attribute of many pages, which the kernel hands out piece by piece, as it is. 0 and a
 * string to free, "" if it is empty; -EFBIG beyond SYSFS_LONG_MAX bytes; other -errno.
 */
int sysfs_read_long(int dirfd, const char *attr, char **ret);

/* sysfs_read_at() and sysfs_read_buf() for an attribute of directory @name below @dirfd. */
int sysfs_read_below(int dirfd, const char *name, const char *attr, char **ret);
ssize_t sysfs_read_buf_below(int dirfd, const char *name, const char *attr, char *buf, size_t size);

/*
 * What controller @name below @dirfd was connected with, as its attribute "address" has it, without
 * src_addr: from uevent, which the kernel answers from its options in every state
 * (nvme_class_uevent() in drivers/nvme/host/core.c). 0 and a string to free; -ENODATA if it has
 * no address; -ENOENT for other than fabrics; other -errno.
 */
int sysfs_read_portal(int dirfd, const char *name, char **ret);

/* The same as sysfs_read_at() with a path: @dir "/" @attr. */
int sysfs_read(const char *dir, const char *attr, char **ret);

/* Writes @value in one go. 0 or -errno. */
int sysfs_write(const char *dir, const char *attr, const char *value);

/*
 * A descriptor of the directory that entry @name of class directory @dirfd links into: what is
 * opened there need not walk through the link. Of @dirfd itself if @name is no link. Or -errno.
 */
int sysfs_open_target_dir(int dirfd, const char *name);

/* Is there something of this name below @dirfd? A last link is not followed. */
bool sysfs_exists(int dirfd, const char *name);

/* Where a symbolic link below @dirfd points: its text, or -errno. */
int sysfs_readlink(int dirfd, const char *name, char **ret);

/*
 * Calls @visit for each entry of directory @dirfd (which stays open) that @filter accepts, in the
 * order of the directory. A result other than 0 ends the walk and is returned.
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
void sysfs_names_free(struct sysfs_names *names);
