/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the fabrics commands: common options, checks, creating a controller. */
#ifndef FABRICS_H
#define FABRICS_H

#include "frame/frame.h"

#define CONFIG_FILE SYSCONFDIR "/nvme/config.json"
#define DISCOVERY_CONF SYSCONFDIR "/nvme/discovery.conf"

#define DISCOVERY_KEEP_ALIVE 30 /* seconds, of persistent discovery controllers */

struct fabrics_args {
	const char *transport;
	const char *nqn;
	const char *traddr;
	const char *trsvcid;
	const char *host_traddr;
	const char *host_iface;
	const char *hostnqn;
	const char *hostid;
	const char *dhchap_secret;
	const char *dhchap_ctrl_secret;
	const char *keyring;
	const char *tls_key;
	const char *tls_key_identity;
	const char *config;
	const char *context;
	bool dump_config;
	struct nvme_fabrics_config cfg; /* its two strings stay NULL, see fabrics_config() */
};

#define FABRICS_DEFAULTS \
	{ \
		.cfg = {.ctrl_loss_tmo = NVMF_DEF_CTRL_LOSS_TMO, .tos = -1 } \
	}

/* Of a struct that has a struct fabrics_args called fabrics. */
#define FABRICS_OPT(kind, name, letter, struct_, member, meta, help) \
	OPT(kind, name, letter, struct_, fabrics.member, meta, help)
#define FABRICS_FLAG(name, letter, struct_, member, help) \
	OPT_FLAG(name, letter, struct_, fabrics.member, help)

/* clang-format off */
#define FABRICS_OPTIONS(s) \
	FABRICS_OPT(STR, "transport", 't', s, transport, "NAME", "tcp, mptcp, rdma, fc or loop"), \
	FABRICS_OPT(STR, "nqn", 'n', s, nqn, "NQN", "NQN of the subsystem"), \
	FABRICS_OPT(STR, "traddr", 'a', s, traddr, "ADDR", "transport address: IP address or name"), \
	FABRICS_OPT(STR, "trsvcid", 's', s, trsvcid, "PORT", "transport service id: the port"), \
	FABRICS_OPT(STR, "host-traddr", 'w', s, host_traddr, "ADDR", "connect from this address"), \
	FABRICS_OPT(STR, "host-iface", 'f', s, host_iface, "LINK", "connect through this interface"), \
	FABRICS_OPT(STR, "hostnqn", 'q', s, hostnqn, "NQN", "NQN of this host"), \
	FABRICS_OPT(STR, "hostid", 'I', s, hostid, "UUID", "identifier of this host"), \
	FABRICS_OPT(STR, "dhchap-secret", 'S', s, dhchap_secret, "KEY", "host's DH-HMAC-CHAP key"), \
	FABRICS_OPT(STR, "keyring", 0, s, keyring, "NAME", "keyring of the TLS key"), \
	FABRICS_OPT(STR, "tls-key", 0, s, tls_key, "KEY", "TLS key, or its serial number"), \
	FABRICS_OPT(STR, "tls-key-identity", 0, s, tls_key_identity, "ID", "identity of the TLS key"), \
	FABRICS_OPT(INT, "nr-io-queues", 'i', s, cfg.nr_io_queues, "N", "number of I/O queues"), \
	FABRICS_OPT(INT, "nr-write-queues", 'W', s, cfg.nr_write_queues, "N", \
		    "additional queues for writing"), \
	FABRICS_OPT(INT, "nr-poll-queues", 'P', s, cfg.nr_poll_queues, "N", \
		    "additional queues for polled I/O"), \
	FABRICS_OPT(INT, "queue-size", 'Q', s, cfg.queue_size, "N", "entries per I/O queue"), \
	FABRICS_OPT(INT, "keep-alive-tmo", 'k', s, cfg.keep_alive_tmo, "SEC", "keep alive timeout"), \
	FABRICS_OPT(INT, "reconnect-delay", 'c', s, cfg.reconnect_delay, "SEC", \
		    "time between attempts to reconnect"), \
	FABRICS_OPT(INT, "ctrl-loss-tmo", 'l', s, cfg.ctrl_loss_tmo, "SEC", \
		    "give a lost controller up after this time; -1: never"), \
	FABRICS_OPT(INT, "fast_io_fail_tmo", 'F', s, cfg.fast_io_fail_tmo, "SEC", \
		    "fail I/O to a lost controller after this time"), \
	FABRICS_OPT(INT, "tos", 'T', s, cfg.tos, "N", "type of service of the packets"), \
	FABRICS_OPT(INT, "tclass", 0, s, cfg.tos, "N", "--tos, as IPv6 calls it"), \
	FABRICS_OPT(LONG, "tls_key", 0, s, cfg.tls_key, "N", "serial number of the TLS key"), \
	FABRICS_FLAG("duplicate-connect", 'D', s, cfg.duplicate_connect, \
		     "connect even if the same connection exists"), \
	FABRICS_FLAG("disable-sqflow", 0, s, cfg.disable_sqflow, "no submission queue flow control"), \
	FABRICS_FLAG("hdr-digest", 'g', s, cfg.hdr_digest, "protect PDU headers"), \
	FABRICS_FLAG("data-digest", 'G', s, cfg.data_digest, "protect PDU data"), \
	FABRICS_FLAG("tls", 0, s, cfg.tls, "encrypt with TLS and a pre-shared key"), \
	FABRICS_FLAG("concat", 0, s, cfg.concat, "encrypt with TLS and a DH-HMAC-CHAP key"), \
	FABRICS_OPT(STR, "config", 'J', s, config, "FILE", "JSON configuration; none: do not read it"), \
	FABRICS_OPT(STR, "context", 0, s, context, "NAME", "act on this application's subsystems only")
#define FABRICS_DUMP_CONFIG(s) \
	FABRICS_FLAG("dump-config", 'O', s, dump_config, "print the configuration in the end")
/* clang-format on */

/* "none", in upper or lower case, has the effect of no option: units have a place for each. */
bool fabrics_is_none(const char *value);

/* So it is with the port, and with the host's address and interface. */
void fabrics_drop_none(struct fabrics_args *args);

/*
 * Checks every value before anything reaches the kernel: unknown transports, missing addresses,
 * values that are too long or would inject options, numbers out of range.
 *
 * Return: 0, or -EINVAL after a message.
 */
int fabrics_check(struct command *cmd, const struct fabrics_args *args);

/* The same for a controller's address: transport and, where there are any, traddr. */
int fabrics_check_address(struct command *cmd, const struct fabrics_args *args);

/*
 * Makes cmd->root and reads JSON configuration @file (which must exist if the user named it) and those
 * in STATEDIR. 0, or -errno after a message.
 */
int fabrics_read(struct command *cmd, const struct fabrics_args *args, const char *file);

/*
 * Then adds what there is, without namespaces: all of it, or the subsystem called @nqn; --context
 * comes into force. 0, or -errno after a message.
 */
int fabrics_scan(struct command *cmd, const struct fabrics_args *args, const char *nqn);

/* One JSON configuration into cmd->root. 0, or -EINVAL after a message. */
int fabrics_read_config(struct command *cmd, const char *file, bool must_exist);

/* Who connects: arguments, else configuration, else files, else generated. NULL after a message. */
nvme_host_t fabrics_host(struct command *cmd, const struct fabrics_args *args);

/* @args->cfg with the strings that the options left beside it. */
struct nvme_fabrics_config fabrics_config(const struct fabrics_args *args);

/* A controller for @nqn at the address of @args, with its keys; not connected. NULL after a message. */
nvme_ctrl_t fabrics_create_ctrl(struct command *cmd, const struct fabrics_args *args,
				const char *nqn, bool discovery);

/* Keys and keyrings of @args that are not serial numbers. */
void fabrics_set_keys(nvme_ctrl_t c, const struct fabrics_args *args);

/* The meaning of errno @err; NULL if the library's sentence @reason has it already. */
const char *fabrics_error_meaning(int err, const char *reason);

/*
 * "<what> <meaning of err>: <the library's sentence>" for a controller that was not connected; the
 * meaning is left out where the sentence has it. Return: 1.
 */
int fabrics_fail_connect(struct command *cmd, nvme_ctrl_t c, int err, const char *what);

/*
 * Makes the endpoints and limits of the hosts' mptcp objects; @hosts ends with NULL. What is changed
 * is shown under -v. Returns an exit status; after a failure all is as it was.
 */
int fabrics_apply_mptcp(struct command *cmd, const nvme_host_t *hosts);

/* Between the two the library logs nothing without -v. */
struct muted {
	nvme_root_t root;
	int level;
	bool pid, timestamp;
};

struct muted fabrics_mute(nvme_root_t root);
void fabrics_unmute(const struct muted *muted);

/* --dump-config. Returns an exit status. */
int fabrics_dump_config(struct command *cmd);

bool fabrics_is_well_known_nqn(const char *nqn);

#endif /* FABRICS_H */
