/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Members of untrusted JSON documents. Each function checks the type and range of a value. The first
 * invalid one sets @err to -EPROTO and stores file, line and path; after that, nothing is read. An
 * absent or null value is an error only if it is required (MUST); otherwise the result is unknown,
 * or NULL, as after an error.
 */
#pragma once

#include <string.h>

#include "base/reader.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/snapshot/routes.h"

#define MUST true
#define MAY false

struct peer_reader {
	struct reader json;
	int err; /* 0, -EPROTO or -ENOMEM */
};

/* Report an error of the object @in. Only without an earlier one. */
#define peer_fail(r, in, ...) ((r)->err = reader_fail(&(r)->json, reader_line(in), __VA_ARGS__))

/* Enclose the reading of members of @key, for error messages. */
static inline void peer_enter(struct peer_reader *r, const char *key)
{
	reader_enter_key(&r->json, key, strlen(key));
}

static inline void peer_leave(struct peer_reader *r)
{
	reader_leave(&r->json);
}

struct json_object *peer_read_dict(struct peer_reader *r, struct json_object *in, const char *key,
				   bool must);
int64_t peer_read_number(struct peer_reader *r, struct json_object *in, const char *key, bool must,
			 int64_t min, int64_t max);
int peer_read_bool(struct peer_reader *r, struct json_object *in, const char *key);

/* Read at most @most letters, digits and ".:_-@+", none of which a shell interprets. */
const char *peer_read_word(struct peer_reader *r, struct json_object *in, const char *key,
			   bool must, size_t most);
/* Read a text with any characters. */
const char *peer_read_text(struct peer_reader *r, struct json_object *in, const char *key,
			   bool must, size_t most);

/* Read a list of words, and call @fn for each. */
void peer_read_words(struct peer_reader *r, struct json_object *in, const char *key, size_t most,
		     int (*fn)(const char *word, void *arg), void *arg);

/* Read a word as its index in @names, -1 if it is none of them. */
int peer_read_choice(struct peer_reader *r, struct json_object *in, const char *key, bool must,
		     const char *const *names, size_t n);
/* Read a list of bits by name; unnamed ones are "0x...". */
int64_t peer_read_bits(struct peer_reader *r, struct json_object *in, const char *key,
		       const char *const *names, size_t n);

/* Read an IP address to *@ret. True if there is one. */
bool peer_read_ip(struct peer_reader *r, struct json_object *in, const char *key, bool must,
		  struct in6_addr *ret);
/* Read "192.0.2.1:4420" or "[2001:db8::1]:4420". */
struct socket_address peer_read_ends(struct peer_reader *r, struct json_object *in,
				     const char *key);
/* Read "10.0.0.0/8" or "default". False for the latter. */
bool peer_read_prefix(struct peer_reader *r, struct json_object *in, const char *key, bool v4,
		      struct prefix *ret);

/* Call @fn for each object in a list. */
void peer_read_each(struct peer_reader *r, struct json_object *in, const char *key, bool must,
		    void (*fn)(struct peer_reader *r, struct json_object *dict, void *arg),
		    void *arg);

/* Call @fn for each member of an object. */
void peer_read_members(struct peer_reader *r, struct json_object *in, const char *key,
		       void (*fn)(struct peer_reader *r, struct json_object *dict, const char *key,
				  void *arg),
		       void *arg);

/* array_add() of at most @most elements, for the object @in. NULL after an error. */
void *peer_add(struct peer_reader *r, struct json_object *in, void *array, size_t *n, size_t size,
	       size_t most, const char *what);

/* Copy a text to *@field. */
void peer_keep(struct peer_reader *r, char **field, const char *value);

/* True if peer_read_word() accepts @text. */
bool peer_is_word(const char *text, size_t most);
