/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Controllers of a tree. Ownership is described in <nvme/tree.h>.
 */
#ifndef _LIBNVME_TREE_CTRL_H
#define _LIBNVME_TREE_CTRL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <nvme/types.h>
#include <nvme/tree/types.h>

struct nvme_fabrics_config;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_create_ctrl() - describe a controller that is to be connected
 * @subsysnqn:   NQN of the subsystem
 * @transport:   Transport, e.g. "tcp" or "mptcp"
 * @traddr:      Transport address or host name; may be NULL if the transport has none
 * @host_traddr: Host's transport address or name, or NULL
 * @host_iface:  Host's network interface, or NULL
 * @trsvcid:     Transport service identifier (port), or NULL
 *
 * Nothing is connected and nothing is looked up in /sys.
 *
 * Return: The controller, to be freed with nvme_free_ctrl() until it is added to a host; NULL
 * with errno EINVAL and a message if something is missing, ENVME_CONNECT_TRADDR if @host_traddr
 * does not resolve, ENOMEM.
 */
nvme_ctrl_t nvme_create_ctrl(nvme_root_t r, const char *subsysnqn, const char *transport,
			     const char *traddr, const char *host_traddr, const char *host_iface,
			     const char *trsvcid);

/**
 * nvme_scan_ctrl() - add one controller of the kernel to a tree
 * @name: Name, e.g. nvme0
 *
 * Reads only the attributes that identify the controller. Host and subsystem are created if needed.
 *
 * Return: The controller, owned by the tree, or NULL with errno: ENXIO if an attribute that
 * identifies it is missing, ENODEV if there is no such controller, ENOMEM.
 */
nvme_ctrl_t nvme_scan_ctrl(nvme_root_t r, const char *name);

/**
 * nvme_lookup_ctrl() - find or create a controller
 * @transport:   Transport, e.g. "tcp" or "mptcp"
 * @traddr:      Transport address
 * @host_traddr: Host's transport address
 * @host_iface:  Host's network interface
 * @trsvcid:     Transport service identifier (port)
 * @p:           Start after this controller; NULL: at the first
 *
 * Matches like nvme_ctrl_find(). Host names are kept and resolved when connecting.
 *
 * Return: The controller, owned by the subsystem; NULL with errno EINVAL without @transport, or
 * ENOMEM.
 */
nvme_ctrl_t nvme_lookup_ctrl(nvme_subsystem_t s, const char *transport, const char *traddr,
			     const char *host_traddr, const char *host_iface, const char *trsvcid,
			     nvme_ctrl_t p);

/**
 * nvme_ctrl_find() - find a controller by its address
 * @transport:   Transport, e.g. "tcp" or "mptcp"
 * @traddr:      Transport address
 * @trsvcid:     Transport service identifier (port)
 * @subsysnqn:   NQN of the subsystem
 * @host_traddr: Host's transport address
 * @host_iface:  Host's network interface
 *
 * The transport defines how addresses are compared. tcp and mptcp compare traddr as IP addresses in
 * any notation, and trsvcid; host_traddr and host_iface, if given, must match the source of the
 * connection (src_addr). rdma compares IP addresses and all others compare strings ignoring case,
 * but only values that both sides have. "none" means not given. The well-known discovery NQN
 * matches any discovery controller.
 *
 * Return: The controller, owned by the subsystem, or NULL.
 */
nvme_ctrl_t nvme_ctrl_find(nvme_subsystem_t s, const char *transport, const char *traddr,
			   const char *trsvcid, const char *subsysnqn, const char *host_traddr,
			   const char *host_iface);

/**
 * nvme_ctrl_config_match() - check whether a controller has this address
 * @transport:   Transport, e.g. "tcp" or "mptcp"
 * @traddr:      Transport address
 * @trsvcid:     Transport service identifier (port)
 * @subsysnqn:   NQN of the subsystem
 * @host_traddr: Host's transport address
 * @host_iface:  Host's network interface
 *
 * Return: true if it has, according to the rules of nvme_ctrl_find().
 */
bool nvme_ctrl_config_match(struct nvme_ctrl *c, const char *transport, const char *traddr,
			    const char *trsvcid, const char *subsysnqn, const char *host_traddr,
			    const char *host_iface);

/**
 * nvme_init_ctrl() - attach a controller of the kernel to a description
 * @h:        Host that gets the controller
 * @c:        Controller, described but not yet connected
 * @instance: Number N of nvmeN
 *
 * The controller becomes part of the tree, below @h.
 *
 * Return: 0, or -1 with errno: ENODEV if nvmeN does not exist, ENVME_CONNECT_INVAL_TR without an
 * address, ENVME_CONNECT_LOOKUP_SUBSYS_NAME and ENVME_CONNECT_LOOKUP_SUBSYS if its subsystem is
 * not found.
 */
int nvme_init_ctrl(nvme_host_t h, nvme_ctrl_t c, int instance);

/**
 * nvme_rescan_ctrl() - read namespaces and paths of a controller again
 *
 * Adds new objects. Existing objects stay valid.
 */
void nvme_rescan_ctrl(nvme_ctrl_t c);

/**
 * nvme_disconnect_ctrl() - disconnect a controller
 *
 * Writes to delete_controller in /sys (drivers/nvme/host/sysfs.c). The controller stays in the
 * tree as a description, without name and keys; its namespaces are freed.
 *
 * Return: 0, or -1 with errno: ENODEV if it is not connected, or the kernel's error.
 */
int nvme_disconnect_ctrl(nvme_ctrl_t c);

/**
 * nvme_unlink_ctrl() - take a controller out of its subsystem
 * @c: Controller, or NULL
 *
 * It then belongs to the caller, who frees it with nvme_free_ctrl().
 */
void nvme_unlink_ctrl(struct nvme_ctrl *c);

/**
 * nvme_free_ctrl() - free a controller with its namespaces and paths
 * @c: Controller, or NULL
 */
void nvme_free_ctrl(struct nvme_ctrl *c);

/**
 * nvme_ctrl_get_subsystem() - the subsystem of a controller
 *
 * Return: The subsystem, or NULL if the controller is in no tree.
 */
nvme_subsystem_t nvme_ctrl_get_subsystem(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_fd() - an open descriptor of the device
 *
 * Return: A descriptor that the controller owns and keeps open; -1 with errno if it cannot be
 * opened.
 */
int nvme_ctrl_get_fd(nvme_ctrl_t c);

/** nvme_ctrl_release_fd() - close the descriptor of the device */
void nvme_ctrl_release_fd(nvme_ctrl_t c);

/**
 * nvme_ctrl_identify() - ask a controller to identify itself
 * @id: Where to store the 4096 bytes of Identify Controller, NVM Express Base Specification 2.1
 *      section 5.1.13.2.1
 *
 * Return: 0, an NVMe status, or -1 with errno.
 */
int nvme_ctrl_identify(nvme_ctrl_t c, struct nvme_id_ctrl *id);

/**
 * nvme_ctrl_get_config() - options of a fabrics connection
 *
 * Return: The options, owned by the controller. They may be changed before it is connected; the
 * strings belong to the controller.
 */
struct nvme_fabrics_config *nvme_ctrl_get_config(nvme_ctrl_t c);

/** nvme_ctrl_get_name() - name, e.g. nvme0; NULL if it is not connected */
const char *nvme_ctrl_get_name(nvme_ctrl_t c);

/** nvme_ctrl_get_sysfs_dir() - directory in /sys; NULL if it is not connected */
const char *nvme_ctrl_get_sysfs_dir(nvme_ctrl_t c);

/** nvme_ctrl_get_subsysnqn() - NQN of the subsystem; NULL if unknown */
const char *nvme_ctrl_get_subsysnqn(nvme_ctrl_t c);

/** nvme_ctrl_get_transport() - transport, e.g. "mptcp" */
const char *nvme_ctrl_get_transport(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_address() - address in the kernel's format
 *
 * Return: A string owned by the controller, e.g.
 * "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.2"; "" if the kernel has none.
 */
const char *nvme_ctrl_get_address(nvme_ctrl_t c);

/** nvme_ctrl_get_traddr() - transport address; NULL if it has none */
const char *nvme_ctrl_get_traddr(nvme_ctrl_t c);

/** nvme_ctrl_get_trsvcid() - transport service identifier (port); NULL if it has none */
const char *nvme_ctrl_get_trsvcid(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_trsvcid() - set the port of a controller that is to be connected
 * @c:       Controller, not connected
 * @trsvcid: Transport service identifier, copied; NULL: the transport's default when connecting
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int nvme_ctrl_set_trsvcid(nvme_ctrl_t c, const char *trsvcid);

/**
 * nvme_ctrl_get_host_traddr() - host's transport address that was requested for connecting
 *
 * Return: A string owned by the controller, or NULL if none was requested.
 */
const char *nvme_ctrl_get_host_traddr(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_host_iface() - host's network interface that was requested for connecting
 *
 * Return: A string owned by the controller, or NULL if none was requested.
 */
const char *nvme_ctrl_get_host_iface(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_src_addr() - address that the connection starts from
 * @src_addr:     Buffer for the address, without zone
 * @src_addr_len: Its size in bytes
 *
 * Return: @src_addr, or NULL if the kernel does not report it or the buffer is too small.
 */
char *nvme_ctrl_get_src_addr(nvme_ctrl_t c, char *src_addr, size_t src_addr_len);

/**
 * nvme_ctrl_get_state() - state, read from the kernel on each call
 *
 * Return: A string owned by the controller, or NULL if the kernel does not report it. E.g. "live",
 * "connecting", "deleting". The next call replaces the string.
 */
const char *nvme_ctrl_get_state(nvme_ctrl_t c);

/** nvme_ctrl_get_firmware() - firmware revision; NULL if the kernel does not report it */
const char *nvme_ctrl_get_firmware(nvme_ctrl_t c);

/** nvme_ctrl_get_model() - model number; NULL if the kernel does not report it */
const char *nvme_ctrl_get_model(nvme_ctrl_t c);

/** nvme_ctrl_get_serial() - serial number; NULL if the kernel does not report it */
const char *nvme_ctrl_get_serial(nvme_ctrl_t c);

/** nvme_ctrl_get_numa_node() - NUMA node, -1 for none; NULL if the kernel does not report it */
const char *nvme_ctrl_get_numa_node(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_queue_count() - number of queues, the admin queue included
 *
 * Return: A string owned by the controller, or NULL if the kernel does not report it.
 */
const char *nvme_ctrl_get_queue_count(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_sqsize() - entries of a submission queue, minus one
 *
 * Return: A string owned by the controller, or NULL if the kernel does not report it.
 */
const char *nvme_ctrl_get_sqsize(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_cntlid() - controller identifier, decimal
 *
 * Return: A string owned by the controller, or NULL if the kernel does not report it.
 */
const char *nvme_ctrl_get_cntlid(nvme_ctrl_t c);

/** nvme_ctrl_get_phy_slot() - PCI slot; "" if it is in none */
const char *nvme_ctrl_get_phy_slot(nvme_ctrl_t c);

/**
 * nvme_ctrl_get_dhchap_host_key() - host's DH-HMAC-CHAP secret for this controller
 *
 * Return: A string owned by the controller, or NULL if none is set. The string is secret: do not
 * print it.
 */
const char *nvme_ctrl_get_dhchap_host_key(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_dhchap_host_key() - set the host's DH-HMAC-CHAP secret for this controller
 * @key: Secret in the form DHHC-1:..., copied; NULL for none
 */
void nvme_ctrl_set_dhchap_host_key(nvme_ctrl_t c, const char *key);

/**
 * nvme_ctrl_get_dhchap_key() - controller's DH-HMAC-CHAP secret
 *
 * Return: A string owned by the controller, or NULL if none is set. The string is secret: do not
 * print it.
 */
const char *nvme_ctrl_get_dhchap_key(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_dhchap_key() - set the controller's DH-HMAC-CHAP secret
 * @key: Secret in the form DHHC-1:..., copied; NULL for none
 */
void nvme_ctrl_set_dhchap_key(nvme_ctrl_t c, const char *key);

/** nvme_ctrl_get_keyring() - keyring that holds the TLS key; NULL if none is set */
const char *nvme_ctrl_get_keyring(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_keyring() - set the keyring that holds the TLS key
 * @keyring: Name or serial number, copied; NULL for none
 */
void nvme_ctrl_set_keyring(nvme_ctrl_t c, const char *keyring);

/** nvme_ctrl_get_tls_key_identity() - identity of the TLS key; NULL if none is set */
const char *nvme_ctrl_get_tls_key_identity(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_tls_key_identity() - set the identity of the TLS key
 * @identity: Identity, copied; NULL for none
 */
void nvme_ctrl_set_tls_key_identity(nvme_ctrl_t c, const char *identity);

/**
 * nvme_ctrl_get_tls_key() - TLS key that was set; the kernel's is in nvme_ctrl_get_config()
 *
 * Return: A string owned by the controller, or NULL if none is set. The string may be secret: do
 * not print it.
 */
const char *nvme_ctrl_get_tls_key(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_tls_key() - set the TLS key
 * @key: Key in interchange form (NVMeTLSkey-1:...) or serial number, copied; NULL for none
 */
void nvme_ctrl_set_tls_key(nvme_ctrl_t c, const char *key);

/**
 * nvme_ctrl_is_discovered() - whether a program has read its discovery log
 *
 * Return: The value of nvme_ctrl_set_discovered().
 */
bool nvme_ctrl_is_discovered(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_discovered() - record that a program has read the discovery log of a controller
 * @discovered: true if it has
 */
void nvme_ctrl_set_discovered(nvme_ctrl_t c, bool discovered);

/**
 * nvme_ctrl_is_persistent() - whether the connection remains when its program ends
 *
 * Return: The value of nvme_ctrl_set_persistent().
 */
bool nvme_ctrl_is_persistent(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_persistent() - set whether the connection remains when the program ends
 * @persistent: true to keep it
 */
void nvme_ctrl_set_persistent(nvme_ctrl_t c, bool persistent);

/**
 * nvme_ctrl_is_discovery_ctrl() - check for a discovery controller
 *
 * Return: true if the kernel reports that it is one, or nvme_ctrl_set_discovery_ctrl() has
 * set it.
 */
bool nvme_ctrl_is_discovery_ctrl(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_discovery_ctrl() - mark a controller as a discovery controller
 * @discovery: true if it is
 */
void nvme_ctrl_set_discovery_ctrl(nvme_ctrl_t c, bool discovery);

/**
 * nvme_ctrl_is_unique_discovery_ctrl() - whether it is a discovery controller with a unique NQN
 *
 * Return: The value of nvme_ctrl_set_unique_discovery_ctrl().
 */
bool nvme_ctrl_is_unique_discovery_ctrl(nvme_ctrl_t c);

/**
 * nvme_ctrl_set_unique_discovery_ctrl() - set whether a discovery controller has a unique NQN
 * @unique: true if it has
 */
void nvme_ctrl_set_unique_discovery_ctrl(nvme_ctrl_t c, bool unique);

/**
 * nvme_ctrl_first_ns() - the first namespace that only this controller has
 * @c: Controller, or NULL
 *
 * Return: The namespace, owned by the controller, or NULL.
 */
nvme_ns_t nvme_ctrl_first_ns(nvme_ctrl_t c);

/**
 * nvme_ctrl_next_ns() - the namespace after another one
 * @n: Namespace, or NULL
 *
 * Return: The next namespace, owned by the controller, or NULL after the last one.
 */
nvme_ns_t nvme_ctrl_next_ns(nvme_ctrl_t c, nvme_ns_t n);

/**
 * nvme_ctrl_for_each_ns() - iterate over the namespaces that only this controller has
 * @c: Controller
 * @n: Cursor: the current element
 */
#define nvme_ctrl_for_each_ns(c, n) \
	for (n = nvme_ctrl_first_ns(c); n != NULL; n = nvme_ctrl_next_ns(c, n))

/**
 * nvme_ctrl_for_each_ns_safe() - iterate, with @n allowed to be freed in the body
 * @c: Controller
 * @n: Cursor: the current element
 * @_n: Second cursor: the element after it
 */
#define nvme_ctrl_for_each_ns_safe(c, n, _n) \
	for (n = nvme_ctrl_first_ns(c), _n = nvme_ctrl_next_ns(c, n); n != NULL; \
	     n = _n, _n = nvme_ctrl_next_ns(c, n))

/**
 * nvme_ctrl_first_path() - the first path of a controller
 * @c: Controller, or NULL
 *
 * Return: The path, owned by the controller, or NULL.
 */
nvme_path_t nvme_ctrl_first_path(nvme_ctrl_t c);

/**
 * nvme_ctrl_next_path() - the path after another one
 * @p: Path, or NULL
 *
 * Return: The next path, owned by the controller, or NULL after the last one.
 */
nvme_path_t nvme_ctrl_next_path(nvme_ctrl_t c, nvme_path_t p);

/**
 * nvme_ctrl_for_each_path() - iterate over the paths of a controller
 * @c: Controller
 * @p: Cursor: the current element
 */
#define nvme_ctrl_for_each_path(c, p) \
	for (p = nvme_ctrl_first_path(c); p != NULL; p = nvme_ctrl_next_path(c, p))

/**
 * nvme_ctrl_for_each_path_safe() - iterate, with @p allowed to be freed in the body
 * @c: Controller
 * @p: Cursor: the current element
 * @_p: Second cursor: the element after it
 */
#define nvme_ctrl_for_each_path_safe(c, p, _p) \
	for (p = nvme_ctrl_first_path(c), _p = nvme_ctrl_next_path(c, p); p != NULL; \
	     p = _p, _p = nvme_ctrl_next_path(c, p))

/**
 * nvme_get_ctrl_attr() - read an attribute of a controller from /sys
 * @attr: Name of the attribute
 *
 * Return: The value, to be freed, or NULL with errno; see nvme_get_attr().
 */
char *nvme_get_ctrl_attr(nvme_ctrl_t c, const char *attr);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_TREE_CTRL_H */
