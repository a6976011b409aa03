/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects behind the handles of <nvme/tree.h>: root, host, subsystem, controller, namespace,
 * path. The root owns everything below it. Strings are owned by the object that holds them.
 *
 * Attributes of /sys are read when somebody asks for them, and then kept: scanning reads only what
 * places an object in the tree.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../fabrics.h"
#include "../options.h"
#include "base/address.h"
#include "base/map.h"
#include "shared/file.h"
#include "../transport-private.h"
#include "../tree.h"

struct fabrics_options;
struct ifaddrs;
struct json_object;
struct reader_problem;

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

/* Which file it was; all zeroes: there was none. */
struct config_stamp {
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds; /* of its last modification */
};

/* What a configuration wanted to protect, in words that are wrong. */
struct config_guard {
	char *hostnqn;
	char *subsysnqn, *traddr; /* NULL: any */
	char *text; /* what is wrong */
};

struct nvme_root {
	struct host_list hosts;
	struct map *hosts_by_nqn; /* NQN -> first struct nvme_host with it */
	struct map *ctrls_by_name; /* "nvme0" -> struct nvme_ctrl */
	struct ctrl_list loose; /* controllers in no subsystem, owned by the caller */
	struct nvme_host *default_host;
	struct nvme_host *unnamed_host; /* stands for it in scans where its names are wrong */
	struct ifaddrs *ifaddrs; /* kept while a scan runs */
	int devices_fd; /* directory that most controllers are in, a shorter way than the class; or -1 */
	uint64_t next_serial; /* of objects and scans */
	uint64_t scan; /* the latest one */
	unsigned int
		memory_failures; /* when it was made: more since then, and it may lack something */
	char *config_file;
	struct json_object *config_members; /* beside "hosts", if that is no array alone */
	struct config_stamp config_stamp; /* of config_file, when it was read or written last */
	struct file_hold config_lock; /* of config_file, from nvme_lock_config() on */
	char *config_error; /* why the last configuration file was refused, or could not be written */
	struct reader_problem *config_problems; /* that the last configuration file had */
	size_t n_config_problems;
	struct config_guard *config_guards; /* what must not be connected for them */
	size_t n_config_guards;
	bool config_partial; /* what was wrong in config_file is not in the tree */
	char *application;
	struct fabrics_options *options; /* what /dev/nvme-fabrics lists, read once */
	struct log *log;
	bool skip_namespaces;
	bool scanning;
	bool modified;
};

struct nvme_host {
	TAILQ_ENTRY(nvme_host) entry;
	struct subsystem_list subsystems;
	struct map *subsystems_by_nqn; /* NQN -> first struct nvme_subsystem with it */
	struct map *subsystems_by_name;
	struct nvme_host *next_same_nqn;
	struct nvme_root *r;
	uint64_t serial_number; /* objects count up in the order in which they are made */
	uint64_t seen; /* by the scan that read its identifier */
	char *hostnqn;
	char *hostid;
	char *dhchap_key;
	char *hostsymname;
	char *connect_error; /* why the last connect failed, one sentence */
	struct json_object *mptcp; /* the configuration's mptcp object as it stood, or NULL */
	char *mptcp_text; /* the same, once it was asked for */
	struct json_object *unknown_keys; /* of the configuration, as they stood */
	bool pdc_enabled;
	bool pdc_enabled_valid;
	bool configured; /* it stands in the configuration */
};

struct nvme_subsystem {
	TAILQ_ENTRY(nvme_subsystem) entry;
	struct ctrl_list ctrls;
	struct ns_list namespaces; /* multipath heads */
	struct nvme_ns *last_found; /* where the next search for a head starts */
	struct map *index; /* see index.c; NULL while there are few controllers */
	struct nvme_subsystem *next_same_nqn;
	struct nvme_subsystem *next_same_name;
	struct nvme_host *h;
	uint64_t serial_number;
	char *name; /* "nvme-subsys0", NULL until known to the kernel */
	char *sysfs_dir;
	char *subsysnqn;
	char *application;
	struct attr model, serial, firmware, subsystype, iopolicy;
	struct json_object *unknown_keys; /* of the configuration, as they stood */
	size_t n_ctrls, n_unnamed;
	bool configured; /* it stands in the configuration */
	bool heads_listed; /* the heads are in the list, see list-ns.c */
	bool paths_listed; /* and so are the paths of all controllers */
};

/* One of the lists of index.c that a controller is in. */
struct index_link {
	struct index_bucket *bucket; /* NULL: in none */
	struct nvme_ctrl *prev, *next;
};

struct nvme_ctrl {
	TAILQ_ENTRY(nvme_ctrl) entry;
	struct path_list paths;
	struct ns_list namespaces; /* private ones, without multipath */
	struct nvme_root *r;
	struct nvme_subsystem *s;
	struct index_link by_portal, by_host_side;
	uint64_t serial_number; /* grows in the order of the list */
	const struct transport *transport; /* row of the table, never NULL */
	char *transport_name;
	const struct transport
		*described_transport; /* of one that a relay carries over @transport */
	char *name; /* "nvme0", NULL while not connected */
	char *sysfs_dir;
	char *portal; /* what it was connected with, as the attribute "address" has it */
	char *address; /* that attribute, once it was asked for; see ctrl_address() */
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
	struct nvmf_options options; /* strings owned */
	struct json_object *unknown_keys; /* of the configuration, as they stood */
	int fd;
	bool configured; /* it stands in the configuration */
	bool discovery_ctrl;
	bool unique_discovery_ctrl;
	bool discovered;
	bool persistent;
	bool listed; /* namespaces and paths are in the lists */
	bool security_known; /* secrets and TLS settings have been read from /sys */
};

struct nvme_ns_head {
	struct nvme_ns *n;
	char *sysfs_dir;
};

/* What a namespace is made of, each part read on first use. */
struct ns_geometry {
	uint64_t lba_count, lba_util;
	uint32_t lba_size, meta_size;
	enum nvme_csi csi;
	bool size_known, util_known, meta_known, csi_known;
};

struct ns_ids {
	uint8_t eui64[8];
	uint8_t nguid[16];
	unsigned char uuid[16];
	bool known;
};

struct nvme_ns {
	TAILQ_ENTRY(nvme_ns) entry;
	struct path_list paths;
	struct nvme_subsystem *s; /* NULL if read without a tree */
	struct nvme_ctrl *c; /* NULL for multipath heads */
	struct nvme_ns_head head;
	char *name;
	char *generic_name;
	char *sysfs_dir;
	struct attr nsid_text;
	struct attr model, serial, firmware; /* of a namespace without a tree */
	struct ns_geometry geometry;
	struct ns_ids ids;
	int fd;
};

struct nvme_path {
	TAILQ_ENTRY(nvme_path) entry; /* in the controller */
	TAILQ_ENTRY(nvme_path) ns_entry; /* in the namespace */
	struct nvme_ctrl *c;
	struct nvme_ns *n;
	char *name;
	char *sysfs_dir;
	char *ana_state;
	char *numa_nodes;
};

/* attr.c */

/* The kept value, reading it from @dir first if nobody has; NULL if it is absent or @dir is NULL. */
const char *attr_get(struct attr *attr, const char *dir, const char *name);
void attr_clear(struct attr *attr);

/* host.c */
struct nvme_host *host_new(struct nvme_root *r, const char *hostnqn, const char *hostid);
/*
 * The host of what has none in /sys, like local controllers: nvme_default_host(), or one that stands for it where
 * the names of this machine are wrong. Nothing connects as that one. NULL with errno ENOMEM.
 */
struct nvme_host *host_of_local(struct nvme_root *r);
struct nvme_subsystem *subsystem_find(struct nvme_host *h, const char *name, const char *subsysnqn);
struct nvme_subsystem *subsystem_lookup(struct nvme_host *h, const char *name,
					const char *subsysnqn);

/* subsystem.c */
struct nvme_subsystem *subsystem_new(struct nvme_host *h, const char *subsysnqn);
int subsystem_set_name(struct nvme_subsystem *s, const char *name);

/* ctrl.c */
struct nvme_ctrl *ctrl_new(struct nvme_root *r, const char *transport);
int ctrl_set_name(struct nvme_ctrl *c, const char *name);
int ctrl_set_trsvcid(struct nvme_ctrl *c, const char *trsvcid);
/* Gives it the transport that a relay takes, or its own again. 0, -EINVAL if none does, or -ENOMEM. */
int ctrl_set_relayed(struct nvme_ctrl *c, bool is_relayed);
struct ctrl_query;
/* The connected one that a relay carries for a description that is read only now, or NULL. */
struct nvme_ctrl *ctrl_describe_relayed(struct nvme_subsystem *s, const struct ctrl_query *query);
/* Puts a loose controller, or one of another subsystem, at the end of @s. */
int ctrl_link(struct nvme_subsystem *s, struct nvme_ctrl *c);
/* Reads secrets and TLS settings of a connected controller, once. */
void ctrl_read_security(struct nvme_ctrl *c);
/* Forgets what the kernel reported, keeps the description. */
void ctrl_forget(struct nvme_ctrl *c);

/* address.c */

/* 0 or -ENOMEM. */
int ctrl_address_parse(const struct transport *transport, const char *text,
		       struct address_parts *ret);

/* match.c */
struct ctrl_query {
	const struct transport *transport;
	const char *transport_name, *traddr, *trsvcid, *subsysnqn, *host_traddr, *host_iface;
	bool host_traddr_is_source; /* seen on the wire, not asked for */
};

bool ctrl_matches(struct nvme_ctrl *c, const struct ctrl_query *query);

/* The address that the connection starts from, if the kernel reports it and that has been read. */
struct ip_addr;
bool ctrl_known_source(const struct nvme_ctrl *c, struct ip_addr *ret);

/* index.c: controllers of a subsystem by transport and address */
void index_add(struct nvme_subsystem *s, struct nvme_ctrl *c);
void index_del(struct nvme_subsystem *s, struct nvme_ctrl *c);
void index_clear(struct nvme_subsystem *s);
/* The first controller after @after that matches and that @accept (may be NULL) takes, or NULL. */
struct nvme_ctrl *index_find(struct nvme_subsystem *s, const struct ctrl_query *query,
			     const struct nvme_ctrl *after,
			     bool (*accept)(const struct nvme_ctrl *c));

/* ns.c and path.c */
struct nvme_ns *ns_new(struct nvme_subsystem *s, struct nvme_ctrl *c, const char *name);
struct nvme_path *path_new(struct nvme_ctrl *c, const char *name);
void path_free(struct nvme_path *p);

/*
 * list-ns.c: namespaces and paths come into the lists when somebody looks at them. Failures leave
 * them out.
 */
void subsystem_list_heads(struct nvme_subsystem *s);
void ctrl_list(struct nvme_ctrl *c);
void subsystem_list_paths(struct nvme_subsystem *s);
/* Has the lists completed when somebody looks at them again. */
void ctrl_list_again(struct nvme_ctrl *c);

/* scan-ctrl.c */

/* What places a controller in the tree: the name and the NQN of its subsystem. */
struct ctrl_place {
	const char *subsystem;
	const char *subsysnqn; /* NULL: read it from the controller */
};

/*
 * Adds controller @name of directory @dirfd. 0; -ENOENT if it is not there; -ENXIO if it lacks an
 * attribute; -ENOMEM.
 */
int ctrl_place(struct nvme_root *r, int dirfd, const char *name, const struct ctrl_place *place,
	       struct nvme_ctrl **ret);

/* Is the controller that has the name the one that the tree knows, as far as /sys shows? */
bool ctrl_is_same(const struct nvme_ctrl *c);

/*
 * The attribute "address", with src_addr if the controller is live: read when somebody asks for it,
 * and kept until the next scan. Otherwise what it was connected with. NULL if there is neither.
 */
const char *ctrl_address(struct nvme_ctrl *c);

/* guard.c */
void root_forget_problems(struct nvme_root *r);
void root_forget_guards(struct nvme_root *r);

/* @subsysnqn and @traddr may be NULL: any. 0 or -ENOMEM. */
int root_add_guard(struct nvme_root *r, const char *hostnqn, const char *subsysnqn,
		   const char *traddr, const char *text);

/* Why connecting @c would leave out what the configuration wants to protect it by, or NULL. */
const char *root_guard_text(const struct nvme_host *h, const struct nvme_ctrl *c);
