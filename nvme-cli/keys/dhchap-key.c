// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme gen-dhchap-key, check-dhchap-key: secrets of DH-HMAC-CHAP */
#include "secret.h"

struct gen_dhchap_args {
	const char *secret;
	unsigned int length;
	const char *nqn;
	unsigned int hmac;
};

static int gen_dhchap_key(struct command *cmd)
{
	const struct gen_dhchap_args *args = cmd->args;
	_cleanup_(secret_wipe) struct secret secret = { 0 }, key = { 0 };
	unsigned int length =
		args->length ? args->length : (unsigned int)key_hmac_length(args->hmac);
	_cleanup_(free) char *hostnqn = NULL;
	_cleanup_(key_text) char *text = NULL;

	if (args->hmac > NVME_HMAC_ALG_SHA2_512)
		return command_fail(cmd, 0, "Invalid HMAC identifier %u", args->hmac);
	if (length != 32 && length != 48 && length != 64)
		return command_fail(cmd, 0, "Invalid key length %u", length);
	if (args->hmac && length != key_hmac_length(args->hmac))
		return command_fail(cmd, 0, "Invalid key length %u for SHA(%zu)", length,
				    8 * key_hmac_length(args->hmac));
	if (secret_make(cmd, args->secret, length, &secret))
		return 1;
	hostnqn = command_hostnqn(cmd, args->nqn, "--nqn");
	if (!hostnqn)
		return 1;
	if (nvme_gen_dhchap_key(hostnqn, args->hmac, length, secret.bytes, key.bytes))
		return command_fail(cmd, errno, "Failed to generate the key");
	text = nvme_export_dhchap_key(args->hmac, key.bytes, length);
	if (!text)
		return command_fail(cmd, errno, "Failed to write the key");
	out_text(cmd->out, "%s\n", text);
	out_object(cmd->out, NULL);
	out_str(cmd->out, "key", text);
	return out_end(cmd->out);
}

KEY_COMMAND(gen_dhchap_key_command, "gen-dhchap-key", "Generate a DH-HMAC-CHAP key",
	    GENERIC(OPT(STR, "secret", 's', struct gen_dhchap_args, secret, "HEX",
			"secret (default: random)"),
		    OPT(UINT, "key-length", 'l', struct gen_dhchap_args, length, "N",
			"32, 48 or 64 bytes (default: that of the hash function)"),
		    OPT(STR, "nqn", 'n', struct gen_dhchap_args, nqn, "NQN",
			"host of the key (default: this one)"),
		    OPT(UINT, "hmac", 'm', struct gen_dhchap_args, hmac, "N",
			"0: none, 1: SHA-256, 2: SHA-384, 3: SHA-512")),
	    struct gen_dhchap_args, .run = gen_dhchap_key);

struct check_dhchap_args {
	const char *key;
};

static int check_dhchap_key(struct command *cmd)
{
	const struct check_dhchap_args *args = cmd->args;
	enum nvme_hmac_alg hmac;
	unsigned char *key;
	size_t length;
	__u32 crc;

	if (!args->key)
		return command_fail(cmd, 0, "Key not specified");
	key = nvme_import_dhchap_key(args->key, &hmac, &length, &crc);
	if (!key) {
		const char *reason = nvme_dhchap_key_error(args->key);

		return command_fail(cmd, 0, "Key is not valid: the key %s",
				    reason ? reason : strerror(errno));
	}
	explicit_bzero(key, length);
	free(key);
	out_text(cmd->out, "Key is valid (HMAC %u, length %zu, CRC %08x)\n", hmac, length, crc);
	out_object(cmd->out, NULL);
	out_bool(cmd->out, "valid", true);
	out_uint(cmd->out, "hmac", hmac);
	out_uint(cmd->out, "length", length);
	out_uint(cmd->out, "crc", crc);
	return out_end(cmd->out);
}

KEY_COMMAND(check_dhchap_key_command, "check-dhchap-key", "Check a DH-HMAC-CHAP key",
	    GENERIC(OPT(STR, "key", 'k', struct check_dhchap_args, key, "KEY", "DHHC-1:...")),
	    struct check_dhchap_args, .run = check_dhchap_key);
