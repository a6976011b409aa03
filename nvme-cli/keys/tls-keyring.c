// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme tls-key: the keys of a keyring, to and from files of "<identity> <key>" lines */
#include "secret.h"
#include "shared/lines.h"

struct keyring_args {
	const char *keyring, *keytype, *keyfile, *revoke;
	bool import, export;
};
#define ARGS struct keyring_args

static void report(struct command *cmd, const char *doing, const char *what)
{
	if (cmd->common.verbose)
		out_text(cmd->out, "%s %s\n", doing, out_safe(cmd->out, what));
}

/* Report the number of keys in JSON, e.g. {"imported":2}; nothing in text, as in nvme-cli 2.x. */
static int report_count(struct command *cmd, const char *what, size_t n)
{
	out_object(cmd->out, NULL);
	out_uint(cmd->out, what, n);
	return out_end(cmd->out);
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
	serial = cmd->common.dry_run
			 ? 1
			 : nvme_update_key(keyring, args->keytype, line, key, (int)length);
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
	_cleanup_(close) int opened =
		args->keyfile ? open(args->keyfile, O_RDONLY | O_CLOEXEC) : -1;
	_cleanup_(lines_wipe) struct lines lines = LINES_OF(args->keyfile ? opened : STDIN_FILENO);
	size_t n_imported = 0;
	int status = 0;

	if (lines.fd < 0)
		return command_fail(cmd, errno, "Cannot open %s", args->keyfile);
	report(cmd, "importing from", args->keyfile ? args->keyfile : "standard input");
	while (lines_next(&lines)) {
		lines.line[strcspn(lines.line, "\r")] = '\0';
		if (!*lines.line || *lines.line == '#')
			continue;
		if (import_line(cmd, keyring, lines.line, lines.number))
			status = 1;
		else
			n_imported++;
	}
	if (lines.err)
		return command_fail(cmd, -lines.err, "Cannot read %s",
				    args->keyfile ? args->keyfile : "standard input");
	return status ? status
		      : report_count(cmd, "imported", cmd->common.dry_run ? 0 : n_imported);
}

struct export
{
	struct command *cmd;
	FILE *file;
	size_t n;
	int status;
};

/* Write a line to the file or, if there is none, a JSON object. */
static void export_key(long keyring, long key, char *desc, int desc_len, void *data)
{
	struct export *export = data;
	struct out *out = export->cmd->out;

	export->n++;
	if (export->file) {
		if (key_print_line(export->cmd, keyring, key, desc, export->file))
			export->status = 1;
		return;
	}
	_cleanup_(key_text) char *text = key_to_text(export->cmd, keyring, key, desc);

	if (!text) {
		export->status = 1;
		return;
	}
	out_object(out, NULL);
	out_str(out, "identity", desc);
	out_str(out, "key", text);
	out_end(out);
}

/* Export all keys. A key that cannot be exported sets export->status. Return the exit status. */
static int scan_keys(struct command *cmd, struct export *export)
{
	const struct keyring_args *args = cmd->args;

	if (nvme_scan_tls_keys(args->keyring, export_key, export) < 0)
		return command_fail(cmd, errno, "Failed to read keyring %s", args->keyring);
	return 0;
}

static int export_document(struct command *cmd)
{
	struct export export = { .cmd = cmd };

	out_object(cmd->out, NULL);
	out_array(cmd->out, "keys");
	if (scan_keys(cmd, &export) || export.status)
		return 1;
	return out_ends(cmd->out, 2);
}

/* Export to memory first: the file is replaced by all keys, or not at all. */
static int export_keys(struct command *cmd)
{
	const struct keyring_args *args = cmd->args;
	_cleanup_(text_wipe) struct text text = { 0 };
	struct export export = { .cmd = cmd };
	int err;

	if (!args->keyfile && out_is_json(cmd->out))
		return export_document(cmd);
	export.file = text_open(&text);
	if (export.file && scan_keys(cmd, &export))
		return 1;
	err = text_close(&text);
	if (err)
		return command_fail(cmd, -err, NVME_COMMAND " %s", cmd->name);
	if (export.status && args->keyfile)
		return command_fail(cmd, 0, "%s is not written, because keys could not be exported",
				    args->keyfile);
	report(cmd, "exporting to", args->keyfile ? args->keyfile : "standard output");
	if (!args->keyfile)
		err = bytes_write(cmd, text.bytes, text.length);
	else if (!cmd->common.dry_run)
		err = bytes_save(cmd, args->keyfile, text.bytes, text.length);
	return err || export.status ? 1 : report_count(cmd, "exported", export.n);
}

/* A missing key is an error, unlike in nvme-cli 2.x: it may be in use under another name. */
static int revoke_key(struct command *cmd)
{
	const struct keyring_args *args = cmd->args;
	bool dry_run = cmd->common.dry_run;

	report(cmd, "revoking", "key");
	if (dry_run ? !nvme_lookup_key(args->keytype, args->revoke)
		    : nvme_revoke_tls_key(args->keyring, args->keytype, args->revoke) != 0)
		return command_fail(cmd, errno, "Failed to revoke key '%s'", args->revoke);
	return report_count(cmd, "revoked", !dry_run);
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
	return revoke_key(cmd);
}

KEY_COMMAND(tls_key_command, "tls-key", "Import, export or revoke the TLS keys of a keyring",
	    OPTIONS(OPT(STR, "keyring", 'k', ARGS, keyring, "NAME", "keyring"),
		    OPT(STR, "keytype", 't', ARGS, keytype, "TYPE", "type of the keys"),
		    OPT(STR, "keyfile", 'f', ARGS, keyfile, "FILE",
			"file with the keys (default: standard input or output)"),
		    OPT_FLAG("import", 'i', ARGS, import,
			     "insert the file's keys into the keyring"),
		    OPT_FLAG("export", 'e', ARGS, export, "write the keyring's keys to the file"),
		    OPT(STR, "revoke", 'r', ARGS, revoke, "IDENTITY", "revoke a key"),
		    GENERIC_OPTIONS_WITHOUT_T),
	    ARGS, .defaults = &(const struct keyring_args){ .keyring = ".nvme", .keytype = "psk" },
	    .run = tls_key);
