/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the fabrics commands: common options, checks, creating a controller. */
#ifndef FABRICS_H
#define FABRICS_H

#include "frame/frame.h"

#define CONFIG_FILE SYSCONFDIR "/nvme/config.json"
#define DISCOVERY_CONF SYSCONFDIR "/nvme/discovery.conf"

#define DISCOVERY_KEEP_ALIVE 30 /* seconds, of persistent discovery controllers */

/* clang-format off */
/* Texts are named like their option; numbers and flags are in @options. */
#define FABRICS_MEMBER_TEXT(id, name, ...) const char *name;
struct fabrics_args {
	NVMF_OPTIONS(NVMF_NO_ROW, FABRICS_MEMBER_TEXT, FABRICS_MEMBER_TEXT, NVMF_NO_ROW, NVMF_NO_ROW,
		     NVMF_NO_ROW)
	const char *config;
	const char *context;
	bool dump_config;
	struct nvmf_options options; /* its strings stay NULL, see fabrics_options() */
};

#define FABRICS_DEFAULT(id, name, owner, least, most, standard, ...) \
	.options.NVMF_OPTION_MEMBER(owner, name) = standard,
#define FABRICS_DEFAULTS \
	{ \
		.options.size = sizeof(struct nvmf_options), \
		NVMF_OPTIONS(NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, FABRICS_DEFAULT, NVMF_NO_ROW, \
			     NVMF_NO_ROW) \
	}

/* Options of a struct that begins with a struct fabrics_args; each has a comma behind it. */
#define FABRICS_OPT(kind, name, letter, member, meta, help) \
	OPT(kind, name, letter, struct fabrics_args, member, meta, help),
#define FABRICS_TEXT(id, name, json, owner, member, longest, traits, rules, argument, letter, meta, help) \
	FABRICS_TEXT_##owner(STR, argument, letter, name, meta, help)
#define FABRICS_TEXT_HOST(...) FABRICS_OPT(__VA_ARGS__)
#define FABRICS_TEXT_CTRL(...) FABRICS_OPT(__VA_ARGS__)
#define FABRICS_TEXT_CFG(...) FABRICS_OPT(__VA_ARGS__)
#define FABRICS_TEXT_OWN(...) FABRICS_OPT(__VA_ARGS__)
#define FABRICS_TEXT_PEER(...)
#define FABRICS_KEY(id, name, longest, traits, rules, argument, letter, meta, help) \
	FABRICS_OPT(STR, argument, letter, name, meta, help)
#define FABRICS_NUMBER(id, name, owner, least, most, standard, unset, traits, rules, argument, letter, meta, help) \
	FABRICS_OPT(INT, argument, letter, options.NVMF_OPTION_MEMBER(owner, name), meta, help)
#define FABRICS_FLAG(id, name, owner, traits, rules, argument, letter, help) \
	FABRICS_OPT(FLAG, argument, letter, options.NVMF_OPTION_MEMBER(owner, name), NULL, help)

#define FABRICS_OPTIONS \
	NVMF_OPTIONS(NVMF_NO_ROW, FABRICS_TEXT, FABRICS_KEY, FABRICS_NUMBER, FABRICS_FLAG, \
		     NVMF_NO_ROW) \
	FABRICS_OPT(INT, "tclass", 0, options.cfg.tos, "N", "--tos, as IPv6 calls it") \
	FABRICS_OPT(LONG, "tls_key", 0, options.cfg.tls_key, "N", "serial number of the TLS key") \
	FABRICS_OPT(STR, "config", 'J', config, "FILE", "JSON configuration; none: do not read it") \
	FABRICS_OPT(STR, "context", 0, context, "NAME", "leave the subsystems of other applications alone")

/* What only one controller may know. */
#define FABRICS_PEER(id, name, json, owner, member, longest, traits, rules, argument, letter, meta, help) \
	FABRICS_PEER_##owner(STR, argument, letter, name, meta, help)
#define FABRICS_PEER_HOST(...)
#define FABRICS_PEER_CTRL(...)
#define FABRICS_PEER_CFG(...)
#define FABRICS_PEER_OWN(...)
#define FABRICS_PEER_PEER(...) FABRICS_OPT(__VA_ARGS__)
#define FABRICS_PEER_OPTIONS \
	NVMF_OPTIONS(NVMF_NO_ROW, FABRICS_PEER, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)

#define FABRICS_DUMP_CONFIG \
	FABRICS_OPT(FLAG, "dump-config", 'O', dump_config, NULL, "print the configuration in the end")
/* clang-format on */

#define FABRICS_COMES_FIRST(struct_) \
	_Static_assert(offsetof(struct_, fabrics) == 0, "FABRICS_OPTIONS are options of " #struct_)

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

/* @args->options with the strings that the options left beside it. */
struct nvmf_options fabrics_options(const struct fabrics_args *args);

/*
 * A controller for @nqn at the address of @args, with its keys and options; not connected. NULL
 * after a message.
 */
nvme_ctrl_t fabrics_create_ctrl(struct command *cmd, const struct fabrics_args *args,
				const char *nqn);

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
