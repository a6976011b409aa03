// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/random.h>

#include "secret.h"
#include "shared/file.h"

static int read_hex(struct command *cmd, const char *hex, size_t length, struct secret *secret)
{
	size_t n = strlen(hex);

	if (n % 2 || n > 2 * SECRET_MAX || strspn(hex, "0123456789abcdefABCDEF") != n) {
		command_fail(cmd, 0,
			     "Invalid secret: use pairs of hexadecimal digits, up to %d bytes",
			     SECRET_MAX);
		return -EINVAL;
	}
	if (n / 2 < length) {
		command_fail(cmd, 0, "Invalid key length (%zu bytes): %zu are needed", n / 2,
			     length);
		return -EINVAL;
	}
	for (size_t i = 0; i < length; i++)
		sscanf(hex + 2 * i, "%2hhx", &secret->bytes[i]);
	return 0;
}

int secret_make(struct command *cmd, const char *hex, size_t length, struct secret *secret)
{
	secret->length = length;
	if (hex)
		return read_hex(cmd, hex, length, secret);
	if (getrandom(secret->bytes, length, 0) == (ssize_t)length)
		return 0;
	command_fail(cmd, errno, "getting random bytes failed");
	return -EIO;
}

/* Parse the start of an identity: "NVMe1R02 ..." has version 1 and hash function 2. */
static int parse_identity(const char *identity, unsigned char *version, unsigned char *hmac)
{
	if (strncmp(identity, "NVMe", 4) || (identity[4] != '0' && identity[4] != '1') ||
	    identity[6] != '0' || identity[7] < '0' || identity[7] > '3')
		return -EINVAL;
	*version = (unsigned char)(identity[4] - '0');
	*hmac = (unsigned char)(identity[7] - '0');
	return 0;
}

char *key_to_text(struct command *cmd, long keyring, long serial, const char *identity)
{
	unsigned char version, hmac, *key;
	int length, err;
	char *text;

	if (parse_identity(identity, &version, &hmac)) {
		command_fail(cmd, 0, "Key %08lx has the unknown identity '%s'", serial, identity);
		return NULL;
	}
	key = nvme_read_key(keyring, serial, &length);
	if (!key) {
		command_fail(cmd, errno, "Failed to read key %08lx", serial);
		return NULL;
	}
	text = nvme_export_tls_key_versioned(version, hmac, key, (size_t)length);
	err = errno;
	explicit_bzero(key, (size_t)length);
	free(key);
	if (!text)
		command_fail(cmd, err, "Failed to export key %08lx", serial);
	return text;
}

int key_print_line(struct command *cmd, long keyring, long serial, const char *identity,
		   FILE *stream)
{
	_cleanup_(key_text) char *text = key_to_text(cmd, keyring, serial, identity);

	if (!text)
		return 1;
	if (fprintf(stream, "%s %s\n", identity, text) < 0)
		return command_fail(cmd, errno, "Failed to write key %08lx", serial);
	return 0;
}

int key_append_file(struct command *cmd, const char *keyring, long serial, const char *path)
{
	_cleanup_(free) char *identity = nvme_describe_key_serial(serial);
	_cleanup_(text_wipe) struct text line = { 0 };
	long id = nvme_lookup_keyring(keyring);
	int err;

	if (!identity || !id)
		return command_fail(cmd, errno, "Failed to describe key %08lx", serial);
	if (text_open(&line) && key_print_line(cmd, id, serial, identity, line.stream))
		return 1;
	err = text_close(&line);
	if (!err)
		err = file_add_line(path, line.bytes, FILE_SECRET);
	return err ? command_fail(cmd, -err, "Failed to write %s", path) : 0;
}
