/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree: hosts have subsystems, subsystems have controllers and namespaces, and paths lead from
 * controllers to namespaces.
 *
 * The tree owns every object in it, and each object its strings. A handle is valid until its
 * object, something above it or the tree is freed, or the topology is refreshed; a string is valid
 * until its object is freed or the same property is set or read again. Objects may be freed in any
 * order. Unless noted otherwise, functions do not take NULL for a handle.
 */
#ifndef _LIBNVME_TREE_H
#define _LIBNVME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <nvme/ioctl.h>
#include <nvme/tree/block.h>
#include <nvme/tree/ctrl.h>
#include <nvme/tree/ns.h>
#include <nvme/tree/subsystem.h>
#include <nvme/tree/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_create_root() - make an empty tree
 * @fp:        Stream whose descriptor receives the tree's messages; NULL: standard error. It
 *             stays the caller's; close it after the tree is freed
 * @log_level: Highest level that is logged, see nvme_init_logging()
 *
 * A tree and everything below it belong to one thread at a time.
 *
 * Return: The tree, to be freed with nvme_free_tree(), or NULL with errno ENOMEM.
 */
nvme_root_t nvme_create_root(FILE *fp, int log_level);

/**
 * nvme_free_tree() - free a tree with everything below it
 * @r: Tree, or NULL
 *
 * Every handle and every string that came from the tree is invalid afterwards.
 */
void nvme_free_tree(nvme_root_t r);

/**
 * nvme_scan() - make a tree of what the kernel has and what a file describes
 * @config_file: JSON configuration, or NULL
 *
 * Creates a tree that logs to standard error, scans the topology, then reads the file. What
 * cannot be scanned or read is missing from the tree.
 *
 * Return: The tree, to be freed with nvme_free_tree(), or NULL with errno ENOMEM.
 */
nvme_root_t nvme_scan(const char *config_file);

/**
 * nvme_scan_topology() - add what the kernel has to a tree
 * @r:      Tree; nothing is done for NULL
 * @f:      Filter, or NULL to keep everything
 * @f_args: Last argument of @f
 *
 * Controllers that cannot be read, because they vanish meanwhile, are left out. Controllers that
 * the tree knows from a configuration file are completed, not added again. The filter sees every
 * controller (NULL, c, NULL), every multipath namespace (NULL, NULL, n) and every subsystem (s,
 * NULL, NULL); what it refuses is freed with all below it.
 *
 * Return: 0, or -1 with errno: ENOENT if the kernel has no NVMe support loaded, ENOMEM, or what
 * the kernel reported about /sys/class/nvme.
 */
int nvme_scan_topology(nvme_root_t r, nvme_scan_filter_t f, void *f_args);

/**
 * nvme_scan_subsystem() - add one subsystem of the kernel to a tree
 * @subsysnqn: NQN
 *
 * Enough to find out whether a controller is connected already. Of the other subsystems only the
 * NQN is read; of their controllers nothing, except that the first controller is added, because
 * nvme_host_get_ids() goes by the first host of the tree.
 *
 * Return: 0, also if there is no such subsystem; -1 with errno as nvme_scan_topology().
 */
int nvme_scan_subsystem(nvme_root_t r, const char *subsysnqn);

/**
 * nvme_refresh_topology() - forget what a tree knows and scan again
 *
 * Frees all hosts: every handle below @r is invalid afterwards.
 */
void nvme_refresh_topology(nvme_root_t r);

/**
 * nvme_root_release_fds() - close all device descriptors that the tree opened
 *
 * They are opened again when needed.
 */
void nvme_root_release_fds(nvme_root_t r);

/** nvme_root_get_application() - name of the application that owns the tree; NULL if none is set */
const char *nvme_root_get_application(nvme_root_t r);

/**
 * nvme_root_set_application() - set the name of the application that owns the tree
 * @a: Name, copied; NULL for none
 *
 * With a name set, only subsystems with the same application are matched, and new ones are
 * stamped with it.
 */
void nvme_root_set_application(nvme_root_t r, const char *a);

/** nvme_root_skip_namespaces() - leave namespaces and paths out of later scans */
void nvme_root_skip_namespaces(nvme_root_t r);

/**
 * nvme_first_host() - the first host of a tree
 * @r: Tree, or NULL
 *
 * Return: The host, owned by the tree, or NULL.
 */
nvme_host_t nvme_first_host(nvme_root_t r);

/**
 * nvme_next_host() - the host after another one
 * @h: Host, or NULL
 *
 * Return: The next host, owned by the tree, or NULL after the last one.
 */
nvme_host_t nvme_next_host(nvme_root_t r, nvme_host_t h);

/**
 * nvme_for_each_host() - go through the hosts of a tree
 * @r: Tree
 * @h: Cursor: the current element
 */
#define nvme_for_each_host(r, h) for (h = nvme_first_host(r); h != NULL; h = nvme_next_host(r, h))

/**
 * nvme_for_each_host_safe() - the same, allowing @h to be freed in the body
 * @r: Tree
 * @h: Cursor: the current element
 * @_h: Second cursor: the element after it
 */
#define nvme_for_each_host_safe(r, h, _h) \
	for (h = nvme_first_host(r), _h = nvme_next_host(r, h); h != NULL; \
	     h = _h, _h = nvme_next_host(r, h))

/**
 * nvme_default_host() - the host that this machine is
 *
 * Its names come from nvme_host_get_ids() without arguments. The symbolic name is cleared.
 *
 * Return: The host, owned by the tree, created if needed; NULL with errno.
 */
nvme_host_t nvme_default_host(nvme_root_t r);

/**
 * nvme_host_get_ids() - work out host NQN and host identifier
 * @hostnqn_arg: NQN that the user gave, or NULL
 * @hostid_arg:  Identifier that the user gave, or NULL
 * @hostnqn:     Where to store the NQN, to be freed
 * @hostid:      Where to store the identifier, to be freed
 *
 * In this order: the arguments; the first host of @r, which a configuration file may have put
 * there; LIBNVME_HOSTNQN and LIBNVME_HOSTID or /etc/nvme/hostnqn and /etc/nvme/hostid; the UUID
 * at the end of the NQN; the identity of the machine. Nothing is written anywhere.
 *
 * Return: 0, or -1 with errno; nothing is stored then.
 */
int nvme_host_get_ids(nvme_root_t r, char *hostnqn_arg, char *hostid_arg, char **hostnqn,
		      char **hostid);

/**
 * nvme_lookup_host() - find or create a host
 * @hostnqn: Host NQN
 * @hostid:  Host identifier; NULL matches any
 *
 * Return: The host, owned by the tree; NULL with errno EINVAL without @hostnqn, or ENOMEM.
 */
nvme_host_t nvme_lookup_host(nvme_root_t r, const char *hostnqn, const char *hostid);

/**
 * nvme_free_host() - free a host with everything below it
 * @h: Host, or NULL
 */
void nvme_free_host(nvme_host_t h);

/** nvme_host_get_root() - the tree of a host */
nvme_root_t nvme_host_get_root(nvme_host_t h);

/** nvme_host_get_hostnqn() - host NQN */
const char *nvme_host_get_hostnqn(nvme_host_t h);

/** nvme_host_get_hostid() - host identifier, a UUID; NULL if unknown */
const char *nvme_host_get_hostid(nvme_host_t h);

/**
 * nvme_host_get_hostsymname() - symbolic name, sent when registering with a discovery controller
 *
 * Return: A string owned by the host, or NULL if none is set.
 */
const char *nvme_host_get_hostsymname(nvme_host_t h);

/**
 * nvme_host_set_hostsymname() - set the symbolic name
 * @hostsymname: Name, copied; NULL for none
 */
void nvme_host_set_hostsymname(nvme_host_t h, const char *hostsymname);

/**
 * nvme_host_get_dhchap_key() - DH-HMAC-CHAP secret of a host
 *
 * Return: A string owned by the host, or NULL if none is set. The string is secret: do not print
 * it.
 */
const char *nvme_host_get_dhchap_key(nvme_host_t h);

/**
 * nvme_host_set_dhchap_key() - set the DH-HMAC-CHAP secret of a host
 * @key: Secret in the form DHHC-1:..., copied; NULL for none
 */
void nvme_host_set_dhchap_key(nvme_host_t h, const char *key);

/**
 * nvme_host_is_pdc_enabled() - do connections to discovery controllers stay?
 * @fallback: The value if it is not set
 *
 * Return: The value of nvme_host_set_pdc_enabled() or of the configuration file, else @fallback.
 */
bool nvme_host_is_pdc_enabled(nvme_host_t h, bool fallback);

/**
 * nvme_host_set_pdc_enabled() - set whether connections to discovery controllers stay
 * @enabled: true to keep them
 */
void nvme_host_set_pdc_enabled(nvme_host_t h, bool enabled);

/** nvme_host_release_fds() - close all device descriptors below a host */
void nvme_host_release_fds(struct nvme_host *h);

/**
 * nvme_first_subsystem() - the first subsystem of a host
 * @h: Host, or NULL
 *
 * Return: The subsystem, owned by the host, or NULL.
 */
nvme_subsystem_t nvme_first_subsystem(nvme_host_t h);

/**
 * nvme_next_subsystem() - the subsystem after another one
 * @s: Subsystem, or NULL
 *
 * Return: The next subsystem, owned by the host, or NULL after the last one.
 */
nvme_subsystem_t nvme_next_subsystem(nvme_host_t h, nvme_subsystem_t s);

/**
 * nvme_for_each_subsystem() - go through the subsystems of a host
 * @h: Host
 * @s: Cursor: the current element
 */
#define nvme_for_each_subsystem(h, s) \
	for (s = nvme_first_subsystem(h); s != NULL; s = nvme_next_subsystem(h, s))

/**
 * nvme_for_each_subsystem_safe() - the same, allowing @s to be freed in the body
 * @h: Host
 * @s: Cursor: the current element
 * @_s: Second cursor: the element after it
 */
#define nvme_for_each_subsystem_safe(h, s, _s) \
	for (s = nvme_first_subsystem(h), _s = nvme_next_subsystem(h, s); s != NULL; \
	     s = _s, _s = nvme_next_subsystem(h, s))

/**
 * nvme_read_config() - add what a JSON configuration describes to a tree
 * @config_file: File; the schema config.schema.json describes it
 *
 * The top level is an array of hosts, or an object with such an array as "hosts". Hosts, subsystems and
 * ports that are wrong are left out, and the rest is added; a file that is no JSON adds nothing. The file
 * name is kept for nvme_update_config(), which does not write a file that was not added as a whole. What an
 * entry that was left out wanted to protect, by TLS, authentication or digests, is not connected without:
 * connecting it fails with EINVAL.
 *
 * Return: 0, also if the file cannot be read, and errno then has the reason (0 if it was read); -1 with
 * errno ENODEV without @r or @config_file, EPROTO if anything in the file is wrong, ENOMEM.
 * nvme_config_error() has the reason with line and JSON path, nvme_config_problem() all of them.
 */
int nvme_read_config(nvme_root_t r, const char *config_file);

/**
 * nvme_config_error() - why a JSON configuration was not read
 *
 * Return: What the last nvme_read_config() met, as "file:line: path: reason", or NULL if it read
 * the file. The string is owned by the tree and valid until the next call of nvme_read_config().
 */
const char *nvme_config_error(nvme_root_t r);

/**
 * nvme_config_problem() - one thing that is wrong, or probably a mistake, in a JSON configuration
 * @i:       Which one, from 0
 * @refused: Set to whether an entry was left out for it; it is a warning otherwise. May be NULL
 *
 * A file that is no JSON has none: nvme_config_error() has the reason.
 *
 * Return: What the last nvme_read_config() met, as "file:line: path: reason", or NULL if it met fewer. The
 * string is owned by the tree and valid until the next call of nvme_read_config().
 */
const char *nvme_config_problem(nvme_root_t r, size_t i, bool *refused);

/**
 * nvme_host_get_mptcp_config() - the set-up of MPTCP for a host
 *
 * The optional "mptcp" object of the JSON configuration: endpoints and limits of the path manager,
 * and rules that nvme mptcp check ignores. It is kept as it was read, right or wrong;
 * nvme_mptcp_config_read() checks it.
 *
 * Return: The object as JSON text owned by the host, or NULL if the configuration has none.
 */
const char *nvme_host_get_mptcp_config(nvme_host_t h);

/**
 * nvme_host_get_mptcp_ignored() - a rule that nvme mptcp check ignores for a host
 * @i: Which one, from 0
 *
 * Return: Its name, owned by the host, or NULL if the configuration names fewer.
 */
const char *nvme_host_get_mptcp_ignored(nvme_host_t h, size_t i);

/**
 * nvme_memory_failures() - count failed reads, for lack of memory or other reasons
 *
 * A string that is NULL is one that there is not, or one that could not be read: functions
 * that return attributes have no other way to tell. Who shows or writes something as complete reads
 * this before and after.
 *
 * Return: How many times that happened in this process, in any thread. Unless it is 0, errno is why:
 * ENOMEM, EMFILE or ENFILE where too many files were open, or EIO, EACCES or EPERM where an attribute
 * is there and the kernel did not let it be read.
 */
unsigned int nvme_memory_failures(void);

/**
 * nvme_lock_config() - keep other programs from changing a JSON configuration
 * @config_file: File, which need not exist
 *
 * For programs that read a file, change the tree and write the file back: from this call until
 * nvme_update_config() has written the file, or nvme_free_tree(), nvme_lock_config() and
 * nvme_update_config() of others wait. Without it, nvme_update_config() fails with ESTALE where another
 * program has changed the file in between. A tree has one lock: it gives back the one before.
 *
 * Return: 0; -1 with errno: ETIMEDOUT if another program held the lock for 10 s, which
 * nvme_config_error() describes; EINVAL without @r or @config_file; errors of creating the lock file.
 */
int nvme_lock_config(nvme_root_t r, const char *config_file);

/**
 * nvme_update_config() - write changes back to the JSON configuration
 *
 * The file is replaced as a whole, or not at all; it keeps its owner and mode, but gets mode 0600 if
 * it holds secrets. A symbolic link stays one: what it leads to is replaced. In a directory where
 * everybody may write, links and files of other users are refused. Hosts, subsystems and keys of the
 * file that this library knows nothing of are written again as they were read.
 *
 * Return: 0, also if nothing changed or no file was read; -1 with errno: EILSEQ if there is a name in
 * the tree that no configuration can hold, or an error in the file whose content would be lost, ESTALE
 * if another program has changed the file since it was read, ETIMEDOUT if another program had locked it
 * for 10 s, described by nvme_config_error(); ENOMEM, also if the tree may be incomplete for lack of
 * memory; errors of writing a file.
 */
int nvme_update_config(nvme_root_t r);

/**
 * nvme_dump_config() - write the JSON configuration of a tree to standard output
 *
 * Return: 0, or -1 with errno.
 */
int nvme_dump_config(nvme_root_t r);

/** nvme_dump_tree() - write the whole tree as JSON to where the tree logs; 0, or -1 with errno */
int nvme_dump_tree(nvme_root_t r);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_H */
