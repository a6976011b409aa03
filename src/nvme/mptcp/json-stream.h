/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON written straight into a buffer. A snapshot may have a hundred thousand sockets with thirty
 * numbers each: a tree of objects would cost more than reading them from the kernel.
 *
 * Keys are string literals without anything to escape; NULL inside a list and at the top.
 */
#ifndef NVME_MPTCP_JSON_STREAM_H
#define NVME_MPTCP_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_stream {
	char *text;
	size_t length, room;
	unsigned int depth;
	uint32_t filled; /* bit n: depth n has a member already */
	bool pretty;
	bool failed; /* without memory; told once, by stream_finish() */
};

void stream_dict(struct json_stream *s, const char *key);
void stream_end_dict(struct json_stream *s);
void stream_list(struct json_stream *s, const char *key);
void stream_end_list(struct json_stream *s);

/* Valid UTF-8 whatever @value holds; null for NULL. */
void stream_string(struct json_stream *s, const char *key, const char *value);
/* NVME_MPTCP_UNKNOWN is null. */
void stream_int(struct json_stream *s, const char *key, int64_t value);
void stream_bool(struct json_stream *s, const char *key, int value);
/* A number between 0 and 1 with four decimals; null if it is negative. */
void stream_part(struct json_stream *s, const char *key, double value);
/* The names of bits 0 to @n - 1, and the others as one number. */
void stream_flags(struct json_stream *s, const char *key, int64_t flags, const char *const *names,
		  size_t n);

/* The document, to be freed, or NULL with errno ENOMEM. */
char *stream_finish(struct json_stream *s);

#endif /* NVME_MPTCP_JSON_STREAM_H */
