/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a connection, one row each. The names for the kernel, JSON, Python, C and the
 * command line, the type, range and transports of an option are all defined in its row.
 *
 * The names are those of drivers/nvme/host/fabrics.c in Linux, the members those of libnvme 1.16.
 */
#ifndef NVME_OPTIONS_H
#define NVME_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <nvme/fabrics.h>
#include <nvme/transport.h>
#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvmf_option_rule - how the library treats an option
 * @NVMF_OPTION_GUARDS: Protects the connection: an error if the kernel does not know it
 * @NVMF_OPTION_TUNES:  Tuning: omitted without a message if the kernel does not know it
 * @NVMF_OPTION_FITS:   Omitted, instead of refused, if the transport does not support it
 * @NVMF_OPTION_IO:     Only for controllers with I/O queues: omitted for discovery controllers
 * @NVMF_OPTION_SECRET: Its value is never shown
 * @NVMF_OPTION_LOCAL:  Not for the kernel: used by the library itself
 * @NVMF_OPTION_PORT:   A port number if the transport has ports
 * @NVMF_OPTION_UUID:   A UUID
 */
enum nvmf_option_rule {
	NVMF_OPTION_GUARDS = 1 << 0,
	NVMF_OPTION_TUNES = 1 << 1,
	NVMF_OPTION_FITS = 1 << 2,
	NVMF_OPTION_IO = 1 << 3,
	NVMF_OPTION_SECRET = 1 << 4,
	NVMF_OPTION_LOCAL = 1 << 5,
	NVMF_OPTION_PORT = 1 << 6,
	NVMF_OPTION_UUID = 1 << 7,
};

/**
 * enum nvmf_option_fault - errors in option values
 * @NVMF_FAULT_NONE:	   Nothing
 * @NVMF_FAULT_EMPTY:	   It is empty
 * @NVMF_FAULT_LONG:	   It is longer than its row permits
 * @NVMF_FAULT_COMMA:	   A comma would start another option of the kernel
 * @NVMF_FAULT_CONTROL:	   It contains a control character
 * @NVMF_FAULT_UNPRINTABLE: It is not UTF-8, or contains unprintable characters
 * @NVMF_FAULT_PORT:	   It is no port number
 * @NVMF_FAULT_UUID:	   It is no UUID
 * @NVMF_FAULT_BELOW:	   The number is below the range of its row
 * @NVMF_FAULT_ABOVE:	   The number is above the range of its row
 * @NVMF_FAULT_MISSING:	   It is not set, and the transport requires it
 * @NVMF_FAULT_UNKNOWN:	   No such option, or no such transport
 * @NVMF_FAULT_NO_FABRIC:  The transport is not a fabric
 * @NVMF_FAULT_EXCLUDES:   TLS with a pre-shared key and TLS with authentication exclude each other
 */
enum nvmf_option_fault {
	NVMF_FAULT_NONE,
	NVMF_FAULT_EMPTY,
	NVMF_FAULT_LONG,
	NVMF_FAULT_COMMA,
	NVMF_FAULT_CONTROL,
	NVMF_FAULT_UNPRINTABLE,
	NVMF_FAULT_PORT,
	NVMF_FAULT_UUID,
	NVMF_FAULT_BELOW,
	NVMF_FAULT_ABOVE,
	NVMF_FAULT_MISSING,
	NVMF_FAULT_UNKNOWN,
	NVMF_FAULT_NO_FABRIC,
	NVMF_FAULT_EXCLUDES,
};

/* clang-format off */
/*
 * The rows, in the order of the line for the kernel. Each row calls one of six macros:
 *
 * NAMED(ID, name): an option that the library knows by name only and never sets from a field.
 *
 * TEXT(ID, name, json, owner, member, longest, traits, rules, argument, letter, meta, help): text
 * of at most @longest bytes. @owner is where @member is: HOST or CTRL, set by functions of their
 * own; PEER, like CTRL, but specific to one controller, so that commands that connect several
 * controllers do not accept it; CFG, in struct nvme_fabrics_config; OWN, in struct nvmf_options,
 * declared by this row.
 *
 * KEY(ID, name, longest, traits, rules, argument, letter, meta, help): a key or keyring, as text in
 * the controller or as a serial number in struct nvme_fabrics_config.
 *
 * NUMBER(ID, name, owner, least, most, standard, unset, traits, rules, argument, letter, meta,
 * help): a number from @least to @most with default @standard; values up to @unset are not written,
 * so that the kernel decides. @owner: CFG or OWN.
 *
 * FLAG(ID, name, owner, traits, rules, argument, letter, help): @owner: CFG or OWN.
 *
 * MARK(ID, name, member, rules, help): a flag that a function of the controller sets.
 *
 * json: the key of a port in config.json; NULL: none. Except for TEXT it is the name.
 * argument, letter: the option on the command line; letter 0: none.
 * help: a few words; @transports@ is replaced by nvmf_transport_names().
 */
#define NVMF_OPTIONS(NAMED, TEXT, KEY, NUMBER, FLAG, MARK) \
	NAMED(INSTANCE, instance) \
	NAMED(CNTLID, cntlid) \
	TEXT(NQN, nqn, NULL, CTRL, subsysnqn, NVMF_NQN_SIZE, 0, 0, \
	     "nqn", 'n', "NQN", "NQN of the subsystem") \
	TEXT(TRANSPORT, transport, "transport", CTRL, transport_name, 31, 0, 0, \
	     "transport", 't', "NAME", "@transports@") \
	TEXT(TRADDR, traddr, "traddr", CTRL, traddr, NVMF_TRADDR_SIZE - 1, 0, 0, \
	     "traddr", 'a', "ADDR", "transport address: IP address or name") \
	TEXT(HOST_TRADDR, host_traddr, "host_traddr", CFG, host_traddr, NVMF_TRADDR_SIZE - 1, \
	     NVMF_TRANSPORT_HOST_TRADDR, 0, \
	     "host-traddr", 'w', "ADDR", "connect from this address") \
	TEXT(HOST_IFACE, host_iface, "host_iface", CFG, host_iface, 15, \
	     NVMF_TRANSPORT_HOST_IFACE, 0, \
	     "host-iface", 'f', "LINK", "connect through this interface") \
	TEXT(TRSVCID, trsvcid, "trsvcid", CTRL, trsvcid, NVMF_TRSVCID_SIZE - 1, \
	     NVMF_TRANSPORT_TRSVCID, NVMF_OPTION_PORT, \
	     "trsvcid", 's', "PORT", "transport service id: the port") \
	TEXT(HOSTNQN, hostnqn, NULL, HOST, hostnqn, NVMF_NQN_SIZE, 0, 0, \
	     "hostnqn", 'q', "NQN", "NQN of this host") \
	TEXT(HOSTID, hostid, NULL, HOST, hostid, NVME_UUID_LEN_STRING - 1, 0, NVMF_OPTION_UUID, \
	     "hostid", 'I', "UUID", "identifier of this host") \
	MARK(PERSISTENT, persistent, persistent, NVMF_OPTION_LOCAL, \
	     "keep the connection to a discovery controller") \
	MARK(DISCOVERY, discovery, discovery_ctrl, NVMF_OPTION_TUNES, \
	     "this is a discovery controller") \
	TEXT(DHCHAP_SECRET, dhchap_secret, "dhchap_key", CTRL, dhchap_key, 255, 0, \
	     NVMF_OPTION_GUARDS | NVMF_OPTION_IO | NVMF_OPTION_SECRET, \
	     "dhchap-secret", 'S', "KEY", "host's DH-HMAC-CHAP key") \
	TEXT(DHCHAP_CTRL_SECRET, dhchap_ctrl_secret, "dhchap_ctrl_key", PEER, dhchap_ctrl_key, 255, 0, \
	     NVMF_OPTION_GUARDS | NVMF_OPTION_IO | NVMF_OPTION_SECRET, \
	     "dhchap-ctrl-secret", 'C', "KEY", "controller's DH-HMAC-CHAP key") \
	NUMBER(NR_IO_QUEUES, nr_io_queues, CFG, 0, 65535, 0, 0, 0, NVMF_OPTION_TUNES | NVMF_OPTION_IO, \
	       "nr-io-queues", 'i', "N", "number of I/O queues") \
	NUMBER(NR_WRITE_QUEUES, nr_write_queues, CFG, 0, 65535, 0, 0, 0, \
	       NVMF_OPTION_TUNES | NVMF_OPTION_IO, \
	       "nr-write-queues", 'W', "N", "additional queues for writing") \
	NUMBER(NR_POLL_QUEUES, nr_poll_queues, CFG, 0, 65535, 0, 0, 0, \
	       NVMF_OPTION_TUNES | NVMF_OPTION_IO, \
	       "nr-poll-queues", 'P', "N", "additional queues for polled I/O") \
	NUMBER(QUEUE_SIZE, queue_size, CFG, 0, 65536, 0, 0, 0, NVMF_OPTION_TUNES | NVMF_OPTION_IO, \
	       "queue-size", 'Q', "N", "entries per I/O queue") \
	NUMBER(KEEP_ALIVE_TMO, keep_alive_tmo, CFG, 0, INT_MAX, 0, 0, 0, NVMF_OPTION_TUNES, \
	       "keep-alive-tmo", 'k', "SEC", "keep alive timeout") \
	NUMBER(RECONNECT_DELAY, reconnect_delay, CFG, 0, INT_MAX, 0, 0, 0, NVMF_OPTION_TUNES, \
	       "reconnect-delay", 'c', "SEC", "time between attempts to reconnect") \
	NUMBER(CTRL_LOSS_TMO, ctrl_loss_tmo, CFG, -1, INT_MAX, NVMF_DEF_CTRL_LOSS_TMO, -2, \
	       NVMF_TRANSPORT_LOSS_TMO, NVMF_OPTION_TUNES | NVMF_OPTION_FITS, \
	       "ctrl-loss-tmo", 'l', "SEC", "remove a lost controller after this time; -1: never") \
	NUMBER(FAST_IO_FAIL_TMO, fast_io_fail_tmo, CFG, -1, INT_MAX, 0, 0, \
	       NVMF_TRANSPORT_LOSS_TMO, NVMF_OPTION_TUNES | NVMF_OPTION_FITS, \
	       "fast_io_fail_tmo", 'F', "SEC", "fail I/O to a lost controller after this time") \
	NUMBER(TOS, tos, CFG, -1, 255, -1, -1, NVMF_TRANSPORT_TOS, \
	       NVMF_OPTION_TUNES | NVMF_OPTION_FITS, \
	       "tos", 'T', "N", "type of service of the packets") \
	NAMED(TCLASS, tclass) \
	KEY(KEYRING, keyring, 255, NVMF_TRANSPORT_TLS, NVMF_OPTION_GUARDS, \
	    "keyring", 0, "NAME", "keyring of the TLS key") \
	TEXT(TLS_KEY_IDENTITY, tls_key_identity, "tls_key_identity", CTRL, tls_key_identity, 1023, \
	     0, NVMF_OPTION_LOCAL, \
	     "tls-key-identity", 0, "ID", "identity of the TLS key") \
	KEY(TLS_KEY, tls_key, 255, NVMF_TRANSPORT_TLS, NVMF_OPTION_GUARDS | NVMF_OPTION_SECRET, \
	    "tls-key", 0, "KEY", "TLS key, or its serial number") \
	FLAG(DUPLICATE_CONNECT, duplicate_connect, CFG, 0, NVMF_OPTION_TUNES, \
	     "duplicate-connect", 'D', "connect even if the same connection exists") \
	FLAG(DISABLE_SQFLOW, disable_sqflow, CFG, 0, NVMF_OPTION_TUNES, \
	     "disable-sqflow", 0, "disable submission queue flow control") \
	FLAG(HDR_DIGEST, hdr_digest, CFG, NVMF_TRANSPORT_DIGESTS, NVMF_OPTION_GUARDS, \
	     "hdr-digest", 'g', "protect PDU headers") \
	FLAG(DATA_DIGEST, data_digest, CFG, NVMF_TRANSPORT_DIGESTS, NVMF_OPTION_GUARDS, \
	     "data-digest", 'G', "protect PDU data") \
	FLAG(TLS, tls, CFG, NVMF_TRANSPORT_TLS, NVMF_OPTION_GUARDS, \
	     "tls", 0, "encrypt with TLS and a pre-shared key") \
	FLAG(CONCAT, concat, CFG, NVMF_TRANSPORT_TLS, NVMF_OPTION_GUARDS, \
	     "concat", 0, "encrypt with TLS and a DH-HMAC-CHAP key")

/* For macros that skip some kinds of rows. */
#define NVMF_NO_ROW(...)

/* Member of struct nvmf_options for a row with this owner. */
#define NVMF_OPTION_MEMBER(owner, member) NVMF_OPTION_MEMBER_##owner(member)
#define NVMF_OPTION_MEMBER_CFG(member) cfg.member
#define NVMF_OPTION_MEMBER_OWN(member) member

#define NVMF_DECLARE_TEXT(id, name, json, owner, member, ...) NVMF_DECLARE_##owner(char *member;)
#define NVMF_DECLARE_NUMBER(id, name, owner, ...) NVMF_DECLARE_##owner(int name;)
#define NVMF_DECLARE_FLAG(id, name, owner, ...) NVMF_DECLARE_##owner(bool name;)
#define NVMF_DECLARE_HOST(declaration)
#define NVMF_DECLARE_CTRL(declaration)
#define NVMF_DECLARE_PEER(declaration)
#define NVMF_DECLARE_CFG(declaration)
#define NVMF_DECLARE_OWN(declaration) declaration
/* clang-format on */

/**
 * struct nvmf_options - all options of a connection
 * @size: Size of this structure in the program, see nvmf_init_options()
 * @cfg:  Options of libnvme 1.16
 *
 * After @cfg there is a member for each newer option, with its name: char *, int or bool.
 */
struct nvmf_options {
	size_t size;
	struct nvme_fabrics_config cfg;
	NVMF_OPTIONS(NVMF_NO_ROW, NVMF_DECLARE_TEXT, NVMF_NO_ROW, NVMF_DECLARE_NUMBER,
		     NVMF_DECLARE_FLAG, NVMF_NO_ROW)
};

/**
 * nvmf_init_options() - fill in the defaults of a connection
 * @options: Options to set
 * @size:    sizeof(struct nvmf_options)
 */
void nvmf_init_options(struct nvmf_options *options, size_t size);

/**
 * nvmf_set_options() - set options of a controller
 * @options: Options; those at their default have no effect. Strings are copied
 * @replace: true: replace all options of @c. false: set only those that @c has at their default
 *
 * Return: 0, or -1 with errno: ENOMEM; EINVAL if @options were not initialized.
 */
int nvmf_set_options(nvme_ctrl_t c, const struct nvmf_options *options, bool replace);

/**
 * nvmf_check_text() - check the value of a text or key option
 * @option:    Name of the option for the kernel, e.g. "traddr"
 * @transport: Transport of the connection; NULL if unknown
 * @value:     Value
 *
 * Return: The first fault, or NVMF_FAULT_NONE.
 */
enum nvmf_option_fault nvmf_check_text(const char *option, const char *transport,
				       const char *value);

/**
 * nvmf_check_number() - check the value of a number option
 * @option: Name of the option for the kernel, e.g. "queue_size"
 * @value:  Value
 *
 * Return: NVMF_FAULT_BELOW, NVMF_FAULT_ABOVE, NVMF_FAULT_UNKNOWN or NVMF_FAULT_NONE.
 */
enum nvmf_option_fault nvmf_check_number(const char *option, long value);

/**
 * nvmf_check_transport() - check whether a transport can be connected
 * @transport: Its name; may be NULL
 *
 * Return: NVMF_FAULT_MISSING, NVMF_FAULT_UNKNOWN, NVMF_FAULT_NO_FABRIC or NVMF_FAULT_NONE.
 */
enum nvmf_option_fault nvmf_check_transport(const char *transport);

/**
 * nvmf_check_traddr() - check that there is an address if the transport needs one
 * @transport: Name of the transport
 * @traddr:    Address; may be NULL
 *
 * Return: NVMF_FAULT_MISSING or NVMF_FAULT_NONE.
 */
enum nvmf_option_fault nvmf_check_traddr(const char *transport, const char *traddr);

/**
 * nvmf_check_options() - check for options that exclude each other
 * @options: Options
 *
 * Return: NVMF_FAULT_EXCLUDES or NVMF_FAULT_NONE.
 */
enum nvmf_option_fault nvmf_check_options(const struct nvmf_options *options);

/**
 * nvmf_connect_entry() - connect to the subsystem of a discovery log entry
 * @h:        Host to connect as
 * @e:        Entry, not trusted
 * @options:  Options of the connection; NULL: the defaults
 * @discover: Set to true if the new controller is a discovery controller; may be NULL
 *
 * Like nvmf_connect_disc_entry(), which only takes the options of libnvme 1.16.
 *
 * Return: As nvmf_connect_disc_entry().
 */
nvme_ctrl_t nvmf_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
			       const struct nvmf_options *options, bool *discover);

/**
 * nvmf_find_connected() - find the controller that connecting would duplicate
 * @h: Host to connect as
 * @c: Controller to connect, described with its address
 *
 * Searches the tree, and checks in /sys that the controller still exists. If @c has no port, the
 * default port is used.
 *
 * Return: The controller, owned by @h's tree, or NULL if there is none.
 */
nvme_ctrl_t nvmf_find_connected(nvme_host_t h, nvme_ctrl_t c);

/**
 * nvmf_ctrl_is_connected_as() - check whether connecting would duplicate a controller
 * @c:         Controller of the kernel
 * @described: Controller to connect, described with its address
 *
 * Return: true if nvmf_find_connected() might return @c for @described.
 */
bool nvmf_ctrl_is_connected_as(nvme_ctrl_t c, nvme_ctrl_t described);

#ifdef __cplusplus
}
#endif

#endif /* NVME_OPTIONS_H */
