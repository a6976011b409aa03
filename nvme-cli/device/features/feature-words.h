/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the value of a feature, and of its data structure. */
#pragma once

#include "frame/parts.h"

bool feature_has_parts(unsigned int fid);

/* Print a line or a JSON field for each part. */
void feature_show_parts(struct out *out, unsigned int fid, const struct parts_of *of);
