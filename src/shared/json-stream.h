/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write JSON directly into a buffer, for documents that may be long: a host may have ten thousand
 * controllers, a snapshot a hundred thousand sockets with thirty numbers each, and a tree of
 * objects would cost more than reading them from the kernel. The layout is that of json-c.
 *
 * The library and the programs compile this file; it depends on neither. Strings and keys may
 * contain any bytes: the output is valid UTF-8, with terminal control characters escaped. @key is
 * NULL inside a list and at the top level.
 */
#pragma once

#include "shared/std.h"

#define STREAM_MAX_DEPTH 31

/* An all-zero struct is an empty document. */
struct json_stream {
	char *text;
	size_t length, room;
	unsigned int depth;
	uint32_t filled; /* bit n: depth n has a member */
	bool pretty;
	bool secret; /* wipe memory that is freed */
	const char *replaced; /* the first string that was not UTF-8 */
	bool failed; /* out of memory or nested too deeply; stream_finish() reports it */
};

void stream_dict(struct json_stream *s, const char *key);
void stream_end_dict(struct json_stream *s);
void stream_list(struct json_stream *s, const char *key);
void stream_end_list(struct json_stream *s);

/* Add a string as valid UTF-8, whatever bytes @value has; NULL becomes null. */
void stream_string(struct json_stream *s, const char *key, const char *value);
void stream_int64(struct json_stream *s, const char *key, int64_t value);
void stream_uint64(struct json_stream *s, const char *key, uint64_t value);
/* Add @json, a JSON text laid out as at the top level: a number, a word, a whole document. */
void stream_literal(struct json_stream *s, const char *key, const char *json);

/* Add @json, a valid JSON text, changing its layout to this one. */
void stream_document(struct json_stream *s, const char *key, const char *json);

/* Begin a new document in the same buffer. */
void stream_restart(struct json_stream *s);

/* Return the document, to be freed, or NULL with errno ENOMEM. */
char *stream_finish(struct json_stream *s);
