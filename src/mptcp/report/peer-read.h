/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Members of JSON documents that nobody vouches for. Each function checks the type and the range of
 * what it reads, and reports file, line and place of what is wrong: 0, -EPROTO, -ENOMEM. What is
 * absent or null is an error only if it must be there; else the value is unknown, or NULL.
 */
#pragma once

#include <string.h>

#include "base/reader.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/snapshot/routes.h"

#define MUST true
#define MAY false

/* While members of the one called @key are read. */
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

/* Letters, digits and ".:_-@+", at most @most of them; nothing that a shell knows. */
int peer_read_word(struct reader *r, struct json_object *in, const char *key, bool must,
		   size_t most, const char **ret);
/* Any characters. */
int peer_read_text(struct reader *r, struct json_object *in, const char *key, bool must,
		   size_t most, const char **ret);

/* A list of such words: calls @fn for each. */
int peer_read_words(struct reader *r, struct json_object *in, const char *key, size_t most,
		    int (*fn)(const char *word, void *arg), void *arg);

/* The number in @names of the word, -1 for one that is not among them. */
int peer_read_choice(struct reader *r, struct json_object *in, const char *key, bool must,
		     const char *const *names, size_t n, int *ret);
/* Bits by their names; others are "0x...". */
int peer_read_bits(struct reader *r, struct json_object *in, const char *key,
		   const char *const *names, size_t n, int64_t *ret);

int peer_read_ip(struct reader *r, struct json_object *in, const char *key, bool must,
		 struct in6_addr *ret, bool *has);
/* "192.0.2.1:4420", "[2001:db8::1]:4420" */
int peer_read_ends(struct reader *r, struct json_object *in, const char *key,
		   struct socket_address *ret);
/* "10.0.0.0/8", "default" */
int peer_read_prefix(struct reader *r, struct json_object *in, const char *key, bool v4,
		     struct prefix *ret, bool *has);

/* Calls @fn for each dict of a list. */
int peer_read_each(struct reader *r, struct json_object *in, const char *key, bool must,
		   int (*fn)(struct reader *r, struct json_object *dict, void *arg), void *arg);

/* Is it a word as peer_read_word() takes it? */
bool peer_is_word(const char *text, size_t most);
