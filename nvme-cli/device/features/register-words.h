/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The properties (registers) of a controller explained part by part, in the words of nvme-cli 2.x. */
#pragma once

#include "frame/frame.h"

/* Registers that decide what others mean. */
struct register_context {
	uint32_t cmbsz; /* 0: there is no Controller Memory Buffer, whose location means nothing */
	uint32_t pmrctl; /* a Persistent Memory Region that is not enabled is not ready */
};

/* Where they are not at hand: the buffer is there, the region enabled. */
#define REGISTER_CONTEXT_UNKNOWN \
	{ \
		.cmbsz = UINT32_MAX, .pmrctl = UINT32_MAX \
	}

/*
 * What the bits of register @offset mean: a line for each part, in JSON a field, behind the register's
 * value called @key.
 */
void feature_explain_register(struct out *out, const char *key, unsigned int offset, uint64_t value,
			      const struct register_context *context);
