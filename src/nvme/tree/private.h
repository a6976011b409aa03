/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects behind the handles of <nvme/tree.h>: root, host, subsystem, controller, namespace,
 * path. The root owns everything below it. Strings are owned by the object that holds them.
 *
 * Attributes of /sys are read when somebody asks for them, and then kept: scanning reads only what
 * places an object in the tree.
 */
#ifndef NVME_TREE_PRIVATE_H
#define NVME_TREE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../fabrics.h"
#include "../map.h"
#include "../transport-private.h"
#include "../tree.h"

struct fabrics_options;

/* One attribute of /sys: unread, absent (value NULL) or read. */
struct attr {
	char *value;
	bool known;
};

TAILQ_HEAD(host_list, nvme_host);
TAILQ_HEAD(subsystem_list, nvme_subsystem);
TAILQ_HEAD(ctrl_list, nvme_ctrl);
TAILQ_HEAD(ns_list, nvme_ns);
TAILQ_HEAD(path_list, nvme_path);

struct nvme_root {
	struct host_list hosts;
	struct map *ctrls_by_name; /* "nvme0" -> struct nvme_ctrl */
	char *config_file;
	char *application;
	struct fabrics_options *options; /* what /dev/nvme-fabrics lists, read once */
	struct log *log;
	bool skip_namespaces;
	bool modified;
};

struct nvme_host {
	TAILQ_ENTRY(nvme_host) entry;
	struct subsystem_list subsystems;
	struct map *subsystems_by_nqn; /* NQN -> first struct nvme_subsystem with it */
	struct nvme_root *r;
	char *hostnqn;
	char *hostid;
	char *dhchap_key;
	char *hostsymname;
	bool pdc_enabled;
	bool pdc_enabled_valid;
};

struct nvme_subsystem {
	TAILQ_ENTRY(nvme_subsystem) entry;
	struct ctrl_list ctrls;
	struct ns_list namespaces; /* multipath heads */
	struct nvme_host *h;
	char *name; /* "nvme-subsys0", NULL until known to the kernel */
	char *sysfs_dir;
	char *subsysnqn;
	char *application;
	struct attr model, serial, firmware, subsystype, iopolicy;
};

struct nvme_ctrl {
	TAILQ_ENTRY(nvme_ctrl) entry;
	struct path_list paths;
	struct ns_list namespaces; /* private ones, without multipath */
	struct nvme_root *r;
	struct nvme_subsystem *s;
	const struct transport *transport; /* row of the table, never NULL */
	char *transport_name;
	char *name; /* "nvme0", NULL while not connected */
	char *sysfs_dir;
	char *address; /* the sysfs attribute as it stands */
	char *subsysnqn;
	char *traddr;
	char *trsvcid;
	char *dhchap_key; /* host's secret for this controller */
	char *dhchap_ctrl_key; /* controller's secret */
	char *keyring;
	char *tls_key_identity;
	char *tls_key;
	char *state;
	struct attr firmware, model, numa_node, queue_count, serial, sqsize, cntrltype, cntlid,
		dctype, phy_slot;
	char *connect_error; /* why the last connect failed, one sentence */
	struct nvme_fabrics_config cfg; /* strings owned */
	int fd;
	bool discovery_ctrl;
	bool unique_discovery_ctrl;
	bool discovered;
	bool persistent;
};

#endif /* NVME_TREE_PRIVATE_H */
