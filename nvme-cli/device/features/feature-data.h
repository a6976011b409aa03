/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explanation of the value of a feature and of its data. */
#pragma once

#include "frame/frame.h"
#include "frame/parts.h"

/* Return the name of a feature, or "Unknown". */
const char *feature_name(unsigned int fid);

extern const struct name feature_fdp_events[];

/* Format milliseconds since 1970 as a date, "?" if there is none. */
#define FEATURE_TIME_SIZE 40
void feature_format_time(uint64_t ms, char text[FEATURE_TIME_SIZE]);

bool feature_has_details(unsigned int fid);

/* Print lines that start with a tab, or JSON fields. @length is 0 if the feature has no data. */
void feature_show_details(struct out *out, unsigned int fid, uint32_t value, const void *data,
			  size_t length);

bool feature_has_parts(unsigned int fid);

/* Print a line or a JSON field for each part of a value and of its data structure. */
void feature_show_parts(struct out *out, unsigned int fid, const struct parts_of *of);
