/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Additions to <shared/json-stream.h>: unknown values, named bits, and parts of documents. */
#pragma once

#include <nvme/mptcp.h>
#include "shared/json-stream.h"

/* Write NVME_MPTCP_UNKNOWN as null. */
void json_put_int(struct json_stream *s, const char *key, int64_t value);
void json_put_bool(struct json_stream *s, const char *key, int value);
/* Write a number between 0 and 1 with four decimals, or null if it is negative. */
void json_put_part(struct json_stream *s, const char *key, double value);
/* Write the names of bits 0 to @n - 1, and all other bits as one number. */
void json_put_flags(struct json_stream *s, const char *key, int64_t flags, const char *const *names,
		    size_t n);

/* In encode.c: a snapshot like nvme_mptcp_snapshot_to_json(), and one subflow. */
void snapshot_encode(struct json_stream *s, const char *key, nvme_mptcp_snapshot_t snap,
		     unsigned int what, const char *const *ctrls);
void subflow_encode(struct json_stream *s, const struct nvme_mptcp_subflow *sf);
