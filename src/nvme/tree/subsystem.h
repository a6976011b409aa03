/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Subsystems of a tree. Ownership is described in <nvme/tree.h>.
 */
#ifndef _LIBNVME_TREE_SUBSYSTEM_H
#define _LIBNVME_TREE_SUBSYSTEM_H

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
 * nvme_lookup_subsystem() - find or create a subsystem
 * @name:      Name in /sys, e.g. nvme-subsys0; NULL matches any
 * @subsysnqn: NQN; NULL matches any
 *
 * If the tree has an application set, only that application's subsystems match, and a new one gets
 * its name.
 *
 * Return: The subsystem, owned by the host, or NULL with errno ENOMEM.
 */
nvme_subsystem_t nvme_lookup_subsystem(struct nvme_host *h, const char *name,
				       const char *subsysnqn);

/**
 * nvme_free_subsystem() - free a subsystem with everything below it
 * @s: Subsystem, or NULL
 */
void nvme_free_subsystem(struct nvme_subsystem *s);

/** nvme_subsystem_get_host() - the host of a subsystem */
nvme_host_t nvme_subsystem_get_host(nvme_subsystem_t s);

/**
 * nvme_subsystem_get_name() - name in /sys, e.g. nvme-subsys0
 *
 * Return: A string owned by the subsystem, or NULL if the kernel does not have it.
 */
const char *nvme_subsystem_get_name(nvme_subsystem_t s);

/** nvme_subsystem_get_sysfs_dir() - directory in /sys; NULL if the kernel does not have it */
const char *nvme_subsystem_get_sysfs_dir(nvme_subsystem_t s);

/** nvme_subsystem_get_nqn() - NQN of a subsystem; NULL if unknown */
const char *nvme_subsystem_get_nqn(nvme_subsystem_t s);

/**
 * nvme_subsystem_get_type() - type of a subsystem
 *
 * Return: A string owned by the subsystem: "nvm", "discovery" or what the kernel reports.
 */
const char *nvme_subsystem_get_type(nvme_subsystem_t s);

/** nvme_subsystem_get_model() - model number; "undefined" if the kernel does not report it */
const char *nvme_subsystem_get_model(nvme_subsystem_t s);

/** nvme_subsystem_get_serial() - serial number; NULL if the kernel does not report it */
const char *nvme_subsystem_get_serial(nvme_subsystem_t s);

/** nvme_subsystem_get_fw_rev() - firmware revision; NULL if the kernel does not report it */
const char *nvme_subsystem_get_fw_rev(nvme_subsystem_t s);

/**
 * nvme_subsystem_get_iopolicy() - I/O policy for paths, read on each call
 *
 * Return: A string owned by the subsystem: "numa", "round-robin" or "queue-depth"; NULL if
 * the kernel does not report it.
 */
const char *nvme_subsystem_get_iopolicy(nvme_subsystem_t s);

/**
 * nvme_subsystem_set_iopolicy() - set the I/O policy for paths
 * @s:      Subsystem that the kernel has
 * @policy: Name of a policy that the kernel supports
 *
 * Return: 0, or -1 with errno: EINVAL if the kernel has no such policy, ENOENT without
 * multipath, ENODEV if the kernel does not have @s.
 */
int nvme_subsystem_set_iopolicy(nvme_subsystem_t s, const char *policy);

/**
 * nvme_subsystem_get_application() - name of the application that owns a subsystem
 *
 * Return: A string owned by the subsystem, or NULL if none is set.
 */
const char *nvme_subsystem_get_application(nvme_subsystem_t s);

/**
 * nvme_subsystem_set_application() - set the name of the application that owns a subsystem
 * @a: Name, copied; NULL for none
 */
void nvme_subsystem_set_application(nvme_subsystem_t s, const char *a);

/** nvme_subsystem_release_fds() - close all device descriptors below a subsystem */
void nvme_subsystem_release_fds(struct nvme_subsystem *s);

/**
 * nvme_subsystem_first_ctrl() - the first controller of a subsystem
 * @s: Subsystem, or NULL
 *
 * Return: The controller, owned by the subsystem, or NULL.
 */
nvme_ctrl_t nvme_subsystem_first_ctrl(nvme_subsystem_t s);

/**
 * nvme_subsystem_next_ctrl() - the controller after another one
 * @c: Controller, or NULL
 *
 * Return: The next controller, owned by the subsystem, or NULL after the last one.
 */
nvme_ctrl_t nvme_subsystem_next_ctrl(nvme_subsystem_t s, nvme_ctrl_t c);

/**
 * nvme_subsystem_for_each_ctrl() - iterate over the controllers of a subsystem
 * @s: Subsystem
 * @c: Cursor: the current element
 */
#define nvme_subsystem_for_each_ctrl(s, c) \
	for (c = nvme_subsystem_first_ctrl(s); c != NULL; c = nvme_subsystem_next_ctrl(s, c))

/**
 * nvme_subsystem_for_each_ctrl_safe() - iterate, with @c allowed to be freed in the body
 * @s: Subsystem
 * @c: Cursor: the current element
 * @_c: Second cursor: the element after it
 */
#define nvme_subsystem_for_each_ctrl_safe(s, c, _c) \
	for (c = nvme_subsystem_first_ctrl(s), _c = nvme_subsystem_next_ctrl(s, c); c != NULL; \
	     c = _c, _c = nvme_subsystem_next_ctrl(s, c))

/**
 * nvme_subsystem_first_ns() - the first multipath namespace of a subsystem
 * @s: Subsystem, or NULL
 *
 * Return: The namespace, owned by the subsystem, or NULL.
 */
nvme_ns_t nvme_subsystem_first_ns(nvme_subsystem_t s);

/**
 * nvme_subsystem_next_ns() - the namespace after another one
 * @n: Namespace, or NULL
 *
 * Return: The next namespace, owned by the subsystem, or NULL after the last one.
 */
nvme_ns_t nvme_subsystem_next_ns(nvme_subsystem_t s, nvme_ns_t n);

/**
 * nvme_subsystem_for_each_ns() - iterate over the multipath namespaces of a subsystem
 * @s: Subsystem
 * @n: Cursor: the current element
 */
#define nvme_subsystem_for_each_ns(s, n) \
	for (n = nvme_subsystem_first_ns(s); n != NULL; n = nvme_subsystem_next_ns(s, n))

/**
 * nvme_subsystem_for_each_ns_safe() - iterate, with @n allowed to be freed in the body
 * @s: Subsystem
 * @n: Cursor: the current element
 * @_n: Second cursor: the element after it
 */
#define nvme_subsystem_for_each_ns_safe(s, n, _n) \
	for (n = nvme_subsystem_first_ns(s), _n = nvme_subsystem_next_ns(s, n); n != NULL; \
	     n = _n, _n = nvme_subsystem_next_ns(s, n))

/**
 * nvme_subsystem_lookup_namespace() - find a multipath namespace by its identifier
 * @nsid: Namespace identifier
 *
 * Return: The namespace, owned by the subsystem, or NULL.
 */
nvme_ns_t nvme_subsystem_lookup_namespace(struct nvme_subsystem *s, __u32 nsid);

/**
 * nvme_get_subsys_attr() - read an attribute of a subsystem from /sys
 * @attr: Name of the attribute
 *
 * Return: The value, to be freed, or NULL with errno; see nvme_get_attr().
 */
char *nvme_get_subsys_attr(nvme_subsystem_t s, const char *attr);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_SUBSYSTEM_H */
