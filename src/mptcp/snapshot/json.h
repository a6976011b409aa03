/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What MPTCP data adds to <shared/json-stream.h>: values that may be unknown, bits with names, and
 * the pieces that more than one document has.
 */
#pragma once

#include <nvme/mptcp.h>
#include "shared/json-stream.h"

/* NVME_MPTCP_UNKNOWN is null. */
void json_put_int(struct json_stream *s, const char *key, int64_t value);
void json_put_bool(struct json_stream *s, const char *key, int value);
/* A number between 0 and 1 with four decimals; null if it is negative. */
void json_put_part(struct json_stream *s, const char *key, double value);
/* The names of bits 0 to @n - 1, and the others as one number. */
void json_put_flags(struct json_stream *s, const char *key, int64_t flags, const char *const *names,
		    size_t n);

/* encode.c: a snapshot, as nvme_mptcp_snapshot_to_json() has it, and a subflow of one. */
void snapshot_encode(struct json_stream *s, const char *key, nvme_mptcp_snapshot_t snap,
		     unsigned int what, const char *const *ctrls);
void subflow_encode(struct json_stream *s, const struct nvme_mptcp_subflow *sf);
