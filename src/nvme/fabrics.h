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

/* Seconds that the kernel tries to get a lost controller back, unless given another time. */
#define NVMF_DEF_CTRL_LOSS_TMO 600

/**
 * struct nvme_fabrics_config - options of a connection
 * @host_traddr:	Host's transport address or name to connect from; NULL: any
 * @host_iface:		Host's network interface to connect through; NULL: any
 * @queue_size:		Entries of an I/O queue; 0: the kernel's default
 * @nr_io_queues:	Number of I/O queues; 0: the kernel's default
 * @reconnect_delay:	Seconds between two attempts to reconnect; 0: the kernel's default
 * @ctrl_loss_tmo:	Seconds after which a lost controller is given up; -1: never
 * @fast_io_fail_tmo:	Seconds after which I/O to a lost controller fails; 0: the kernel's default
 * @keep_alive_tmo:	Keep Alive Timeout in seconds; 0: the kernel's default
 * @nr_write_queues:	Number of additional queues for writing; 0: none
 * @nr_poll_queues:	Number of additional queues for polled I/O; 0: none
 * @tos:		Type of service of the connections' packets, 0 to 255; -1: the kernel's default
 * @keyring:		Serial number of the keyring that holds the TLS key; 0: the default keyring
 * @tls_key:		Serial number of the TLS key; 0: chosen by the kernel
 * @tls_configured_key:	Serial number of the configured TLS key; 0: none
 * @duplicate_connect:	Connect even if the same connection exists
 * @disable_sqflow:	Do without submission queue flow control
 * @hdr_digest:		Protect PDU headers with a digest
 * @data_digest:	Protect PDU data with a digest
 * @tls:		Encrypt with TLS and a pre-shared key
 * @concat:		Encrypt with TLS and a key that DH-HMAC-CHAP makes
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
 * @protocol:		What follows the scheme after a "+", e.g. "tcp"; NULL if absent
 * @userinfo:		The part before "@"; NULL if absent
 * @host:		Host name or address, without brackets
 * @port:		Port; 0 if absent
 * @path_segments:	NULL-terminated array; NULL if there is no path
 * @query:		What follows "?"; NULL if absent
 * @fragment:		What follows "#"; NULL if absent
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
 * nvmf_subtype_str() - what a discovery log entry refers to
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
 * All zero but @cfg->tos (-1) and @cfg->ctrl_loss_tmo (NVMF_DEF_CTRL_LOSS_TMO).
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
 * @cfg: Options for those that @c still has at their default; NULL: none
 *
 * What is then still at its default comes from a controller with the same address that the tree
 * knows, e.g. from a configuration file, with its keys. A host name in traddr is replaced by its
 * address. The values are checked before anything is written to the kernel; security that the
 * transport or the kernel does not offer is an error. Options that the kernel does not know are
 * left out with a message, as in libnvme 1.16. On success @h's tree owns @c; otherwise the caller
 * does still.
 *
 * Return: 0, or -1 with errno set to a value of &enum nvme_connect_err, or ENOMEM.
 * nvmf_ctrl_get_connect_error() has the reason as a sentence.
 */
int nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg);

/**
 * nvmf_connect_ctrl() - connect a controller that is in the tree already
 * @c: Controller, e.g. from a configuration file
 *
 * As nvmf_add_ctrl(), but the options are used unchanged, and the tree does not learn the name
 * of the new device.
 *
 * Return: 0, or -1 with errno as nvmf_add_ctrl().
 */
int nvmf_connect_ctrl(nvme_ctrl_t c);

/**
 * nvmf_ctrl_get_connect_error() - why the last attempt to connect a controller failed
 *
 * One sentence for a person: the address or option concerned, what errno means, what the kernel
 * logged while it tried, and a way out. Everything unprintable in it is escaped, and it holds no
 * secrets. Likewise after nvmf_get_discovery_wargs(): what is wrong with the log.
 *
 * Return: A string owned by @c, valid until the next attempt; NULL if the last one succeeded or
 * none was made.
 */
const char *nvmf_ctrl_get_connect_error(nvme_ctrl_t c);

/**
 * nvmf_explain_connect() - give the last failure to connect another reason
 * @h:   Host that connected
 * @c:   Controller, which need not be in the tree
 * @err: errno, as the kernel would have it
 *
 * For callers that know more than the kernel did, such as what a relay was answered.
 *
 * Return: -1 with errno as nvmf_add_ctrl(), with the sentence for @c and @h.
 */
int nvmf_explain_connect(nvme_host_t h, nvme_ctrl_t c, int err);

/**
 * nvmf_needs_relay() - is it a relay that connects over this transport?
 * @transport: Name of a transport
 * @tls:       The connection is to be encrypted by TLS
 *
 * Return: true if a relay can carry another transport over it, and this kernel does not have it, or
 * has no TLS for it.
 */
bool nvmf_needs_relay(const char *transport, bool tls);

/**
 * nvmf_ctrl_set_relayed() - connect with the transport that a relay takes
 * @c:       Controller that is not connected
 * @relayed: false: with its own transport again
 *
 * For a controller with a transport that nvmf_needs_relay(). The configuration that
 * nvme_dump_config() prints keeps that transport.
 *
 * Return: 0, or -1 with errno EINVAL if no relay carries @c's transport, or ENOMEM.
 */
int nvmf_ctrl_set_relayed(nvme_ctrl_t c, bool relayed);

/**
 * nvmf_host_get_connect_error() - why the last attempt to connect from a host failed
 *
 * The same sentence as nvmf_ctrl_get_connect_error(), for nvmf_connect_disc_entry(), which leaves
 * no controller behind when it fails.
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
 * As nvmf_get_discovery_wargs() without a log specific parameter.
 *
 * Return: 0, or -1 with errno; *@logp is untouched then.
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
 * Reads header, entries and header again (log page 70h, Discovery) until the generation counter
 * is stable. The controller is not trusted: the number of entries is capped, and in each entry
 * trsvcid, traddr and subnqn end in a NUL whatever was sent; spaces at the end of trsvcid and
 * traddr are removed.
 *
 * Return: The log with @numrec entries, to be freed with free(), or NULL with errno: EINVAL for a
 * wrong @args_size, EAGAIN if the log kept changing, EBADSLT if its length changed without a new
 * generation, EOVERFLOW if it claims more entries than the library reads (65536), ENOMEM, or the
 * NVMe status as nvme_status_to_errno() maps it.
 */
struct nvmf_discovery_log *nvmf_get_discovery_wargs(struct nvme_get_discovery_args *args);

/**
 * nvmf_connect_disc_entry() - connect what a discovery log entry refers to
 * @h:        Host to connect as
 * @e:        Entry, not trusted
 * @defcfg:   Options of the connection; NULL: the defaults
 * @discover: Set to true if the new controller is a discovery controller, whose log is to be read
 *            next; may be NULL
 *
 * The entry's transport requirements are honoured: an entry that requires a secure channel over a
 * transport that has none is an error. Where the entry merely allows one, it is used if transport,
 * kernel and keys permit.
 *
 * Return: The controller, owned by @h's tree, or NULL with errno: EAGAIN for the entry of the
 * discovery subsystem that the log came from, which needs no connection; EINVAL if transport or
 * address family cannot be connected; else as nvmf_add_ctrl(). nvmf_host_get_connect_error() has
 * the reason as a sentence.
 */
nvme_ctrl_t nvmf_connect_disc_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				    const struct nvme_fabrics_config *defcfg, bool *discover);

/**
 * nvmf_hostnqn_generate() - make a host NQN for this machine
 *
 * nvmf_hostnqn_generate_from_hostid() of nvmf_hostid_generate().
 *
 * Return: The NQN, to be freed, or NULL with errno.
 */
char *nvmf_hostnqn_generate(void);

/**
 * nvmf_hostnqn_generate_from_hostid() - make a host NQN of a host identifier
 * @hostid: Host identifier, or NULL to have one generated
 *
 * Return: "nqn.2014-08.org.nvmexpress:uuid:" and @hostid, to be freed, or NULL with errno.
 */
char *nvmf_hostnqn_generate_from_hostid(char *hostid);

/**
 * nvmf_hostid_generate() - make a host identifier for this machine
 *
 * From the UUID of the machine's firmware (SMBIOS or, on POWER, the partition's), so that it stays
 * the same; UUIDs of all zeros or ones are no identity. Without one, or without the privilege to
 * read it, a random UUID is made, which is another one every time.
 *
 * Return: The UUID as text, to be freed, or NULL with errno.
 */
char *nvmf_hostid_generate(void);

/**
 * nvmf_hostnqn_from_file() - read this host's NQN
 *
 * The value of LIBNVME_HOSTNQN (empty: none), else the first line of /etc/nvme/hostnqn.
 *
 * Return: The NQN, to be freed, or NULL with errno: ENOENT if there is no file or nothing in it,
 * EINVAL if it cannot be an NQN (a message has the reason).
 */
char *nvmf_hostnqn_from_file(void);

/**
 * nvmf_hostid_from_file() - read this host's identifier
 *
 * The value of LIBNVME_HOSTID (empty: none), else the first line of /etc/nvme/hostid.
 *
 * Return: The UUID as text, to be freed, or NULL with errno: ENOENT if there is no file or nothing
 * in it, EINVAL if it is no UUID or all zeros (a message has the reason).
 */
char *nvmf_hostid_from_file(void);

/**
 * nvmf_is_registration_supported() - can a host register with this discovery controller?
 *
 * Return: true if it reports itself a direct or a central discovery controller.
 */
bool nvmf_is_registration_supported(nvme_ctrl_t c);

/**
 * nvmf_register_ctrl() - register with a discovery controller, or take that back
 * @c:      Connected discovery controller
 * @tas:    Task, see &enum nvmf_dim_tas
 * @result: Where to store dword 0 of the completion, or NULL
 *
 * Sends Discovery Information Management (opcode 21h) with one extended entry for the host of @c.
 *
 * Return: 0; the NVMe status if the controller refused; -1 with errno ENOTSUP if the controller
 * takes no registrations, EINVAL if the transport has none, ENOMEM, or the kernel's error.
 */
int nvmf_register_ctrl(nvme_ctrl_t c, enum nvmf_dim_tas tas, __u32 *result);

/**
 * nvme_parse_uri() - take a URI apart
 * @str: URI: scheme[+protocol]://[userinfo@]host[:port][/path][?query][#fragment]
 *
 * The form of RFC 3986 that the NVM Express Boot Specification 1.0 uses. An IPv6 address is in
 * brackets. Escapes (%41) are resolved; empty path segments are left out.
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
