/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of struct tcp_info and struct mptcp_info: name, place and width, one row each. A number
 * is known if the length that the kernel sent covers it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value_field {
	const char *name; /* in JSON */
	uint16_t offset;
	uint16_t size;
	bool needs_value; /* 0 is what kernels send that do not have it */
};

extern const struct value_field subflow_fields[];
extern const struct value_field connection_fields[];

/* Fills @value[0..@n-1] from @len bytes of @info; what is not covered becomes unknown. */
void value_decode(const struct value_field *fields, size_t n, const void *info, size_t len,
		  int64_t *value);
