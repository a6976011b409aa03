/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a snapshot adds to <shared/json-stream.h>: values that may be unknown, and bits with names. */
#ifndef NVME_MPTCP_JSON_STREAM_H
#define NVME_MPTCP_JSON_STREAM_H

#include "shared/json-stream.h"

/* NVME_MPTCP_UNKNOWN is null. */
void stream_int(struct json_stream *s, const char *key, int64_t value);
void stream_bool(struct json_stream *s, const char *key, int value);
/* A number between 0 and 1 with four decimals; null if it is negative. */
void stream_part(struct json_stream *s, const char *key, double value);
/* The names of bits 0 to @n - 1, and the others as one number. */
void stream_flags(struct json_stream *s, const char *key, int64_t flags, const char *const *names,
		  size_t n);

#endif /* NVME_MPTCP_JSON_STREAM_H */
