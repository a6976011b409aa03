// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme gen-tls-key, check-tls-key: configured TLS keys */
#include "secret.h"

struct tls_key_args {
	const char *keyring, *keytype, *hostnqn, *subsysnqn, *secret, *keydata, *keyfile;
	uint8_t hmac, identity;
	bool insert, compat;
};
#define ARGS struct tls_key_args

/* clang-format off */
#define COMMON_OPTIONS \
	OPT(STR, "keyring", 'k', ARGS, keyring, "NAME", "keyring"), \
	OPT(STR, "keytype", 't', ARGS, keytype, "TYPE", "type of the key"), \
	OPT(STR, "hostnqn", 'n', ARGS, hostnqn, "NQN", \
	    "host of the key (default: this one)"), \
	OPT(STR, "subsysnqn", 'c', ARGS, subsysnqn, "NQN", \
	    "subsystem of the key"), \
	OPT(STR, "keyfile", 'f', ARGS, keyfile, "FILE", \
	    "add the inserted key to this file"), \
	OPT(BYTE, "identity", 'I', ARGS, identity, "N", \
	    "version of the identity, 0 or 1"), \
	OPT_FLAG("insert", 'i', ARGS, insert, "insert the key into the keyring"), \
	OPT_FLAG("compat", 'C', ARGS, compat, \
		 "derive the identity as libnvme before 1.16")
/* clang-format on */

static const struct tls_key_args defaults = {
	.keyring = ".nvme",
	.keytype = "psk",
	.hmac = NVME_HMAC_ALG_SHA2_256,
};

/* Derive the TLS key for a host and a subsystem, and store it. Return the exit status. */
static int insert(struct command *cmd, const struct tls_key_args *args, const char *hostnqn,
		  unsigned int hmac, struct secret *key)
{
	long serial;

	serial = (args->compat ? nvme_insert_tls_key_compat : nvme_insert_tls_key_versioned)(
		args->keyring, args->keytype, hostnqn, args->subsysnqn, args->identity, (int)hmac,
		key->bytes, (int)key->length);
	if (serial <= 0)
		return command_fail(cmd, 0,
				    "Failed to insert key, error %d (%s; is there a keyring %s?)",
				    errno, strerror(errno), args->keyring);
	out_text(cmd->out, "Inserted TLS key %08x\n", (unsigned int)serial);
	out_uint(cmd->out, "serial", (unsigned int)serial);
	return args->keyfile ? key_append_file(cmd, args->keyring, serial, args->keyfile) : 0;
}

/* Warn if --keyfile is ignored, because users rely on the file. */
static void warn_of_keyfile(struct command *cmd)
{
	const struct tls_key_args *args = cmd->args;

	if (args->keyfile && !args->insert)
		command_warn(cmd, 0, "--keyfile=%s is not written: it requires --insert",
			     args->keyfile);
}

static int gen_tls_key(struct command *cmd)
{
	const struct tls_key_args *args = cmd->args;
	_cleanup_(secret_wipe) struct secret key = { 0 };
	_cleanup_(key_text) char *text = NULL;
	_cleanup_(free) char *hostnqn = NULL;

	if (args->hmac != NVME_HMAC_ALG_SHA2_256 && args->hmac != NVME_HMAC_ALG_SHA2_384)
		return command_fail(cmd, 0, "Invalid HMAC identifier %u", args->hmac);
	if (args->identity > 1)
		return command_fail(cmd, 0, "Invalid TLS identity version %u", args->identity);
	if (args->insert && !args->subsysnqn)
		return command_fail(cmd, 0, "No subsystem NQN specified");
	if (args->insert && !(hostnqn = command_hostnqn(cmd, args->hostnqn, "--hostnqn")))
		return 1;
	if (args->insert && bytes_may_save(cmd, args->keyfile))
		return 1;
	if (secret_make(cmd, args->secret, key_hmac_length(args->hmac), &key))
		return 1;
	warn_of_keyfile(cmd);
	text = nvme_export_tls_key_versioned(1, args->hmac, key.bytes, key.length);
	if (!text)
		return command_fail(cmd, errno, "Failed to write the key");
	out_text(cmd->out, "%s\n", text);
	out_object(cmd->out, NULL);
	out_str(cmd->out, "key", text);
	if (args->insert && !cmd->common.dry_run && insert(cmd, args, hostnqn, args->hmac, &key))
		return 1;
	return out_end(cmd->out);
}

KEY_COMMAND(gen_tls_key_command, "gen-tls-key", "Generate a TLS key",
	    OPTIONS(COMMON_OPTIONS,
		    OPT(STR, "secret", 's', ARGS, secret, "HEX", "secret (default: random)"),
		    OPT(BYTE, "hmac", 'm', ARGS, hmac, "N", "1: SHA-256, 2: SHA-384"),
		    GENERIC_OPTIONS_WITHOUT_T),
	    ARGS, .defaults = &defaults, .run = gen_tls_key);

static int import(struct command *cmd, const char *text, struct secret *key, unsigned int *hmac)
{
	int length;
	unsigned char *bytes = nvme_import_tls_key(text, &length, hmac);

	if (!bytes) {
		const char *reason = nvme_tls_key_error(text);

		command_fail(cmd, 0, "Key decoding failed: the key %s",
			     reason ? reason : strerror(errno));
		return -EINVAL;
	}
	key->length = (size_t)length;
	memcpy(key->bytes, bytes, key->length);
	explicit_bzero(bytes, key->length);
	free(bytes);
	return 0;
}

static int check_tls_key(struct command *cmd)
{
	const struct tls_key_args *args = cmd->args;
	_cleanup_(secret_wipe) struct secret key = { 0 };
	_cleanup_(free) char *hostnqn = NULL, *identity = NULL;
	unsigned int hmac;

	if (!args->keydata)
		return command_fail(cmd, 0, "No key data");
	if (args->identity > 1)
		return command_fail(cmd, 0, "Invalid TLS identity version %u", args->identity);
	if (import(cmd, args->keydata, &key, &hmac))
		return 1;
	if (!args->subsysnqn)
		return command_fail(cmd, 0, "Need to specify a subsystem NQN");
	hostnqn = command_hostnqn(cmd, args->hostnqn, "--hostnqn");
	if (!hostnqn || (args->insert && bytes_may_save(cmd, args->keyfile)))
		return 1;
	warn_of_keyfile(cmd);
	if (args->insert && !cmd->common.dry_run) {
		out_object(cmd->out, NULL);
		return insert(cmd, args, hostnqn, hmac, &key) ? 1 : out_end(cmd->out);
	}
	identity = (args->compat ? nvme_generate_tls_key_identity_compat
				 : nvme_generate_tls_key_identity)(hostnqn, args->subsysnqn,
								   args->identity, (int)hmac,
								   key.bytes, (int)key.length);
	if (!identity)
		return command_fail(cmd, errno, "Failed to generate the identity");
	out_text(cmd->out, "%s\n", out_safe(cmd->out, identity));
	out_object(cmd->out, NULL);
	out_str(cmd->out, "identity", identity);
	return out_end(cmd->out);
}

KEY_COMMAND(check_tls_key_command, "check-tls-key", "Check a TLS key and show its identity",
	    OPTIONS(COMMON_OPTIONS,
		    OPT(STR, "keydata", 'd', ARGS, keydata, "KEY", "NVMeTLSkey-1:..."),
		    GENERIC_OPTIONS_WITHOUT_T),
	    ARGS, .defaults = &defaults, .run = check_tls_key);
