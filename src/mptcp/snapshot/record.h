/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of connects: which connections appeared while the kernel created a controller. There is
 * one file per controller, with its name:
 *
 *	netns 4026531840
 *	subsysnqn nqn.2014-08.org.example:disk
 *	tokens 1a2b3c4d 5e6f7a8b
 */
#pragma once

#include "snapshot.h"

#define RECORD_MAX (64 * 1024) /* maximum size of a record, in bytes */

struct record {
	uint64_t netns;
	char *subsysnqn;
	uint32_t *tokens;
	size_t n_tokens;
};

/* Return 0, -ENOENT if @ctrl has no record, -EBADMSG if it is malformed, or another -errno. */
int record_read(const char *dir, const char *ctrl, struct record *ret);
/* Read a text file, to be freed. -EBADMSG if it has @most or more bytes, or a NUL byte. */
int record_load(const char *path, size_t most, char **ret);
int record_parse(const char *text, struct record *ret);
void record_clear(struct record *record);

/* Replace the record of @ctrl atomically. */
int record_write(const char *dir, const char *ctrl, const struct record *record);
