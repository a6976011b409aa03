/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Members of untrusted JSON documents. Each function checks the type and range of a value, and
 * reports file, line and path of an invalid one. Return 0, -EPROTO or -ENOMEM. An absent or null
 * value is an error only if it is required (MUST); otherwise the result is unknown, or NULL.
 */
#pragma once

#include <string.h>

#include "base/reader.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/snapshot/routes.h"

#define MUST true
#define MAY false

/* Enclose the reading of members of @key, for error messages. */
static inline void peer_enter(struct reader *r, const char *key)
{
	reader_enter_key(r, key, strlen(key));
}

static inline void peer_leave(struct reader *r)
{
	reader_leave(r);
}

int peer_read_dict(struct reader *r, struct json_object *in, const char *key, bool must,
		   struct json_object **ret);
int peer_read_number(struct reader *r, struct json_object *in, const char *key, bool must,
		     int64_t min, int64_t max, int64_t *ret);
int peer_read_bool(struct reader *r, struct json_object *in, const char *key, int *ret);

/* Read at most @most letters, digits and ".:_-@+", none of which a shell interprets. */
int peer_read_word(struct reader *r, struct json_object *in, const char *key, bool must,
		   size_t most, const char **ret);
/* Read a text with any characters. */
int peer_read_text(struct reader *r, struct json_object *in, const char *key, bool must,
		   size_t most, const char **ret);

/* Read a list of words, and call @fn for each. */
int peer_read_words(struct reader *r, struct json_object *in, const char *key, size_t most,
		    int (*fn)(const char *word, void *arg), void *arg);

/* Read a word as its index in @names, -1 if it is none of them. */
int peer_read_choice(struct reader *r, struct json_object *in, const char *key, bool must,
		     const char *const *names, size_t n, int *ret);
/* Read a list of bits by name; unnamed ones are "0x...". */
int peer_read_bits(struct reader *r, struct json_object *in, const char *key,
		   const char *const *names, size_t n, int64_t *ret);

int peer_read_ip(struct reader *r, struct json_object *in, const char *key, bool must,
		 struct in6_addr *ret, bool *has);
/* Read "192.0.2.1:4420" or "[2001:db8::1]:4420". */
int peer_read_ends(struct reader *r, struct json_object *in, const char *key,
		   struct socket_address *ret);
/* Read "10.0.0.0/8" or "default". */
int peer_read_prefix(struct reader *r, struct json_object *in, const char *key, bool v4,
		     struct prefix *ret, bool *has);

/* Call @fn for each object in a list. */
int peer_read_each(struct reader *r, struct json_object *in, const char *key, bool must,
		   int (*fn)(struct reader *r, struct json_object *dict, void *arg), void *arg);

/* True if peer_read_word() accepts @text. */
bool peer_is_word(const char *text, size_t most);
