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
 * nvme_create_root() - create an empty tree
 * @fp:        Stream whose descriptor receives the tree's messages; NULL: standard error. The
 *             caller keeps it, and closes it after the tree is freed
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
 * nvme_scan() - create a tree from the kernel's objects and a configuration file
 * @config_file: JSON configuration, or NULL
 *
 * Creates a tree that logs to standard error, scans the topology, then reads the file. Objects that
 * cannot be scanned or read are missing.
 *
 * Return: The tree, to be freed with nvme_free_tree(), or NULL with errno ENOMEM.
 */
nvme_root_t nvme_scan(const char *config_file);

/**
 * nvme_scan_topology() - add the kernel's objects to a tree
 * @r:      Tree; nothing is done for NULL
 * @f:      Filter, or NULL to keep everything
 * @f_args: Last argument of @f
 *
 * Controllers that cannot be read because they disappear meanwhile are skipped. Controllers from a
 * configuration file are completed, not added again. The filter is called for every controller
 * (NULL, c, NULL), every multipath namespace (NULL, NULL, n) and every subsystem (s, NULL, NULL);
 * rejected objects are freed with everything below them.
 *
 * Return: 0, or -1 with errno: ENOENT if no NVMe driver is loaded, ENOMEM, or the error of reading
 * /sys/class/nvme.
 */
int nvme_scan_topology(nvme_root_t r, nvme_scan_filter_t f, void *f_args);

/**
 * nvme_scan_subsystem() - add one subsystem of the kernel to a tree
 * @subsysnqn: NQN
 *
 * Sufficient to find out whether a controller is connected already. Only the NQN of other
 * subsystems is read, and nothing of their controllers, except that the first controller is added,
 * because nvme_host_get_ids() uses the first host of the tree.
 *
 * Return: 0, also if there is no such subsystem; -1 with errno as nvme_scan_topology().
 */
int nvme_scan_subsystem(nvme_root_t r, const char *subsysnqn);

/**
 * nvme_refresh_topology() - clear a tree and scan again
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
 * If a name is set, only subsystems of the same application match, and new ones get this name.
 */
void nvme_root_set_application(nvme_root_t r, const char *a);

/** nvme_root_skip_namespaces() - skip namespaces and paths in later scans */
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
 * nvme_for_each_host() - iterate over the hosts of a tree
 * @r: Tree
 * @h: Cursor: the current element
 */
#define nvme_for_each_host(r, h) for (h = nvme_first_host(r); h != NULL; h = nvme_next_host(r, h))

/**
 * nvme_for_each_host_safe() - iterate, with @h allowed to be freed in the body
 * @r: Tree
 * @h: Cursor: the current element
 * @_h: Second cursor: the element after it
 */
#define nvme_for_each_host_safe(r, h, _h) \
	for (h = nvme_first_host(r), _h = nvme_next_host(r, h); h != NULL; \
	     h = _h, _h = nvme_next_host(r, h))

/**
 * nvme_default_host() - the host object of this machine
 *
 * Its names come from nvme_host_get_ids() without arguments. The symbolic name is cleared.
 *
 * Return: The host, owned by the tree, created if needed; NULL with errno.
 */
nvme_host_t nvme_default_host(nvme_root_t r);

/**
 * nvme_host_get_ids() - determine host NQN and host identifier
 * @hostnqn_arg: NQN that the user gave, or NULL
 * @hostid_arg:  Identifier that the user gave, or NULL
 * @hostnqn:     Where to store the NQN, to be freed
 * @hostid:      Where to store the identifier, to be freed
 *
 * Sources, in this order: the arguments; the first host of @r, e.g. from a configuration file;
 * LIBNVME_HOSTNQN and LIBNVME_HOSTID or /etc/nvme/hostnqn and /etc/nvme/hostid; the UUID at the end
 * of the NQN; the identity of the machine. Nothing is written.
 *
 * Return: 0, or -1 with errno and nothing stored.
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
 * nvme_host_is_pdc_enabled() - whether connections to discovery controllers persist
 * @fallback: The value if it is not set
 *
 * Return: The value of nvme_host_set_pdc_enabled() or of the configuration file, else @fallback.
 */
bool nvme_host_is_pdc_enabled(nvme_host_t h, bool fallback);

/**
 * nvme_host_set_pdc_enabled() - set whether connections to discovery controllers persist
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
 * nvme_for_each_subsystem() - iterate over the subsystems of a host
 * @h: Host
 * @s: Cursor: the current element
 */
#define nvme_for_each_subsystem(h, s) \
	for (s = nvme_first_subsystem(h); s != NULL; s = nvme_next_subsystem(h, s))

/**
 * nvme_for_each_subsystem_safe() - iterate, with @s allowed to be freed in the body
 * @h: Host
 * @s: Cursor: the current element
 * @_s: Second cursor: the element after it
 */
#define nvme_for_each_subsystem_safe(h, s, _s) \
	for (s = nvme_first_subsystem(h), _s = nvme_next_subsystem(h, s); s != NULL; \
	     s = _s, _s = nvme_next_subsystem(h, s))

/**
 * nvme_read_config() - add the objects of a JSON configuration to a tree
 * @config_file: File; the schema config.schema.json describes it
 *
 * The top level is an array of hosts, or an object with such an array as "hosts". Invalid hosts,
 * subsystems and ports are skipped, and the rest is added; a file that is not JSON adds nothing.
 * The file name is kept for nvme_update_config(), which refuses to overwrite a file with skipped
 * entries. If a skipped entry requests TLS, authentication or digests, connecting to its address
 * fails with EINVAL, so that no connection is made without that protection.
 *
 * Return: 0, also if the file cannot be read, when errno has the reason (0 if it was read); -1 with
 * errno ENODEV without @r or @config_file, EPROTO if anything in the file is invalid, ENOMEM.
 * nvme_config_error() returns the first reason with line and JSON path, nvme_config_problem() all
 * of them.
 */
int nvme_read_config(nvme_root_t r, const char *config_file);

/**
 * nvme_config_error() - why a JSON configuration was not read
 *
 * Return: The error of the last nvme_read_config() as "file:line: path: reason", or NULL if it read
 * the file. The string is owned by the tree and valid until the next call of nvme_read_config().
 */
const char *nvme_config_error(nvme_root_t r);

/**
 * nvme_config_problem() - a problem in a JSON configuration
 * @i:       Number, from 0
 * @refused: Set to true if an entry was skipped, to false for a warning. May be NULL
 *
 * A file that is not JSON has none: nvme_config_error() returns the reason.
 *
 * Return: The problem as "file:line: path: reason", or NULL after the last one. The string is owned
 * by the tree and valid until the next call of nvme_read_config().
 */
const char *nvme_config_problem(nvme_root_t r, size_t i, bool *refused);

/**
 * nvme_host_get_mptcp_config() - the MPTCP configuration of a host
 *
 * The optional "mptcp" object of the JSON configuration: endpoints and limits of the path manager,
 * and rules that nvme mptcp check ignores. It is kept unchanged and unchecked;
 * nvme_mptcp_config_read() checks it.
 *
 * Return: The object as JSON text owned by the host, or NULL if the configuration has none.
 */
const char *nvme_host_get_mptcp_config(nvme_host_t h);

/**
 * nvme_host_get_mptcp_ignored() - a rule that nvme mptcp check ignores for a host
 * @i: Number, from 0
 *
 * Return: Its name, owned by the host, or NULL after the last one.
 */
const char *nvme_host_get_mptcp_ignored(nvme_host_t h, size_t i);

/**
 * nvme_memory_failures() - count failed reads, for lack of memory or other reasons
 *
 * A string that is NULL is missing or could not be read: functions that return attributes cannot
 * distinguish these. Callers that present a result as complete compare this count before and after.
 *
 * Return: The number of failures in this process, in any thread. Unless it is 0, errno is the
 * reason of the last one: ENOMEM, EMFILE or ENFILE if too many files were open, or EIO, EACCES or
 * EPERM if the kernel refused to let an existing attribute be read.
 */
unsigned int nvme_memory_failures(void);

/**
 * nvme_lock_config() - lock a JSON configuration against changes by other programs
 * @config_file: File, which need not exist
 *
 * For programs that read a file, change the tree and write the file back: nvme_lock_config() and
 * nvme_update_config() of other programs wait until nvme_update_config() has written the file or
 * nvme_free_tree() is called. Without the lock, nvme_update_config() fails with ESTALE if another
 * program has changed the file in between. A tree holds one lock: a new one releases the previous
 * one.
 *
 * Return: 0; -1 with errno: ETIMEDOUT if another program held the lock for 10 s, which
 * nvme_config_error() describes; EINVAL without @r or @config_file; errors of creating the lock
 * file.
 */
int nvme_lock_config(nvme_root_t r, const char *config_file);

/**
 * nvme_update_config() - write changes back to the JSON configuration
 *
 * The file is replaced atomically; it keeps its owner and mode, but gets mode 0600 if it contains
 * secrets. If it is a symbolic link, the target is replaced. In a world-writable directory, links
 * and files of other users are refused. Hosts, subsystems and keys that this library does not know
 * are written back unchanged.
 *
 * Return: 0, also if nothing changed or no file was read; -1 with errno: EILSEQ if a name in the
 * tree cannot be written to a configuration, or the file has invalid entries that would be lost;
 * ESTALE if another program has changed the file since it was read; ETIMEDOUT if another program
 * held the lock for 10 s (nvme_config_error() describes all of these); ENOMEM, also if the tree may
 * be incomplete; errors of writing a file.
 */
int nvme_update_config(nvme_root_t r);

/**
 * nvme_dump_config() - write the JSON configuration of a tree to standard output
 *
 * Return: 0, or -1 with errno.
 */
int nvme_dump_config(nvme_root_t r);

/** nvme_dump_tree() - write the whole tree as JSON to its log; 0, or -1 with errno */
int nvme_dump_tree(nvme_root_t r);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_H */
