/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connection options of commands and of lines in discovery.conf: their table and their checks. */
#pragma once

#include <libnvme.h>

#include "args.h"

/* clang-format off */
/* Texts have members named like their option; numbers and flags are in @options. */
#define FABRICS_MEMBER_TEXT(id, name, ...) const char *name;
struct fabrics_args {
	NVMF_OPTIONS(NVMF_NO_ROW, FABRICS_MEMBER_TEXT, FABRICS_MEMBER_TEXT, NVMF_NO_ROW, NVMF_NO_ROW,
		     NVMF_NO_ROW)
	const char *config, *context;
	bool dump_config;
	struct nvmf_options options; /* its strings stay NULL, see input_options() */
};

#define FABRICS_DEFAULT(id, name, owner, least, most, standard, ...) \
	.options.NVMF_OPTION_MEMBER(owner, name) = standard,
#define FABRICS_DEFAULTS \
	{ \
		.options.size = sizeof(struct nvmf_options), \
		NVMF_OPTIONS(NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, FABRICS_DEFAULT, NVMF_NO_ROW, \
			     NVMF_NO_ROW) \
	}

/* Options for a struct that begins with a struct fabrics_args; each row ends with a comma. */
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
	FABRICS_OPT(INT, "tclass", 0, options.cfg.tos, "N", "same as --tos, named as in IPv6") \
	FABRICS_OPT(LONG, "tls_key", 0, options.cfg.tls_key, "N", "serial number of the TLS key") \
	FABRICS_OPT(STR, "config", 'J', config, "FILE", "JSON configuration file; none: do not read one") \
	FABRICS_OPT(STR, "context", 0, context, "NAME", "ignore subsystems that belong to other applications")

/* Options of one controller, such as its own DH-HMAC-CHAP secret, for commands that connect one. */
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
	FABRICS_OPT(FLAG, "dump-config", 'O', dump_config, NULL, "print the resulting configuration")
/* clang-format on */

#define FABRICS_COMES_FIRST(struct_) \
	_Static_assert(offsetof(struct_, fabrics) == 0, "FABRICS_OPTIONS are options of " #struct_)

/* True for "none" in any case, which means "not given": systemd units always pass these options. */
bool input_is_none(const char *value);

/* Set the port and the host's address and interface to NULL where they are "none". */
void input_drop_none(struct fabrics_args *args);

/*
 * Check every value before it reaches the kernel: unknown transports, values that are too long or
 * would inject options, numbers out of range. Return: 0, or -EINVAL with @why, to be freed.
 */
int input_check(const struct fabrics_args *args, char **why);

/* Check that a transport is given and, if the transport uses one, a traddr. Same return values. */
int input_check_address(const struct fabrics_args *args, char **why);

/* Return the first given option that protects a connection (key, TLS, digest), or NULL. */
const char *input_security_option(const struct fabrics_args *args);

/* True if a key or keyring is given by its serial number instead of its name; sets *@serial. */
bool input_is_serial(const char *text, long *serial);

/* Create the controller that @args describe, for @nqn. Return NULL with errno and @why. */
nvme_ctrl_t input_create_ctrl(nvme_root_t r, const struct fabrics_args *args, const char *nqn,
			      char **why);

/* Set the keys and the keyring of @args that are not given by serial number. */
void input_set_keys(nvme_ctrl_t c, const struct fabrics_args *args);

/* True for the well-known discovery NQN, which every discovery controller answers to. */
bool input_is_well_known_nqn(const char *nqn);

/* Return @args->options with the strings of @args filled in. */
struct nvmf_options input_options(const struct fabrics_args *args);
