/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of connecting: which connections appeared while the kernel created a controller. One file
 * per controller, named like it:
 *
 *	netns 4026531840
 *	subsysnqn nqn.2014-08.org.example:disk
 *	tokens 1a2b3c4d 5e6f7a8b
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

#define RECORD_MAX (64 * 1024) /* bytes of a file that are believed to be one */

struct record {
	uint64_t netns;
	char *subsysnqn;
	uint32_t *tokens;
	size_t n_tokens;
};

/* 0, -ENOENT if there is no record of @ctrl, -EBADMSG if it is none, -ENOMEM, other -errno. */
int record_read(const char *dir, const char *ctrl, struct record *ret);
/* The text of a file of ours, to be freed: -EBADMSG if it is @most or more bytes, or no text. */
int record_load(const char *path, size_t most, char **ret);
int record_parse(const char *text, struct record *ret);
void record_clear(struct record *record);

/* Replaces the record of @ctrl as a whole. */
int record_write(const char *dir, const char *ctrl, const struct record *record);
