/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the key commands. */
#pragma once

#include <string.h>

#include "frame/frame.h"

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

/* A malloc'ed text with a key in it. */
static inline void key_text_cleanup(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
}

/* Bytes that a hash function yields: 32, 48, 64; 32 without one. */
size_t key_hmac_length(unsigned int hmac);

/*
 * @length bytes: from the hexadecimal digits @hex, or random ones if that is NULL. 0, or -errno
 * after a message.
 */
int secret_make(struct command *cmd, const char *hex, size_t length, struct secret *secret);

/*
 * Adds "<identity> <key>" to @path, which only its owner may read, for key @serial of @keyring
 * (NULL: ".nvme"). Returns the exit status.
 */
int key_append_file(struct command *cmd, const char *keyring, long serial, const char *path);

/* Key @serial of @keyring as text, to be wiped and freed; NULL after a message. */
char *key_to_text(struct command *cmd, long keyring, long serial, const char *identity);

/* "<identity> <key>" on @stream. Returns the exit status. */
int key_print_line(struct command *cmd, long keyring, long serial, const char *identity,
		   FILE *stream);
