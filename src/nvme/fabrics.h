/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe over Fabrics from the host's side: options of a connection, connecting, the discovery log,
 * the identity of this host, registration with discovery controllers, URIs and the names of the
 * numbers in a discovery log.
 *
 * The numbers and structures are those of the NVM Express Base Specification 2.0 and its TCP and
 * RDMA transport specifications; what the kernel accepts is in its drivers/nvme/host/fabrics.c.
 */
#ifndef _LIBNVME_FABRICS_H
#define _LIBNVME_FABRICS_H

#include <stdbool.h>
#include <stdint.h>

#include <nvme/tree.h>
#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Default time in seconds during which the kernel tries to reconnect a lost controller. */
#define NVMF_DEF_CTRL_LOSS_TMO 600

/**
 * struct nvme_fabrics_config - options of a connection
 * @host_traddr:	Host's transport address or name to connect from; NULL: any
 * @host_iface:		Host's network interface to connect through; NULL: any
 * @queue_size:		Entries of an I/O queue; 0: the kernel's default
 * @nr_io_queues:	Number of I/O queues; 0: the kernel's default
 * @reconnect_delay:	Seconds between two attempts to reconnect; 0: the kernel's default
 * @ctrl_loss_tmo:	Seconds after which the kernel gives up a lost controller; -1: never
 * @fast_io_fail_tmo:	Seconds after which I/O to a lost controller fails; 0: the kernel's default
 * @keep_alive_tmo:	Keep Alive Timeout in seconds; 0: the kernel's default
 * @nr_write_queues:	Number of additional queues for writing; 0: none
 * @nr_poll_queues:	Number of additional queues for polled I/O; 0: none
 * @tos:		Type of service of the packets, 0 to 255; -1: the kernel's default
 * @keyring:		Serial number of the keyring that holds the TLS key; 0: the default keyring
 * @tls_key:		Serial number of the TLS key; 0: chosen by the kernel
 * @tls_configured_key:	Serial number of the configured TLS key; 0: none
 * @duplicate_connect:	Connect even if the same connection exists
 * @disable_sqflow:	Disable submission queue flow control
 * @hdr_digest:		Protect PDU headers with a digest
 * @data_digest:	Protect PDU data with a digest
 * @tls:		Encrypt with TLS and a pre-shared key
 * @concat:		Encrypt with TLS and a key from DH-HMAC-CHAP authentication
 */
struct nvme_fabrics_config {
	char *host_traddr;
	char *host_iface;
	int queue_size;
	int nr_io_queues;
	int reconnect_delay;
	int ctrl_loss_tmo;
	int fast_io_fail_tmo;
	int keep_alive_tmo;
	int nr_write_queues;
	int nr_poll_queues;
	int tos;
	long keyring;
	long tls_key;
	long tls_configured_key;

	bool duplicate_connect;
	bool disable_sqflow;
	bool hdr_digest;
	bool data_digest;
	bool tls;
	bool concat;
};

/**
 * struct nvme_fabrics_uri - the parts of a parsed URI
 * @scheme:		Scheme, e.g. "nvme"
 * @protocol:		Part of the scheme after "+", e.g. "tcp"; NULL if absent
 * @userinfo:		The part before "@"; NULL if absent
 * @host:		Host name or address, without brackets
 * @port:		Port; 0 if absent
 * @path_segments:	NULL-terminated array; NULL if there is no path
 * @query:		Part after "?"; NULL if absent
 * @fragment:		Part after "#"; NULL if absent
 *
 * All strings are unescaped.
 */
struct nvme_fabrics_uri {
	char *scheme;
	char *protocol;
	char *userinfo;
	char *host;
	int port;
	char **path_segments;
	char *query;
	char *fragment;
};

/**
 * nvmf_trtype_str() - name of a transport type, as on the command line
 * @trtype: Transport type, see &enum nvmf_trtype
 *
 * Return: A static string; "unrecognized" if no transport of the library has this type.
 */
const char *nvmf_trtype_str(__u8 trtype);

/**
 * nvmf_adrfam_str() - name of an address family
 * @adrfam: Address family, see &enum nvmf_addr_family
 *
 * Return: A static string; "unrecognized" if unknown.
 */
const char *nvmf_adrfam_str(__u8 adrfam);

/**
 * nvmf_subtype_str() - name of the subsystem type of a discovery log entry
 * @subtype: Subsystem type, see &enum nvme_subsys_type
 *
 * Return: A static string; "unrecognized" if unknown.
 */
const char *nvmf_subtype_str(__u8 subtype);

/**
 * nvmf_treq_str() - transport requirements of a discovery log entry
 * @treq: Transport requirements, see &enum nvmf_treq
 *
 * Return: A static string; "unrecognized" if reserved bits are set.
 */
const char *nvmf_treq_str(__u8 treq);

/**
 * nvmf_eflags_str() - flags of a discovery log entry
 * @eflags: Entry flags in host byte order, see &enum nvmf_disc_eflags
 *
 * Return: A static string; "unrecognized" if reserved bits are set.
 */
const char *nvmf_eflags_str(__u16 eflags);

/**
 * nvmf_sectype_str() - name of a TCP security type
 * @sectype: Security type, see &enum nvmf_tcp_sectype
 *
 * Return: A static string; "unrecognized" if unknown.
 */
const char *nvmf_sectype_str(__u8 sectype);

/**
 * nvmf_prtype_str() - name of an RDMA provider type
 * @prtype: Provider type, see &enum nvmf_rdma_prtype
 *
 * Return: A static string; "unrecognized" if unknown.
 */
const char *nvmf_prtype_str(__u8 prtype);

/**
 * nvmf_qptype_str() - name of an RDMA queue pair service type
 * @qptype: Queue pair service type, see &enum nvmf_rdma_qptype
 *
 * Return: A static string; "unrecognized" if unknown.
 */
const char *nvmf_qptype_str(__u8 qptype);

/**
 * nvmf_cms_str() - name of an RDMA connection management service
 * @cms: Connection management service, see &enum nvmf_rdma_cms
 *
 * Return: A static string; "unrecognized" if unknown.
 */
const char *nvmf_cms_str(__u8 cms);

/**
 * nvmf_default_config() - fill in the defaults of a connection
 * @cfg: Options to set
 *
 * All options are zero except @cfg->tos (-1) and @cfg->ctrl_loss_tmo (NVMF_DEF_CTRL_LOSS_TMO).
 */
void nvmf_default_config(struct nvme_fabrics_config *cfg);

/**
 * nvmf_update_config() - change options of a controller
 * @cfg: Options; those that differ from their default replace the controller's
 *
 * Strings are copied. An option cannot be set back to its default this way.
 */
void nvmf_update_config(nvme_ctrl_t c, const struct nvme_fabrics_config *cfg);

/**
 * nvmf_add_ctrl() - connect a controller and add it to the tree
 * @h:   Host to connect as
 * @c:   Controller made by nvme_create_ctrl()
 * @cfg: Options; they replace those of @c that are still at their default. NULL: none
 *
 * Options and keys that are then still at their default come from a controller with the same
 * address in the tree, e.g. from a configuration file. A host name in traddr is replaced by its
 * address. Values are checked before anything is written to the kernel; security options that the
 * transport or the kernel does not support are an error. Options that the kernel does not know are
 * omitted with a message, as in libnvme 1.16. On success @h's tree owns @c; otherwise the caller
 * still does.
 *
 * Return: 0, or -1 with errno set to a value of &enum nvme_connect_err, or ENOMEM.
 * nvmf_ctrl_get_connect_error() has the reason as a sentence.
 */
int nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg);

/**
 * nvmf_connect_ctrl() - connect a controller that is in the tree already
 * @c: Controller, e.g. from a configuration file
 *
 * Like nvmf_add_ctrl(), but the options are used unchanged, and the tree does not get the name of
 * the new device.
 *
 * Return: 0, or -1 with errno as nvmf_add_ctrl().
 */
int nvmf_connect_ctrl(nvme_ctrl_t c);

/**
 * nvmf_ctrl_get_connect_error() - why the last attempt to connect a controller failed
 *
 * One sentence for users: the address or option concerned, what errno means, what the kernel logged
 * during the attempt, and what to do. Unprintable characters are escaped, and it contains no
 * secrets. After nvmf_get_discovery_wargs() it describes the error in the log.
 *
 * Return: A string owned by @c, valid until the next attempt; NULL if the last one succeeded or
 * none was made.
 */
const char *nvmf_ctrl_get_connect_error(nvme_ctrl_t c);

/**
 * nvmf_explain_connect() - replace the reason of the last failure to connect
 * @h:   Host that connected
 * @c:   Controller, which need not be in the tree
 * @err: errno that the kernel would return
 *
 * For callers that know more than the kernel, such as the error that a relay received.
 *
 * Return: -1 with errno as nvmf_add_ctrl(); @c and @h get the new sentence.
 */
int nvmf_explain_connect(nvme_host_t h, nvme_ctrl_t c, int err);

/**
 * nvmf_needs_relay() - check whether this host needs a relay for a transport
 * @transport: Name of a transport
 * @tls:       The connection uses TLS
 *
 * Return: true if a relay can replace the transport, and this kernel does not support it, or @tls
 * is set and the kernel has no TLS for it.
 */
bool nvmf_needs_relay(const char *transport, bool tls);

/**
 * nvmf_ctrl_set_relayed() - connect with the transport that a relay uses
 * @c:       Controller that is not connected
 * @relayed: false: use the controller's own transport again
 *
 * For a controller for whose transport nvmf_needs_relay() returns true. nvme_dump_config() still
 * prints that transport.
 *
 * Return: 0, or -1 with errno EINVAL if no relay carries @c's transport, or ENOMEM.
 */
int nvmf_ctrl_set_relayed(nvme_ctrl_t c, bool relayed);

/**
 * nvmf_host_get_connect_error() - why the last attempt to connect from a host failed
 *
 * The same sentence as nvmf_ctrl_get_connect_error(), for nvmf_connect_disc_entry(), which returns
 * no controller when it fails.
 *
 * Return: A string owned by @h, valid until the next attempt; NULL if the last one succeeded or
 * none was made.
 */
const char *nvmf_host_get_connect_error(nvme_host_t h);

/**
 * nvmf_get_discovery_log() - read the discovery log
 * @c:           Connected discovery controller
 * @logp:        Where to store the log, to be freed with free()
 * @max_retries: How often to start over if the log changes meanwhile
 *
 * Like nvmf_get_discovery_wargs() without a log specific parameter.
 *
 * Return: 0, or -1 with errno and *@logp unchanged.
 */
int nvmf_get_discovery_log(nvme_ctrl_t c, struct nvmf_discovery_log **logp, int max_retries);

/**
 * struct nvme_get_discovery_args - arguments of nvmf_get_discovery_wargs()
 * @c:           Connected discovery controller
 * @args_size:   Size of this structure
 * @max_retries: How often to start over if the log changes meanwhile
 * @result:      Where to store dword 0 of the last completion, or NULL
 * @timeout:     Timeout of each command in milliseconds; 0: the kernel's default
 * @lsp:         Log Specific Parameter, see &enum nvmf_log_discovery_lsp
 */
struct nvme_get_discovery_args {
	nvme_ctrl_t c;
	int args_size;
	int max_retries;
	__u32 *result;
	__u32 timeout;
	__u8 lsp;
};

/**
 * nvmf_get_discovery_wargs() - read the discovery log
 * @args: Arguments
 *
 * Reads header, entries and header again (log page 70h, Discovery) until the generation counter is
 * stable. The controller is not trusted: the number of entries is limited, trsvcid, traddr and
 * subnqn are always NUL-terminated, and trailing spaces are removed from trsvcid and traddr.
 *
 * Return: The log with @numrec entries, to be freed with free(), or NULL with errno: EINVAL for a
 * wrong @args_size, EAGAIN if the log kept changing, EBADSLT if its length changed without a new
 * generation, EOVERFLOW if it claims more entries than the library reads (65536), ENOMEM, or the
 * NVMe status as nvme_status_to_errno() maps it.
 */
struct nvmf_discovery_log *nvmf_get_discovery_wargs(struct nvme_get_discovery_args *args);

/**
 * nvmf_connect_disc_entry() - connect to the subsystem of a discovery log entry
 * @h:        Host to connect as
 * @e:        Entry, not trusted
 * @defcfg:   Options of the connection; NULL: the defaults
 * @discover: Set to true if the new controller is a discovery controller, whose log is the next to
 *            read; may be NULL
 *
 * The entry's transport requirements are honoured: it is an error if the entry requires a secure
 * channel and the transport has none. If the entry only permits a secure channel, it is used if
 * transport, kernel and keys permit.
 *
 * Return: The controller, owned by @h's tree, or NULL with errno: EAGAIN for the entry of the
 * discovery subsystem that returned the log, which needs no connection; EINVAL if transport or
 * address family is not supported; otherwise as nvmf_add_ctrl(). nvmf_host_get_connect_error() has
 * the reason as a sentence.
 */
nvme_ctrl_t nvmf_connect_disc_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				    const struct nvme_fabrics_config *defcfg, bool *discover);

/**
 * nvmf_hostnqn_generate() - generate a host NQN for this machine
 *
 * nvmf_hostnqn_generate_from_hostid() of nvmf_hostid_generate().
 *
 * Return: The NQN, to be freed, or NULL with errno.
 */
char *nvmf_hostnqn_generate(void);

/**
 * nvmf_hostnqn_generate_from_hostid() - generate a host NQN from a host identifier
 * @hostid: Host identifier; NULL: generate one
 *
 * Return: "nqn.2014-08.org.nvmexpress:uuid:" and @hostid, to be freed, or NULL with errno.
 */
char *nvmf_hostnqn_generate_from_hostid(char *hostid);

/**
 * nvmf_hostid_generate() - generate a host identifier for this machine
 *
 * Uses the UUID of the machine's firmware (SMBIOS, or the partition's UUID on POWER), which does
 * not change; UUIDs of all zeros or ones are ignored. Without one, or without the privilege to read
 * it, each call returns a new random UUID.
 *
 * Return: The UUID as text, to be freed, or NULL with errno.
 */
char *nvmf_hostid_generate(void);

/**
 * nvmf_hostnqn_from_file() - read this host's NQN
 *
 * The value of LIBNVME_HOSTNQN (empty: none) if set, otherwise the first line of /etc/nvme/hostnqn.
 *
 * Return: The NQN, to be freed, or NULL with errno: ENOENT if the file is missing or empty, EINVAL
 * if it is no valid NQN (a message has the reason).
 */
char *nvmf_hostnqn_from_file(void);

/**
 * nvmf_hostid_from_file() - read this host's identifier
 *
 * The value of LIBNVME_HOSTID (empty: none) if set, otherwise the first line of /etc/nvme/hostid.
 *
 * Return: The UUID as text, to be freed, or NULL with errno: ENOENT if the file is missing or
 * empty, EINVAL if it is no UUID or all zeros (a message has the reason).
 */
char *nvmf_hostid_from_file(void);

/**
 * nvmf_is_registration_supported() - check whether a discovery controller supports registration
 *
 * Return: true if it reports that it is a direct or a central discovery controller.
 */
bool nvmf_is_registration_supported(nvme_ctrl_t c);

/**
 * nvmf_register_ctrl() - register with a discovery controller, or deregister
 * @c:      Connected discovery controller
 * @tas:    Task, see &enum nvmf_dim_tas
 * @result: Where to store dword 0 of the completion, or NULL
 *
 * Sends Discovery Information Management (opcode 21h) with one extended entry for the host of @c.
 *
 * Return: 0; the NVMe status if the controller refused; -1 with errno ENOTSUP if the controller
 * does not support registration, EINVAL if the transport does not, ENOMEM, or the kernel's error.
 */
int nvmf_register_ctrl(nvme_ctrl_t c, enum nvmf_dim_tas tas, __u32 *result);

/**
 * nvme_parse_uri() - parse a URI
 * @str: URI: scheme[+protocol]://[userinfo@]host[:port][/path][?query][#fragment]
 *
 * The subset of RFC 3986 that the NVM Express Boot Specification 1.0 uses. IPv6 addresses are in
 * brackets. Escapes (%41) are decoded; empty path segments are skipped.
 *
 * Return: The parts, to be freed with nvme_free_uri(), or NULL with errno EINVAL or ENOMEM.
 */
struct nvme_fabrics_uri *nvme_parse_uri(const char *str);

/**
 * nvme_free_uri() - free a parsed URI
 * @uri: URI, or NULL
 */
void nvme_free_uri(struct nvme_fabrics_uri *uri);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_FABRICS_H */
