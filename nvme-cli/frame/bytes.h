/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as they are: in, out, and as a dump. */
#pragma once

#include <stddef.h>

#include "command.h"

/* @length bytes to stdout, as they are. Returns the exit status. */
int bytes_write(struct command *cmd, const void *bytes, size_t length);

/* @length bytes of a file (NULL: standard input), all of them. Returns the exit status. */
int bytes_read(struct command *cmd, const char *path, void *bytes, size_t length);

/* @length bytes into a file that only its owner may read. Returns the exit status. */
int bytes_save(struct command *cmd, const char *path, const void *bytes, size_t length);

/*
 * Before anything is sent whose answer goes to @path: would bytes_save() write there? Returns the exit
 * status; to no @path (NULL) nothing goes.
 */
int bytes_may_save(struct command *cmd, const char *path);

/* @n bytes as characters, '.' for what is none or blank. Terminates @text. */
void bytes_format_text(char *text, const void *bytes, size_t n);

/* Lines of 16 bytes, hexadecimal and as characters. JSON: an array of numbers called @key. */
void out_dump(struct out *out, const char *key, const void *bytes, size_t length);

/* The same in text. JSON: an array called @key of the characters of each line, as in nvme-cli 2.x. */
void out_dump_characters(struct out *out, const char *key, const void *bytes, size_t length);
