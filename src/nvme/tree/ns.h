/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces and paths of a tree. Ownership is described in <nvme/tree.h>.
 *
 * Common to all functions unless noted otherwise:
 * @attr: Name of the attribute
 * @buf: Data
 * @count: Number of bytes; a multiple of the block size, at most 65536 blocks
 * @offset: First byte; a multiple of the block size
 *
 * Return of those with @offset and @count: 0, an NVMe status, or -1 with errno: EINVAL if @offset
 * or @count is not a multiple of the block size or out of range.
 */
#ifndef _LIBNVME_TREE_NS_H
#define _LIBNVME_TREE_NS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <nvme/types.h>
#include <nvme/tree/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_scan_namespace() - read one namespace without a tree
 * @name: Name, e.g. nvme0n1
 *
 * Return: The namespace, to be freed with nvme_free_ns(), or NULL with errno.
 */
nvme_ns_t nvme_scan_namespace(const char *name);

/**
 * nvme_free_ns() - free a namespace
 * @n: Namespace, or NULL
 *
 * Its paths stay with their controllers, without a namespace.
 */
void nvme_free_ns(struct nvme_ns *n);

/** nvme_ns_get_subsystem() - the subsystem of a namespace; NULL if the namespace is in no tree */
nvme_subsystem_t nvme_ns_get_subsystem(nvme_ns_t n);

/**
 * nvme_ns_get_ctrl() - the controller of a namespace that only one controller has
 *
 * Return: The controller, or NULL for a multipath namespace.
 */
nvme_ctrl_t nvme_ns_get_ctrl(nvme_ns_t n);

/**
 * nvme_ns_get_fd() - an open descriptor of the device
 *
 * Return: A descriptor that the namespace owns and keeps open; -1 with errno if it cannot be
 * opened.
 */
int nvme_ns_get_fd(nvme_ns_t n);

/** nvme_ns_release_fd() - close the descriptor of the device */
void nvme_ns_release_fd(nvme_ns_t n);

/** nvme_ns_get_name() - name of the block device, e.g. nvme0n1 */
const char *nvme_ns_get_name(nvme_ns_t n);

/** nvme_ns_get_generic_name() - name of the generic character device, e.g. ng0n1 */
const char *nvme_ns_get_generic_name(nvme_ns_t n);

/** nvme_ns_get_sysfs_dir() - directory in /sys */
const char *nvme_ns_get_sysfs_dir(nvme_ns_t n);

/** nvme_ns_get_head() - the multipath side of a namespace */
nvme_ns_head_t nvme_ns_get_head(nvme_ns_t n);

/**
 * nvme_ns_head_get_sysfs_dir() - directory in /sys that links to the paths of a namespace
 * @head: Namespace head
 *
 * Kernels before 6.15 do not have the directory.
 *
 * Return: A string owned by the namespace.
 */
const char *nvme_ns_head_get_sysfs_dir(nvme_ns_head_t head);

/** nvme_ns_get_nsid() - namespace identifier */
int nvme_ns_get_nsid(nvme_ns_t n);

/** nvme_ns_get_lba_size() - size of a logical block in bytes; 0 if unknown */
int nvme_ns_get_lba_size(nvme_ns_t n);

/** nvme_ns_get_meta_size() - size of the metadata of a logical block in bytes */
int nvme_ns_get_meta_size(nvme_ns_t n);

/** nvme_ns_get_lba_count() - size of a namespace in logical blocks */
uint64_t nvme_ns_get_lba_count(nvme_ns_t n);

/** nvme_ns_get_lba_util() - how many logical blocks of a namespace are allocated */
uint64_t nvme_ns_get_lba_util(nvme_ns_t n);

/** nvme_ns_get_csi() - command set identifier of a namespace */
enum nvme_csi nvme_ns_get_csi(nvme_ns_t n);

/**
 * nvme_ns_get_eui64() - IEEE extended unique identifier
 *
 * Return: 8 bytes owned by the namespace; zeroes if it has none.
 */
const uint8_t *nvme_ns_get_eui64(nvme_ns_t n);

/**
 * nvme_ns_get_nguid() - namespace globally unique identifier
 *
 * Return: 16 bytes owned by the namespace; zeroes if it has none.
 */
const uint8_t *nvme_ns_get_nguid(nvme_ns_t n);

/**
 * nvme_ns_get_uuid() - UUID of a namespace
 * @out: Where to store the 16 bytes; zeroes if it has none
 */
void nvme_ns_get_uuid(nvme_ns_t n, unsigned char out[16]);

/** nvme_ns_get_model() - model number of the controller or subsystem; NULL if unknown */
const char *nvme_ns_get_model(nvme_ns_t n);

/** nvme_ns_get_serial() - serial number of the controller or subsystem; NULL if unknown */
const char *nvme_ns_get_serial(nvme_ns_t n);

/** nvme_ns_get_firmware() - firmware revision of the controller or subsystem; NULL if unknown */
const char *nvme_ns_get_firmware(nvme_ns_t n);

/**
 * nvme_ns_identify() - read the Identify Namespace data
 * @ns: Where to store the 4096 bytes, NVM Command Set Specification 1.1 section 4.1.5.1
 *
 * Return: 0, an NVMe status, or -1 with errno.
 */
int nvme_ns_identify(nvme_ns_t n, struct nvme_id_ns *ns);

/**
 * nvme_ns_identify_descs() - read the namespace identification descriptors
 * @descs: Where to store the 4096 bytes, NVM Express Base Specification 2.1 section 5.1.13.2.3
 *
 * Return: 0, an NVMe status, or -1 with errno.
 */
int nvme_ns_identify_descs(nvme_ns_t n, struct nvme_ns_id_desc *descs);

/** nvme_ns_read() - read blocks */
int nvme_ns_read(nvme_ns_t n, void *buf, off_t offset, size_t count);

/** nvme_ns_write() - write blocks */
int nvme_ns_write(nvme_ns_t n, void *buf, off_t offset, size_t count);

/** nvme_ns_compare() - compare a buffer with the stored data */
int nvme_ns_compare(nvme_ns_t n, void *buf, off_t offset, size_t count);

/** nvme_ns_verify() - let the controller verify the stored data */
int nvme_ns_verify(nvme_ns_t n, off_t offset, size_t count);

/** nvme_ns_write_uncorrectable() - mark blocks as unreadable */
int nvme_ns_write_uncorrectable(nvme_ns_t n, off_t offset, size_t count);

/** nvme_ns_write_zeros() - write zeroes */
int nvme_ns_write_zeros(nvme_ns_t n, off_t offset, size_t count);

/** nvme_ns_flush() - make written data durable; 0, an NVMe status, or -1 with errno */
int nvme_ns_flush(nvme_ns_t n);

/**
 * nvme_namespace_first_path() - the first path to a namespace
 * @ns: Namespace, or NULL
 *
 * Return: The path, owned by its controller, or NULL.
 */
nvme_path_t nvme_namespace_first_path(nvme_ns_t ns);

/**
 * nvme_namespace_next_path() - the path after another one
 * @p:  Path, or NULL
 *
 * Return: The next path, owned by its controller, or NULL after the last one.
 */
nvme_path_t nvme_namespace_next_path(nvme_ns_t ns, nvme_path_t p);

/**
 * nvme_namespace_for_each_path() - iterate over the paths to a namespace
 * @n: Namespace
 * @p: Cursor: the current element
 */
#define nvme_namespace_for_each_path(n, p) \
	for (p = nvme_namespace_first_path(n); p != NULL; p = nvme_namespace_next_path(n, p))

/**
 * nvme_namespace_for_each_path_safe() - iterate, with @p allowed to be freed in the body
 * @n: Namespace
 * @p: Cursor: the current element
 * @_p: Second cursor: the element after it
 */
#define nvme_namespace_for_each_path_safe(n, p, _p) \
	for (p = nvme_namespace_first_path(n), _p = nvme_namespace_next_path(n, p); p != NULL; \
	     p = _p, _p = nvme_namespace_next_path(n, p))

/** nvme_path_get_ctrl() - the controller of a path */
nvme_ctrl_t nvme_path_get_ctrl(nvme_path_t p);

/** nvme_path_get_ns() - the namespace that a path leads to; NULL if unknown */
nvme_ns_t nvme_path_get_ns(nvme_path_t p);

/** nvme_path_get_name() - name of a path, e.g. nvme0c1n1 */
const char *nvme_path_get_name(nvme_path_t p);

/** nvme_path_get_sysfs_dir() - directory in /sys */
const char *nvme_path_get_sysfs_dir(nvme_path_t p);

/**
 * nvme_path_get_ana_state() - state of asymmetric namespace access, read on each call
 *
 * Return: A string owned by the path. "optimized" if the kernel does not report it. The next call
 * replaces the string.
 */
const char *nvme_path_get_ana_state(nvme_path_t p);

/**
 * nvme_path_get_numa_nodes() - NUMA nodes that prefer a path, read on each call
 *
 * Return: A string owned by the path. "-1" if the kernel does not report it.
 */
const char *nvme_path_get_numa_nodes(nvme_path_t p);

/**
 * nvme_path_get_queue_depth() - requests in flight on a path, read on each call
 *
 * Return: The number; 0 if the kernel does not report it.
 */
int nvme_path_get_queue_depth(nvme_path_t p);

/**
 * nvme_get_attr() - read an attribute from /sys
 * @d:    Directory
 *
 * Return: The value, to be freed, without a final newline and spaces before it; NULL with
 * errno if it cannot be read or is empty (ENODATA).
 */
char *nvme_get_attr(const char *d, const char *attr);

/**
 * nvme_get_ns_attr() - read an attribute of a namespace from /sys
 *
 * Return: The value, to be freed, or NULL with errno; see nvme_get_attr().
 */
char *nvme_get_ns_attr(nvme_ns_t n, const char *attr);

/**
 * nvme_get_path_attr() - read an attribute of a path from /sys
 *
 * Return: The value, to be freed, or NULL with errno; see nvme_get_attr().
 */
char *nvme_get_path_attr(nvme_path_t p, const char *attr);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_NS_H */
