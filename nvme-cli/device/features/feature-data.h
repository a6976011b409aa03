/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meaning of the value of a feature and of its data. */
#pragma once

#include <libnvme.h>

#include "frame/frame.h"

/* The name of a feature, or "Unknown". */
const char *feature_name(unsigned int fid);

bool feature_has_details(unsigned int fid);

/* Lines that start with a tab, and JSON fields. @length may be 0: the feature has no data then. */
void feature_show_details(struct out *out, unsigned int fid, uint32_t value, const void *data,
			  size_t length);
