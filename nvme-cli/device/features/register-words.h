/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain the properties (registers) of a controller part by part, in the words of nvme-cli 2.x. */
#pragma once

#include "frame/frame.h"

/* Registers that determine the meaning of others. */
struct register_context {
	uint32_t cmbsz; /* 0: there is no Controller Memory Buffer, and CMBLOC is meaningless */
	uint32_t pmrctl; /* bit 0 clear: the Persistent Memory Region is disabled and not ready */
};

/* If they were not read, assume that the buffer exists and the region is enabled. */
#define REGISTER_CONTEXT_UNKNOWN \
	{ \
		.cmbsz = UINT32_MAX, .pmrctl = UINT32_MAX \
	}

/* Explain register @offset: a line or JSON field for each part, after the value called @key. */
void feature_explain_register(struct out *out, const char *key, unsigned int offset, uint64_t value,
			      const struct register_context *context);
