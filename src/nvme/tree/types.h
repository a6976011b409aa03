/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles of the tree: pointers to opaque objects. */
#ifndef _LIBNVME_TREE_TYPES_H
#define _LIBNVME_TREE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nvme_root;
struct nvme_host;
struct nvme_subsystem;
struct nvme_ctrl;
struct nvme_ns;
struct nvme_path;
struct nvme_ns_head;

typedef struct nvme_root *nvme_root_t;
typedef struct nvme_host *nvme_host_t;
typedef struct nvme_subsystem *nvme_subsystem_t;
typedef struct nvme_ctrl *nvme_ctrl_t;
typedef struct nvme_ns *nvme_ns_t;
typedef struct nvme_path *nvme_path_t;
typedef struct nvme_ns_head *nvme_ns_head_t;

/**
 * typedef nvme_scan_filter_t - decides what a scan keeps
 *
 * Called with a subsystem, a controller or a namespace, the other two NULL, and the argument of
 * nvme_scan_topology(). Returns false to have the object freed.
 */
typedef bool (*nvme_scan_filter_t)(nvme_subsystem_t, nvme_ctrl_t, nvme_ns_t, void *);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_TYPES_H */
