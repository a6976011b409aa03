/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects behind the handles of <nvme/tree.h>: root, host, subsystem, controller, namespace,
 * path. The root owns everything below it. Objects own their strings.
 *
 * Attributes in /sys are read on demand and cached: a scan reads only those that place an object in
 * the tree.
 */
#pragma once

#include <sys/queue.h>

#include "../fabrics.h"
#include "../filters.h"
#include "../ioctl.h"
#include "../options.h"
#include "base/base.h"
#include "base/log-private.h"
#include "base/sysfs.h"
#include "shared/file.h"
#include "shared/getter.h"
#include "../transport-private.h"
#include "../tree.h"
#include "../util.h"

struct fabrics_options;
struct ifaddrs;
struct json_object;
struct reader_problem;

/* An attribute in /sys: not read yet, missing (@value NULL) or read. */
struct attr {
	char *value;
	bool known;
};

TAILQ_HEAD(host_list, nvme_host);
TAILQ_HEAD(subsystem_list, nvme_subsystem);
TAILQ_HEAD(ctrl_list, nvme_ctrl);
TAILQ_HEAD(ns_list, nvme_ns);
TAILQ_HEAD(path_list, nvme_path);

/* Identity of a file, to detect changes; all zeroes if there was none. */
struct config_stamp {
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds; /* time of the last modification */
};

/* Refuses connections that an invalid part of the configuration was meant to protect. */
struct config_guard {
	char *hostnqn;
	char *subsysnqn, *traddr; /* NULL: any */
	char *text; /* the error message */
};

struct nvme_root {
	struct host_list hosts;
	struct map *hosts_by_nqn; /* NQN -> first struct nvme_host with it */
	struct map *ctrls_by_name; /* "nvme0" -> struct nvme_ctrl */
	struct ctrl_list loose; /* controllers outside any subsystem, owned by the caller */
	struct nvme_host *default_host;
	/* Used in scans instead of default_host if this machine's names are invalid. */
	struct nvme_host *unnamed_host;
	struct ifaddrs *ifaddrs; /* cached while a scan runs */
	int devices_fd; /* directory of most controllers, faster than the class directory; or -1 */
	uint64_t next_serial; /* counter for objects and scans */
	uint64_t scan; /* number of the latest scan */
	/* memory_failures() at creation: if it has grown since, the tree may be incomplete. */
	unsigned int memory_failures;
	char *config_file;
	struct json_object *config_members; /* members other than "hosts"; NULL for an array */
	struct config_stamp config_stamp; /* of config_file when it was last read or written */
	struct file_hold config_lock; /* lock on config_file since nvme_lock_config() */
	char *config_error; /* why the last configuration file was not read or written */
	struct reader_problem *config_problems; /* problems of the last configuration file */
	size_t n_config_problems;
	struct config_guard *config_guards; /* connections to refuse because of them */
	size_t n_config_guards;
	bool config_partial; /* invalid entries of config_file are not in the tree */
	char *application;
	struct fabrics_options *options; /* options that the kernel supports, read once */
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
	uint64_t serial_number; /* ascending in the order of creation */
	uint64_t seen; /* number of the scan that read its host ID */
	char *hostnqn;
	char *hostid;
	char *dhchap_key;
	char *hostsymname;
	char *connect_error; /* why the last connect failed, one sentence */
	struct json_object *mptcp; /* unchanged "mptcp" object of the configuration, or NULL */
	char *mptcp_text; /* mptcp as text, made on demand */
	struct json_object *unknown_keys; /* of the configuration, unchanged */
	bool pdc_enabled;
	bool pdc_enabled_valid;
	bool configured; /* part of the configuration */
};

struct nvme_subsystem {
	TAILQ_ENTRY(nvme_subsystem) entry;
	struct ctrl_list ctrls;
	struct ns_list namespaces; /* multipath heads */
	struct nvme_ns *last_found; /* start of the next search for a head */
	struct map *index; /* see index.c; NULL if there are few controllers */
	struct nvme_subsystem *next_same_nqn;
	struct nvme_subsystem *next_same_name;
	struct nvme_host *h;
	uint64_t serial_number;
	char *name; /* "nvme-subsys0"; NULL until the kernel has it */
	char *sysfs_dir;
	char *subsysnqn;
	char *application;
	struct attr model, serial, firmware, subsystype, iopolicy;
	struct json_object *unknown_keys; /* of the configuration, unchanged */
	size_t n_ctrls, n_unnamed;
	bool configured; /* part of the configuration */
	bool heads_listed; /* heads are in the list, see list-ns.c */
	bool paths_listed; /* paths of all controllers are in the lists */
};

/* Links in a bucket of index.c. */
struct index_link {
	struct index_bucket *bucket; /* NULL: in no bucket */
	struct nvme_ctrl *prev, *next;
};

struct nvme_ctrl {
	TAILQ_ENTRY(nvme_ctrl) entry;
	struct path_list paths;
	struct ns_list namespaces; /* namespaces without multipath */
	struct nvme_root *r;
	struct nvme_subsystem *s;
	struct index_link by_portal, by_host_side;
	uint64_t serial_number; /* ascending in list order */
	const struct transport *transport; /* row of the transport table, never NULL */
	char *transport_name;
	/* Configured transport if a relay carries it over @transport, otherwise NULL. */
	const struct transport *described_transport;
	char *name; /* "nvme0"; NULL if not connected */
	char *sysfs_dir;
	char *portal; /* address it was connected with, in the format of the attribute "address" */
	char *address; /* attribute "address", read on demand; see ctrl_address() */
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
	struct json_object *unknown_keys; /* of the configuration, unchanged */
	int fd;
	bool configured; /* part of the configuration */
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

/* Geometry of a namespace; each part is read on first use. */
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

/* Return the cached value, read from @dir on first use. NULL if it or @dir is missing. */
const char *attr_get(struct attr *attr, const char *dir, const char *name);
void attr_clear(struct attr *attr);

/* Remove @object from the chain of those with @key, whose first one is in @map. */
#define chain_remove(map, key, object, next) \
	do { \
		__typeof__(object) other = map_get(map, key); \
\
		if (other == (object) && (object)->next) \
			map_put(map, key, (object)->next); \
		else if (other == (object)) \
			map_del(map, key); \
		for (; other; other = other->next) \
			if (other->next == (object)) \
				other->next = (object)->next; \
	} while (0)

/* Define a public function that returns an attribute, cached in @member. */
#define ATTR_GETTER(type, function, handle, member, name) \
	GETTER_OF(type, function, handle, attr_get(&object->member, object->sysfs_dir, name))

/* Define a public function that calls @prepare and returns the first object of a list. */
#define TREE_FIRST(type, function, owner, prepare, list) \
	type function(owner above) \
	{ \
		if (!above) \
			return NULL; \
		prepare(above); \
		return TAILQ_FIRST(&above->list); \
	} \
	struct first_semicolon_##function

/* Define a public function that returns the object after @object in a list; NULL at the end. */
#define TREE_NEXT(type, function, owner, link) \
	type function(owner above, type object) \
	{ \
		return object ? TAILQ_NEXT(object, link) : NULL; \
	} \
	struct getter_semicolon_##function

/* host.c */
struct nvme_host *host_new(struct nvme_root *r, const char *hostnqn, const char *hostid);
/*
 * Return the host for objects without one in /sys, such as local controllers: nvme_default_host(),
 * or unnamed_host if this machine's names are invalid, which is never used to connect. NULL with
 * errno ENOMEM.
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
/* Switch to the transport that a relay uses, or back. Return 0, -EINVAL without one, or -ENOMEM. */
int ctrl_set_relayed(struct nvme_ctrl *c, bool is_relayed);
struct ctrl_query;
/* Find a connected controller that a relay carries for @query, and mark it as that; or NULL. */
struct nvme_ctrl *ctrl_describe_relayed(struct nvme_subsystem *s, const struct ctrl_query *query);
/* Move a controller to the end of @s. */
int ctrl_link(struct nvme_subsystem *s, struct nvme_ctrl *c);
/* Read secrets and TLS settings of a connected controller, once. */
void ctrl_read_security(struct nvme_ctrl *c);
/* Clear everything that the kernel reported and keep the description. */
void ctrl_forget(struct nvme_ctrl *c);

/* address.c */

/* Parse the attribute "address". Return 0 or -ENOMEM. */
int ctrl_address_parse(const struct transport *transport, const char *text,
		       struct address_parts *ret);

/* match.c */
struct ctrl_query {
	const struct transport *transport;
	const char *transport_name, *traddr, *trsvcid, *subsysnqn, *host_traddr, *host_iface;
	bool host_traddr_is_source; /* host_traddr is the connection's source, not requested */
};

struct ctrl_query ctrl_query(const char *transport, const char *traddr, const char *trsvcid,
			     const char *subsysnqn, const char *host_traddr,
			     const char *host_iface);
bool ctrl_matches(struct nvme_ctrl *c, const struct ctrl_query *query);

/* Store the source address of the connection. False if it is unknown or has not been read. */
struct ip_addr;
bool ctrl_known_source(const struct nvme_ctrl *c, struct ip_addr *ret);

/* index.c: controllers of a subsystem by transport and address */
void index_add(struct nvme_subsystem *s, struct nvme_ctrl *c);
void index_del(struct nvme_subsystem *s, struct nvme_ctrl *c);
void index_clear(struct nvme_subsystem *s);
/* Return the first match after @after that @accept (may be NULL) accepts, or NULL. */
struct nvme_ctrl *index_find(struct nvme_subsystem *s, const struct ctrl_query *query,
			     const struct nvme_ctrl *after,
			     bool (*accept)(const struct nvme_ctrl *c));

/* ns.c and path.c */
struct nvme_ns *ns_new(struct nvme_subsystem *s, struct nvme_ctrl *c, const char *name);
struct nvme_path *path_new(struct nvme_ctrl *c, const char *name);
void path_free(struct nvme_path *p);

/* list-ns.c: list namespaces and paths on demand. Those that cannot be read are omitted. */
void subsystem_list_heads(struct nvme_subsystem *s);
void ctrl_list(struct nvme_ctrl *c);
void subsystem_list_paths(struct nvme_subsystem *s);
/* Let the lists be completed on next use. */
void ctrl_relist(struct nvme_ctrl *c);

/* scan-ctrl.c */

/* Name and NQN of the subsystem of a controller, which determine its place in the tree. */
struct ctrl_place {
	const char *subsystem;
	const char *subsysnqn; /* NULL: read it from the controller */
};

/* Add controller @name of @dirfd. Return 0, -ENOENT, -ENXIO (attribute missing) or -ENOMEM. */
int ctrl_place(struct nvme_root *r, int dirfd, const char *name, const struct ctrl_place *place,
	       struct nvme_ctrl **ret);

/* True if the controller that now has the name is the one in the tree, as far as /sys shows. */
bool ctrl_is_same(const struct nvme_ctrl *c);

/*
 * Return the attribute "address", with src_addr if the controller is live, cached until the next
 * scan; without it, the address that it was connected with, or NULL.
 */
const char *ctrl_address(struct nvme_ctrl *c);

/* guard.c */
void root_forget_problems(struct nvme_root *r);
void root_forget_guards(struct nvme_root *r);

/* @subsysnqn and @traddr: NULL matches any. Return 0 or -ENOMEM. */
int root_add_guard(struct nvme_root *r, const char *hostnqn, const char *subsysnqn,
		   const char *traddr, const char *text);

/* Return the error message if @c would lack protection that the configuration requests, or NULL. */
const char *root_guard_text(const struct nvme_host *h, const struct nvme_ctrl *c);
