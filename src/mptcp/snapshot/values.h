/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of struct tcp_info and struct mptcp_info: one row each with name, offset and size. A value
 * is known if the length that the kernel sent includes it.
 */
#pragma once

#include "shared/std.h"

struct value_field {
	const char *name; /* key in JSON */
	uint16_t offset;
	uint16_t size;
	bool needs_value; /* 0 means unknown: kernels without this value send 0 */
};

extern const struct value_field subflow_fields[];
extern const struct value_field connection_fields[];

/* Fill @value[0..@n-1] from @len bytes of @info. Values beyond @len become NVME_MPTCP_UNKNOWN. */
void value_decode(const struct value_field *fields, size_t n, const void *info, size_t len,
		  int64_t *value);
