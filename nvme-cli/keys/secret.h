/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the key commands. */
#pragma once

#include "commands.h"
#include "shared/crypto.h"

#define SECRET_MAX 64 /* bytes of the longest key */

/* A key that is wiped when it goes out of scope. */
struct secret {
	unsigned char bytes[SECRET_MAX];
	size_t length;
};

static inline void secret_wipe_cleanup(struct secret *secret)
{
	explicit_bzero(secret, sizeof(*secret));
}

/* A command that takes keys; the last arguments are the other members of struct command_spec. */
#define KEY_COMMAND(variable, name, summary, options, struct_, ...) \
	COMMAND(variable, name, summary, options, .args_size = sizeof(struct_), \
		.formats = OUT_TEXT | OUT_JSON, .takes_keys = true, __VA_ARGS__)

/* Wipe and free a text with a key. */
static inline void key_text_cleanup(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
}

/* Return the output length of a hash function in bytes: 32, 48 or 64; 32 without one. */
static inline size_t key_hmac_length(unsigned int hmac)
{
	return crypto_digest_len((int)hmac) ?: 32;
}

/* Make a secret of @length bytes, from digits @hex or random for NULL. Return 0 or -errno. */
int secret_make(struct command *cmd, const char *hex, size_t length, struct secret *secret);

/* Append "<identity> <key>" of @serial in @keyring (NULL: ".nvme") to @path, a private file. */
int key_append_file(struct command *cmd, const char *keyring, long serial, const char *path);

/* Return key @serial of @keyring as text, to be wiped and freed, or NULL after a message. */
char *key_to_text(struct command *cmd, long keyring, long serial, const char *identity);

/* Print "<identity> <key>" on @stream. Return the exit status. */
int key_print_line(struct command *cmd, long keyring, long serial, const char *identity,
		   FILE *stream);
