/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON written straight into a buffer, for documents that may be long: a host may have ten thousand
 * controllers, a snapshot a hundred thousand sockets with thirty numbers each, and a tree of objects
 * would cost more than reading them from the kernel. The layout is json-c's.
 *
 * The library and the programs both compile this file; it knows nothing of either. Strings and keys
 * may hold anything: what comes out is valid UTF-8, with the control characters that a terminal acts
 * upon escaped. @key is NULL inside a list and at the top.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_MAX_DEPTH 31

/* All zero is an empty document. */
struct json_stream {
	char *text;
	size_t length, room;
	unsigned int depth;
	uint32_t filled; /* bit n: depth n has a member already */
	bool pretty;
	bool secret; /* wipe what is left behind */
	const char *replaced; /* the first string that was no UTF-8 */
	bool failed; /* without memory, or too deep; told once, by stream_finish() */
};

void stream_dict(struct json_stream *s, const char *key);
void stream_end_dict(struct json_stream *s);
void stream_list(struct json_stream *s, const char *key);
void stream_end_list(struct json_stream *s);

/* Valid UTF-8 whatever @value holds; null for NULL. */
void stream_string(struct json_stream *s, const char *key, const char *value);
void stream_int64(struct json_stream *s, const char *key, int64_t value);
void stream_uint64(struct json_stream *s, const char *key, uint64_t value);
/* @json is a JSON text already, laid out as at the top: a number, a word, a whole document. */
void stream_literal(struct json_stream *s, const char *key, const char *json);

/* @json is a valid JSON text in any layout, which gets this one. */
void stream_document(struct json_stream *s, const char *key, const char *json);

/* Begins a new document; the buffer is kept. */
void stream_restart(struct json_stream *s);

/* The document, to be freed, or NULL with errno ENOMEM. */
char *stream_finish(struct json_stream *s);
