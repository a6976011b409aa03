/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filters for scandir(3) on directories in /sys, and functions that list them.
 *
 * Each function returns the number of entries and an array that the caller frees: every entry, then
 * the array; -1 with errno set on failure. Entries are sorted by strcmp(3), like alphasort(3) in the
 * C locale.
 */
#ifndef _LIBNVME_FILTERS_H
#define _LIBNVME_FILTERS_H

#include <dirent.h>

#include <nvme/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_namespace_filter() - filter for namespaces
 * @d: Entry of a controller's or a subsystem's directory
 *
 * Return: 1 for names such as nvme0n1, else 0.
 */
int nvme_namespace_filter(const struct dirent *d);

/**
 * nvme_paths_filter() - filter for paths to multipath namespaces
 * @d: Entry of a controller's directory
 *
 * Return: 1 for names such as nvme0c1n1, else 0.
 */
int nvme_paths_filter(const struct dirent *d);

/**
 * nvme_ctrls_filter() - filter for controllers
 * @d: Entry of /sys/class/nvme or of a subsystem's directory
 *
 * Return: 1 for names such as nvme0, else 0.
 */
int nvme_ctrls_filter(const struct dirent *d);

/**
 * nvme_subsys_filter() - filter for subsystems
 * @d: Entry of /sys/class/nvme-subsystem
 *
 * Return: 1 for names such as nvme-subsys0, else 0.
 */
int nvme_subsys_filter(const struct dirent *d);

/**
 * nvme_scan_subsystems() - list /sys/class/nvme-subsystem
 * @subsys: Where to store the entries, owned by the caller
 */
int nvme_scan_subsystems(struct dirent ***subsys);

/**
 * nvme_scan_subsystem_namespaces() - list the namespaces below a subsystem
 * @ns: Where to store the entries, owned by the caller
 */
int nvme_scan_subsystem_namespaces(nvme_subsystem_t s, struct dirent ***ns);

/**
 * nvme_scan_ctrls() - list /sys/class/nvme
 * @ctrls: Where to store the entries, owned by the caller
 */
int nvme_scan_ctrls(struct dirent ***ctrls);

/**
 * nvme_scan_ctrl_namespace_paths() - list the paths below a controller
 * @paths: Where to store the entries, owned by the caller
 */
int nvme_scan_ctrl_namespace_paths(nvme_ctrl_t c, struct dirent ***paths);

/**
 * nvme_scan_ctrl_namespaces() - list the namespaces below a controller
 * @ns: Where to store the entries, owned by the caller
 */
int nvme_scan_ctrl_namespaces(nvme_ctrl_t c, struct dirent ***ns);

/**
 * nvme_scan_ns_head_paths() - list the multipath links of a namespace head
 * @head:  Namespace head
 * @paths: Where to store the entries, owned by the caller
 *
 * Return: Number of entries, or -1 with errno set: ENOENT on kernels without multipath/ links.
 */
int nvme_scan_ns_head_paths(nvme_ns_head_t head, struct dirent ***paths);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_FILTERS_H */
