/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw bytes: input, output and dumps. */
#pragma once

#include "command.h"

/* Write @length raw bytes to stdout. Return the exit status. */
int bytes_write(struct command *cmd, const void *bytes, size_t length);

/* Read exactly @length bytes from a file (NULL: standard input). Return the exit status. */
int bytes_read(struct command *cmd, const char *path, void *bytes, size_t length);

/* Write @length bytes to a file that only its owner may read. Return the exit status. */
int bytes_save(struct command *cmd, const char *path, const void *bytes, size_t length);

/* Check that bytes_save() can write to @path, or that it is NULL, before a command is sent. */
int bytes_may_save(struct command *cmd, const char *path);

/* Format @n bytes as characters, with '.' for blanks and for unprintable ones. Terminates @text. */
void bytes_format_text(char *text, const void *bytes, size_t n);

/* Print lines of 16 bytes, in hex and as characters. JSON: an array of numbers called @key. */
void out_dump(struct out *out, const char *key, const void *bytes, size_t length);

/* The same in text. JSON: an array @key of the characters of each line, as in nvme-cli 2.x. */
void out_dump_characters(struct out *out, const char *key, const void *bytes, size_t length);
