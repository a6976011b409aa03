/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the specification gives to numbers. */
#pragma once

#include "shared/std.h"

struct name {
	unsigned int value;
	const char *name; /* NULL ends a table */
	const char *word; /* on the command line, or NULL */
};

/* Return the name of @value, or "Unknown". */
const char *name_of(const struct name *names, unsigned int value);

/* Return the name of @value, or @otherwise. */
const char *name_or(const struct name *names, unsigned int value, const char *otherwise);

/* Find the row of @word, in any case, or abbreviated if all rows that it fits have one value. */
const struct name *name_by_word(const struct name *names, const char *word);

/* Set *@value to a word's (see name_by_word()), or to the number in @word. Return 0 or -EINVAL. */
int name_value(const struct name *names, const char *word, unsigned int max, unsigned int *value);
