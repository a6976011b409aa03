/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the value of a feature, and of the structure that comes with it. */
#pragma once

#include "frame/parts.h"

bool feature_has_parts(unsigned int fid);

/* A line and a JSON field for each part. */
void feature_show_parts(struct out *out, unsigned int fid, const struct parts_of *of);
