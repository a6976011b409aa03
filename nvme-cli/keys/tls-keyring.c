// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme tls-key: the keys of a keyring, to and from files of "<identity> <key>" lines */
#include <errno.h>
#include <stdlib.h>

#include "commands.h"
#include "secret.h"
#include "shared/text.h"

struct keyring_args {
	const char *keyring;
	const char *keytype;
	const char *keyfile;
	const char *revoke;
	bool import;
	bool export;
};

static const struct arg keyring_options[] = {
	OPT(STR, "keyring", 'k', struct keyring_args, keyring, "NAME", "keyring"),
	OPT(STR, "keytype", 't', struct keyring_args, keytype, "TYPE", "type of the keys"),
	OPT(STR, "keyfile", 'f', struct keyring_args, keyfile, "FILE",
	    "file with the keys; standard input or output if left out"),
	OPT_FLAG("import", 'i', struct keyring_args, import,
		 "insert the file's keys into the keyring"),
	OPT_FLAG("export", 'e', struct keyring_args, export,
		 "write the keyring's keys to the file"),
	OPT(STR, "revoke", 'r', struct keyring_args, revoke, "IDENTITY", "revoke a key"),
	OPT_VERBOSE,
	OPT_END,
};

static void report(struct command *cmd, const char *doing, const char *what)
{
	if (cmd->common.verbose)
		out_text(cmd->out, "%s %s\n", doing, out_safe(cmd->out, what));
}

static int import_line(struct command *cmd, long keyring, char *line, size_t number)
{
	const struct keyring_args *args = cmd->args;
	unsigned char version, hmac, *key;
	char *text = strrchr(line, ' ');
	long serial;
	size_t length;
	int err;

	if (!text || text == line)
		return command_fail(cmd, 0, "Parse error in line %zu", number);
	*text++ = '\0';
	key = nvme_import_tls_key_versioned(text, &version, &hmac, &length);
	if (!key) {
		const char *reason = nvme_tls_key_error(text);

		return command_fail(cmd, 0, "Failed to import key in line %zu: the key %s", number,
				    reason ? reason : strerror(errno));
	}
	serial = nvme_update_key(keyring, args->keytype, line, key, (int)length);
	err = errno;
	explicit_bzero(key, length);
	free(key);
	if (serial <= 0)
		return command_fail(cmd, err, "Failed to import key in line %zu", number);
	return 0;
}

static int import_keys(struct command *cmd, long keyring)
{
	const struct keyring_args *args = cmd->args;
	_cleanup_(fclose) FILE *opened = args->keyfile ? fopen(args->keyfile, "re") : NULL;
	FILE *file = args->keyfile ? opened : stdin;
	_cleanup_(free) char *line = NULL;
	size_t size = 0, number = 0;
	int status = 0;

	if (!file)
		return command_fail(cmd, errno, "Cannot open %s", args->keyfile);
	report(cmd, "importing from", args->keyfile ? args->keyfile : "standard input");
	while (getline(&line, &size, file) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		number++;
		if (!*line || *line == '#')
			continue;
		if (import_line(cmd, keyring, line, number))
			status = 1;
		explicit_bzero(line, size);
	}
	return status;
}

struct export
{
	struct command *cmd;
	FILE *file;
	int status;
};

static void export_key(long keyring, long key, char *desc, int desc_len, void *data)
{
	struct export *export = data;

	(void)desc_len;
	if (key_print_line(export->cmd, keyring, key, desc, export->file))
		export->status = 1;
}

/* To memory first: a file is replaced by all the keys, or not at all. */
static int export_keys(struct command *cmd)
{
	const struct keyring_args *args = cmd->args;
	_cleanup_(text_wipe) struct text text = { 0 };
	struct export export = { .cmd = cmd, .file = text_open(&text) };
	int err;

	if (export.file && nvme_scan_tls_keys(args->keyring, export_key, &export) < 0)
		return command_fail(cmd, errno, "Failed to read keyring %s", args->keyring);
	err = text_close(&text);
	if (err)
		return command_fail(cmd, -err, "nvme %s", cmd->name);
	if (export.status && args->keyfile)
		return command_fail(cmd, 0, "%s is not written, since keys are missing",
				    args->keyfile);
	report(cmd, "exporting to", args->keyfile ? args->keyfile : "standard output");
	if (!args->keyfile)
		return bytes_write(cmd, text.bytes, text.length) || export.status;
	return bytes_save(cmd, args->keyfile, text.bytes, text.length);
}

static int tls_key(struct command *cmd)
{
	const struct keyring_args *args = cmd->args;
	int n_tasks = args->import + args->export + !!args->revoke;
	long keyring;

	if (!n_tasks)
		return command_fail(cmd, 0, "Must specify either --import, --export or --revoke");
	if (n_tasks > 1)
		return command_fail(cmd, 0,
				    "Must specify only one of --import, --export or --revoke");
	keyring = nvme_lookup_keyring(args->keyring);
	if (!keyring)
		return command_fail(cmd, errno, "Failed to lookup keyring '%s'", args->keyring);
	if (nvme_set_keyring(keyring) < 0)
		return command_fail(cmd, errno, "Failed to set keyring '%s'", args->keyring);
	if (args->import)
		return import_keys(cmd, keyring);
	if (args->export)
		return export_keys(cmd);
	report(cmd, "revoking", "key");
	if (nvme_revoke_tls_key(args->keyring, args->keytype, args->revoke))
		return command_fail(cmd, errno, "Failed to revoke key '%s'", args->revoke);
	return 0;
}

const struct command_spec tls_key_command = {
	.name = "tls-key",
	.summary = "Import, export or revoke the TLS keys of a keyring",
	.options = keyring_options,
	.args_size = sizeof(struct keyring_args),
	.defaults = &(const struct keyring_args){ .keyring = ".nvme", .keytype = "psk" },
	.run = tls_key,
};
